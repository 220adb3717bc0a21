"""What a whole Pod requests. Mirrors k8s.io/component-helpers/resource PodRequests with PodResourcesOptions{}."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.model.source import Pointer, value_at

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
    total.update((name, whole[name]) for name in whole if _is_pod_level(name))
    _add(total, _parsed(pod_spec.get("overhead")))
    return total


def request_pointers(pod_spec: Mapping[str, Any], resource: str) -> Iterator[Pointer]:
    """Where in a Pod spec the amounts of a resource stand that its effective request is made of, or is the most of."""
    requested: Pointer = ("resources", "requests", resource)
    if _is_pod_level(resource) and value_at(pod_spec, requested) is not None:
        yield requested
    else:
        for kind in ("containers", "initContainers"):
            for index, container in enumerate(pod_spec.get(kind) or ()):
                if value_at(container, requested) is not None:
                    yield (kind, index, *requested)
    if value_at(pod_spec, ("overhead", resource)) is not None:
        yield "overhead", resource


def _is_pod_level(name: str) -> bool:
    """Whether what is requested for the Pod as a whole counts."""
    return name in _POD_LEVEL or name.startswith("hugepages-")


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
