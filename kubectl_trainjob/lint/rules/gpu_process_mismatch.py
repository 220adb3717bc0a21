"""KTJ305: Each process of a training uses one GPU."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.resources import ResourceAmount, devices
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.launches import PodLaunch, pod_launches
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.message import Message, say

_MISMATCH = 'each Pod uses "{}", but the number of its processes is {} ({}); {}'


def find(job: LintedJob) -> Iterator[Hit]:
    """Pods with another number of processes than GPUs."""
    for launch in pod_launches(job):
        gpus = devices(launch.node.resources)
        if gpus is not None and isinstance(launch.processes, int) and 0 < launch.processes != gpus.pieces:
            message = say(_MISMATCH, str(gpus), launch.processes, launch.setting, _advice(job, launch, gpus))
            request = job.generated((*launch.node.pointer, "resources", gpus.field, gpus.name))
            yield Hit(message, launch.at, ((say("the GPUs are requested here"), request),), _fix(job, launch, gpus))
            return


def _advice(job: LintedJob, launch: PodLaunch, gpus: ResourceAmount) -> Message:
    if launch.is_flag:
        return say("write the same number in both")
    if job.policy("xgboost") is not None:
        return say("set the GPUs in resourcesPerNode, or request as many as workers")
    return say("set numProcPerNode to {}, or request as many GPUs", gpus.pieces)


def _fix(job: LintedJob, launch: PodLaunch, gpus: ResourceAmount) -> Fix | None:
    """The number, where it is certain to be read: Trainer 2.0 may ignore it, XGBoost never reads it."""
    is_read = job.spec.get("trainer") is not None and job.policy("xgboost") is None and job.trainer != "2.0"
    if launch.is_flag or not is_read:
        return None
    edit = set_value(job.in_train_job("spec", "trainer", "numProcPerNode"), gpus.pieces)
    return Fix(say("start {} processes in each Pod, one for each GPU", gpus.pieces), (edit,), is_safe=False)
