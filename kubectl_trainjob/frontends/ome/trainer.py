"""The TrainJob of a TrainingJob."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.frontends.interface import RejectedError
from kubectl_trainjob.frontends.ome.folders import WorkspaceFolder
from kubectl_trainjob.frontends.ome.inputs import JOB_SPEC, RUNTIME, JobInputs
from kubectl_trainjob.frontends.ome.plan import RuntimePlan
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.facts.quantity import QuantityError
from kubectl_trainjob.kube.facts.resources import cpu_count, gpu_count
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.draft import Cause, Draft, Write, computed, copied, fixed
from kubectl_trainjob.model.edited_object import OBJECT
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import OME_PROCESSES
from kubectl_trainjob.model.source import value_at

_COUNTS = {"cpu": cpu_count, "gpu": gpu_count}
_COPIED = ("image", "command", "args", "env", "numNodes")
_WHOLE = re.compile(r"0*[1-9][0-9]{0,9}")
_IN_POLICY = ("spec", "mlPolicy", "torch", "numProcPerNode")


def write_job(draft: Draft, plan: RuntimePlan, processes: int | None) -> Draft:
    """The TrainJob, drafted from the inputs; `processes` is the number for each node, None for Trainer's own."""
    metadata = {key: value for key, value in plan.inputs.job.body["metadata"].items() if value is not None}
    runtime = {"kind": trainer.TRAINING_RUNTIME, "name": plan.inputs.job.id.name}
    writes = [
        fixed(("apiVersion",), trainer.API_VERSION),
        fixed(("kind",), trainer.TRAIN_JOB),
        copied(("metadata",), metadata, (OBJECT, "metadata")),
        *_queue(plan.inputs),
        computed(("spec", "runtimeRef"), runtime, ((*JOB_SPEC, "runtimeRef"),)),
        *(write for each in plan.initializers for write in _initializer(each)),
        *_trainer(plan, processes),
    ]
    if "suspend" in plan.inputs.spec:
        writes.append(copied(("spec", "suspend"), plan.inputs.spec["suspend"], (*JOB_SPEC, "suspend")))
    return draft.blank(((OBJECT, "metadata", "name"),)).put_each(writes)


def _queue(inputs: JobInputs) -> Iterator[Write]:
    for key, value in (inputs.spec.get("labels") or {}).items():
        if key.startswith(trainer.KUEUE_LABEL_PREFIX):
            yield copied(("metadata", "labels", key), value, (*JOB_SPEC, "labels", key))


def _initializer(folder: WorkspaceFolder) -> Iterator[Write]:
    assert folder.storage is not None
    storage, at = folder.storage, ("spec", "initializer", folder.name)
    yield copied((*at, "storageUri"), storage.uri, folder.cause)
    if env := storage.env():
        yield computed((*at, "env"), env, ((*storage.cause, "parameters"),))
    if storage.secret:
        field = "storageKey" if "storageKey" in storage.body else "key"
        yield copied((*at, "secretRef", "name"), storage.secret, (*storage.cause, field))


def _trainer(plan: RuntimePlan, processes: int | None) -> Iterator[Write]:
    specified: Mapping[str, Any] = plan.inputs.spec["trainer"]
    cause: Cause = (*JOB_SPEC, "trainer")
    yield computed(("spec", "trainer"), {}, (cause,))
    for field in _COPIED:
        if field in specified:
            yield copied(("spec", "trainer", field), specified[field], (*cause, field))
    if "numNodes" not in specified and plan.inputs.policy("mpi") is not None:
        policy = plan.inputs.runtime_spec["mlPolicy"]
        if "numNodes" in policy:
            yield copied(("spec", "trainer", "numNodes"), policy["numNodes"], (RUNTIME, "spec", "mlPolicy", "numNodes"))
    if processes is not None:
        places = ((*cause, "numProcPerNode"), (RUNTIME, *_IN_POLICY))
        yield computed(
            ("spec", "trainer", "numProcPerNode"),
            processes,
            places if "numProcPerNode" not in specified else places[:1],
        )
    if "resourcesPerNode" in specified:
        yield from _resources(specified["resourcesPerNode"], (*cause, "resourcesPerNode"))


def _resources(specified: Mapping[str, Any], cause: Cause) -> Iterator[Write]:
    """Extended resources need a limit: the API server accepts no request without one."""
    at = ("spec", "trainer", "resourcesPerNode")
    yield copied(at, specified, cause)
    limits = specified.get("limits") or {}
    for name, amount in (specified.get("requests") or {}).items():
        if _is_extended(name) and name not in limits:
            yield computed((*at, "limits", name), amount, ((*cause, "requests", name),))


def _is_extended(name: str) -> bool:
    domain, slash, _ = name.partition("/")
    return bool(slash) and domain != "kubernetes.io" and not domain.endswith(".kubernetes.io")


def processes_of(plan: RuntimePlan) -> int | None:
    """The number of processes of each node, None where Trainer counts them itself. Raises RejectedError."""
    inputs = plan.inputs
    policy = inputs.policy("torch") or {}
    specified = inputs.spec["trainer"].get("numProcPerNode", policy.get("numProcPerNode", "auto"))
    if specified == "auto":
        return None
    if isinstance(specified, str) and specified in _COUNTS:
        return _process_count(plan, specified)
    if isinstance(specified, int) and not isinstance(specified, bool) and specified >= 1:
        return specified
    if isinstance(specified, str) and _WHOLE.fullmatch(specified):
        return int(specified)
    raise _rejection(plan, say("numProcPerNode must be auto, cpu, gpu or an integer of at least 1, not {}", specified))


def _process_count(plan: RuntimePlan, word: str) -> int:
    """The number that Trainer would count, as it does not know the words."""
    role = plan.roles.worker or plan.roles.trainer
    own = (value_at(plan.template, role.container_at()) or {}).get("resources") or {}
    specified = plan.inputs.spec["trainer"].get("resourcesPerNode") or {}
    resources = {field: {**(own.get(field) or {}), **(specified.get(field) or {})} for field in ("requests", "limits")}
    try:
        number = _COUNTS[word](resources).number
    except QuantityError:
        number = 0
    if number < 1:
        template = (
            'numProcPerNode "{}" counts {}, and none are requested; add them to resourcesPerNode, or write a number'
        )
        raise _rejection(plan, say(template, word, say("GPUs" if word == "gpu" else "CPUs")))
    return number


def _rejection(plan: RuntimePlan, message: Message) -> RejectedError:
    inputs = plan.inputs
    is_own = "numProcPerNode" in inputs.spec["trainer"]
    place = inputs.job.place("spec", "trainer", "numProcPerNode") if is_own else inputs.runtime.place(*_IN_POLICY)
    return RejectedError(Diagnostic(OME_PROCESSES, message, place))
