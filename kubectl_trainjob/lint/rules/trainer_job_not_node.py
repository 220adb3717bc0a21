"""KTJ404: The first process of a training waits for the others at an address that Trainer writes into each Pod:
PET_MASTER_ADDR, JAX_COORDINATOR_ADDRESS or DMLC_TRACKER_URI."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import NODE
from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.launches import rendezvous_setting
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.rules import TRAINER_JOB_NOT_NODE


def _find(runtime: LintedRuntime) -> Iterator[Hit]:
    trainer = runtime.trainer_job()
    setting = rendezvous_setting(runtime) if trainer is not None and trainer.name != NODE else None
    if trainer is not None and setting is not None:
        message = (
            f'"{trainer.name}" trains, but {setting} names the Pod "<TrainJob>-{NODE}-0-0", which does not exist or '
            f'does not train; name the replicatedJob "{NODE}"'
        )
        yield Hit(message, runtime.in_template(("spec", "replicatedJobs", trainer.position, "name")))


CHECK = RuntimeCheck(TRAINER_JOB_NOT_NODE, _find)
