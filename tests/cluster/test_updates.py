"""What the real API server, Trainer and JobSet say to updates is what our verdicts say, in every state of suspension.

The controllers of Jobs are stopped: a Job with an active Pod would keep patches of a TrainJob from changing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pytest

from kubectl_trainjob.kube.updates.jobset import check_jobset_update
from kubectl_trainjob.kube.updates.result import STATES, State
from kubectl_trainjob.kube.updates.trainer import check_runtime_update, check_train_job_update
from tests.cluster.inputs import jobs_of
from tests.cluster.ownership import Object
from tests.cluster.plane.client import Client
from tests.cluster.plane.plane import Plane
from tests.cluster.updating import (
    answer,
    apply_all,
    create,
    disagreements,
    dry_run,
    field_of,
    in_namespace,
    replace_all,
    update,
)
from tests.conformance.cases import Case
from tests.conformance.updates import RESPELT, Recorded, for_trainer, jobset_of, recorded
from tests.unit.kube.updates.cases import JOBSETS, RUNTIME, RUNTIMES, TRAIN_JOBS, Update, verdict_on

pytestmark = pytest.mark.cluster

_THREADS = 4
_EVERY = 7
Answers = Mapping[State, str]


@pytest.fixture(scope="module")
def plane(control_plane: type[Plane]) -> Iterator[Plane]:
    with control_plane("jobset-manager", "trainer-manager") as plane:
        plane.stop("kube-controller-manager")
        for name in ("high", "batch-low"):  # exist in the recorded cluster too
            body = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}}
            plane.client.create({**body, "value": 1000})
        yield plane


def _some() -> list[Recorded]:
    """Every seventh recorded update, and those where the record is known to be silent about the mutating webhook."""
    return [each for number, each in enumerate(recorded()) if number % _EVERY == 0 or each.name in RESPELT]


@pytest.mark.parametrize("cases", [TRAIN_JOBS, JOBSETS, RUNTIMES], ids=["TrainJob", "JobSet", "TrainingRuntime"])
def test_the_server_says_what_the_cases_say(
    plane: Plane, cases: list[Update], note_figure: Callable[[str], None]
) -> None:
    with ThreadPoolExecutor(_THREADS) as pool:
        answers = list(pool.map(lambda one: _asked(plane.client, *one), enumerate(cases)))
    failures = []
    for case, said in zip(cases, answers, strict=True):
        fields = {state: field_of(message) for state, message in said.items() if message}
        if fields != dict(case.rejected):
            failures.append(f"== {case.name}: expected {dict(case.rejected)}, the server says {said}")
        failures += [f"== {case.name}: {line}" for line in disagreements(said, verdict_on(case))]
    note_figure(f"updates of {cases[0].old['kind']}s by hand: {len(cases)}, in {len(STATES)} states each")
    assert not failures, "\n".join(failures)


def test_the_server_says_what_we_say_to_recorded_updates(plane: Plane, note_figure: Callable[[str], None]) -> None:
    chosen = [_built(number, pair) for number, pair in enumerate(_some())]
    with ThreadPoolExecutor(_THREADS) as pool:
        failures = [line for lines in pool.map(lambda one: _compared(plane.client, one), chosen) for line in lines]
    note_figure(f"recorded updates: {len(chosen)}, of runtime, TrainJob and JobSet, in {len(STATES)} states each")
    assert len(chosen) >= 40
    assert not failures, f"{len(failures)} answers:\n" + "\n".join(failures[:20])


def test_what_is_left_out_is_gone(plane: Plane) -> None:
    """No default comes back: `live.dropped` reports it."""
    client = plane.client
    client.create_namespace("left-out")
    case = next(each for each in JOBSETS if each.name == "subdomain removed with all of network")
    for body in in_namespace((case.old, case.new), "left-out"):
        live = client.apply(body, "kubectl-trainjob")
    assert "network" not in live["spec"]
    assert live["spec"]["successPolicy"] == {"operator": "All"}


def _asked(client: Client, number: int, case: Update) -> Answers:
    said: dict[State, str] = {}
    for state in STATES:
        namespace = f"by-hand-{case.old['kind'].lower()}-{number}-{state}"
        client.create_namespace(namespace)
        runtime, old, new = in_namespace((RUNTIME, case.old, case.new), namespace)
        if old["kind"] == "TrainJob":
            apply_all(client, [runtime])
        said[state] = answer(client, old, new, state)
    return said


class _Built(NamedTuple):
    """Both versions of an input, under names that no other has: runtimes and TrainJob, and the JobSet."""

    name: str
    old: list[Object]
    new: list[Object]
    jobsets: tuple[Object, Object]


def _built(number: int, pair: Recorded) -> _Built:
    # One TrainJob each; what is cluster-wide gets a suffix.
    old, new = (
        jobs_of(Case("updates", pair.name, text, {}), f"u{number}", suspend=False)[0] for text in (pair.old, pair.new)
    )
    before, after = old.namespace_option(), new.namespace_option()
    jobsets = jobset_of(old.text, *before), jobset_of(new.text, *after)
    return _Built(pair.name, for_trainer(old.text, *before), for_trainer(new.text, *after), jobsets)


def _compared(client: Client, built: _Built) -> list[str]:
    of_runtime = _answers_to_runtime(client, built)
    of_train_job, of_jobset = _answers_to_train_job(client, built), _answers_to_jobset(client, built)
    verdict = check_train_job_update(_train_job(built.old), _train_job(built.new), "2.3")
    found = disagreements(of_train_job, verdict) + disagreements(of_jobset, check_jobset_update(*built.jobsets))
    if of_runtime is not None:
        (old,), (new,) = _runtimes(built.old, ""), _runtimes(built.new, "")
        found += disagreements(dict.fromkeys(STATES, of_runtime), check_runtime_update(old, new, "2.3"))
    return [f"== {built.name}: {line}" for line in found]


def _answers_to_runtime(client: Client, built: _Built) -> str | None:
    """What the server says to the new runtime; None where it is another one."""
    namespace = f"{built.name.replace('/', '-')}-runtime"
    client.create_namespace(namespace)
    (old,), (new,) = _runtimes(built.old, namespace), _runtimes(built.new, namespace)
    if old["metadata"]["name"] != new["metadata"]["name"]:
        return None
    apply_all(client, [old])
    return dry_run(client, new)


def _answers_to_train_job(client: Client, built: _Built) -> Answers:
    """The update beside the new runtime, as in the records; a cluster-wide runtime is that of all states."""
    spaces = {state: f"{built.name.replace('/', '-')}-{state}" for state in STATES}
    for state, namespace in spaces.items():
        client.create_namespace(namespace)
        apply_all(client, _runtimes(built.old, namespace))
        create(client, in_namespace([_train_job(built.old)], namespace)[0], state)
    said: dict[State, str] = {}
    for state, namespace in spaces.items():
        replace_all(client, _runtimes(built.new, namespace))
        said[state] = update(client, in_namespace([_train_job(built.new)], namespace)[0], state)
    return said


def _answers_to_jobset(client: Client, built: _Built) -> Answers:
    said: dict[State, str] = {}
    for state in STATES:
        namespace = f"{built.name.replace('/', '-')}-{state}-alone"
        client.create_namespace(namespace)
        old, new = in_namespace(built.jobsets, namespace)
        said[state] = answer(client, old, new, state)
    return said


def _train_job(objects: list[Object]) -> Object:
    return next(one for one in objects if one["kind"] == "TrainJob")


def _runtimes(objects: list[Object], namespace: str) -> list[Object]:
    cluster_wide = [one for one in objects if one["kind"] == "ClusterTrainingRuntime"]
    return cluster_wide + in_namespace((one for one in objects if one["kind"] == "TrainingRuntime"), namespace)
