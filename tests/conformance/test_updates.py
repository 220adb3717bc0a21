"""Our verdicts on every recorded update, both sides compiled by our own build, are those of upstream's admission."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest

from kubectl_trainjob.kube.updates.jobset import check_jobset_update
from kubectl_trainjob.kube.updates.result import STATES, State, UpdateResult
from kubectl_trainjob.kube.updates.trainer import check_train_job_update
from kubectl_trainjob.model.source import value_at
from tests.conformance.cases import VERSIONS, load
from tests.conformance.complete import complete
from tests.conformance.harness import run_build
from tests.conformance.updates import (
    RESPELT,
    Findings,
    Object,
    Recorded,
    jobset_of,
    recorded,
    train_job_as_written,
    train_job_of,
)
from tests.loops import sample

COUNT = 273
_LATEST = VERSIONS[-1]
_REASON = re.compile(
    r"spec[\w.\[\]]*: (field is immutable|Value is immutable"
    r"|RuntimePatches can only be modified when the TrainJob is suspended before or after the update)"
)


EVERY = pytest.mark.parametrize("every", sample({"some": 8, "all": 1}, every=2))


class _Sides(NamedTuple):
    """A recorded update, and what our build makes of it."""

    update: Recorded
    train_jobs: tuple[Object, Object]
    jobsets: tuple[Object, Object]


@cache
def _some(every: int) -> list[_Sides]:
    return [
        _Sides(
            update,
            (train_job_of(update.old), train_job_of(update.new)),
            (jobset_of(update.old), jobset_of(update.new)),
        )
        for update in recorded()[::every]
    ]


def test_none_is_lost() -> None:
    assert len(recorded()) == COUNT


@EVERY
def test_train_jobs(every: int) -> None:
    """Of TrainJobs as they are printed, which upstream's mutating webhook, no part of the records, leaves alone."""
    verdicts = ((each.update, check_train_job_update(*each.train_jobs, _LATEST)) for each in _some(every))
    differences = [line for update, verdict in verdicts for line in _differences(update.name, update.trainjob, verdict)]
    assert not differences, "\n".join(differences)


@EVERY
def test_jobsets(every: int) -> None:
    verdicts = ((each.update, check_jobset_update(*each.jobsets)) for each in _some(every))
    differences = [line for update, verdict in verdicts for line in _differences(update.name, update.jobset, verdict)]
    assert not differences, "\n".join(differences)


@pytest.mark.slow
def test_the_mutating_webhook_matters_for_files_that_are_applied_as_they_are() -> None:
    respelt = {}
    for each in _some(1):
        written = (train_job_as_written(text) for text in (each.update.old, each.update.new))
        verdict = check_train_job_update(*written, _LATEST)
        if verdict != check_train_job_update(*each.train_jobs, _LATEST):
            respelt[each.update.name] = _fields(verdict, "suspended")
    assert set(respelt) == RESPELT
    assert all("spec.trainer" in fields for fields in respelt.values())


@EVERY
@pytest.mark.parametrize("kind", ["TrainJob", "JobSet"])
def test_rejections_lead_to_values_and_hold_none(kind: str, every: int) -> None:
    for each in _some(every):
        old, new = each.train_jobs if kind == "TrainJob" else each.jobsets
        verdict = check_train_job_update(old, new, _LATEST) if kind == "TrainJob" else check_jobset_update(old, new)
        reported = [(rejection.state, rejection.pointer, rejection.is_gone) for rejection in verdict.rejections]
        assert len(set(reported)) == len(reported)
        for rejection in verdict.rejections:
            assert value_at(old if rejection.is_gone else new, rejection.pointer) is not None, each.update.name
            assert _REASON.fullmatch(rejection.reason)


@EVERY
def test_what_says_the_same_is_accepted(every: int) -> None:
    for each in _some(every):
        for jobset in each.jobsets:
            assert (
                check_jobset_update(jobset, complete(jobset))
                == check_jobset_update(complete(jobset), jobset)
                == UpdateResult()
            )
        for job in each.train_jobs:
            assert check_train_job_update(job, job, _LATEST) == UpdateResult()


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_what_says_the_same_is_accepted_of_every_recorded_input(version: str) -> None:
    seen = 0
    for text in _accepted(version):
        seen += 1
        for jobset in _built(text, "JobSet", version, "jobset"):
            assert (
                check_jobset_update(jobset, complete(jobset))
                == check_jobset_update(complete(jobset), jobset)
                == UpdateResult()
            )
        for job in _built(text, "TrainJob", version, "trainjob"):
            assert check_train_job_update(job, job, version) == UpdateResult()
    assert seen > 50


def _accepted(version: str) -> Iterator[str]:
    for case in load(version):
        jobs = case.expected.get("jobs", ())
        if not case.expected.get("runtime-findings") and jobs and all(job["verdict"] == "accepted" for job in jobs):
            yield case.input


def _built(text: str, kind: str, version: str, emit: str) -> list[Object]:
    outcome = run_build(text, "--trainer-version", version, "--emit", emit)
    assert outcome.exit_code == 0, outcome.stderr
    return [one for one in outcome.objects if one["kind"] == kind]


def _differences(name: str, findings: Findings, verdict: UpdateResult) -> Iterator[str]:
    for state in STATES:
        theirs = {finding["field"]: finding["message"] for finding in findings[state]}
        ours = _fields(verdict, state)
        if set(theirs) != set(ours) or verdict.accepts(state) != (not theirs):
            yield f"{name} {state}: upstream refuses {sorted(theirs)}, we {sorted(ours)}"
        elif not all(theirs[field].endswith(message) for field, message in ours.items()):
            yield f"{name} {state}: upstream says {theirs}, we {ours}"


def _fields(verdict: UpdateResult, state: State) -> dict[str, str]:
    """Our messages by field."""
    parts = (rejection.reason.partition(": ") for rejection in verdict.rejections if rejection.state == state)
    return {field: message for field, _, message in parts}


def _accepts_both_ways(one: Any, other: Any) -> None:
    assert check_jobset_update(one, other) == check_jobset_update(other, one) == UpdateResult()
