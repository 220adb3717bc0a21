"""KTJ406: For runtimes with `mlPolicy.torch` Trainer sets PET_* variables, which only torchrun reads: it starts the
processes of a Pod and tells each one its rank."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.devices import devices
from kubectl_trainjob.kube.launch.by_variables import PER_NODE
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec
from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.launches import is_stated, reads_no_variables, trainer_node
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.rules import NOT_TORCHRUN


def _find(job: LintedJob) -> Iterator[Hit]:
    node = trainer_node(job) if job.policy("torch") is not None and job.spec.get("trainer") is not None else None
    if node is None or not node.body.get("command") or not _has_several(job, node):
        return
    python = reads_no_variables(node)
    if python is not None:
        message = (
            f'"{python.text}" starts one process in each Pod, and nothing reads PET_*: Pods and GPUs do not train '
            "together; start it with torchrun"
        )
        yield Hit(message, job.made(python.pointer))


def _has_several(job: LintedJob, node: ContainerSpec) -> bool:
    """Whether several processes are meant; one a CPU is what Trainer starts where nobody said anything."""
    held, trainer = devices(node.resources), job.trainer_job()
    return (
        (trainer is not None and trainer.pods > 1)
        or (held is not None and held.pieces > 1)
        or (is_stated(job) and node.value(PER_NODE) != "1")
    )


CHECK = JobCheck(NOT_TORCHRUN, _find)
