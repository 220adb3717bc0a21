"""What a container asks for, as launchers count it.

Mirrors numGPU and numCPU in trainer `pkg/runtime/runtime.go` (2.0-2.3): any resource with "gpu" in its name is a GPU,
and nothing else is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.api.quantity import Quantity

Resources = Mapping[str, Any]

# Devices of which device plugins hand out whole pieces, and whose names Trainer takes for no GPU.
_NO_GPU_BY_NAME = re.compile(
    r"nvidia\.com/mig-.*|google\.com/tpu|aws\.amazon\.com/neuron.*|habana\.ai/gaudi|huawei\.com/ascend.*|"
    r"cambricon\.com/mlu.*|qualcomm\.com/qaic.*|tenstorrent\.com/.*|furiosa\.ai/.*|rebellions\.ai/.*",
    re.IGNORECASE,
)


class Amount(NamedTuple):
    """One entry of `limits` or `requests`; `pieces` is its quantity in whole pieces, rounded up."""

    field: str
    name: str
    quantity: str
    pieces: int

    def __str__(self) -> str:
        return f"{self.name}: {self.quantity}"


def counted_gpus(resources: Resources) -> Amount | None:
    """The GPUs that Trainer counts: the requests' first resource with "gpu" in its name, else the limits'."""
    for field in ("requests", "limits"):
        first = next((each for each in _amounts(resources, field) if _is_gpu(each.name)), None)
        if first is not None and first.pieces > 0:
            return first
    return None


def counted_cpus(resources: Resources) -> Amount | None:
    """The CPUs that Trainer counts: the requests', else the limits'."""
    for field in ("requests", "limits"):
        for each in _amounts(resources, field):
            if each.name == "cpu" and each.pieces:
                return each
    return None


def gpu_names(resources: Resources) -> list[str]:
    """The names that Trainer takes for GPUs; it counts one of them."""
    return sorted({each.name for each in _all(resources) if _is_gpu(each.name)})


def devices(resources: Resources) -> Amount | None:
    """The GPUs that the container will have; None without any, and where several names make that unclear."""
    names = gpu_names(resources)
    found = [each for each in _all(resources) if each.name in names and each.pieces > 0]
    return found[0] if len(names) == 1 and found else None


def uncounted(resources: Resources) -> Amount | None:
    """A device that Trainer does not count as a GPU."""
    found = (each for each in _all(resources) if _NO_GPU_BY_NAME.fullmatch(each.name) and not _is_gpu(each.name))
    return next((each for each in found if each.pieces > 0), None)


def _is_gpu(name: str) -> bool:
    return "gpu" in name.lower()


def _all(resources: Resources) -> Iterator[Amount]:
    yield from _amounts(resources, "limits")
    yield from _amounts(resources, "requests")


def _amounts(resources: Resources, field: str) -> Iterator[Amount]:
    for name, quantity in sorted((resources.get(field) or {}).items()):
        yield Amount(field, name, str(quantity), Quantity.parse(quantity).value())
