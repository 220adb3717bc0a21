"""What Trainer creates of the recorded inputs and the examples is equal to a build in the eyes of `--shadow`, too."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from zlib import crc32

import pytest
import yaml

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.connection import KubeConnection
from kubectl_trainjob.cluster.controller.shadow import compare_jobs
from kubectl_trainjob.cluster.controller.verdict import Verdict
from kubectl_trainjob.cluster.login import ConnectionOptions
from kubectl_trainjob.cluster.protocol import Clock
from tests.cluster.inputs import Job
from tests.cluster.ownership import owner
from tests.cluster.plane.plane import Plane
from tests.cluster.submission import Treatment, submit
from tests.cluster.test_live import PRIORITY_CLASSES
from tests.conformance.compare import identify
from tests.examples.examples import ALL_RUNTIMES, OVERLAYS, RUNTIMES, build, build_over

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def plane(control_plane: type[Plane]) -> Iterator[Plane]:
    """JobSet and Trainer."""
    with control_plane("jobset-manager", "trainer-manager") as plane:
        yield plane


def _compared(plane: Plane, namespace: str) -> Verdict:
    clock = Clock(time.monotonic, lambda _: None, random.random)
    api = Api(KubeConnection(ConnectionOptions(str(plane.kubeconfig))), clock, 30, 0)
    verdict = compare_jobs(api, namespace, "2.3")
    assert (api.counts.write, api.counts.dry_run) == (0, 0)
    return verdict


@pytest.fixture(scope="module")
def chosen(suspended: list[Job]) -> list[Job]:
    """A quarter of the inputs, by their ids: a new input does not change the choice among the others."""
    return [job for job in suspended if crc32(job.id.encode()) % 4 == 0]


@pytest.fixture(scope="module")
def treatments(plane: Plane, chosen: list[Job]) -> Mapping[str, Treatment]:
    """How the cluster treated each chosen TrainJob, by its id."""
    for name in PRIORITY_CLASSES:
        body = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}}
        plane.client.create({**body, "value": 1000})
    return submit(plane, chosen)


def test_recorded_inputs(
    plane: Plane, chosen: list[Job], treatments: Mapping[str, Treatment], note_figure: Callable[[str], None]
) -> None:
    """A TrainJob with a JobSet is equal, or its Jobs would be rejected; one without is invalid, or too new."""
    with_jobset = Counter(job.target for job in chosen if not treatments[job.id].is_rejected)
    total, different = Counter[str](), {}
    for namespace, count in with_jobset.items():
        verdict = _compared(plane, namespace)
        found = Counter(verdict.summary)
        total += found
        if found["different"] or found["equal"] + found["invalid"] < count:
            different[namespace] = verdict
    note_figure(f"TrainJobs with Trainer 2.3, compared: {dict(total)}")
    assert different == {}
    assert total["equal"] >= 100


def test_examples(plane: Plane, note_figure: Callable[[str], None]) -> None:
    client = plane.client
    sources = [build(folder, "--emit", "trainjob") for folder in OVERLAYS]
    sources += [build_over(path, "--emit", "trainjob") for path in RUNTIMES]
    given = {identify(one): one for each in sources for one in each.objects}
    catalogue = [yaml.safe_load(path.read_text()) for path in ALL_RUNTIMES]
    others = [one for one in [*catalogue, *given.values()] if one["kind"] != "TrainJob"]
    jobs = [one for one in given.values() if one["kind"] == "TrainJob"]
    namespaces = sorted({one["metadata"]["namespace"] for one in jobs})
    for name in namespaces:
        client.create_namespace(name)
    for one in others:
        client.apply(one, "test")
    for job in jobs:  # Trainer's webhook looks runtimes up in a cache, which is behind
        client.wait(f"the admission of {identify(job)}", lambda job=job: client.create(job))
    wanted = {(one["metadata"]["namespace"], one["metadata"]["name"]) for one in jobs}

    def made() -> bool:
        live = client.items("jobset.x-k8s.io/v1alpha2", "JobSet")
        return wanted <= {(one["metadata"]["namespace"], owner(one) or "") for one in live}

    client.wait("the JobSets", made)
    verdicts = {name: _compared(plane, name) for name in namespaces}
    note_figure(f"TrainJobs of the catalogue and the examples, compared: {len(jobs)}")
    assert {name: one.message for name, one in verdicts.items() if not one.is_ready} == {}
    assert sum((one.summary or {})["equal"] for one in verdicts.values()) == len(jobs) >= len(RUNTIMES) + 35
