"""What a TrainJob's runtimePatches may not do.

Mirrors the second half of Validate in trainer `pkg/runtime/framework/plugins/jobset` (2.3). Upstream checks the names
of replicatedJobs and containers *after* merging the patches, when all of them exist. So an unknown replicatedJob is
refused only where JobSet's admission does, for want of containers, and an unknown container not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.api.jobset import pod_spec
from kubectl_trainjob.api.trainer import DATASET_INITIALIZER, MODEL_INITIALIZER, NODE
from kubectl_trainjob.api.validation import domain_prefixed_path
from kubectl_trainjob.expand.plan import Plan
from kubectl_trainjob.findings.diagnostic import Diagnostic
from kubectl_trainjob.findings.patches import PATCH_FORBIDDEN_ENV, PATCH_MANAGER, PATCH_TARGET
from kubectl_trainjob.source import Pointer
from kubectl_trainjob.yamlio.nearest import nearest

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
        for pointer, job in _patched_jobs(plan, index):
            yield from _missing_target(plan, pointer, job)
            yield from _forbidden_env(plan, pointer, job)


def _patched_jobs(plan: Plan, index: int) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
    """Each replicatedJob of a patch and where it stands in the TrainJob."""
    patch = plan.job["runtimePatches"][index]
    spec = ((patch.get("trainingRuntimeSpec") or {}).get("template") or {}).get("spec") or {}
    base = ("spec", "runtimePatches", index, "trainingRuntimeSpec", "template", "spec", "replicatedJobs")
    for position, job in enumerate(spec.get("replicatedJobs") or ()):
        yield (*base, position), job


def _missing_target(plan: Plan, pointer: Pointer, job: Mapping[str, Any]) -> Iterator[Diagnostic]:
    names = [known["name"] for known in _runtime_jobs(plan)]
    pods = plan.by_name(job["name"])
    if job["name"] in names or pods is None or plan.jobset.get(*pod_spec(pods.position), "containers"):
        return
    meant = nearest(job["name"], names)
    hint = f'did you mean "{meant}"?' if meant else f"it has {', '.join(names) or 'none'}"
    message = f'the runtime has no replicatedJob "{job["name"]}"; {hint}'
    yield Diagnostic(PATCH_TARGET, message, plan.job_place(*pointer, "name"))


def _runtime_jobs(plan: Plan) -> list[Mapping[str, Any]]:
    template = plan.resolved.runtime.body["spec"].get("template") or {}
    jobs: list[Mapping[str, Any]] = (template.get("spec") or {}).get("replicatedJobs") or []
    return jobs


def _forbidden_env(plan: Plan, pointer: Pointer, job: Mapping[str, Any]) -> Iterator[Diagnostic]:
    pod = ((job.get("template") or {}).get("spec") or {}).get("template") or {}
    for number, container in enumerate((pod.get("spec") or {}).get("containers") or ()):
        if container.get("env") and container["name"] in OWNED_CONTAINERS:
            where = (*pointer, "template", "spec", "template", "spec", "containers", number, "env")
            message = f'env of container "{container["name"]}" is not patched; use spec.trainer or spec.initializer'
            yield Diagnostic(PATCH_FORBIDDEN_ENV, message, plan.job_place(*where).key())
