"""What the Pods of a job request: the amounts with the defaults of the API server, and which resources are GPUs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.facts.quantity import Quantity, QuantityError
from kubectl_trainjob.kube.facts.resources import names_gpu, pod_requests, uncounted

_MOST = Quantity(1, 30)  # more than any cluster has, and few enough digits to add and print

# Shares of a device's memory and cores, which are not counted in devices: those of HAMi, Volcano, Koordinator, Alibaba
# Cloud and Intel.
_SHARE = re.compile(r"gpu-?(mem|core)|^gpu\.intel\.com/(memory|millicores|.*_monitoring$)", re.IGNORECASE)

_LISTS = ("containers", "initContainers")


def requests_of(pod_spec: Mapping[str, Any], count: int) -> dict[str, Quantity]:
    """What `count` Pods of a template request, without amounts that no cluster has; {} for an invalid quantity."""
    try:
        one = pod_requests(_with_requests(pod_spec))
    except QuantityError:
        return {}
    shares = {name: quantity * count for name, quantity in one.items() if Quantity.ZERO < quantity < _MOST}
    return {name: share for name, share in shares.items() if share < _MOST}


def is_gpu(resource: str) -> bool:
    """Whether a resource of this name counts whole devices, or parts that are devices to a container (MIG)."""
    is_device = names_gpu(resource) or uncounted({"limits": {resource: 1}}) is not None
    return is_device and _SHARE.search(resource) is None


def _with_requests(pod_spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """A Pod spec in which each limit without a request is requested.

    The API server does so when it creates the Pod; the templates of Jobs and JobSets are stored without. Mirrors
    SetDefaults_Pod and defaultPodRequests in k8s.io/kubernetes `pkg/apis/core/v1/defaults.go` (1.36). The limit of the
    Pod as a whole counts only if no container requests the resource, except for huge pages.
    """
    lists = {key: [_requesting(each, _amounts(each, "limits")) for each in pod_spec.get(key) or ()] for key in _LISTS}
    requested = {name for containers in lists.values() for each in containers for name in _amounts(each, "requests")}
    whole = {
        name: limit
        for name, limit in _amounts(pod_spec, "limits").items()
        if name.startswith("hugepages-") or (name in ("cpu", "memory") and name not in requested)
    }
    return _requesting({**pod_spec, **lists}, whole)


def _amounts(owner: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    return (owner.get("resources") or {}).get(kind) or {}


def _requesting(owner: Mapping[str, Any], limits: Mapping[str, Any]) -> Mapping[str, Any]:
    """A container, or a Pod spec, that requests the limits that it does not request yet."""
    requests = _amounts(owner, "requests")
    if limits.keys() <= requests.keys():
        return owner
    return {**owner, "resources": {**owner["resources"], "requests": {**limits, **requests}}}
