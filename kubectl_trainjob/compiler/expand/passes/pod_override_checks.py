"""What a TrainJob's podTemplateOverrides and podSpecOverrides may not do.

Mirrors the second half of Validate in trainer `pkg/runtime/framework/plugins/jobset` (2.0, 2.1). Upstream also asks for
containers of the names that are overridden, but after merging, when they exist.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.compiler.expand.override_targets import owned_env, unknown_job
from kubectl_trainjob.compiler.expand.plan import Plan
from kubectl_trainjob.model.diagnostic import Diagnostic, Related
from kubectl_trainjob.model.rules import DUPLICATE_LIST_KEY
from kubectl_trainjob.model.source import Pointer


def applies(field: str, plan: Plan) -> bool:
    """TrainJobs with this field in their spec."""
    return bool(plan.job.get(field))


def known_jobs(field: str, plan: Plan) -> Iterator[Diagnostic]:
    """The replicatedJobs exist."""
    for pointer, name in _targets(field, plan):
        if plan.by_name(name) is None:
            yield unknown_job(plan, pointer, name)


def jobs_once(field: str, plan: Plan) -> Iterator[Diagnostic]:
    """No two overrides have one replicatedJob (2.0)."""
    first: dict[str, Pointer] = {}
    for pointer, name in _targets(field, plan):
        earlier = first.setdefault(name, pointer)
        if earlier != pointer:
            message = f'replicatedJob "{name}" is overridden twice; write one override for it'
            related = Related("first here", plan.job_place(*earlier))
            yield Diagnostic(DUPLICATE_LIST_KEY, message, plan.job_place(*pointer), (related,))


def own_env_of_templates(field: str, plan: Plan) -> Iterator[Diagnostic]:
    """The env of the trainer and the initializers is not overridden (2.1)."""
    for index, override in _overrides(field, plan):
        containers = (override.get("spec") or {}).get("containers")
        yield from owned_env(plan, ("spec", field, index, "spec", "containers"), containers)


def own_env_of_specs(field: str, plan: Plan) -> Iterator[Diagnostic]:
    """The same, where an override is a Pod spec (2.0)."""
    for index, override in _overrides(field, plan):
        yield from owned_env(plan, ("spec", field, index, "containers"), override.get("containers"))


def _overrides(field: str, plan: Plan) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Those that aim at a replicatedJob: the others are not looked into."""
    return ((index, override) for index, override in enumerate(plan.job[field]) if override["targetJobs"])


def _targets(field: str, plan: Plan) -> Iterator[tuple[Pointer, str]]:
    """Where each targetJob's name stands in the TrainJob, and the name."""
    for index, override in _overrides(field, plan):
        for position, target in enumerate(override["targetJobs"]):
            yield ("spec", field, index, "targetJobs", position, "name"), target["name"]
