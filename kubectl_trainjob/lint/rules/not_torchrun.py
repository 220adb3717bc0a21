"""KTJ406: For runtimes with `mlPolicy.torch` Trainer sets PET_* variables, which only torchrun reads: it starts the
processes of a Pod and gives each one its rank."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.resources import devices
from kubectl_trainjob.kube.launch.flags import PER_NODE
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.launches import (
    has_process_count,
    local_deepspeed,
    reads_no_variables,
    trainer_node,
    trainer_pods,
)
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.message import say

_ONE_PROCESS = (
    '"{}" starts one process in each Pod, and nothing reads PET_*: Pods and GPUs do not train together; '
    "start it with torchrun"
)
_ONE_POD = '"{}" starts processes only in its Pod, and nothing reads PET_*: each Pod trains separately; start torchrun'


def find(job: LintedJob) -> Iterator[Hit]:
    """Several processes that are started as Python or with deepspeed, without torchrun."""
    node = trainer_node(job) if job.policy("torch") is not None and job.spec.get("trainer") is not None else None
    if node is None or not node.body.get("command") or not _has_several(job, node):
        return
    python, local = reads_no_variables(node), local_deepspeed(node)
    if python is not None:
        yield Hit(say(_ONE_PROCESS, python.text), job.generated(python.pointer))
    elif local is not None and trainer_pods(job) > 1:
        yield Hit(say(_ONE_POD, local.text), job.generated(local.pointer))


def _has_several(job: LintedJob, node: ContainerSpec) -> bool:
    """Whether several processes are meant; by default Trainer starts one for each CPU."""
    gpus = devices(node.resources)
    return (
        trainer_pods(job) > 1
        or (gpus is not None and gpus.pieces > 1)
        or (has_process_count(job) and node.value(PER_NODE) != "1")
    )
