"""KTJ307: Trainer counts resources with "gpu" in their names and no others."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.resources import gpu_names, uncounted
from kubectl_trainjob.lint.check import At, Hit
from kubectl_trainjob.lint.launches import PodLaunch, counted_resources, has_process_count, pod_launches
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.source import value_at

_NOT_COUNTED = "Trainer counts no GPU in {}, and the number of processes in each Pod is {} ({}); {}"


def find(job: LintedJob) -> Iterator[Hit]:
    """Containers with devices that are not counted, and another number of processes."""
    if has_process_count(job):
        return
    for launch in pod_launches(job):
        found = counted_resources(job)
        has_gpus = gpu_names(launch.node.resources) or (found and gpu_names(found.resources))
        if not has_gpus and not launch.is_flag and isinstance(launch.processes, int):
            yield from _uncounted_accelerators(job, launch, launch.processes)
            return


def _uncounted_accelerators(job: LintedJob, launch: PodLaunch, processes: int) -> Iterator[Hit]:
    found = uncounted(launch.node.resources)
    resources = (*launch.node.pointer, "resources")
    if found is not None and found.pieces != processes:
        at = job.generated((*resources, found.field, found.name), on="key")
        yield _hit(job, launch, say('"{}"', str(found)), at, _fix(job, found.pieces))
    elif found is None and launch.node.resources.get("claims") and not _sets_mpi_processes(job):
        yield _hit(job, launch, say("claimed devices"), job.generated((*resources, "claims"), on="key"))


def _sets_mpi_processes(job: LintedJob) -> bool:
    """Whether a user wrote how many: the admitted runtime has a default."""
    written = job.resolved.runtime.manifest.body
    return value_at(written, ("spec", "mlPolicy", "mpi", "numProcPerNode")) is not None


def _hit(job: LintedJob, launch: PodLaunch, devices: Message, at: At, fix: Fix | None = None) -> Hit:
    has_xgboost = job.policy("xgboost") is not None
    advice = say("start one Pod for each device") if has_xgboost else say("set numProcPerNode")
    return Hit(say(_NOT_COUNTED, devices, launch.processes, launch.setting, advice), at, fix=fix)


def _fix(job: LintedJob, pieces: int) -> Fix | None:
    if job.spec.get("trainer") is None or job.policy("xgboost") is not None or job.trainer == "2.0":
        return None
    edit = set_value(job.in_train_job("spec", "trainer", "numProcPerNode"), pieces)
    return Fix(say("start {} processes in each Pod, one for each device", pieces), (edit,), is_safe=False)
