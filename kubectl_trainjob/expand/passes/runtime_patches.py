"""What a TrainJob's runtimePatches may not do.

Mirrors the second half of Validate in trainer `pkg/runtime/framework/plugins/jobset` (2.3). Upstream checks the names
of replicatedJobs and containers *after* merging the patches, when all of them exist: an unknown one is not caught
here but by JobSet's admission.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.api.trainer import DATASET_INITIALIZER, MODEL_INITIALIZER, NODE
from kubectl_trainjob.api.validation import domain_prefixed_path
from kubectl_trainjob.expand.plan import Plan
from kubectl_trainjob.findings.diagnostic import Diagnostic
from kubectl_trainjob.findings.references import PATCH_FORBIDDEN_ENV, PATCH_MANAGER

OWNED_CONTAINERS = (DATASET_INITIALIZER, MODEL_INITIALIZER, NODE)


def applies(plan: Plan) -> bool:
    """TrainJobs with `spec.runtimePatches`."""
    return bool(plan.job.get("runtimePatches"))


def validate(plan: Plan) -> Iterator[Diagnostic]:
    """Managers are domain-prefixed paths; the env of the trainer and the initializers is not patched."""
    for index, patch in enumerate(plan.job["runtimePatches"]):
        manager = patch["manager"]
        if domain_prefixed_path(manager):
            message = f'manager "{manager}" must be a domain-prefixed path, for example "acme.io/{manager or "team"}"'
            yield Diagnostic(PATCH_MANAGER, message, plan.job_place("spec", "runtimePatches", index, "manager"))
        yield from _forbidden_env(plan, index)


def _forbidden_env(plan: Plan, index: int) -> Iterator[Diagnostic]:
    base = ("spec", "runtimePatches", index, "trainingRuntimeSpec", "template", "spec", "replicatedJobs")
    patch = plan.job["runtimePatches"][index]
    spec = ((patch.get("trainingRuntimeSpec") or {}).get("template") or {}).get("spec") or {}
    for position, job in enumerate(spec.get("replicatedJobs") or ()):
        pod = ((job.get("template") or {}).get("spec") or {}).get("template") or {}
        for number, container in enumerate((pod.get("spec") or {}).get("containers") or ()):
            if container.get("env") and container["name"] in OWNED_CONTAINERS:
                where = (*base, position, "template", "spec", "template", "spec", "containers", number, "env")
                message = f'env of container "{container["name"]}" is not patched; use spec.trainer or spec.initializer'
                yield Diagnostic(PATCH_FORBIDDEN_ENV, message, plan.job_place(*where).key())
