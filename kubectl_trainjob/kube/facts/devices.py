"""The devices that a container will have, whether or not Trainer counts them (see `api/node_counts.py`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from kubectl_trainjob.kube.facts.node_counts import Amount, Resources, amounts, names_gpu

# Devices of which device plugins hand out whole pieces, and whose names Trainer takes for no GPU.
_NO_GPU_BY_NAME = re.compile(
    r"nvidia\.com/mig-.*|google\.com/tpu|aws\.amazon\.com/neuron.*|habana\.ai/gaudi|huawei\.com/ascend.*|"
    r"cambricon\.com/mlu.*|qualcomm\.com/qaic.*|tenstorrent\.com/.*|furiosa\.ai/.*|rebellions\.ai/.*",
    re.IGNORECASE,
)
# GPUs by who makes them, not parts of them such as memory, nor what only shares them out (`koordinator.sh/gpu`).
# `gpu.shared` is what NVIDIA's device plugin calls GPUs whose time is shared.
_WHOLE_GPU = re.compile(
    r"(?:nvidia|amd|metax-tech|mthreads|birentech)\.com/gpu(?:\.shared)?|iluvatar\.(?:ai|com)/gpu|"
    r"gpu\.intel\.com/(?:i915|xe)",
    re.IGNORECASE,
)


def gpu_names(resources: Resources) -> list[str]:
    """The names that Trainer takes for GPUs; it counts one of them."""
    return sorted({name for field in ("limits", "requests") for name in resources.get(field) or () if names_gpu(name)})


def whole_gpus(resources: Resources) -> list[Amount]:
    """The GPUs that are asked for: those of the limits, then of the requests. Raises QuantityError."""
    return [each for each in _all(resources, _is_whole_gpu) if each.pieces > 0]


def vendors(gpus: Iterable[Amount]) -> set[str]:
    """Who makes these GPUs, by the domains of their names."""
    return {each.name.partition("/")[0].lower() for each in gpus}


def _is_whole_gpu(name: str) -> bool:
    return _WHOLE_GPU.fullmatch(name) is not None


def devices(resources: Resources) -> Amount | None:
    """The GPUs that the container will have; None without any, and where several names make that unclear."""
    if len(gpu_names(resources)) != 1:
        return None
    return next((each for each in _all(resources, names_gpu) if each.pieces > 0), None)


def uncounted(resources: Resources) -> Amount | None:
    """A device that Trainer does not count as a GPU."""
    return next((each for each in _all(resources, _is_uncounted) if each.pieces > 0), None)


def _is_uncounted(name: str) -> bool:
    return _NO_GPU_BY_NAME.fullmatch(name) is not None and not names_gpu(name)


def _all(resources: Resources, is_meant: Callable[[str], bool]) -> Iterator[Amount]:
    yield from amounts(resources, "limits", is_meant)
    yield from amounts(resources, "requests", is_meant)
