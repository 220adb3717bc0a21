"""Why a launcher starts as many processes as it does: the sentence, and the line to edit.

Which setting decides is read from the causes that the expansion recorded, of which the first one decides
(`expand/plan.py`). What resources ask for is counted once more, by the same functions, to say it in words, and never
against the number.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from kubectl_trainjob.kube.facts.node_counts import Amount, NodeCount, Resources, cpu_count, gpu_count
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec
from kubectl_trainjob.model.draft import Drafted
from kubectl_trainjob.model.source import Place, Pointer, show_pointer, value_at
from kubectl_trainjob.model.stages import Resolved, TracedJob

_STATED = "numProcPerNode"
_COUNTED = ("resourcesPerNode", "resources")


class CountReason(NamedTuple):
    """`is_counted`: from resources."""

    why: str
    place: Place | None
    is_counted: bool = False


def reason(
    job: TracedJob, causes: Iterable[Place], each: int | str | None, *, counts_cpus: bool = False
) -> CountReason:
    """Why there are `each` processes on a node; `causes` are those of the number that tells the launcher."""
    cause = next(iter(causes), None)
    if job.resolved is None or cause is None:
        return CountReason("", None)
    if cause.pointer[-1:] == (_STATED,):
        return CountReason(_stated(job.resolved, cause, each), cause)
    if any(field in cause.pointer for field in _COUNTED):
        return CountReason(_counted(job.resolved, cause, each, counts_cpus), cause, is_counted=True)
    return CountReason("neither numProcPerNode nor resources are stated", None, is_counted=True)


def stated(job: TracedJob, of_policy: Pointer, each: int | str | None) -> tuple[str, Place | None]:
    """Why a number is used that the TrainJob's numProcPerNode states, else an entry of the runtime's mlPolicy."""
    if job.resolved is None:
        return "", None
    manifest = job.resolved.job.manifest
    pointer: Pointer = ("spec", "trainer", _STATED)
    if value_at(manifest.body, pointer) is None:
        manifest, pointer = job.resolved.runtime.manifest, ("spec", "mlPolicy", *of_policy)
    cause = manifest.place(*pointer)
    return _stated(job.resolved, cause, each), cause


def resource_place(job: TracedJob, container: ContainerSpec, amount: Amount) -> Place | None:
    """The line that a container's resource comes from."""
    origin = job.objects[0].draft.origin((*container.pointer, "resources", amount.field, amount.name))
    return origin.first_place() if origin else None


def _stated(resolved: Resolved, cause: Place, each: int | str | None) -> str:
    is_job = cause.source == resolved.job.manifest.source
    owner, whose = (resolved.job, "TrainJob") if is_job else (resolved.runtime, "runtime")
    default = "" if value_at(owner.manifest.body, cause.pointer) is not None else " by default"
    return f"{show_pointer(cause.pointer)} of the {whose} is {each}{default}"


def _counted(resolved: Resolved, cause: Place, each: int | str | None, counts_cpus: bool) -> str:
    """What the resources ask that `cause` stands in: the TrainJob's, or those of a container at that time."""
    end = next(position for position, key in enumerate(cause.pointer) if key in _COUNTED)
    owner = value_at(_body(resolved, cause), cause.pointer[:end]) or {}
    resources: Resources = owner.get(cause.pointer[end]) or {}
    what = "resourcesPerNode" if cause.pointer[end] == "resourcesPerNode" else f'container "{owner.get("name", "")}"'
    gpus, cpus = _first(gpu_count(resources)), _first(cpu_count(resources)) if counts_cpus else None
    asked = ", ".join(str(amount) for amount in (gpus, cpus) if amount is not None)
    expected = ("auto", gpus.pieces) if gpus else (max(1, cpus.pieces if cpus else 0),)
    if each not in expected:
        return f"Trainer counts {each} in what {what} asks for ({asked or 'no GPU'})"
    if gpus is not None:
        return f"{what} asks for {gpus}"
    if cpus is not None:
        return f"{what} asks for {cpus} and no GPU"
    return f"{what} asks for neither GPUs nor CPUs" if counts_cpus else f"{what} asks for no GPU"


def _first(count: NodeCount) -> Amount | None:
    return count.amounts[0] if count.number > 0 else None


def _body(resolved: Resolved, cause: Place) -> Any:
    edits = cause.source.edits
    if isinstance(edits, Drafted):
        return edits.value
    return (resolved.job if cause.source == resolved.job.manifest.source else resolved.runtime).body
