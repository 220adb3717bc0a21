"""A job over every runtime of the catalogue, and every worked overlay, on the control plane.

With JobSet alone, as in test_applied.py: what is built runs to its end; no gang scheduler is there, so kube-scheduler
takes its name. With Trainer, as in test_live.py: of the same TrainJobs it makes what is built.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import yaml

from tests.cluster import fake_nodes
from tests.cluster.applying import MANAGER
from tests.cluster.ownership import Object, applied_by, owner
from tests.cluster.plane.client import Client
from tests.cluster.plane.plane import Plane
from tests.cluster.running import Identity, final_states, identity, unfinished
from tests.cluster.submission import KINDS
from tests.conformance.compare import differences, expected_of, identify
from tests.examples.examples import ALL_RUNTIMES, OVERLAYS, RUNTIMES, Built, build, build_over

pytestmark = pytest.mark.cluster

_THREADS = 4
_STALL = 60.0  # seconds without a new object after which none is expected any more


@pytest.fixture(scope="module")
def built() -> dict[str, Built]:
    """What every runtime's job and every overlay becomes."""
    made = {**{path.stem: build_over(path) for path in RUNTIMES}, **{folder: build(folder) for folder in OVERLAYS}}
    assert [f"{name}: {one.stderr}" for name, one in made.items() if one.exit_code] == []
    return made


@pytest.fixture(scope="module")
def plane(control_plane: type[Plane], built: dict[str, Built]) -> Iterator[Plane]:
    """JobSet, a scheduler for every name that pods ask for, fake nodes, and the namespaces."""
    jobsets = [one for each in built.values() for one in each.of_kind("JobSet")]
    schedulers = fake_nodes.scheduler_names(jobsets)
    with control_plane("jobset-manager", "kube-scheduler", "kwok", schedulers=schedulers) as plane:
        fake_nodes.furnish(plane.client, [_without_class(one) for one in jobsets])
        _create_namespaces(plane.client, jobsets)
        yield plane


def test_all_of_it_runs_to_completed(plane: Plane, built: dict[str, Built], note_figure: Callable[[str], None]) -> None:
    client = plane.client
    for namespace, name in (secret for each in built.values() for secret in each.secrets):
        metadata = {"namespace": namespace, "name": name}
        client.create({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"key": "dummy"}})
    objects = [one for each in built.values() for one in each.objects]
    jobsets = {identity(one): name for name, each in built.items() for one in each.of_kind("JobSet")}
    _apply(client, [one for one in objects if one["kind"] != "JobSet"])
    _apply(client, [one for one in objects if one["kind"] == "JobSet"])
    failures = unfinished(client, final_states(client, set(jobsets)), jobsets)
    note_figure(f"JobSets of the catalogue and the examples run to their end: {len(jobsets)}")
    assert len(jobsets) == sum(len(each.of_kind("JobSet")) for each in built.values()), "no two of one name"
    assert len(jobsets) >= len(RUNTIMES) + 35
    assert not failures, f"{len(failures)} of {len(jobsets)}:\n" + "\n".join(failures[:10])


def test_every_gang_was_one(plane: Plane, built: dict[str, Built]) -> None:
    """The pods of each PodGroup are as many as it waits for, and carry what its scheduler knows them by."""
    pods = plane.client.items("v1", "Pod")
    groups = [one for each in built.values() for one in each.of_kind("PodGroup")]
    assert {one["apiVersion"].split("/")[0] for one in groups} == {"scheduling.x-k8s.io", "scheduling.volcano.sh"}
    found = {identity(one): sum(_is_member(pod, one) for pod in pods) for one in groups}
    assert found == {identity(one): one["spec"]["minMember"] for one in groups}


def test_trainer_makes_the_same(control_plane: type[Plane], note_figure: Callable[[str], None]) -> None:
    sources = [build(folder, "--emit", "trainjob") for folder in OVERLAYS]
    sources += [build_over(path, "--emit", "trainjob") for path in RUNTIMES]
    given = [one for each in sources for one in each.objects]
    jobs = {identity(one): one for one in given if one["kind"] == "TrainJob"}
    # Built from the TrainJobs that Trainer gets: by nameHash a JobSet would have another name than its TrainJob.
    built = [build("-", stdin=each.stdout) for each in sources]
    ours = [one for each in built for one in each.objects if (one["apiVersion"], one["kind"]) in KINDS]
    with control_plane("jobset-manager", "trainer-manager") as plane:
        client = plane.client
        _create_namespaces(client, jobs.values())
        catalogue = [yaml.safe_load(path.read_text()) for path in ALL_RUNTIMES]
        others = {identify(one): one for one in [*catalogue, *given] if one["kind"] != "TrainJob"}
        _apply(client, others.values())
        for job in jobs.values():  # Trainer's webhook looks runtimes up in a cache, which is behind
            client.wait(f"the admission of {identity(job)}", lambda job=job: client.create(job))
        made = _settled(client, jobs, set(map(identify, ours)))
    found = [line for name, job in jobs.items() for line in _complaints(job, _owned(made, name), ours)]
    note_figure(f"TrainJobs of the catalogue and the examples with Trainer 2.3: {len(jobs)}")
    secrets = {(one["metadata"]["namespace"], one["metadata"]["name"]) for one in made if one["kind"] == "Secret"}
    assert secrets == {secret for each in built for secret in each.secrets}
    assert len(jobs) >= len(RUNTIMES) + 35
    assert not found, "\n".join(found[:200])


def _create_namespaces(client: Client, objects: Iterable[Object]) -> None:
    for namespace in sorted({one["metadata"]["namespace"] for one in objects}):
        client.create_namespace(namespace)


def _apply(client: Client, objects: Iterable[Object]) -> None:
    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(lambda one: client.apply(one, MANAGER), objects))


def _settled(client: Client, jobs: Iterable[Identity], expected: set[str]) -> list[Object]:
    """What belongs to the TrainJobs, once all that is expected is there or nothing new has come for a while."""
    owners, seen, last_news = set(jobs), set[str](), time.monotonic()
    while time.monotonic() - last_news < _STALL:
        live = [one for version, kind in KINDS for one in client.items(version, kind)]
        made = [one for one in live if (one["metadata"].get("namespace", ""), owner(one)) in owners]
        now = set(map(identify, made))
        if expected <= now:
            break
        if now != seen:
            seen, last_news = now, time.monotonic()
        time.sleep(1)
    return made


def _owned(objects: Iterable[Object], job: Identity) -> list[Object]:
    return [one for one in objects if (one["metadata"]["namespace"], owner(one)) == job]


def _complaints(job: Object, made: list[Object], ours: list[Object]) -> list[str]:
    applied = expected_of({"objects": [applied_by("trainer", one) for one in made if one["kind"] != "Secret"]}, job)
    name = identity(job)
    mine = [one for one in ours if _belongs(one, name)]
    return differences(mine, applied, any_env_order=True)  # upstream's is random for some frameworks


def _belongs(one: Object, job: Identity) -> bool:
    """Whether what is built is of the job: of its name, or of it and a purpose."""
    namespace, name = identity(one)
    return namespace == job[0] and name.removesuffix("-mpi-hostfile") == job[1]


def _is_member(pod: Object, group: Object) -> bool:
    metadata = pod["metadata"]
    if group["apiVersion"].startswith("scheduling.volcano.sh"):
        scheduler, named = "volcano", metadata.get("annotations", {}).get("scheduling.k8s.io/group-name")
    else:
        scheduler, named = "scheduler-plugins-scheduler", metadata["labels"].get("scheduling.x-k8s.io/pod-group")
    return (metadata["namespace"], named, pod["spec"]["schedulerName"]) == (*identity(group), scheduler)


def _without_class(jobset: Object) -> Object:
    """A JobSet whose priority classes the cluster need not have made: the examples bring theirs."""
    text = json.dumps(jobset)
    copied: Object = json.loads(
        text, object_hook=lambda one: {key: value for key, value in one.items() if key != "priorityClassName"}
    )
    return copied
