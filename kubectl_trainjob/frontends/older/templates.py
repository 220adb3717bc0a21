"""Templates of runtimes: short forms, old names of jobs and containers, and labels that are required now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kubectl_trainjob.frontends.older.rewriting import JOBS, POD, Rewriting
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import Pointer, value_at

JOB_NAMES = {"trainer-node": trainer.NODE}
CONTAINER_NAMES = ("trainer", "pytorch-container", "trainer-container")
OLD_INITIALIZER, _OLD_VOLUME = "initializer", "storage-initializer"
_OF_JOB_SET = frozenset(
    [
        "replicatedJobs",
        "successPolicy",
        "failurePolicy",
        "network",
        "suspend",
        "ttlSecondsAfterFinished",
        "startupPolicy",
        "managedBy",
        "coordinator",
        "volumeClaimPolicies",
    ]
)
_OF_REPLICATED_JOB = frozenset({"name", "groupName", "template", "replicas", "dependsOn"})
_LABEL: Pointer = ("template", "metadata", "labels", trainer.ANCESTOR_LABEL)


def short_template(work: Rewriting) -> None:
    """A Pod spec where the JobSet's spec belongs."""
    spec: Pointer = ("spec", "template", "spec")
    if not isinstance(work.get(*spec, "containers"), list) or work.has(*JOBS):
        return
    fields = [key for key in work.get(*spec) if key not in _OF_JOB_SET]
    work.put(JOBS, [{"name": trainer.NODE}], spec)
    for key in fields:
        work.move((*spec, key), (*JOBS, 0, *POD, key))


def short_job(work: Rewriting) -> None:
    """A Pod spec where a replicatedJob, or its Job template, belongs."""
    for index, job in enumerate(work.replicated_jobs()):
        here = (*JOBS, index)
        if isinstance(job.get("containers"), list):
            _lower(work, here, here, [key for key in job if key not in _OF_REPLICATED_JOB])
        template = work.get(*here, "template", "spec")
        if isinstance(template, dict) and isinstance(template.get("containers"), list) and "template" not in template:
            _lower(work, (*here, "template", "spec"), here, list(template))


def _lower(work: Rewriting, old: Pointer, job: Pointer, keys: list[str]) -> None:
    for key in keys:
        work.move((*old, key), (*job, *POD, key))


def job_names(work: Rewriting) -> None:
    """replicatedJobs that have another name now, and what refers to them."""
    names = [each.get("name") for each in work.replicated_jobs()]
    renamed = {old: new for old, new in JOB_NAMES.items() if work.is_old and old in names and new not in names}
    places: list[Pointer] = []
    for index, job in enumerate(work.replicated_jobs() if renamed else ()):
        depends = [(*JOBS, index, "dependsOn", number) for number, _ in enumerate(_dicts(job.get("dependsOn")))]
        places += [(*at, "name") for at in ((*JOBS, index), *depends)]
    named = ((at, renamed.get(str(work.get(*at)))) for at in places)
    work.put_each((at, new, at) for at, new in named if new)
    for old, new in renamed.items():
        _rename_targets(work, old, [new])


def initializer(work: Rewriting) -> None:
    """One job with an init container for the dataset and one for the model, which are jobs now."""
    if not work.is_old:
        return
    for index, job in enumerate(work.replicated_jobs()):
        if job.get("name") != OLD_INITIALIZER:
            continue
        steps = _steps(work, index)
        names = [each.get("name") for each in steps]
        if not steps or set(names) - set(trainer.INITIALIZERS.values()):
            message = say('the job "initializer" is "dataset-initializer" and "model-initializer" now; write both')
            work.ask(message, *JOBS, index, "name")
            return
        _split(work, index, steps)
        return


def _steps(work: Rewriting, index: int) -> list[dict[str, Any]]:
    pod = work.get(*JOBS, index, *POD)
    found = (pod or {}).get("initContainers") if isinstance(pod, dict) else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _split(work: Rewriting, index: int, steps: list[dict[str, Any]]) -> None:
    """One job for each step, each after the one before; the jobs after them wait for the last."""
    jobs, names = work.replicated_jobs(), [each["name"] for each in steps]
    if work.get(*JOBS, index, *POD, "containers"):
        message = say('the containers of the job "initializer" are dropped: its steps are jobs now; check them')
        work.ask(message, *JOBS, index, *POD, "containers")
    new_jobs: list[dict[str, Any]] = []
    for number, step in enumerate(steps):
        waits = {"dependsOn": [_after(names[number - 1])]} if number else {}
        new_jobs.append({**_with_step(jobs[index], POD, step), "name": step["name"], **waits})
    rest = [_waiting(each, names[-1]) for each in jobs[index + 1 :]]
    work.put(JOBS, [*jobs[:index], *new_jobs, *rest], (*JOBS, index))
    _rename_targets(work, OLD_INITIALIZER, names)


def _with_step(value: dict[Any, Any], path: Pointer, step: dict[str, Any]) -> dict[Any, Any]:
    """A part of a job with one container in its Pod, and everything else as before."""
    if not path:
        return {key: item for key, item in value.items() if key != "initContainers"} | {"containers": [step]}
    key, *rest = path
    return {**value, key: _with_step(value[key], tuple(rest), step)}


def _rename_targets(work: Rewriting, old: str, new: Sequence[str]) -> None:
    """The policies of the JobSet with other names of a job."""
    spec = JOBS[:-1]
    rules = work.get(*spec, "failurePolicy", "rules")
    targets: list[Pointer] = [(*spec, "successPolicy", "targetReplicatedJobs")]
    for index, _ in enumerate(rules if isinstance(rules, list) else ()):
        targets.append((*spec, "failurePolicy", "rules", index, "targetReplicatedJobs"))
    known = ((at, work.get(*at)) for at in targets)
    work.put_each(
        (at, [each for name in names for each in (new if name == old else (name,))], at)
        for at, names in known
        if isinstance(names, list) and old in names
    )
    coordinator = (*spec, "coordinator", "replicatedJob")
    if work.get(*coordinator) == old:
        work.put(coordinator, new[-1], coordinator)


def _after(name: str) -> dict[str, str]:
    return {"name": name, "status": "Complete"}


def _waiting(job: dict[str, Any], last: str) -> dict[str, Any]:
    kept = [each for each in job.get("dependsOn") or () if each.get("name") != OLD_INITIALIZER]
    return {**job, "dependsOn": kept or [_after(last)]}


def container_names(work: Rewriting) -> None:
    """The container that trains is `node`, and with MPI that of the launcher too."""
    is_mpi = work.get("spec", "mlPolicy", "mpi") is not None
    for index, job in enumerate(work.replicated_jobs() if work.is_old else ()):
        containers = _dicts(work.get(*JOBS, index, *POD, "containers"))
        names = [each.get("name") for each in containers]
        if trainer.NODE in names or job.get("name") not in (trainer.NODE, *((trainer.LAUNCHER,) if is_mpi else ())):
            continue
        old = next((number for number, name in enumerate(names) if name in CONTAINER_NAMES or len(names) == 1), None)
        if old is not None:
            where = (*JOBS, index, *POD, "containers", old, "name")
            work.put(where, trainer.NODE, where)


def steps_of(replicated_jobs: object) -> tuple[str, ...]:
    """The initializers of a runtime: init containers of the job "initializer", or jobs."""
    jobs = _dicts(replicated_jobs)
    found = {each.get("name") for each in jobs}
    for job in jobs:
        if job.get("name") == OLD_INITIALIZER:
            found |= {each.get("name") for each in _dicts(value_at(job, (*POD, "initContainers")))}
    return tuple(each for each in trainer.INITIALIZERS.values() if each in found)


def volume_names(work: Rewriting) -> None:
    """The volume of the initializers, and its claim, are `initializer`."""
    jobs = work.replicated_jobs() if work.is_old else ()
    work.put_each(write for index, _ in enumerate(jobs) for write in volume_writes(work, (*JOBS, index, *POD)))


def volume_writes(work: Rewriting, pod: Pointer) -> Iterator[tuple[Pointer, Any, Pointer]]:
    """The same for one Pod."""
    for at in _volume_names(work, pod):
        if work.get(*at) == _OLD_VOLUME:
            yield at, trainer.INITIALIZER_VOLUME, ()


def _volume_names(work: Rewriting, pod: Pointer) -> Iterator[Pointer]:
    """Where a Pod may name a volume or its claim."""
    for number, volume in enumerate(_dicts(work.get(*pod, "volumes"))):
        yield *pod, "volumes", number, "name"
        if isinstance(volume.get("persistentVolumeClaim"), dict):
            yield *pod, "volumes", number, "persistentVolumeClaim", "claimName"
    for kind in ("containers", "initContainers"):
        for number, container in enumerate(_dicts(work.get(*pod, kind))):
            for place, _ in enumerate(_dicts(container.get("volumeMounts"))):
                yield *pod, kind, number, "volumeMounts", place, "name"


def _dicts(value: Any) -> list[Any]:
    return value if isinstance(value, list) and all(isinstance(each, dict) for each in value) else []


def ancestor_labels(work: Rewriting) -> None:
    """Names decided which job is which step; labels do now."""
    if not work.is_old:
        return
    steps = {name: name for name in trainer.INITIALIZERS.values()}
    trains = trainer.LAUNCHER if work.get("spec", "mlPolicy", "mpi") is not None else trainer.NODE
    steps[trains] = trainer.ANCESTOR_TRAINER
    named = ((index, steps.get(str(job.get("name")))) for index, job in enumerate(work.replicated_jobs()))
    work.put_each(
        ((*JOBS, index, *_LABEL), step, (*JOBS, index, "name"))
        for index, step in named
        if step and not work.has(*JOBS, index, *_LABEL)
    )


def ancestor_replicas(work: Rewriting) -> None:
    """A step is one Job: each webhook of v1alpha1 rejects another number."""
    for index, job in enumerate(work.replicated_jobs()):
        at = (*JOBS, index, "replicas")
        if value_at(job, _LABEL) and work.get(*at) not in (None, 1):
            message = say("replicas of a step must be 1, not {}; set the number of nodes with numNodes", work.get(*at))
            work.ask(message, *at)
