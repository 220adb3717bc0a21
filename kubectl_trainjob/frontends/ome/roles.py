"""Which replicatedJob of a runtime trains, which are MPI's workers, and which of their containers are meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.interface import RejectedError
from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, pod_spec
from kubectl_trainjob.kube.facts.trainer import ANCESTOR_LABEL, ANCESTOR_TRAINER, LAUNCHER, NODE
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import OME_RUNTIME
from kubectl_trainjob.model.source import Pointer, value_at
from kubectl_trainjob.model.stages import Manifest

_TRAINERS = ("trainer-node", NODE, "worker", ANCESTOR_TRAINER)
_WORKERS = (NODE, "trainer-node", "worker")
_CONTAINERS = (ANCESTOR_TRAINER, NODE)


class TrainingRole(NamedTuple):
    """A replicatedJob and its container by their positions; `name` is the new name of the job."""

    job: int
    container: int
    name: str

    def container_at(self) -> Pointer:
        """The container in a JobSet."""
        return (*pod_spec(self.job), "containers", self.container)


class Roles(NamedTuple):
    """The trainer job, and MPI's workers if there are any. `renames` has the new names of both by their old ones."""

    trainer: TrainingRole
    worker: TrainingRole | None
    renames: Mapping[str, str]

    def each(self) -> tuple[TrainingRole, ...]:
        """The jobs that train."""
        return (self.trainer, self.worker) if self.worker else (self.trainer,)


def find_roles(template: Mapping[str, Any], runtime: Manifest, *, is_mpi: bool) -> Roles:
    """The roles in the template of a runtime's JobSet. Raises RejectedError."""
    return _Finder(template, runtime).find(is_mpi=is_mpi)


class _Finder(NamedTuple):
    template: Mapping[str, Any]
    runtime: Manifest

    def find(self, *, is_mpi: bool) -> Roles:
        jobs: list[dict[str, Any]] = value_at(self.template, REPLICATED_JOBS) or []
        names = [str(job.get("name", "")) for job in jobs]
        labelled = next((index for index in range(len(jobs)) if self._is_labelled(index)), None)
        if is_mpi:
            trainer = labelled if labelled is not None else _first(names, (LAUNCHER,))
            trainer = self._choose(trainer, "job")
            worker = self._worker(names, trainer)
        else:
            trainer = self._choose(labelled if labelled is not None else _first_or_only(names, _TRAINERS), "job")
            worker = None
        renames = self._new_names(names, {trainer: LAUNCHER if is_mpi else NODE})
        found = self._role(trainer, renames[names[trainer]])
        if worker is None:
            return Roles(found, None, renames)
        first = [renames.get(name, name) if index == trainer else name for index, name in enumerate(names)]
        renames |= self._new_names(first, {worker: NODE})
        return Roles(found, self._role(worker, NODE), renames)

    def _is_labelled(self, index: int) -> bool:
        labels = value_at(self.template, (*REPLICATED_JOBS, index, "template", "metadata", "labels"))
        return isinstance(labels, dict) and labels.get(ANCESTOR_LABEL) == ANCESTOR_TRAINER

    def _worker(self, names: list[str], trainer: int) -> int | None:
        others = [index for index in range(len(names)) if index != trainer]
        if not others:
            return None
        found = _first_or_only([names[index] for index in others], _WORKERS)
        return others[self._choose(found, "worker")]

    def _new_names(self, names: Sequence[str], new: Mapping[int, str]) -> dict[str, str]:
        for position, name in new.items():
            if any(other == name for index, other in enumerate(names) if index != position):
                raise self._rejection(say('another job has the name "{}", which Trainer needs here; rename it', name))
        return {names[position]: name for position, name in new.items()}

    def _role(self, job: int, name: str) -> TrainingRole:
        pod = value_at(self.template, pod_spec(job)) or {}
        names = [str(each.get("name", "")) for each in pod.get("containers") or []]
        found = self._choose(_first_or_only(names, _CONTAINERS), "container")
        others = [*names[:found], *names[found + 1 :], *(each.get("name") for each in pod.get("initContainers") or [])]
        if NODE in others:
            raise self._rejection(say('another container has the name "{}", which Trainer needs here; rename it', NODE))
        return TrainingRole(job, found, name)

    def _choose(self, found: int | None, what: str) -> int:
        if found is not None:
            return found
        raise self._rejection(_ADVICE[what])

    def _rejection(self, message: Message) -> RejectedError:
        place = self.runtime.place("spec", "template", *REPLICATED_JOBS)
        return RejectedError(Diagnostic(OME_RUNTIME, message, place))


_LABEL = f"{ANCESTOR_LABEL}: {ANCESTOR_TRAINER}"
_ADVICE = {
    "job": say("it is not clear which job trains; add the label {} to the template of one", _LABEL),
    "worker": say("it is not clear which job has the workers; name one node, or label the launcher {}", _LABEL),
    "container": say("it is not clear which container trains; name one {}", ANCESTOR_TRAINER),
}


def _first(names: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((names.index(name) for name in wanted if name in names), None)


def _first_or_only(names: Sequence[str], wanted: Sequence[str]) -> int | None:
    found = _first(names, wanted)
    return 0 if found is None and len(names) == 1 else found
