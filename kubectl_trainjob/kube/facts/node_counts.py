"""How many GPUs and CPUs a training node has, as Trainer counts them.

Mirrors GetNumGPUPerNode and numGPU in trainer `pkg/runtime/runtime.go`, and getNumCPUPerNode in
`pkg/runtime/framework/plugins/torch/torch.go` (2.1-2.3; 2.0 has a way of its own, in `expand/processes.py`): any
resource with "gpu" in its name is a GPU, and nothing else is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.kube.facts.quantity import Quantity

Resources = Mapping[str, Any]


class Amount(NamedTuple):
    """One entry of `limits` or `requests`; `pieces` is its quantity in whole pieces, rounded up."""

    field: str
    name: str
    quantity: str
    pieces: int

    def __str__(self) -> str:
        return f"{self.name}: {self.quantity}"


class NodeCount(NamedTuple):
    """A number, and the amounts that were looked at for it: the one that decides first."""

    number: int
    amounts: tuple[Amount, ...]


def gpu_count(resources: Resources) -> NodeCount:
    """GPUs of one node: the requests' first resource with "gpu" in its name, else the limits'. Raises QuantityError.

    With several such names upstream's answer is random (a Go map); here the first by name counts.
    """
    requested, limited = (next(amounts(resources, field, names_gpu), None) for field in ("requests", "limits"))
    return _gpus(requested, limited)


def possible_gpu_counts(resources: Resources) -> set[int]:
    """All that upstream may count, by the entry of each map that it happens to see first. Raises QuantityError."""
    requested, limited = (tuple(amounts(resources, field, names_gpu)) for field in ("requests", "limits"))
    return {_gpus(request, limit).number for request in requested or (None,) for limit in limited or (None,)}


def _gpus(requested: Amount | None, limited: Amount | None) -> NodeCount:
    if requested and requested.pieces:
        return NodeCount(requested.pieces, (requested,))
    # The schema admits negative amounts; upstream takes those of the requests, but not those of the limits.
    return NodeCount(max(limited.pieces, 0) if limited else 0, _stated(limited, requested))


def cpu_count(resources: Resources) -> NodeCount:
    """CPUs of one node: the request, or the limit when nothing is requested. Raises QuantityError."""
    requested, limited = (next(amounts(resources, field, "cpu".__eq__), None) for field in ("requests", "limits"))
    if requested and not Quantity.parse(resources["requests"]["cpu"]).is_zero():
        return NodeCount(requested.pieces, (requested,))
    return NodeCount(limited.pieces if limited else 0, _stated(limited, requested))


def names_gpu(name: str) -> bool:
    """Whether Trainer takes a resource of this name for a GPU."""
    return "gpu" in name.lower()


def amounts(resources: Resources, field: str, is_meant: Callable[[str], bool]) -> Iterator[Amount]:
    """The entries of `limits` or `requests` whose names are meant, sorted by name. Raises QuantityError."""
    for name, quantity in sorted((resources.get(field) or {}).items()):
        if is_meant(name):
            yield Amount(field, name, str(quantity), Quantity.parse(quantity).value())


def _stated(*found: Amount | None) -> tuple[Amount, ...]:
    return tuple(amount for amount in found if amount is not None)
