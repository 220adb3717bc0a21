"""The devices that a container will have, whether or not Trainer counts them (see `api/node_counts.py`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from kubectl_trainjob.api.node_counts import Amount, Resources, amounts, names_gpu

# Devices of which device plugins hand out whole pieces, and whose names Trainer takes for no GPU.
_NO_GPU_BY_NAME = re.compile(
    r"nvidia\.com/mig-.*|google\.com/tpu|aws\.amazon\.com/neuron.*|habana\.ai/gaudi|huawei\.com/ascend.*|"
    r"cambricon\.com/mlu.*|qualcomm\.com/qaic.*|tenstorrent\.com/.*|furiosa\.ai/.*|rebellions\.ai/.*",
    re.IGNORECASE,
)


def gpu_names(resources: Resources) -> list[str]:
    """The names that Trainer takes for GPUs; it counts one of them."""
    return sorted({each.name for each in _all(resources, names_gpu)})


def devices(resources: Resources) -> Amount | None:
    """The GPUs that the container will have; None without any, and where several names make that unclear."""
    found = [each for each in _all(resources, names_gpu) if each.pieces > 0]
    return found[0] if len(gpu_names(resources)) == 1 and found else None


def uncounted(resources: Resources) -> Amount | None:
    """A device that Trainer does not count as a GPU."""
    return next((each for each in _all(resources, _is_uncounted) if each.pieces > 0), None)


def _is_uncounted(name: str) -> bool:
    return _NO_GPU_BY_NAME.fullmatch(name) is not None and not names_gpu(name)


def _all(resources: Resources, is_meant: Callable[[str], bool]) -> Iterator[Amount]:
    yield from amounts(resources, "limits", is_meant)
    yield from amounts(resources, "requests", is_meant)
