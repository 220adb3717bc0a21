"""KTJ403: Trainer writes the environment of torchrun, JAX and XGBoost into the Pods only where the TrainJob has a
`spec.trainer`, be it an empty one."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.devices import devices
from kubectl_trainjob.kube.launch.by_variables import PER_NODE
from kubectl_trainjob.kube.launch.flags import torch_flags
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec
from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.launches import trainer_node
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.rules import TRAINER_OMITTED

_TOLD_BY = {"torch": "PET_NNODES", "jax": "JAX_NUM_PROCESSES", "xgboost": "DMLC_NUM_WORKER"}


def _find(job: LintedJob) -> Iterator[Hit]:
    kind = next((kind for kind in _TOLD_BY if job.policy(kind) is not None), None)
    trainer, node = job.trainer_job(), trainer_node(job)
    if kind is None or trainer is None or node is None or job.spec.get("trainer") is not None:
        return
    pods = trainer.pods
    held = devices(node.resources)
    gpus = held.pieces if held and kind != "jax" else 1  # a process of JAX works on all GPUs of its node
    missing = [name for name in _needed(kind, pods, gpus) if not _is_told(kind, node, name)]
    if missing:
        place = job.in_train_job("spec")
        fix = Fix("write an empty `trainer`", (set_value(place.child("trainer"), {}),), is_safe=False)
        what = f"{pods} Pods" if pods > 1 else f"{gpus} GPUs"
        message = (
            f'without spec.trainer nothing sets "{missing[0]}", so that the {what} do not train together; write '
            "`trainer: {}`"
        )
        yield Hit(message, place.key(), fix=fix)


def _needed(kind: str, pods: int, gpus: int) -> list[str]:
    """The variables without which several processes do not find together."""
    names = [_TOLD_BY[kind]] if pods > 1 or (gpus > 1 and kind != "torch") else []
    return [*names, PER_NODE] if gpus > 1 and kind == "torch" else names


def _is_told(kind: str, node: ContainerSpec, name: str) -> bool:
    return node.variable(name) is not None or (kind == "torch" and name in torch_flags(node))


CHECK = JobCheck(TRAINER_OMITTED, _find)
