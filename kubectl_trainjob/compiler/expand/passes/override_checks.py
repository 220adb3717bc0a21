"""What a TrainJob's runtimePatches, podTemplateOverrides and podSpecOverrides may not change.

Mirrors the second half of Validate in trainer `pkg/runtime/framework/plugins/jobset` (2.0-2.3). Upstream checks the
names of replicatedJobs and containers *after* merging, when an overridden container exists. In 2.3 all of them exist by
then. Only JobSet's admission rejects an unknown replicatedJob, because it has no containers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubectl_trainjob.compiler.expand.plan import Plan
from kubectl_trainjob.kube.facts.jobset import pod_spec
from kubectl_trainjob.kube.facts.trainer import INITIALIZERS, NODE
from kubectl_trainjob.kube.facts.validation import domain_prefixed_path
from kubectl_trainjob.model.diagnostic import Diagnostic, RelatedPlace
from kubectl_trainjob.model.message import listed, say
from kubectl_trainjob.model.nearest import did_you_mean
from kubectl_trainjob.model.rules import DUPLICATE_LIST_KEY, PATCH_FORBIDDEN_ENV, PATCH_MANAGER, PATCH_TARGET_MISSING
from kubectl_trainjob.model.source import Pointer

_OWNED_CONTAINERS = (*INITIALIZERS.values(), NODE)


def applies(field: str, plan: Plan) -> bool:
    """TrainJobs with this field in their spec."""
    return bool(plan.job.get(field))


def known_targets(field: str, plan: Plan) -> Iterator[Diagnostic]:
    """The replicatedJobs of overrides exist (2.0, 2.1)."""
    for pointer, name in _targets(field, plan):
        if plan.by_name(name) is None:
            yield _unknown_job(plan, pointer, name)


def distinct_targets(field: str, plan: Plan) -> Iterator[Diagnostic]:
    """No two overrides have one replicatedJob (2.0)."""
    first: dict[str, Pointer] = {}
    for pointer, name in _targets(field, plan):
        earlier = first.setdefault(name, pointer)
        if earlier != pointer:
            message = say('replicatedJob "{}" has two overrides; write one', name)
            related = RelatedPlace(say("the first override"), plan.job_place(*earlier))
            yield Diagnostic(DUPLICATE_LIST_KEY, message, plan.job_place(*pointer), (related,))


def own_env_of_templates(field: str, plan: Plan) -> Iterator[Diagnostic]:
    """The env of the trainer and the initializers is not overridden (2.1)."""
    for index, override in _overrides(field, plan):
        containers = (override.get("spec") or {}).get("containers")
        yield from _owned_env(plan, ("spec", field, index, "spec", "containers"), containers)


def own_env_of_specs(field: str, plan: Plan) -> Iterator[Diagnostic]:
    """The same, where an override is a Pod spec (2.0)."""
    for index, override in _overrides(field, plan):
        yield from _owned_env(plan, ("spec", field, index, "containers"), override.get("containers"))


def managers(field: str, plan: Plan) -> Iterator[Diagnostic]:
    """The managers of patches are domain-prefixed paths (2.2, 2.3)."""
    for index, patch in enumerate(plan.job[field]):
        manager = patch["manager"]
        if domain_prefixed_path(manager):
            example = f"acme.io/{manager or 'team'}"
            message = say('manager "{}" is not a domain-prefixed path; write for example "{}"', manager, example)
            yield Diagnostic(PATCH_MANAGER, message, plan.job_place("spec", field, index, "manager"))


def known_patched_jobs(field: str, plan: Plan) -> Iterator[Diagnostic]:
    """Patched replicatedJobs are the runtime's, or complete after the patches (2.2, 2.3)."""
    names = _runtime_jobs(plan)
    for pointer, job in _patched_jobs(field, plan):
        pods = plan.by_name(job["name"])
        is_complete = pods is not None and plan.jobset.get(*pod_spec(pods.position), "containers")
        if job["name"] not in names and not is_complete:
            yield _unknown_job(plan, (*pointer, "name"), job["name"])


def own_env_of_patches(field: str, plan: Plan) -> Iterator[Diagnostic]:
    """The env of the trainer and the initializers is not patched (2.2, 2.3)."""
    for pointer, job in _patched_jobs(field, plan):
        pod = ((job.get("template") or {}).get("spec") or {}).get("template") or {}
        containers = (*pointer, "template", "spec", "template", "spec", "containers")
        yield from _owned_env(plan, containers, (pod.get("spec") or {}).get("containers"))


def _runtime_jobs(plan: Plan) -> list[str]:
    """The names of the runtime's replicatedJobs."""
    template = plan.resolved.runtime.body["spec"].get("template") or {}
    return [job["name"] for job in (template.get("spec") or {}).get("replicatedJobs") or ()]


def _unknown_job(plan: Plan, pointer: Pointer, name: str) -> Diagnostic:
    """The runtime has no replicatedJob with the name at `pointer` of the TrainJob."""
    names = _runtime_jobs(plan)
    hint = did_you_mean(name, names, say("it has {}", listed(names, template="{}") or say("none")))
    message = say('the runtime has no replicatedJob "{}"; {}', name, hint)
    return Diagnostic(PATCH_TARGET_MISSING, message, plan.job_place(*pointer))


def _owned_env(plan: Plan, pointer: Pointer, containers: Sequence[Mapping[str, Any]] | None) -> Iterator[Diagnostic]:
    """A finding for each of the containers at `pointer` in the TrainJob whose env has separate fields."""
    for index, container in enumerate(containers or ()):
        name = container["name"]
        if container.get("env") and name in _OWNED_CONTAINERS:
            message = say('a patch cannot set env of container "{}"; use spec.trainer or spec.initializer', name)
            yield Diagnostic(PATCH_FORBIDDEN_ENV, message, plan.job_place(*pointer, index, "env").key())


def _overrides(field: str, plan: Plan) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The overrides with a target; the others are not checked."""
    return ((index, override) for index, override in enumerate(plan.job[field]) if override["targetJobs"])


def _targets(field: str, plan: Plan) -> Iterator[tuple[Pointer, str]]:
    """The name of each targetJob, and where it is in the TrainJob."""
    for index, override in _overrides(field, plan):
        for position, target in enumerate(override["targetJobs"]):
            yield ("spec", field, index, "targetJobs", position, "name"), target["name"]


def _patched_jobs(field: str, plan: Plan) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
    """Each replicatedJob of each patch, and where it is in the TrainJob."""
    for index, patch in enumerate(plan.job[field]):
        spec = ((patch.get("trainingRuntimeSpec") or {}).get("template") or {}).get("spec") or {}
        base = ("spec", field, index, "trainingRuntimeSpec", "template", "spec", "replicatedJobs")
        for position, job in enumerate(spec.get("replicatedJobs") or ()):
            yield (*base, position), job
