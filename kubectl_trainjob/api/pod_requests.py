"""What a whole Pod requests. Mirrors k8s.io/component-helpers/resource PodRequests with PodResourcesOptions{}."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.api.quantity import Quantity

_POD_LEVEL = ("cpu", "memory")


def pod_requests(pod_spec: Mapping[str, Any]) -> dict[str, Quantity]:
    """The effective requests of a Pod with this spec, by resource name. Raises QuantityError.

    All containers together with the sidecars, or the hungriest init container if that is more; what is requested for
    the Pod as a whole goes before; the overhead comes on top. Limits do not count: only the API server defaults them.
    """
    total: dict[str, Quantity] = {}
    for container in pod_spec.get("containers") or ():
        _add(total, _requests(container))
    sidecars: dict[str, Quantity] = {}
    starting: dict[str, Quantity] = {}
    for container in pod_spec.get("initContainers") or ():
        requests = _requests(container)
        if container.get("restartPolicy") == "Always":
            _add(total, requests)
            _add(sidecars, requests)
            _raise_to(starting, sidecars)
        else:
            _add(requests, sidecars)
            _raise_to(starting, requests)
    _raise_to(total, starting)
    whole = _requests(pod_spec)
    total.update((name, whole[name]) for name in whole if name in _POD_LEVEL or name.startswith("hugepages-"))
    _add(total, _parsed(pod_spec.get("overhead")))
    return total


def _requests(owner: Mapping[str, Any]) -> dict[str, Quantity]:
    return _parsed((owner.get("resources") or {}).get("requests"))


def _parsed(quantities: Mapping[str, Any] | None) -> dict[str, Quantity]:
    return {name: Quantity.parse(text) for name, text in (quantities or {}).items()}


def _add(total: dict[str, Quantity], more: Mapping[str, Quantity]) -> None:
    for name, quantity in more.items():
        total[name] = total[name] + quantity if name in total else quantity


def _raise_to(total: dict[str, Quantity], floor: Mapping[str, Quantity]) -> None:
    for name, quantity in floor.items():
        if name not in total or quantity > total[name]:
            total[name] = quantity
