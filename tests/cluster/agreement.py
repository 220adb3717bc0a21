"""Holds our build of a TrainJob against what the cluster made of it, and the record of it too."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tests.cluster.inputs import Job
from tests.cluster.ownership import applied_by
from tests.cluster.submission import Treatment
from tests.conformance.compare import differences, expected_of

_MANAGER = "trainer"
_SECRET = re.compile(r"Secret (\S+) must exist")

Ending = Literal["refused", "no JobSet", "JobSet"]
_PREDICTED: dict[str, Ending] = {
    "accepted": "JobSet",
    "accepted-with-pruned-fields": "refused",  # the inputs are sent as kubectl sends them: with strict validation
    "rejected-at-admission": "refused",
    "jobset-rejected": "no JobSet",
    "controller-fails": "no JobSet",
    "controller-crashes": "no JobSet",
    "not-managed-here": "no JobSet",
}


def complaints(job: Job, treatment: Treatment) -> list[str]:
    """Where build and cluster disagree, both sides in their own words; empty when they agree."""
    is_built = job.outcome.exit_code == 0
    if is_built == treatment.is_rejected:
        return [f"build exits {job.outcome.exit_code}:", ours(job), "the cluster says:", treatment.said]
    return _object_complaints(job, treatment) if is_built else []


def ours(job: Job) -> str:
    """Our errors, without the quoted source."""
    return "\n".join(f"{problem.rule} {problem.text}" for problem in job.outcome.problems) or "(nothing)"


def ending(treatment: Treatment) -> Ending:
    """How far the TrainJob came."""
    if treatment.rejections:
        return "refused"
    return "no JobSet" if treatment.is_rejected else "JobSet"


def predicted(job: Job) -> Ending:
    """How far it should come by its record."""
    expected = job.case.expected
    if "stream-error" in expected or expected.get("runtime-findings"):
        return "refused"
    return _PREDICTED[record_of(job)["verdict"]]


def record_of(job: Job) -> Mapping[str, Any]:
    """The record of this TrainJob; {} where the input was rejected as a whole."""
    return next((record for record in job.case.expected.get("jobs", []) if record["job"] == job.name), {})


def report(jobs: Sequence[Job], treatments: Mapping[str, Treatment]) -> str:
    """Markdown: what was rejected, the cluster's message beside ours."""
    lines = ["# Refused by build and cluster", ""]
    for job in jobs:
        if job.outcome.exit_code:
            reported = [f"- ours: {line}" for line in ours(job).splitlines()]
            lines += [f"## {job.id}", *reported, f"- {ending(treatments[job.id])}: {treatments[job.id].said}", ""]
    return "\n".join(lines)


def _object_complaints(job: Job, treatment: Treatment) -> list[str]:
    made = [applied_by(_MANAGER, one) for one in treatment.objects if one["kind"] != "Secret"]
    expected = expected_of({"objects": made}, job.document.body if job.document else None)
    found = differences(job.outcome.objects, expected, any_env_order=bool(record_of(job).get("unordered")))
    secrets = sorted(
        f"{one['metadata']['namespace']}/{one['metadata']['name']}"
        for one in treatment.objects
        if one["kind"] == "Secret"
    )
    reported = sorted(_SECRET.findall(job.outcome.stderr))
    return found if secrets == reported else [*found, f"Trainer makes Secrets {secrets}, build tells of {reported}"]
