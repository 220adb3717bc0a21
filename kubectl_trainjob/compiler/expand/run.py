"""The order of an expansion: start, check, enforce, build.

Mirrors trainer `pkg/runtime/core/trainingruntime.go` NewObjects and ValidateObjects.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.compiler.expand.behaviour import Behaviour
from kubectl_trainjob.compiler.expand.builders import jobset
from kubectl_trainjob.compiler.expand.plan import JOB, JOB_SET, RUNTIME, Plan
from kubectl_trainjob.compiler.expand.ports import overwritten
from kubectl_trainjob.compiler.expand.runtime_template import RuntimeTemplate
from kubectl_trainjob.compiler.expand.start import start
from kubectl_trainjob.compiler.expand.strategic_merge import MergeError
from kubectl_trainjob.kube.facts.kinds import LARGEST_CONFIG_MAP
from kubectl_trainjob.kube.facts.trainer import FLUX_CURVE_SUFFIX, SSH_AUTH_SUFFIX
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.rules import HOSTFILE_TOO_LARGE, PATCH_UNMERGEABLE
from kubectl_trainjob.model.stages import RequiredSecret, Resolved

Drafts = tuple[Draft, ...]


def expand(
    resolved: Resolved, template: RuntimeTemplate, behaviour: Behaviour, *, record: bool = False
) -> tuple[Drafts, tuple[Diagnostic, ...]]:
    """The JobSet first, then what goes with it; no drafts when a plugin refuses the TrainJob.

    With `record` the drafts know where each value is from.
    """
    try:
        plan = start(resolved, template, behaviour, record=record)
    except MergeError as error:
        return (), (_unmergeable(resolved, behaviour, error),)
    passes = [each for each in behaviour.passes if each.applies(plan)]
    diagnostics = tuple(finding for each in passes for check in each.checks for finding in check(plan))
    if has_errors(diagnostics):
        # Only a recorded expansion knows the lines of what the runtime and the overrides brought in.
        return ((), diagnostics) if record else expand(resolved, template, behaviour, record=True)
    for each in passes:
        plan = each.enforce(plan.with_jobset(plan.jobset.step(each.name)))
    lost = tuple(overwritten(plan, behaviour.ports_written_back))
    if lost:
        return ((), (*diagnostics, *lost)) if record else expand(resolved, template, behaviour, record=True)
    drafts = tuple(_build(plan, behaviour, record=record))
    oversized = tuple(_oversized(plan, drafts))
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


def _oversized(plan: Plan, drafts: Drafts) -> Iterator[Diagnostic]:
    """ConfigMaps that the API server refuses, so that the controller fails on them."""
    for draft in drafts:
        data = draft.get("data") or {}
        if draft.get("kind") == "ConfigMap" and sum(len(text.encode()) for text in data.values()) > LARGEST_CONFIG_MAP:
            message = (
                f'ConfigMap "{draft.get("metadata", "name")}" would be larger than 1 MiB, which the API server '
                "refuses; lower the number of hosts"
            )
            yield Diagnostic(HOSTFILE_TOO_LARGE, message, plan.job_place("spec", "trainer", "numNodes"))


def required_secrets(resolved: Resolved) -> tuple[RequiredSecret, ...]:
    """The Secrets that the controller would generate for this job and a build does not print."""
    identity = resolved.job.manifest.id
    policy = resolved.runtime.body["spec"].get("mlPolicy") or {}
    wanted = (
        ("mpi", SSH_AUTH_SUFFIX, "the MPI job's SSH keys, as ssh-privatekey and ssh-publickey"),
        ("flux", FLUX_CURVE_SUFFIX, "Flux's CURVE certificate, as curve.cert"),
    )
    return tuple(
        RequiredSecret(identity.namespace, f"{identity.name}{suffix}", purpose)
        for kind, suffix, purpose in wanted
        if policy.get(kind) is not None
    )


def _unmergeable(resolved: Resolved, behaviour: Behaviour, error: MergeError) -> Diagnostic:
    field = behaviour.overrides.field
    message = f"{field} cannot be merged into the runtime ({error}): the API server answers with an internal error"
    return Diagnostic(PATCH_UNMERGEABLE, message, resolved.job.manifest.place("spec", field).key())
