"""What a Pod requests where only limits are stated: the API server decides when it creates the Pod.

Mirrors SetDefaults_Pod and defaultPodRequests in k8s.io/kubernetes `pkg/apis/core/v1/defaults.go` (1.36). The templates
of Jobs and JobSets are stored without these defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_KINDS = ("containers", "initContainers")
_HUGE_PAGES = "hugepages-"
_OF_WHOLE_PODS = ("cpu", "memory")


def with_requests(pod_spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """A Pod spec in which each limit without a request is requested; the same one where there is none.

    For the Pod as a whole its limit counts only if no container requests the resource, huge pages aside.
    """
    changed: dict[str, Any] = {}
    for kind in _KINDS:
        containers = pod_spec.get(kind) or ()
        defaulted = [_requesting(container, _limits(container)) for container in containers]
        if any(new is not old for new, old in zip(defaulted, containers, strict=True)):
            changed[kind] = defaulted
    spec = {**pod_spec, **changed} if changed else pod_spec
    whole = _limits(spec)
    if whole:
        requested = {name for container in _containers(spec) for name in _requests(container)}
        return _requesting(spec, {name: limit for name, limit in whole.items() if _counts(name, requested)})
    return spec


def _counts(name: str, requested: set[str]) -> bool:
    return name.startswith(_HUGE_PAGES) or (name in _OF_WHOLE_PODS and name not in requested)


def _containers(spec: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for kind in _KINDS:
        yield from spec.get(kind) or ()


def _limits(owner: Mapping[str, Any]) -> Mapping[str, Any]:
    return (owner.get("resources") or {}).get("limits") or {}


def _requests(owner: Mapping[str, Any]) -> Mapping[str, Any]:
    return (owner.get("resources") or {}).get("requests") or {}


def _requesting(owner: Mapping[str, Any], limits: Mapping[str, Any]) -> Mapping[str, Any]:
    """A container, or a Pod spec, that requests the limits that it does not request yet."""
    if limits.keys() <= _requests(owner).keys():
        return owner
    requests = {**limits, **_requests(owner)}
    return {**owner, "resources": {**owner["resources"], "requests": requests}}
