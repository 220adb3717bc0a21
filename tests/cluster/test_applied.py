"""What `build` prints, on a cluster with JobSet alone: applied twice it stays as it is, and it runs to its end.

The first tests take the suspended builds, so that only applying changes anything. In the last the test plays those who
would be there in a cluster: it makes the Secrets that `build` asks for and opens the pods' scheduling gates.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cluster import fake_nodes
from tests.cluster.agreement import record_of
from tests.cluster.applying import MANAGER, Kubectl, apply_twice, placed, without_empties
from tests.cluster.inputs import Job, jobs_of
from tests.cluster.ownership import Object
from tests.cluster.plane.client import Client
from tests.cluster.plane.plane import Plane
from tests.cluster.running import final_states, identity, unfinished
from tests.conformance.cases import load
from tests.tools import require

pytestmark = pytest.mark.cluster

_THREADS = 4
NoteFigure = Callable[[str], None]
_EVERY = 4  # kubectl takes a tenth of a second an object, four times
_SECRET = re.compile(r"Secret (\S+)/(\S+) must exist")


@pytest.fixture(scope="module")
def built(suspended: list[Job]) -> list[Job]:
    """The suspended jobs that build."""
    return [job for job in suspended if job.outcome.exit_code == 0]


@pytest.fixture(scope="module")
def chosen() -> tuple[list[Job], Counter[str]]:
    """The jobs that must run to their end, and the others counted by reason."""
    unread_overlays: Counter[str] = Counter()
    chosen = []
    for number, case in enumerate(load("2.3")):
        for job in jobs_of(case, f"r{number}", suspend=False):
            record = record_of(job)
            if record.get("verdict") != "accepted" or case.expected.get("runtime-findings"):
                continue
            reason = "its Jobs would be refused (`late` in its record)" if record.get("late") else _why_not(job)
            unread_overlays.update([reason] if reason else [])
            chosen += [] if reason else [job]
    return chosen, unread_overlays


@pytest.fixture(scope="module")
def runnable(chosen: tuple[list[Job], Counter[str]]) -> list[Job]:
    """The jobs that must run to their end."""
    return chosen[0]


@pytest.fixture(scope="module")
def plane(control_plane: type[Plane], built: list[Job], runnable: list[Job]) -> Iterator[Plane]:
    """JobSet, a scheduler for every name that pods ask for, fake nodes; and a namespace for every job."""
    jobsets = [_jobset(job) for job in runnable]
    namespaces = {one["metadata"]["namespace"] for job in built + runnable for one in placed(job)}
    namespaces |= {one["metadata"]["namespace"] for job in _some(built) for one in placed(job, "-k")}
    with control_plane(
        "jobset-manager", "kube-scheduler", "kwok", schedulers=fake_nodes.scheduler_names(jobsets)
    ) as plane:
        fake_nodes.furnish(plane.client, jobsets)
        with ThreadPoolExecutor(_THREADS) as pool:
            list(pool.map(plane.client.create_namespace, sorted(namespaces)))
        yield plane


def test_a_second_server_side_apply_changes_nothing(plane: Plane, built: list[Job], note_figure: NoteFigure) -> None:
    objects = [one for job in built for one in placed(job)]
    with ThreadPoolExecutor(_THREADS) as pool:
        found = [problem for problem in pool.map(lambda one: apply_twice(plane.client, one), objects) if problem]
    note_figure(f"objects applied twice server-side: {len(objects)}")
    assert len(objects) >= 100
    assert not found, f"{len(found)} of {len(objects)} objects:\n" + "\n".join(found[:5])


def test_client_side_applies_come_to_rest(
    plane: Plane, built: list[Job], note_figure: NoteFigure, tmp_path: Path
) -> None:
    objects = [one for job in _some(built) for one in placed(job, "-k")]
    assert sum("volumeClaimPolicies" in one.get("spec", {}) for one in objects) >= 10
    kubectl = Kubectl(require("kubectl"), plane, tmp_path, objects)
    first, second, third = kubectl.apply(), kubectl.apply(), kubectl.apply()
    dropped = [key for key in first if first[key] != second[key]]
    note_figure(f"objects applied three times client-side: {len(objects)}; the second changed {len(dropped)}")
    assert len(first) == len(
        {(one["kind"], *identity(one)) for one in objects}
    )  # two jobs of one input may print the same object
    assert [key for key in first if without_empties(first[key]) != without_empties(second[key])] == []
    assert [key for key in second if second[key] != third[key]] == []
    assert kubectl.diff() == ""


def test_jobsets_run_to_completed(
    plane: Plane, runnable: list[Job], chosen: tuple[list[Job], Counter[str]], note_figure: NoteFigure
) -> None:
    client = plane.client
    note_figure(f"JobSets run to their end: {len(runnable)}; left out because")
    for reason, count in chosen[1].most_common():
        note_figure(f"  {reason}: {count}")
    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(lambda job: _start(client, job), runnable))
    jobsets = {identity(_jobset(job)): job.id for job in runnable}
    failures = unfinished(client, final_states(client, set(jobsets)), jobsets)
    assert len(runnable) >= 100
    assert not failures, f"{len(failures)} of {len(runnable)}:\n" + "\n".join(failures[:10])


def _some(jobs: list[Job]) -> list[Job]:
    """Every fourth, and all with volumeClaimPolicies."""
    return [
        job for number, job in enumerate(jobs) if number % _EVERY == 0 or "volumeClaimPolicies" in _jobset(job)["spec"]
    ]


def _jobset(job: Job) -> Object:
    return next(one for one in placed(job) if one["kind"] == "JobSet")


def _why_not(job: Job) -> str:
    assert job.outcome.exit_code == 0, f"{job.id}: {job.outcome.stderr}"
    return fake_nodes.why_not(_jobset(job))


def _start(client: Client, job: Job) -> None:
    for namespace, name in _SECRET.findall(job.outcome.stderr):
        metadata = {"namespace": namespace, "name": name}
        client.create({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"key": "dummy"}})
    for one in placed(job):
        client.apply(one, MANAGER)
