"""KTJ404: The first process of a training waits for the others at an address that Trainer writes into each Pod:
PET_MASTER_ADDR, JAX_COORDINATOR_ADDRESS or DMLC_TRACKER_URI."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import NODE
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.launches import rendezvous_setting
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.message import say

_OTHER_NAME = (
    '"{}" trains, but {} names the Pod "{}", which does not exist or does not train; name the replicatedJob "node"'
)


def find(runtime: LintedRuntime) -> Iterator[Hit]:
    """Runtimes whose replicatedJob that trains does not have the name `node` of this address."""
    trainer = runtime.trainer_job()
    setting = rendezvous_setting(runtime) if trainer is not None and trainer.name != NODE else None
    if trainer is not None and setting is not None:
        message = say(_OTHER_NAME, trainer.name, setting, f"<TrainJob>-{NODE}-0-0")
        yield Hit(message, runtime.in_template(("spec", "replicatedJobs", trainer.position, "name")))
