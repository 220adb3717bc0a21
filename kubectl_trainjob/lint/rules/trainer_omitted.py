"""KTJ403: Trainer writes the environment of torchrun, JAX and XGBoost only for TrainJobs with a `spec.trainer`. An
empty one is enough."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.resources import devices
from kubectl_trainjob.kube.launch.accelerate import launch_flags
from kubectl_trainjob.kube.launch.flags import PER_NODE
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.launches import trainer_node
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.message import say

_NOT_SET = 'without spec.trainer nothing sets "{}", and the {} {} do not train together; write "{}"'
_VARIABLES = {"torch": "PET_NNODES", "jax": "JAX_NUM_PROCESSES", "xgboost": "DMLC_NUM_WORKER"}


def find(job: LintedJob) -> Iterator[Hit]:
    """TrainJobs without it that need these variables."""
    kind = next((kind for kind in _VARIABLES if job.policy(kind) is not None), None)
    trainer, node = job.trainer_job(), trainer_node(job)
    if kind is None or trainer is None or node is None or job.spec.get("trainer") is not None:
        return
    pods = trainer.pods
    found = devices(node.resources)
    gpus = found.pieces if found and kind != "jax" else 1  # a process of JAX uses all GPUs of its node
    missing = [name for name in _needed_fields(kind, pods, gpus) if not _is_set(kind, node, name)]
    if missing:
        place = job.in_train_job("spec")
        fix = Fix(say("write an empty `trainer`"), (set_value(place.child("trainer"), {}),), is_safe=False)
        number, what = (pods, say("Pods")) if pods > 1 else (gpus, say("GPUs"))
        yield Hit(say(_NOT_SET, missing[0], number, what, "trainer: {}"), place.key(), fix=fix)


def _needed_fields(kind: str, pods: int, gpus: int) -> list[str]:
    """The variables without which several processes do not train together."""
    names = [_VARIABLES[kind]] if pods > 1 or (gpus > 1 and kind != "torch") else []
    return [*names, PER_NODE] if gpus > 1 and kind == "torch" else names


def _is_set(kind: str, node: ContainerSpec, name: str) -> bool:
    return node.variable(name) is not None or (kind == "torch" and name in launch_flags(node))
