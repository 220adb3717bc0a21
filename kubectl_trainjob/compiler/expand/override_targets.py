"""What a TrainJob's overrides may aim at: replicatedJobs of the runtime, and no env that has fields of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubectl_trainjob.compiler.expand.plan import Plan
from kubectl_trainjob.kube.facts.trainer import INITIALIZERS, NODE
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.rules import PATCH_FORBIDDEN_ENV, PATCH_TARGET_MISSING
from kubectl_trainjob.model.source import Pointer

OWNED_CONTAINERS = (*INITIALIZERS.values(), NODE)


def runtime_jobs(plan: Plan) -> list[str]:
    """The names of the runtime's replicatedJobs."""
    template = plan.resolved.runtime.body["spec"].get("template") or {}
    return [job["name"] for job in (template.get("spec") or {}).get("replicatedJobs") or ()]


def unknown_job(plan: Plan, pointer: Pointer, name: str) -> Diagnostic:
    """The runtime has no replicatedJob of the name that stands at `pointer` in the TrainJob."""
    names = runtime_jobs(plan)
    meant = nearest(name, names)
    hint = f'did you mean "{meant}"?' if meant else f"it has {', '.join(names) or 'none'}"
    return Diagnostic(
        PATCH_TARGET_MISSING, f'the runtime has no replicatedJob "{name}"; {hint}', plan.job_place(*pointer)
    )


def owned_env(plan: Plan, pointer: Pointer, containers: Sequence[Mapping[str, Any]] | None) -> Iterator[Diagnostic]:
    """A finding for each of the containers at `pointer` in the TrainJob with env that is stated elsewhere."""
    for index, container in enumerate(containers or ()):
        if container.get("env") and container["name"] in OWNED_CONTAINERS:
            message = f'env of container "{container["name"]}" is not patched; use spec.trainer or spec.initializer'
            yield Diagnostic(PATCH_FORBIDDEN_ENV, message, plan.job_place(*pointer, index, "env").key())
