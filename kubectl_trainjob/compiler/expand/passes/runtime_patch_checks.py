"""What a TrainJob's runtimePatches may not do.

Mirrors the second half of Validate in trainer `pkg/runtime/framework/plugins/jobset` (2.2, 2.3). Upstream checks the
names of replicatedJobs and containers *after* merging the patches. 2.3 has made all of them exist by then, so an
unknown replicatedJob is refused only where JobSet's admission does, for want of containers; 2.2 makes only containers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.compiler.expand.override_targets import owned_env, runtime_jobs, unknown_job
from kubectl_trainjob.compiler.expand.plan import Plan
from kubectl_trainjob.kube.facts.jobset import pod_spec
from kubectl_trainjob.kube.facts.trainer import RUNTIME_PATCHES
from kubectl_trainjob.kube.facts.validation import domain_prefixed_path
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.rules import PATCH_MANAGER
from kubectl_trainjob.model.source import Pointer


def applies(plan: Plan) -> bool:
    """TrainJobs with `spec.runtimePatches`."""
    return bool(plan.job.get(RUNTIME_PATCHES))


def managers(plan: Plan) -> Iterator[Diagnostic]:
    """Managers are domain-prefixed paths."""
    for index, patch in enumerate(plan.job[RUNTIME_PATCHES]):
        manager = patch["manager"]
        if domain_prefixed_path(manager):
            message = f'manager "{manager}" must be a domain-prefixed path, for example "acme.io/{manager or "team"}"'
            yield Diagnostic(PATCH_MANAGER, message, plan.job_place("spec", RUNTIME_PATCHES, index, "manager"))


def known_jobs(plan: Plan) -> Iterator[Diagnostic]:
    """Patched replicatedJobs are the runtime's, or the patches have made them whole."""
    names = runtime_jobs(plan)
    for pointer, job in _patched_jobs(plan):
        pods = plan.by_name(job["name"])
        whole = pods is not None and plan.jobset.get(*pod_spec(pods.position), "containers")
        if job["name"] not in names and not whole:
            yield unknown_job(plan, (*pointer, "name"), job["name"])


def own_env(plan: Plan) -> Iterator[Diagnostic]:
    """The env of the trainer and the initializers is not patched."""
    for pointer, job in _patched_jobs(plan):
        pod = ((job.get("template") or {}).get("spec") or {}).get("template") or {}
        containers = (*pointer, "template", "spec", "template", "spec", "containers")
        yield from owned_env(plan, containers, (pod.get("spec") or {}).get("containers"))


def _patched_jobs(plan: Plan) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
    """Each replicatedJob of each patch and where it stands in the TrainJob."""
    for index, patch in enumerate(plan.job[RUNTIME_PATCHES]):
        spec = ((patch.get("trainingRuntimeSpec") or {}).get("template") or {}).get("spec") or {}
        base = ("spec", RUNTIME_PATCHES, index, "trainingRuntimeSpec", "template", "spec", "replicatedJobs")
        for position, job in enumerate(spec.get("replicatedJobs") or ()):
            yield (*base, position), job
