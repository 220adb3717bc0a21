"""Lint over all recorded inputs: an error of class late exactly where kube-apiserver rejected later, at its field; and
where everything was accepted, only what a reviewed list holds."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from kubectl_trainjob.kube.pods.jobset import job_problems
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.rules import Category, Severity
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import BuildOptions
from tests.compiled import lint
from tests.conformance.cases import VERSIONS, Case
from tests.conformance.versions import EACH_VERSION, Chosen
from tests.reading import read

GOLDEN = Path(__file__).with_name("lint_findings.txt")


@cache
def linted(chosen: Chosen) -> list[tuple[Case, list[Diagnostic]]]:
    """Every case that could be decoded, with all that lint finds in it."""
    cases = [case for case in chosen.cases() if "stream-error" not in case.expected]
    return [(case, _lint(case)) for case in cases]


def _lint(case: Case) -> list[Diagnostic]:
    documents = read(["-"], lambda _most: case.input.encode())
    return lint(documents, BuildOptions(trainer_version=case.version)).diagnostics


# The runtime is rejected because its failure policy's rule has no name: then nobody can go on.
_UNREADABLE = {"own/170-jobset job"}


def judged(chosen: Chosen) -> Iterator[tuple[str, dict[str, Any], dict[str, Any], set[Pointer]]]:
    """Each accepted job, its record and its JobSet, and what lint says of class late, as pointers into the JobSet."""
    for case, found in linted(chosen):
        for job in case.expected["jobs"]:
            jobset = next((each for each in job.get("objects", ()) if each["kind"] == "JobSet"), None)
            if job["verdict"] == "accepted" and jobset is not None:
                said = {
                    each.subject.pointer
                    for each in found
                    if each.subject
                    and each.subject.object == f"JobSet/{job['job']}"
                    and each.rule.category is Category.LATE
                }
                yield f"{case.id} {job['job']}", job, jobset, said


@EACH_VERSION
def test_late_exactly_where_the_server_rejects_later(chosen: Chosen) -> None:
    jobs = list(judged(chosen))
    assert len(jobs) > 50
    assert {name for name, job, _, said in jobs if bool(job.get("late")) != bool(said)} <= _UNREADABLE


@EACH_VERSION
def test_late_at_the_field_that_the_server_names(chosen: Chosen) -> None:
    """What is asked of `job_problems` is held against the records in test_late.py."""
    jobs = [(name, jobset, said) for name, _, jobset, said in judged(chosen) if said]
    assert len(jobs) > 20
    wrong = [
        name
        for name, body, said in jobs
        if _in_any_order(said) != _in_any_order(each.pointer for each in job_problems(body))
    ]
    assert wrong == []


def _in_any_order(pointers: Iterable[Pointer]) -> set[Pointer]:
    """The pointers without positions in env, whose order upstream leaves to chance where two plugins write it."""
    return {tuple("" if before == "env" else step for before, step in pairwise((None, *each))) for each in pointers}


def accepted(chosen: Chosen) -> Iterator[tuple[Case, list[Diagnostic]]]:
    """The cases that upstream takes whole, also later."""
    for case, found in linted(chosen):
        jobs = case.expected["jobs"]
        is_whole = all(job["verdict"] == "accepted" and not job.get("late") for job in jobs)
        if jobs and is_whole and not case.expected.get("runtime-findings"):
            yield case, found


def golden() -> dict[str, list[str]]:
    """Rules by case, as reviewed."""
    lines = [line.split() for line in GOLDEN.read_text().splitlines() if line and not line.startswith("#")]
    return {f"{version} {case}": rules for version, case, *rules in lines}


@EACH_VERSION
def test_accepted_inputs_give_what_was_reviewed(chosen: Chosen) -> None:
    version = chosen.version
    looked_at = {f"{version} {case.id}" for case in chosen.cases()}
    reviewed = {case: rules for case, rules in golden().items() if case in looked_at}
    found = {f"{version} {case.id}": sorted({each.rule.id for each in found}) for case, found in accepted(chosen)}
    assert reviewed
    assert {case: rules for case, rules in found.items() if rules} == reviewed


@EACH_VERSION
def test_accepted_inputs_are_not_rejected(chosen: Chosen) -> None:
    """What upstream takes is no error of the classes that say that it does not."""
    classes = (Category.REJECTED, Category.LATE)
    wrong = defaultdict(Counter)
    for case, found in accepted(chosen):
        for each in found:
            if each.severity is Severity.ERROR and each.rule.category in classes:
                wrong[case.id][each.rule.id] += 1
    assert wrong == {}


if __name__ == "__main__":
    lines = [
        f"{version} {case.id} {' '.join(rules)}"
        for version in VERSIONS
        for case, found in accepted(Chosen(version))
        if (rules := sorted({each.rule.id for each in found}))
    ]
    GOLDEN.write_text(
        "# What lint says of recorded inputs that upstream accepts, reviewed rule by rule.\n" + "\n".join(lines) + "\n"
    )
