"""The order of an expansion: start, check, enforce, build.

Mirrors trainer `pkg/runtime/core/trainingruntime.go` NewObjects, newRuntimeInfo and ValidateObjects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.compiler.errors import PatchError
from kubectl_trainjob.compiler.expand.behaviour import Behaviour
from kubectl_trainjob.compiler.expand.builders import jobset
from kubectl_trainjob.compiler.expand.builders.jobset import overwritten_ports
from kubectl_trainjob.compiler.expand.nodes import is_trainer
from kubectl_trainjob.compiler.expand.plan import (
    JOB,
    JOB_SET,
    RUNTIME,
    TRAINER,
    DerivedValue,
    Plan,
    PodSet,
    ancestor_of,
)
from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, SPEC_TYPE, job_template
from kubectl_trainjob.kube.facts.kinds import LARGEST_CONFIG_MAP
from kubectl_trainjob.kube.facts.trainer import FLUX_CURVE_SUFFIX, SSH_AUTH_SUFFIX
from kubectl_trainjob.kube.facts.types import canonical, container_ids
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.draft import Cause, Draft, copied
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import HOSTFILE_TOO_LARGE, PATCH_UNMERGEABLE
from kubectl_trainjob.model.stages import AdmittedObject, Body, RequiredSecret, ResolvedJob

Drafts = tuple[Draft, ...]
_UNMERGEABLE = "{} cannot be merged into the runtime, and the API server reports an internal error: {}"
_COMMAND: tuple[Cause, ...] = ((*TRAINER, "command"),)


class RuntimeTemplate(NamedTuple):
    """A runtime's JobSet spec in canonical form, and the ids of its dicts and lists, which stay canonical."""

    spec: Body
    canonical_ids: frozenset[int]


def template_of(runtime: AdmittedObject) -> RuntimeTemplate:
    """The template of a runtime, computed once for all jobs that use it."""
    spec = canonical((runtime.body["spec"].get("template") or {}).get("spec") or {}, SPEC_TYPE)
    return RuntimeTemplate(spec, container_ids(spec))


def expand(
    resolved: ResolvedJob, template: RuntimeTemplate, behaviour: Behaviour, *, record: bool = False
) -> tuple[Drafts, tuple[Diagnostic, ...]]:
    """The JobSet first, then its other objects; no drafts if a plugin rejects the TrainJob. With `record`, the drafts
    record the origin of each value.
    """
    try:
        plan = _start(resolved, template, behaviour, record=record)
    except PatchError as error:
        return (), (_unmergeable(resolved, behaviour, error),)
    passes = [each for each in behaviour.passes if each.applies(plan)]
    diagnostics = tuple(finding for each in passes for check in each.checks for finding in check(plan))
    if has_errors(diagnostics):
        # Only a recorded expansion knows the lines of the values of the runtime and the overrides.
        return ((), diagnostics) if record else expand(resolved, template, behaviour, record=True)
    for each in passes:
        plan = each.enforce(plan.with_jobset(plan.jobset.step(each.name)))
    lost = tuple(overwritten_ports(plan, behaviour.ports_written_back))
    if lost:
        return ((), (*diagnostics, *lost)) if record else expand(resolved, template, behaviour, record=True)
    drafts = tuple(_build(plan, behaviour, record=record))
    oversized = tuple(_size_problems(plan, drafts))
    return (() if oversized else drafts), (*diagnostics, *oversized)


def _build(plan: Plan, behaviour: Behaviour, *, record: bool) -> Iterator[Draft]:
    yield jobset.build(plan, behaviour)
    manifests = plan.resolved.job.manifest, plan.resolved.runtime.manifest
    empty = Draft({})  # what the JobSet's builder wrote last is not for the others, so the plan stays as it was
    if record:
        empty = Draft({}, {JOB: manifests[0].source, RUNTIME: manifests[1].source, JOB_SET: plan.jobset.source()})
    for builder in behaviour.builders:
        if builder.applies(plan):
            yield builder.build(plan, empty.step(builder.name))


def _size_problems(plan: Plan, drafts: Drafts) -> Iterator[Diagnostic]:
    """ConfigMaps that the API server rejects, which fails the controller."""
    for draft in drafts:
        data = draft.get("data") or {}
        if draft.get("kind") == "ConfigMap" and sum(len(text.encode()) for text in data.values()) > LARGEST_CONFIG_MAP:
            name = draft.get("metadata", "name")
            message = say('ConfigMap "{}" is larger than the limit of the API server, 1 MiB; use fewer hosts', name)
            yield Diagnostic(HOSTFILE_TOO_LARGE, message, plan.job_place("spec", "trainer", "numNodes"))


def required_secrets(resolved: ResolvedJob) -> tuple[RequiredSecret, ...]:
    """The Secrets that the controller would generate for this job and a build does not print."""
    identity = resolved.job.manifest.id
    policy = resolved.runtime.body["spec"].get("mlPolicy") or {}
    wanted = (
        ("mpi", SSH_AUTH_SUFFIX, "the MPI job's SSH keys, as ssh-privatekey and ssh-publickey"),
        ("flux", FLUX_CURVE_SUFFIX, "Flux's CURVE certificate, as curve.cert"),
    )
    return tuple(
        RequiredSecret(identity.namespace, f"{identity.name}{suffix}", purpose, kind)
        for kind, suffix, purpose in wanted
        if policy.get(kind) is not None
    )


def _unmergeable(resolved: ResolvedJob, behaviour: Behaviour, error: PatchError) -> Diagnostic:
    field = behaviour.overrides.field
    message = say(_UNMERGEABLE, field, error.message)
    return Diagnostic(PATCH_UNMERGEABLE, message, resolved.job.manifest.place("spec", field).key())


def _start(resolved: ResolvedJob, template: RuntimeTemplate, behaviour: Behaviour, *, record: bool) -> Plan:
    """The plan before any plugin ran: overrides and resources merged, labels gathered, Pods counted (newRuntimeInfo).

    Raises PatchError.
    """
    inputs = {JOB: resolved.job.manifest.source, RUNTIME: resolved.runtime.manifest.source, JOB_SET: None}
    overrides = behaviour.overrides
    jobset = Draft({}, inputs if record else None).step("runtime")
    jobset = jobset.put(("spec",), template.spec, copied=(RUNTIME, "spec", "template", "spec"))
    for cause, metadata in overrides.metadata(resolved):
        jobset = _metadata(jobset.step("runtime" if cause[0] == RUNTIME else "trainJob"), cause, metadata)
    jobset = overrides.merge(jobset.step(overrides.field), resolved, template.canonical_ids)
    jobset = behaviour.resources_per_node.at_start(jobset.step("resourcesPerNode"), resolved)
    trainer = resolved.job.body["spec"].get("trainer") or {}
    return Plan(
        resolved,
        jobset,
        _pod_sets(jobset, resolved),
        DerivedValue(trainer.get("command"), _COMMAND),
        trainer.get("args"),
    )


def _metadata(jobset: Draft, cause: Cause, metadata: Mapping[str, Any]) -> Draft:
    """Labels and annotations of the JobSet, over those that it has."""
    return jobset.put_each(
        [
            copied(("metadata", field, key), value, (*cause, field, key))
            for field in ("labels", "annotations")
            for key, value in (metadata.get(field) or {}).items()
        ]
    )


def _pod_sets(jobset: Draft, resolved: ResolvedJob) -> tuple[PodSet, ...]:
    policy = resolved.runtime.body["spec"].get("mlPolicy")
    return tuple(_pod_set(jobset, index, job, policy) for index, job in enumerate(jobset.get(*REPLICATED_JOBS) or ()))


def _pod_set(jobset: Draft, index: int, job: Mapping[str, Any], policy: Mapping[str, Any] | None) -> PodSet:
    ancestor = ancestor_of(jobset, index)
    if is_trainer(ancestor) and policy is not None:
        cause: Cause = (RUNTIME, "spec", "mlPolicy", "numNodes")
        count = policy.get("numNodes", 1)
    else:
        count = jobset.get(*job_template(index), "spec", "parallelism")
        count = 1 if count is None else count
        cause = (RUNTIME, "spec", "template", *job_template(index), "spec", "parallelism")
    return PodSet(index, job["name"], ancestor, max(count, 1), (cause,))
