"""Why a launcher starts as many processes as it does: the sentence, and the line to edit.

The expansion recorded the causes of the effective setting; the first one decides (`expand/plan.py`). The requested
resources are counted once more, by the same functions, only to write them in the sentence.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kubectl_trainjob.explain.environment.values import CountReason, LaunchOrigins
from kubectl_trainjob.kube.facts.resources import NodeCount, ResourceAmount, Resources, cpu_count, gpu_count
from kubectl_trainjob.kube.facts.trainer import NODE
from kubectl_trainjob.kube.launch.values import PodProcesses, Setting
from kubectl_trainjob.model.draft import DraftSnapshot
from kubectl_trainjob.model.message import Message, joined, say
from kubectl_trainjob.model.source import Place, Pointer, show_pointer, value_at
from kubectl_trainjob.model.stages import ResolvedJob, TracedJob

_VARIABLES = {"torch": "PET_NPROC_PER_NODE", "jax": "JAX_NUM_PROCESSES", "xgboost": "DMLC_NUM_WORKER"}
_FIELD = "numProcPerNode"
_COUNTED = ("resourcesPerNode", "resources")


def count_reason(origins: LaunchOrigins, processes: PodProcesses) -> CountReason:
    """Why so many processes start in each Pod of a replicatedJob."""
    setting, launcher = processes.setting, origins.launch.launcher
    if setting is None:
        return CountReason(_why_unset(origins))
    if words := setting.in_command():
        return CountReason(say("{} in the command", words), origins.place(setting))
    if launcher in ("", "torch"):
        return _reason_of_torch(origins, processes, setting)
    if launcher == "jax":
        return CountReason(say("JAX starts one process per node"))
    if launcher == "flux":
        return _reason_of_flux(origins.job, processes.value)
    origin = origins.origin(setting)
    causes = (each for each in (origin.causes if origin else ()) if each.pointer[-1:] != ("numNodes",))
    return _reason(origins.job, causes, processes.value)  # a number of workers depends on numNodes, too


def _why_unset(origins: LaunchOrigins) -> Message:
    variable, resolved = _VARIABLES.get(origins.launch.launcher), origins.job.resolved
    if variable is None:
        return say("the runtime has no launcher: each Pod runs its command once")
    has_trainer = resolved is None or resolved.job.body["spec"].get("trainer") is not None
    cause = say('the trainer has no container "{}"', NODE) if has_trainer else say("the TrainJob has no spec.trainer")
    return say("{}, so Trainer does not set {}", cause, variable)


def _reason_of_torch(origins: LaunchOrigins, processes: PodProcesses, setting: Setting) -> CountReason:
    variable = origins.variable(setting)
    if variable is None:
        return CountReason()
    if variable.value is None:
        return CountReason(say("{} has a valueFrom", setting.name), variable.place)
    if variable.is_copied:
        return CountReason(say("{} is set in env", setting.name), variable.place)
    return _reason(origins.job, variable.causes, processes.value, counts_cpus=True)


def _reason_of_flux(job: TracedJob, each: int | str | None) -> CountReason:
    """The TrainJob's numProcPerNode, else that of the runtime's mlPolicy."""
    if job.resolved is None:
        return CountReason()
    manifest, pointer = job.resolved.job.manifest, Pointer(("spec", "trainer", _FIELD))
    if value_at(manifest.body, pointer) is None:
        manifest, pointer = job.resolved.runtime.manifest, ("spec", "mlPolicy", "flux", _FIELD)
    cause = manifest.place(*pointer)
    return CountReason(_why_set(job.resolved, cause, each), cause)


def _reason(
    job: TracedJob, causes: Iterable[Place], each: int | str | None, *, counts_cpus: bool = False
) -> CountReason:
    """`causes` are those of the number that the launcher reads."""
    cause = next(iter(causes), None)
    if job.resolved is None or cause is None:
        return CountReason()
    if cause.pointer[-1:] == (_FIELD,):
        return CountReason(_why_set(job.resolved, cause, each), cause)
    if any(field in cause.pointer for field in _COUNTED):
        return CountReason(_why_counted(job.resolved, cause, each, counts_cpus), cause, is_counted=True)
    return CountReason(say("neither numProcPerNode nor resources are set"), is_counted=True)


def _why_set(resolved: ResolvedJob, cause: Place, each: int | str | None) -> Message:
    is_job = cause.source == resolved.job.manifest.source
    owner = resolved.job if is_job else resolved.runtime
    whose = say("TrainJob") if is_job else say("runtime")
    default = Message() if value_at(owner.manifest.body, cause.pointer) is not None else say(" by default")
    return say("{} of the {} is {}{}", show_pointer(cause.pointer), whose, each, default)


def _why_counted(resolved: ResolvedJob, cause: Place, each: int | str | None, counts_cpus: bool) -> Message:
    """What the resources request that have `cause`: the TrainJob's, or those of a container at that time."""
    end = next(position for position, key in enumerate(cause.pointer) if key in _COUNTED)
    owner = value_at(_body(resolved, cause), cause.pointer[:end]) or {}
    resources: Resources = owner.get(cause.pointer[end]) or {}
    is_job = cause.pointer[end] == "resourcesPerNode"
    what = say("resourcesPerNode") if is_job else say('container "{}"', owner.get("name", ""))
    gpus, cpus = _first(gpu_count(resources)), _first(cpu_count(resources)) if counts_cpus else None
    expected = ("auto", gpus.pieces) if gpus else (max(1, cpus.pieces if cpus else 0),)
    if each not in expected:
        requested = joined(say("{}", str(amount)) for amount in (gpus, cpus) if amount is not None) or say("no GPU")
        return say("Trainer counts {} in what {} requests ({})", each, what, requested)
    if gpus is not None:
        return say("{} requests {}", what, str(gpus))
    if cpus is not None:
        return say("{} requests {} and no GPU", what, str(cpus))
    return say("{} requests neither GPUs nor CPUs", what) if counts_cpus else say("{} requests no GPU", what)


def _first(count: NodeCount) -> ResourceAmount | None:
    return count.amounts[0] if count.number > 0 else None


def _body(resolved: ResolvedJob, cause: Place) -> Any:
    edits = cause.source.edits
    if isinstance(edits, DraftSnapshot):
        return edits.value
    return (resolved.job if cause.source == resolved.job.manifest.source else resolved.runtime).body
