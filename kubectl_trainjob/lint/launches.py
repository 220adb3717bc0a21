"""What launchers start in the Pods of a TrainJob, as the objects say that are made of it.

Read from what trainer `pkg/runtime/framework/plugins/{torch,mpi,xgboost}` wrote (2.0-2.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.kube.facts.command_line import Word
from kubectl_trainjob.kube.facts.launchers import hosts, mpi_ranks, number, plain_python, torch_flags
from kubectl_trainjob.kube.facts.node_counts import Resources, names_gpu
from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, HOSTFILE_SUFFIX, LAUNCHER, NODE, OVERRIDES
from kubectl_trainjob.lint.views import LintedJob, LintedRuntime, Replicated
from kubectl_trainjob.model.hit import At, Made
from kubectl_trainjob.model.source import Place, Pointer, value_at
from kubectl_trainjob.model.stages import Manifest

PER_NODE = "PET_NPROC_PER_NODE"
_MEETING = {"torch": "PET_MASTER_ADDR", "jax": "JAX_COORDINATOR_ADDRESS", "xgboost": "DMLC_TRACKER_URI"}


class Node(NamedTuple):
    """A container of a replicatedJob of which `pods` run, at its place in the JobSet."""

    pointer: Pointer
    body: Mapping[str, Any]
    pods: int

    @property
    def resources(self) -> Resources:
        """What it asks for."""
        return self.body.get("resources") or {}

    @property
    def words(self) -> list[str]:
        """Its command and args."""
        return [*(self.body.get("command") or ()), *(self.body.get("args") or ())]

    def variable(self, name: str) -> Pointer | None:
        """The place of a variable; of several the last, which counts."""
        entries = self.body.get("env") or ()
        found = (index for index in reversed(range(len(entries))) if entries[index]["name"] == name)
        index = next(found, None)
        return None if index is None else (*self.pointer, "env", index)

    def value(self, name: str) -> str | None:
        """The value of a variable, None where there is none or it is taken from elsewhere."""
        place = self.variable(name)
        entry = self.body["env"][place[-1]] if place else {"valueFrom": None}
        return None if "valueFrom" in entry else str(entry.get("value") or "")


def node_of(role: Replicated | None) -> Node | None:
    """The container `node` of a replicatedJob, which Trainer's plugins write into."""
    for index, container in enumerate((role.pod.get("containers") if role else None) or ()):
        if role is not None and container.get("name") == NODE:
            return Node(role.in_pod("containers", index), container, role.pods)
    return None


def trainer_node(job: LintedJob) -> Node | None:
    """The container that trains."""
    return node_of(job.trainer_job())


def trainer_of(runtime: LintedRuntime) -> Replicated | None:
    """The replicatedJob of a runtime that trains: the first one labelled so."""
    roles = (Replicated(position, body) for position, body in enumerate(runtime.replicated_jobs))
    return next((role for role in roles if role.ancestor == ANCESTOR_TRAINER), None)


def meeting_variable(runtime: LintedRuntime) -> str | None:
    """The variable that tells the processes where they meet; None where Trainer sets none."""
    return next((name for kind, name in _MEETING.items() if runtime.policy(kind) is not None), None)


def meeting_setting(runtime: LintedRuntime) -> str | None:
    """The same, but None where the runtime's command has them meet elsewhere, or nothing reads the variable."""
    name, node = meeting_variable(runtime), node_of(trainer_of(runtime))
    if name != "PET_MASTER_ADDR" or node is None:
        return name
    return None if name in torch_flags(node) or _is_alone(runtime, node) else name


def reads_no_variables(node: Node) -> Word | None:
    """The Python that a container runs without a launcher, and without handing PET_* on to it; None for all else."""
    python = plain_python(node)
    if python is None:
        return None
    values = (str(entry.get("value") or "") for entry in node.body.get("env") or ())
    return None if any("PET_" in text for text in (*node.words, *values)) else python


def _is_alone(runtime: LintedRuntime, node: Node) -> bool:
    """Whether one Pod runs one process, as KTJ406 finds it, whatever TrainJob of the inputs uses the runtime."""
    nodes = (runtime.spec.get("mlPolicy") or {}).get("numNodes") or 1
    stated = (runtime.policy("torch") or {}).get("numProcPerNode")
    return (
        nodes == node.pods == 1
        and (stated == 1 or not isinstance(stated, int))
        and _is_for_one(node.resources)
        and reads_no_variables(node) is not None
        and all(_is_alone_in(job, node) for job in runtime.train_jobs())
    )


def _is_alone_in(job: Manifest, node: Node) -> bool:
    """Whether it stays so in a TrainJob, as written: nothing has looked at its types."""
    spec = job.body.get("spec")
    trainer = value_at(spec, ("trainer",)) or {}
    if not isinstance(spec, dict) or not OVERRIDES.isdisjoint(spec) or not isinstance(trainer, dict):
        return False
    own = {field: trainer[field] for field in ("command", "args") if trainer.get(field)}
    return (
        trainer.get("numNodes") in (None, 0, 1)
        and trainer.get("numProcPerNode") in (None, 1)
        and _is_for_one(trainer.get("resourcesPerNode"))
        and all(isinstance(words, list) and set(map(type, words)) == {str} for words in own.values())
        and reads_no_variables(node._replace(body={**node.body, **own})) is not None
        and "PET_" not in str(trainer.get("env"))
    )


def _is_for_one(resources: Any) -> bool:
    """Whether no more than one GPU is asked for, in types that nobody needs to have looked at."""
    asked = (value_at(resources, (field,)) for field in ("limits", "requests"))
    amounts = (
        amount for each in asked if isinstance(each, dict) for name, amount in each.items() if names_gpu(str(name))
    )
    return all(str(amount) in ("0", "1") for amount in amounts)


class Counted(NamedTuple):
    """The resources that Trainer counts processes from, and where they stand."""

    resources: Resources
    base: At

    def at(self, field: str, name: str) -> At:
        """The key of one amount."""
        if isinstance(self.base, Place):
            return self.base.child(field, name).key()
        return Made(self.base.nth, (*self.base.pointer, field, name), "key")


def counted(job: LintedJob) -> Counted | None:
    """The TrainJob's resourcesPerNode, else those of the first container `node` that is asked.

    Mirrors ExtractResourcePerNodeFromRuntime in trainer `pkg/runtime/runtime.go` (2.1-2.3).
    """
    stated = (job.spec.get("trainer") or {}).get("resourcesPerNode")
    if stated is not None:
        return Counted(stated, job.in_train_job("spec", "trainer", "resourcesPerNode"))
    asked = (each for each in job.replicated_jobs if each.name == NODE or each.ancestor == ANCESTOR_TRAINER)
    node = next((node for node in map(node_of, asked) if node), None)
    return Counted(node.resources, job.made((*node.pointer, "resources"))) if node else None


class Started(NamedTuple):
    """The processes that are started in each Pod of `node`, a number or a word of torchrun's, as `setting` says.

    `is_flag`: the command line says so, and nothing else counts.
    """

    node: Node
    each: int | str
    setting: str
    at: At
    is_flag: bool = False


def started(job: LintedJob) -> Iterator[Started]:
    """What is started in the Pods of each replicatedJob that trains; nothing where that is not known."""
    policy = job.runtime_spec.get("mlPolicy") or {}
    read = next((read for kind, read in _BY_POLICY.items() if policy.get(kind) is not None), None)
    if read is not None:
        yield from read(job)


def is_stated(job: LintedJob) -> bool:
    """Whether a number of processes is stated, so that none is counted."""
    if (job.spec.get("trainer") or {}).get("numProcPerNode") is not None:
        return True
    return isinstance((job.policy("torch") or {}).get("numProcPerNode"), int)


def _torch(job: LintedJob) -> Iterator[Started]:
    node = trainer_node(job)
    place = node.variable(PER_NODE) if node else None
    if node is None or place is None:
        return
    told = torch_flags(node).get(PER_NODE) if any("nproc" in word for word in node.words) else None
    if told is None:
        each, setting, at, is_flag = node.value(PER_NODE), PER_NODE, job.made(place), False
    else:
        each, setting, at, is_flag = told.value, told.flag.spelled, job.made(told.flag.pointer), True
    if each is not None:
        counted_each = number(each)
        yield Started(node, each if counted_each is None else counted_each, setting, at, is_flag)


def _mpi(job: LintedJob) -> Iterator[Started]:
    nth = next((nth for nth, each in enumerate(job.objects) if _is_hostfile(each)), None)
    listed = hosts(job.objects[nth]["data"]["hostfile"].splitlines()) if nth is not None else []
    if nth is None or not listed:
        return
    each: int | None = listed[0].slots
    setting, at, is_flag = "slots", job.made(("data", "hostfile"), nth=nth), False
    for container in filter(None, map(node_of, job.replicated_jobs)):
        ranks = mpi_ranks(container)
        if ranks is not None:
            each = ranks.each if ranks.total is None else _share(ranks.total, len(listed))
            setting, at, is_flag = ranks.flag.spelled, job.made(ranks.flag.pointer), True
    names = (NODE, LAUNCHER) if (job.policy("mpi") or {}).get("runLauncherAsNode") else (NODE,)
    nodes = (node_of(role) for role in job.replicated_jobs if role.name in names)
    if each is not None:
        yield from (Started(node, each, setting, at, is_flag) for node in nodes if node)


def _is_hostfile(body: Mapping[str, Any]) -> bool:
    return body.get("kind") == "ConfigMap" and str(body["metadata"]["name"]).endswith(HOSTFILE_SUFFIX)


def _xgboost(job: LintedJob) -> Iterator[Started]:
    node, resources = trainer_node(job), counted(job)
    workers = number(node.value("DMLC_NUM_WORKER")) if node else None
    each = _share(workers, node.pods) if node and workers is not None else None
    if node and resources and each is not None:
        yield Started(node, each, "DMLC_NUM_WORKER", resources.base)


def _share(total: int, parts: int) -> int | None:
    return total // parts if parts > 0 and total % parts == 0 else None


_BY_POLICY: dict[str, Callable[[LintedJob], Iterator[Started]]] = {"torch": _torch, "mpi": _mpi, "xgboost": _xgboost}
