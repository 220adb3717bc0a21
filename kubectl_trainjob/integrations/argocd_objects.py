"""What Argo CD needs otherwise in generated objects: no TTL, and the protocol of ports."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.model.stages import Body

_RUNS = ("JobSet", "Job")
_WITH_PODS = (*_RUNS, "TrainingRuntime", "ClusterTrainingRuntime")
_TTL = "ttlSecondsAfterFinished"


def has_ttl(body: Body) -> bool:
    """Whether Argo CD would run the object again: the TTL deletes the run, and the next commit creates it."""
    return body.get("kind") in _RUNS and _TTL in (body.get("spec") or {})


def for_argocd(body: Body) -> Body:
    """A run without TTL, or a runtime, whose ports state their protocol; any other object unchanged.

    With server-side apply, Argo CD compares a port without protocol with the default TCP, and never finds it equal.
    """
    spec = body.get("spec")
    if body.get("kind") not in _WITH_PODS or not isinstance(spec, dict):
        return body
    kept = {key: value for key, value in spec.items() if key != _TTL}
    return {**body, "spec": _with_protocols(kept)}


def _with_protocols(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_protocols(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _ports(item) if key == "ports" else _with_protocols(item) for key, item in value.items()}


def _ports(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [
        {"protocol": "TCP", **item} if isinstance(item, dict) and "containerPort" in item else item for item in value
    ]
