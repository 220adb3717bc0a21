"""The assignments of grid and random searches, the same on every machine and for every version of Python."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from hashlib import sha256
from itertools import product

from kubectl_trainjob.frontends.tuning.space import Parameter, Range, text_of

Assignment = dict[str, str]
_ATTEMPTS = 100
_BITS = 53


def space_size(parameters: Sequence[Parameter]) -> int | None:
    """The number of assignments, None for an infinite number."""
    size = 1
    for each in parameters:
        count = each.size
        if count is None:
            return None
        size *= count
    return size


def grid(parameters: Sequence[Parameter]) -> Iterator[Assignment]:
    """Every assignment of a finite space; the last parameter varies fastest."""
    for positions in product(*(range(each.size or 0) for each in parameters)):
        yield {each.name: each.text(position) for each, position in zip(parameters, positions, strict=True)}


def random(parameters: Sequence[Parameter], count: int, seed: str) -> list[Assignment] | None:
    """So many different assignments; more only append. None if the space is exhausted."""
    found: dict[tuple[str, ...], Assignment] = {}
    rest = grid(parameters) if space_size(parameters) is not None else iter(())
    for trial in range(count):
        assignment = _unused_assignment(parameters, found, seed, trial) or _next_unused(rest, found)
        if assignment is None:
            return None
        found[tuple(assignment.values())] = assignment
    return list(found.values())


def _unused_assignment(
    parameters: Sequence[Parameter], used: dict[tuple[str, ...], Assignment], seed: str, trial: int
) -> Assignment | None:
    for attempt in range(_ATTEMPTS):
        drawn = {each.name: _draw(each, _bits(seed, trial, attempt, each.name)) for each in parameters}
        if tuple(drawn.values()) not in used:
            return drawn
    return None


def _next_unused(rest: Iterator[Assignment], used: dict[tuple[str, ...], Assignment]) -> Assignment | None:
    """The next one of all; those before it are used, and stay used."""
    return next((each for each in rest if tuple(each.values()) not in used), None)


def _bits(seed: str, trial: int, attempt: int, name: str) -> int:
    digest = sha256(f"{seed}|{trial}|{attempt}|{name}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - _BITS)


def _draw(parameter: Parameter, bits: int) -> str:
    bounds = parameter.range
    if bounds is not None and (bounds.is_log or bounds.step is None):
        drawn = bits / (1 << _BITS)
        return _whole_log(bounds, drawn) if parameter.type == "int" else _double(bounds, drawn)
    assert parameter.size is not None
    return parameter.text((bits * parameter.size) >> _BITS)


def _whole_log(bounds: Range, drawn: float) -> str:
    least, most = int(bounds.least), int(bounds.most)
    low, high = math.log(least), math.log(most + 1)
    return str(min(max(math.floor(math.exp(low + drawn * (high - low))), least), most))


def _double(bounds: Range, drawn: float) -> str:
    low, high = float(bounds.least), float(bounds.most)
    if bounds.is_log:
        value = math.exp(math.log(low) + drawn * (math.log(high) - math.log(low)))
    else:
        value = low + drawn * (high - low)
    return text_of(min(max(Decimal(f"{value:.6g}"), bounds.least), bounds.most))
