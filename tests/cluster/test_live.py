"""The real API server, Trainer and JobSet do with every recorded input what `build` does.

What is compared are the objects as Trainer applied them (by `managedFields`), brought into one form as the rules of
tests/conformance/README.md say. The TrainJobs are suspended unless their input says otherwise.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.cluster.agreement import complaints, ending, ours, predicted, report
from tests.cluster.inputs import Job
from tests.cluster.plane.plane import Plane
from tests.cluster.submission import Treatment, submit

pytestmark = pytest.mark.cluster

GROUPS = (
    "edge",
    "flux",
    "gang",
    "invalid",
    "jax",
    "many",
    "mixed",
    "mpi",
    "nproc",
    "own",
    "patches",
    "plain",
    "torch",
    "torchtune",
    "typed",
    "xgboost",
    "yaml",
)
PRIORITY_CLASSES = ("high", "batch-low")  # exist in the recorded cluster too
_SHOWN = 5


@pytest.fixture(scope="module")
def treatments(control_plane: type[Plane], suspended: list[Job]) -> Mapping[str, Treatment]:
    """How the cluster treated each TrainJob, by its id."""
    with control_plane("jobset-manager", "trainer-manager") as plane:
        for name in PRIORITY_CLASSES:
            body = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}}
            plane.client.create({**body, "value": 1000})
        treated = submit(plane, suspended)
    if path := os.environ.get("TRAINJOB_CLUSTER_REPORT"):
        Path(path).write_text(report(suspended, treated))
    return treated


def test_every_group_and_every_ending_takes_part(
    suspended: list[Job], treatments: Mapping[str, Treatment], note_figure: Callable[[str], None]
) -> None:
    built = Counter("built" if job.outcome.exit_code == 0 else "refused by build" for job in suspended)
    ended = Counter(ending(treatment) for treatment in treatments.values())
    note_figure(f"TrainJobs with Trainer 2.3: {len(treatments)}; {dict(built)}; the cluster: {dict(ended)}")
    assert {job.case.group for job in suspended} == set(GROUPS)
    assert {ending(treatment) for treatment in treatments.values()} == {"refused", "no JobSet", "JobSet"}
    assert len(suspended) == len(treatments) >= 100


@pytest.mark.parametrize("group", GROUPS)
def test_cluster_and_build_agree(group: str, suspended: list[Job], treatments: Mapping[str, Treatment]) -> None:
    found = {job.id: complaints(job, treatments[job.id]) for job in _of_group(group, suspended)}
    failures = ["\n".join([f"== {name}", *lines]) for name, lines in found.items() if lines]
    assert not failures, f"{len(failures)} of {len(found)} TrainJobs:\n" + "\n".join(failures[:_SHOWN])


@pytest.mark.parametrize("group", GROUPS)
def test_the_records_predict_the_cluster(group: str, suspended: list[Job], treatments: Mapping[str, Treatment]) -> None:
    failures = [
        f"== {job.id}: recorded {predicted(job)}, now {ending(treatment)}\n{treatment.said}\nours: {ours(job)}"
        for job in _of_group(group, suspended)
        if predicted(job) != ending(treatment := treatments[job.id])
    ]
    assert not failures, "\n".join(failures[:_SHOWN])


def _of_group(group: str, jobs: list[Job]) -> Iterator[Job]:
    return (job for job in jobs if job.case.group == group)
