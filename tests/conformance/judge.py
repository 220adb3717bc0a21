"""Decides whether our build of a recorded input is right; every complaint is a line of text."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from tests.conformance.cases import Case
from tests.conformance.compare import differences, expected_of, faults
from tests.conformance.harness import Outcome, run_build
from tests.conformance.stream import Document, reduced, split

Build = Callable[[str], Outcome]

_NAMED_FIELD = re.compile(r"\b((?:spec|metadata)(?:\.[A-Za-z]\w*|\[\d+\])+)")
_OF_THE_INPUT = ("unknown-field", "metadata", "schema", "cel", "webhook", "runtime-webhook")
_MULTIKUEUE_FIELD = "spec.managedBy"


@dataclass
class Judgement:
    """What became of one case; `complaints` is empty when it is right."""

    kind: Literal["equal", "refused"] = "equal"
    complaints: list[str] = field(default_factory=list)


def judge(case: Case) -> Judgement:
    """As `verdict_on`; a crash of the product is a complaint, so that it hides no other case."""
    try:
        return verdict_on(case)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-3:]
        calls = [f"  {Path(frame.filename).name}:{frame.lineno} {frame.name}: {frame.line}" for frame in where]
        return Judgement("refused", [f"{type(error).__name__}: {error}", *calls])


def verdict_on(case: Case) -> Judgement:
    """Build the case's input, and where its jobs fare differently each job alone, and hold it against the record."""
    record, build = case.expected, partial(_build, case.version)
    jobs = record["jobs"]
    if "stream-error" in record:
        return _judge_rejection(build, case.input, lambda outcome, _documents: _says_something(outcome))
    if record.get("runtime-findings"):
        findings = record["runtime-findings"]
        return _judge_rejection(build, case.input, lambda o, d: _points_at_findings(o, d, findings, None))
    if all(job["verdict"] == "accepted" for job in jobs):
        return Judgement("equal", _check_equal(build, case.input, jobs))
    result = _judge_rejection(build, case.input, lambda outcome, documents: _points_at_jobs(outcome, documents, jobs))
    if len(jobs) > 1:
        for job in jobs:
            result.complaints += _check_alone(build, case.input, job)
    return result


def _build(version: str, text: str) -> Outcome:
    return run_build(text, "--trainer-version", version)


def _check_alone(build: Build, text: str, job: dict[str, Any]) -> list[str]:
    alone = reduced(text, lambda document: not document.is_job or document.name == job["job"])
    if job["verdict"] == "accepted":
        found = _check_equal(build, alone, [job])
    else:
        found = _judge_rejection(build, alone, lambda o, d: _points_at_jobs(o, d, [job])).complaints
    return [f"[{job['job']} alone] {line}" for line in found]


def _check_equal(build: Build, text: str, jobs: list[dict[str, Any]]) -> list[str]:
    outcome = build(text)
    if outcome.exit_code != 0:
        return [f"upstream accepts, build exits {outcome.exit_code}:", *outcome.stderr.splitlines()]
    sources = {document.name: document.body for document in split(text) if document.is_job}
    ours = outcome.objects
    if any(job.get("nondeterministic") for job in jobs):
        return faults(ours, None)
    expected = [one for job in jobs for one in expected_of(job, sources.get(job["job"]))]
    any_env_order = any(job.get("unordered") for job in jobs)
    found = differences(ours, expected, any_env_order=any_env_order)
    for job in jobs:
        mine = [one for one in ours if len(jobs) == 1 or one["metadata"]["name"] == job["job"]]
        found += faults(mine, sources.get(job["job"]))
    return found


def _judge_rejection(build: Build, text: str, check: Any) -> Judgement:
    outcome = build(text)
    result = Judgement("refused")
    if outcome.exit_code != 1:
        result.complaints.append(f"upstream refuses, build exits {outcome.exit_code}: {outcome.stderr}")
    if outcome.stdout:
        result.complaints.append("a refused build prints to stdout")
    result.complaints += check(outcome, split(text))
    if result.complaints:
        result.complaints += ["our errors:", *(f"  line {p.line} {p.rule} {p.text}" for p in outcome.problems)]
    return result


def _says_something(outcome: Outcome) -> list[str]:
    return [] if outcome.problems else ["no error is printed"]


def _points_at_jobs(outcome: Outcome, documents: list[Document], jobs: list[dict[str, Any]]) -> list[str]:
    """Every rejected job must have an error at the fields that upstream names, in the job or in its runtime."""
    found = []
    for job in jobs:
        if job["verdict"] == "accepted":
            continue
        source = next(d for d in documents if d.is_job and d.name == job["job"])
        findings = [f for f in job.get("findings", []) if f["stage"] in _OF_THE_INPUT]
        if job["verdict"] == "not-managed-here" and not findings:
            findings = [{"stage": "cel", "object": source.name, "field": _MULTIKUEUE_FIELD, "message": "multikueue"}]
        if findings:
            found += _points_at_findings(outcome, documents, findings, source)
        elif not _any_inside(outcome, [source, *_runtimes_of(source, documents)]):
            found.append(f"{job['verdict']}: no error in TrainJob {source.name} or its runtime; {job.get('findings')}")
    return found


def _points_at_findings(
    outcome: Outcome, documents: list[Document], findings: list[dict[str, Any]], job: Document | None
) -> list[str]:
    """Each finding of the first stage that rejects needs an error on its field's lines."""
    first = min(_stage_order(finding) for finding in findings)
    found = []
    for finding in findings:
        if _stage_order(finding) == first and not any(
            problem.line in lines for problem in outcome.problems for lines in _allowed(finding, documents, job)
        ):
            field_ = finding.get("field", "")
            found.append(f"no error at {field_} ({finding['stage']} {finding['object']}): {finding['message'][-200:]}")
    return found


def _stage_order(finding: dict[str, Any]) -> int:
    return 0 if finding["stage"] in ("unknown-field", "metadata", "schema") else 1 if finding["stage"] == "cel" else 2


def _allowed(finding: dict[str, Any], documents: list[Document], job: Document | None) -> Iterator[range]:
    """The lines that an error about a finding may stand on.

    What is missing has no line: then the nearest parent's lines count, and the runtime, where the value may come from.
    """
    name = finding["object"].rpartition("/")[2]
    candidates = [job] if job else [d for d in documents if not d.is_job and d.name == name]
    path = finding.get("field", "")
    if path in ("", "<nil>"):
        named = _NAMED_FIELD.search(finding["message"])
        path = named[1] if named else ""
    for document in candidates:
        lines, exists = document.lines_of(path)
        yield lines
        if not exists and job:
            yield from (range(d.first, d.last + 1) for d in _runtimes_of(job, documents))


def _runtimes_of(job: Document, documents: list[Document]) -> list[Document]:
    reference = (job.body.get("spec") or {}).get("runtimeRef") or {}
    kind = reference.get("kind", "ClusterTrainingRuntime")
    return [d for d in documents if d.kind == kind and d.name == reference.get("name")]


def _any_inside(outcome: Outcome, documents: list[Document]) -> bool:
    return any(d.first <= problem.line <= d.last for problem in outcome.problems for d in documents)
