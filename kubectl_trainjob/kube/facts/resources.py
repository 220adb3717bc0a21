"""What containers request: their GPUs, CPUs and other devices, as Trainer counts them, and the requests of a whole Pod.

Mirrors GetNumGPUPerNode and numGPU in trainer `pkg/runtime/runtime.go`, and getNumCPUPerNode in
`pkg/runtime/framework/plugins/torch/torch.go` (2.1-2.3; for 2.0 see `compiler/expand/processes.py`): any resource with
"gpu" in its name is a GPU, and no other resource is. Mirrors k8s.io/component-helpers/resource, too (PodRequests with
PodResourcesOptions{}).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.source import Pointer, value_at

Resources = Mapping[str, Any]

_POD_LEVEL = ("cpu", "memory")
# Devices that device plugins provide in whole pieces, and whose names Trainer does not take for GPUs.
_NOT_NAMED_GPU = (
    r"(?i)nvidia\.com/mig-.*|google\.com/tpu|aws\.amazon\.com/neuron.*|habana\.ai/gaudi|huawei\.com/ascend.*|"
    r"cambricon\.com/mlu.*|qualcomm\.com/qaic.*|tenstorrent\.com/.*|furiosa\.ai/.*|rebellions\.ai/.*"
)
# GPUs by vendor, without parts of them such as memory, and without names that only share them (`koordinator.sh/gpu`).
# `gpu.shared` is NVIDIA's name for GPUs whose time is shared.
_WHOLE_GPU = (
    r"(?i)(?:nvidia|amd|metax-tech|mthreads|birentech)\.com/gpu(?:\.shared)?|iluvatar\.(?:ai|com)/gpu|"
    r"gpu\.intel\.com/(?:i915|xe)"
)
_DEVICES = (
    "amd.com/gpu",
    "aws.amazon.com/neuron",
    "aws.amazon.com/neuroncore",
    "google.com/tpu",
    "gpu.intel.com/i915",
    "gpu.intel.com/xe",
    "habana.ai/gaudi",
    "nvidia.com/gpu",
)
_SIMILAR_DEVICES = frozenset({"nvidia.com/pgpu", "nvidia.com/vgpu"})  # of other device plugins
_NOT_IN_NAMES = re.compile(r"\.(?:com|ai)(?=/)|[^a-z0-9/]|s$")


class ResourceAmount(NamedTuple):
    """One entry of `limits` or `requests`; `pieces` is its quantity in whole pieces, rounded up."""

    field: str
    name: str
    quantity: str
    pieces: int

    def __str__(self) -> str:
        return f"{self.name}: {self.quantity}"


class NodeCount(NamedTuple):
    """A number, and the amounts that it comes from, the deciding one first."""

    number: int
    amounts: tuple[ResourceAmount, ...]


def gpu_count(resources: Resources) -> NodeCount:
    """GPUs of one node: the requests' first resource with "gpu" in its name, else the limits'. Raises QuantityError.

    With several such names upstream's answer is random (a Go map); here the first by name.
    """
    requested, limited = (next(amounts(resources, field, names_gpu), None) for field in ("requests", "limits"))
    return _gpus(requested, limited)


def possible_gpu_counts(resources: Resources) -> set[int]:
    """All that upstream may count, depending on the entry of each map that it sees first. Raises QuantityError."""
    requested, limited = (tuple(amounts(resources, field, names_gpu)) for field in ("requests", "limits"))
    return {_gpus(request, limit).number for request in requested or (None,) for limit in limited or (None,)}


def _gpus(requested: ResourceAmount | None, limited: ResourceAmount | None) -> NodeCount:
    if requested and requested.pieces:
        return NodeCount(requested.pieces, (requested,))
    # The schema admits negative amounts; upstream takes those of the requests, but not those of the limits.
    return NodeCount(max(limited.pieces, 0) if limited else 0, _existing(limited, requested))


def cpu_count(resources: Resources) -> NodeCount:
    """CPUs of one node: the request, or the limit when nothing is requested. Raises QuantityError."""
    requested, limited = (next(amounts(resources, field, "cpu".__eq__), None) for field in ("requests", "limits"))
    if requested and not Quantity.parse(resources["requests"]["cpu"]).is_zero():
        return NodeCount(requested.pieces, (requested,))
    return NodeCount(limited.pieces if limited else 0, _existing(limited, requested))


def names_gpu(name: str) -> bool:
    """Whether Trainer takes a resource of this name for a GPU."""
    return "gpu" in name.lower()


def amounts(resources: Resources, field: str, is_meant: Callable[[str], bool]) -> Iterator[ResourceAmount]:
    """The entries of `limits` or `requests` with a matching name, sorted by name. Raises QuantityError."""
    for name, quantity in sorted((resources.get(field) or {}).items()):
        if is_meant(name):
            yield ResourceAmount(field, name, str(quantity), Quantity.parse(quantity).value())


def _existing(*found: ResourceAmount | None) -> tuple[ResourceAmount, ...]:
    return tuple(amount for amount in found if amount is not None)


def gpu_names(resources: Resources) -> list[str]:
    """The names that Trainer takes for GPUs; it counts one of them."""
    return sorted({name for field in ("limits", "requests") for name in resources.get(field) or () if names_gpu(name)})


def whole_gpus(resources: Resources) -> list[ResourceAmount]:
    """The requested GPUs: those of the limits, then of the requests. Raises QuantityError."""
    return list(_positive(resources, lambda name: re.fullmatch(_WHOLE_GPU, name) is not None))


def vendors(gpus: Iterable[ResourceAmount]) -> set[str]:
    """The vendors of these GPUs, by the domains of their names."""
    return {each.name.partition("/")[0].lower() for each in gpus}


def devices(resources: Resources) -> ResourceAmount | None:
    """The GPUs that the container will have; None without any, and if several names make that unclear."""
    return next(_positive(resources, names_gpu), None) if len(gpu_names(resources)) == 1 else None


def uncounted(resources: Resources) -> ResourceAmount | None:
    """A device that Trainer does not count as a GPU."""
    return next(_positive(resources, _is_uncounted), None)


def misspelled_device(name: str) -> str | None:
    """The device whose misspelled name this probably is; None for other names."""
    if "/" not in name or name in _DEVICES or name in _SIMILAR_DEVICES:
        return None
    plain = {_NOT_IN_NAMES.sub("", device): device for device in _DEVICES}
    return nearest(name, _DEVICES, most=1) or plain.get(_NOT_IN_NAMES.sub("", name.lower()))


def _is_uncounted(name: str) -> bool:
    return re.fullmatch(_NOT_NAMED_GPU, name) is not None and not names_gpu(name)


def _positive(resources: Resources, is_meant: Callable[[str], bool]) -> Iterator[ResourceAmount]:
    """The amounts above 0 of the limits, then of the requests."""
    for field in ("limits", "requests"):
        yield from (each for each in amounts(resources, field, is_meant) if each.pieces > 0)


def pod_requests(pod_spec: Mapping[str, Any]) -> dict[str, Quantity]:
    """The effective requests of a Pod with this spec, by resource name. Raises QuantityError.

    The sum of all containers and sidecars, or the largest init container if that is more. Requests of the Pod as a
    whole override both; the overhead is added. Limits do not count: only the API server makes them defaults.
    """
    total: dict[str, Quantity] = {}
    for container in pod_spec.get("containers") or ():
        add_to(total, _requests(container))
    sidecars: dict[str, Quantity] = {}
    starting: dict[str, Quantity] = {}
    for container in pod_spec.get("initContainers") or ():
        requests = _requests(container)
        if container.get("restartPolicy") == "Always":
            add_to(total, requests)
            add_to(sidecars, requests)
            _raise_to(starting, sidecars)
        else:
            add_to(requests, sidecars)
            _raise_to(starting, requests)
    _raise_to(total, starting)
    whole = _requests(pod_spec)
    total.update((name, whole[name]) for name in whole if _is_pod_level(name))
    add_to(total, _parse_amounts(pod_spec.get("overhead")))
    return total


def request_pointers(pod_spec: Mapping[str, Any], resource: str) -> Iterator[Pointer]:
    """The amounts of a resource in a Pod spec, which its effective request is the sum or the largest of."""
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
    """Whether requests of the Pod as a whole are effective."""
    return name in _POD_LEVEL or name.startswith("hugepages-")


def _requests(owner: Mapping[str, Any]) -> dict[str, Quantity]:
    return _parse_amounts((owner.get("resources") or {}).get("requests"))


def _parse_amounts(quantities: Mapping[str, Any] | None) -> dict[str, Quantity]:
    return {name: Quantity.parse(text) for name, text in (quantities or {}).items()}


def add_to(total: dict[str, Quantity], more: Mapping[str, Quantity]) -> None:
    """Add amounts to the sums, by resource name."""
    for name, quantity in more.items():
        total[name] = total[name] + quantity if name in total else quantity


def _raise_to(total: dict[str, Quantity], floor: Mapping[str, Quantity]) -> None:
    for name, quantity in floor.items():
        if name not in total or quantity > total[name]:
            total[name] = quantity
