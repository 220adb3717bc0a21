"""Reports to write, made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kubectl_trainjob.model.diagnostic import Edit, Fix
from kubectl_trainjob.model.finding import Excerpt, Finding, LintReport, Note, Position, UncheckedRules
from kubectl_trainjob.model.rules import (
    EXTENDED_RESOURCE_LIMIT_MISSING,
    MPI_EXTRA_NODE,
    Category,
    Rule,
    Severity,
)
from kubectl_trainjob.model.source import Place, Source, SourceFile, Span
from tests.messages import message as as_message

LIMIT = EXTENDED_RESOURCE_LIMIT_MISSING
NODES = MPI_EXTRA_NODE
TAG = Rule("KTJ901", "image-tag-missing", Severity.WARNING, Category.POLICY)
HINT = Rule("KTJ950", "no-deadline", Severity.INFO, Category.POLICY)  # has no manual
RULES = (LIMIT, NODES, TAG, HINT)


def at(path: str = "jobs/mnist.yaml", line: int = 14, column: int = 11, width: int = 14, *, lines: int = 0) -> Position:
    """A position of so many characters, which ends so many lines further down."""
    return Position(path, Span(line, column, line + lines, column + width))


def result(rule: Rule = LIMIT, message: str = '"nvidia.com/gpu" has no limit; add one', **given: Any) -> Finding:
    """A finding in TrainJob mnist, by default."""
    values = {"position": at(), "object": "TrainJob/mnist", "pointer": "/spec/trainer", "fingerprint": "0123abcd"}
    return Finding(rule, given.pop("severity", rule.severity), as_message(message), **{**values, **given})


def full() -> Finding:
    """A finding that has all that one can have."""
    edit = Place(Source(SourceFile("jobs/mnist.yaml", ""), 1, ("items", 0)), ("spec", "a/b"))
    return result(
        namespace="ml",
        related=(Note(as_message("the runtime stands here"), at("runtimes/torch.yaml", 3, 5)),),
        fix=Fix("add the limit", (Edit(edit, '{"cpu": 1}'), Edit(edit)), is_safe=False),
        excerpt=Excerpt("          nvidia.com/gpu: 1", "          ^~~~~~~~~~~~~~"),
    )


def shared(names: Sequence[str], **given: Any) -> list[Finding]:
    """The same mistake of a runtime, in every TrainJob of these names."""
    where = at("runtimes/torch.yaml", 7, 3)
    return [
        result(position=where, object=f"TrainJob/{name}", fingerprint=f"{number:08x}", **given)
        for number, name in enumerate(names)
    ]


def report(*results: Finding, **given: Any) -> LintReport:
    """A report of 12 TrainJobs."""
    return LintReport(tuple(results), **{"train_jobs": 12, **given})


CAUSE = UncheckedRules(as_message("no file says whether PriorityClass high exists"), ("KTJ608", "KTJ609"))


def mixed() -> LintReport:
    """One of every kind, worst first, with all else that a report can show."""
    results = [full(), *shared(["a", "b", "c"]), result(NODES, "two nodes"), result(TAG, "no tag"), result(HINT, "hm")]
    return report(*results, unchecked=(CAUSE,), suppressed=2, baselined=5, existing=7)


CLEAN = report()
EXAMPLES = {"clean": CLEAN, "mixed": mixed(), "only what could not be checked": report(unchecked=(CAUSE,))}
