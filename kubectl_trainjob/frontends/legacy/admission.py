"""What the API server and the operators reject, and what they drop.

Mirrors the CRDs, kubeflow/training-operator `pkg/webhooks` and `ValidateV1MpiJobSpec` (1.9.3), and
kubeflow/mpi-operator `pkg/apis/kubeflow/validation` (0.8.2). The webhooks see the object before it has defaults.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Any

from kubectl_trainjob.frontends.legacy.operators import (
    JAX,
    MPI,
    PYTORCH,
    TENSORFLOW,
    V2BETA1,
    XGBOOST,
    Operator,
    role_key,
)
from kubectl_trainjob.kube.facts import validation
from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.kube.schemas.walk import SchemaResult
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import Message, listed, say
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import LEGACY_FIELD_DROPPED, LEGACY_JOB_REJECTED, UNKNOWN_FIELD
from kubectl_trainjob.model.source import Place, Pointer, show_pointer, value_at
from kubectl_trainjob.model.stages import Body, Manifest

_TRAINING_OPERATOR, MULTIKUEUE = "kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue"
_MANAGERS = {V2BETA1: ("kubeflow.org/mpi-operator", MULTIKUEUE)}
_FieldError = tuple[Pointer, Message]


def check(manifest: Manifest, operator: Operator) -> tuple[SchemaResult, list[Diagnostic]]:
    """The body without nulls and unknown fields, and the findings: an error means that the operator rejects it."""
    schema = schema_for(operator.schemas, operator.api_version, operator.kind)
    checked = schema.check(manifest.body)
    dropped = [each for each in checked.problems if each.rule is UNKNOWN_FIELD]
    invalid = [each for each in checked.problems if each.rule is not UNKNOWN_FIELD]
    findings = [_dropped_field(manifest, each.pointer) for each in dropped]
    findings += _invalid_values(manifest, invalid)
    if not invalid:
        body = reduce(_without_value, (each.pointer for each in dropped), checked.value)
        checked = SchemaResult(body, (), checked.nulls)
        found = _problems(body, operator)
        findings += [Diagnostic(LEGACY_JOB_REJECTED, message, manifest.place(*at)) for at, message in found]
    return checked, findings


def _invalid_values(manifest: Manifest, problems: Iterable[Problem]) -> Iterator[Diagnostic]:
    """A finding for each invalid value, and one for all placeholders of a template, such as `$NODES`."""
    placeholders = 0
    for each in problems:
        value, message = value_at(manifest.body, each.pointer), each.message
        if isinstance(value, str) and "$" in value and "$(" not in value:
            placeholders += 1
            message = say('"{}" is a placeholder; fill in all of them first, for example with envsubst', value)
        if message == each.message or placeholders == 1:
            yield Diagnostic(LEGACY_JOB_REJECTED, message, Place(manifest.source, each.pointer))


def _dropped_field(manifest: Manifest, pointer: Pointer) -> Diagnostic:
    message = say(
        'the API server drops the unknown field "{}", so it has no effect; remove it, or write it where it belongs',
        show_pointer(pointer),
    )
    return Diagnostic(LEGACY_FIELD_DROPPED, message, manifest.place(*pointer).key())


def _without_value(value: Any, pointer: Pointer) -> Any:
    """The data without the field at a pointer."""
    step, *rest = pointer
    if isinstance(value, list):
        return [_without_value(item, tuple(rest)) if index == step else item for index, item in enumerate(value)]
    if not rest:
        return {key: item for key, item in value.items() if key != step}
    return {key: _without_value(item, tuple(rest)) if key == step else item for key, item in value.items()}


def _problems(body: Body, operator: Operator) -> Iterator[_FieldError]:
    metadata, spec = body.get("metadata") or {}, body.get("spec") or {}
    yield from _name(metadata, spec, operator)
    specs = spec.get(operator.field)
    if not specs:
        yield ("spec",), say("{} is missing; add the roles of the job", operator.field)
        return
    for key, replicas in specs.items():
        yield from _role(key, replicas, ("spec", operator.field, key), operator)
    yield from _roles({role_key(key, operator) for key in specs}, operator)
    if all((replicas or {}).get("replicas") == 0 for replicas in specs.values()):
        yield ("spec", operator.field), say("no role has Pods; write replicas: 1 or more")
    yield from _manager(spec, operator)
    if operator.kind == PYTORCH:
        yield from _elastic(spec)
    if operator.api_version == V2BETA1 and spec.get("slotsPerWorker", 1) < 0:
        yield ("spec", "slotsPerWorker"), say("slotsPerWorker is negative; write 1 or more")


def _name(metadata: Body, spec: Body, operator: Operator) -> Iterator[_FieldError]:
    name = metadata.get("name") or ""
    if not name and metadata.get("generateName"):
        return
    if operator.api_version == V2BETA1:
        count = value_at(spec, (operator.field, "Worker", "replicas")) or 1
        name = f"{name}-worker-{count - 1}"
    message = (
        validation.dns_1035_label(name) if (operator.kind, operator.api_version) != (MPI, "kubeflow.org/v1") else ""
    )
    if message:
        yield ("metadata", "name"), say('the operator rejects the name "{}": {}', name, message)


def _role(key: str, replicas: Body | None, at: Pointer, operator: Operator) -> Iterator[_FieldError]:
    is_lax = operator.api_version == V2BETA1
    if key not in operator.roles and not operator.has_roles_in_any_case and not is_lax:
        hint = listed(operator.roles, "or", "{}")
        yield at, say('{} has no role "{}"; write {}', operator.kind, key, hint)
    count = (replicas or {}).get("replicas")
    yield from _count(key, count, (*at, "replicas"), operator)
    containers = value_at(replicas, ("template", "spec", "containers")) or ()
    where = (*at, "template", "spec", "containers")
    if not containers:
        yield at, say("{} has no containers; add one", key)
    elif operator.container and operator.container not in [each.get("name") for each in containers]:
        yield (where, say('none of the containers has the name "{}"; rename the one that trains', operator.container))
    for index, container in enumerate(containers if not is_lax else ()):
        if not container.get("image"):
            yield (*where, index), say('container "{}" has no image; add it', container.get("name") or "")
    if is_lax and (replicas or {}).get("restartPolicy", "Never") not in ("Never", "OnFailure"):
        message = say(
            'restartPolicy "{}" is not supported; write Never or OnFailure', (replicas or {})["restartPolicy"]
        )
        yield (*at, "restartPolicy"), message


def _count(key: str, count: int | None, at: Pointer, operator: Operator) -> Iterator[_FieldError]:
    if count is not None and count < 0:
        yield at, say("replicas is negative; write 1 or more")
    elif key == "Master" and operator.kind in (PYTORCH, XGBOOST) and count != 1:
        yield at, say("a job needs exactly one Master; write replicas: 1")
    elif key == "Launcher" and operator.kind == MPI and count not in (None, 1):
        yield at, say("a job needs exactly one Launcher; write replicas: 1")
    elif (operator.api_version == V2BETA1 and key == "Worker" and count == 0) or (
        operator.kind == PYTORCH and key == "Worker" and count is not None and count < 1
    ):
        yield at, say("Worker has no replicas; write 1 or more, or remove Worker")


def _roles(keys: set[str], operator: Operator) -> Iterator[_FieldError]:
    at = ("spec", operator.field)
    needed = {XGBOOST: "Master", MPI: "Launcher"}.get(operator.kind)
    if needed and needed not in keys:
        yield at, say("{} has no {}, which is required; add it", operator.field, needed)
    if operator.kind == TENSORFLOW and {"Chief", "Master"} <= keys:
        yield at, say("{} has both Chief and Master; keep one", operator.field)
    if operator.kind == JAX and "Worker" not in keys:
        yield at, say("{} has no Worker; add it", operator.field)


def _manager(spec: Body, operator: Operator) -> Iterator[_FieldError]:
    manager = value_at(spec, ("runPolicy", "managedBy"))
    known = _MANAGERS.get(operator.api_version, (_TRAINING_OPERATOR, MULTIKUEUE))
    is_checked = operator.kind not in (XGBOOST, JAX) and (operator.kind, operator.api_version) != (
        MPI,
        "kubeflow.org/v1",
    )
    if manager is not None and is_checked and manager not in known:
        message = say('managedBy "{}" is not supported; write {}', manager, listed(known, "or", "{}"))
        yield ("spec", "runPolicy", "managedBy"), message


def _elastic(spec: Body) -> Iterator[_FieldError]:
    policy = spec.get("elasticPolicy")
    if policy is None:
        return
    if "Worker" not in spec["pytorchReplicaSpecs"]:
        yield ("spec", "elasticPolicy"), say("elasticPolicy needs a Worker in pytorchReplicaSpecs; add it")
    if "nProcPerNode" in policy and "nprocPerNode" in spec:
        yield (
            ("spec", "elasticPolicy", "nProcPerNode"),
            say("nProcPerNode and spec.nprocPerNode are both set; keep one"),
        )
