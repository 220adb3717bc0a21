"""The paths of an object that end in some way: what a person may have meant who wrote only the end of one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from kubectl_trainjob.explain.path import show
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Body

_LOOKED_AT = 5000  # values of an object
_MOST = 5


def paths_that_end(body: Body, text: str) -> list[str]:
    """The first few paths to a value that end with a text, `PET_NNODES` or `containers[node].image`, as `show` does."""
    end = text.strip().removeprefix(".")
    if not end:
        return []
    shown = (show(body, pointer) for pointer in islice(_below(body, ()), _LOOKED_AT))
    return list(islice((path for path in shown if path.endswith((f".{end}", f"[{end}]"))), _MOST))


def _below(value: Any, pointer: Pointer) -> Iterator[Pointer]:
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield (*pointer, key)
        yield from _below(entry, (*pointer, key))
