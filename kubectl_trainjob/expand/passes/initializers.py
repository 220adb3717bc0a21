"""What a runtime must have for a TrainJob with dataset or model initializers.

Mirrors the first half of Validate in trainer `pkg/runtime/framework/plugins/jobset` (2.0-2.3).
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.api.jobset import pod_spec
from kubectl_trainjob.api.trainer import DATASET_INITIALIZER, INITIALIZER_VOLUME, MODEL_INITIALIZER
from kubectl_trainjob.expand.plan import Plan
from kubectl_trainjob.findings.diagnostic import Diagnostic, Related
from kubectl_trainjob.findings.references import INITIALIZER_TARGET

INITIALIZERS = (("dataset", DATASET_INITIALIZER), ("model", MODEL_INITIALIZER))


def applies(plan: Plan) -> bool:
    """TrainJobs with `spec.initializer`."""
    return plan.job.get("initializer") is not None


def validate(plan: Plan) -> Iterator[Diagnostic]:
    """The replicatedJob, its container and the container's mount must exist under fixed names."""
    for field, name in INITIALIZERS:
        if (plan.job.get("initializer") or {}).get(field) is not None:
            missing = _missing(plan, name)
            if missing:
                message = f"the runtime has no {missing}, which spec.initializer.{field} needs; use one that has it"
                wanted = Related(
                    "the initializer is asked for here", plan.job_place("spec", "initializer", field).key()
                )
                yield Diagnostic(INITIALIZER_TARGET, message, plan.job_place("spec", "runtimeRef"), (wanted,))


def _missing(plan: Plan, name: str) -> str:
    """What the runtime lacks, "" when nothing."""
    pods = plan.by_name(name)
    if pods is None:
        return f'replicatedJob "{name}"'
    if not any(True for kind in ("containers", "initContainers") for _ in plan.containers(pods, name, kind)):
        return f'container "{name}" in replicatedJob "{name}"'
    for container in plan.jobset.get(*pod_spec(pods.position), "containers") or ():
        mounts = container.get("volumeMounts") or ()
        if container["name"] == name and any(mount["name"] == INITIALIZER_VOLUME for mount in mounts):
            return ""
    return f'volumeMount "{INITIALIZER_VOLUME}" in container "{name}" of replicatedJob "{name}"'
