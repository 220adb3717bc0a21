"""Fields of objects as a table names them: a path of keys, in which `EACH` stands for every item of a list.

Mirrors kustomize's field specs (api/types/fieldspec.go, api/filters/fieldspec): a missing mapping on the way is made, a
missing list is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.model.source import Pointer

EACH = "[]"

Path = tuple[str, ...]


def path(text: str) -> Path:
    """A path as tables write it: keys between spaces."""
    return tuple(text.split())


def pointers(body: Any, keys: Path) -> Iterator[Pointer]:
    """Every place in `body` that the path means, there or still to be made; none behind a value of another type."""
    return _below(body, keys, ())


def _below(value: Any, keys: Path, pointer: Pointer) -> Iterator[Pointer]:
    if not keys:
        yield pointer
    elif keys[0] == EACH:
        for index, item in enumerate(value if isinstance(value, list) else ()):
            yield from _below(item, keys[1:], (*pointer, index))
    elif value is None or isinstance(value, dict):
        yield from _below((value or {}).get(keys[0]), keys[1:], (*pointer, keys[0]))


def obstacles(body: Any, keys: Path) -> Iterator[tuple[Pointer, str]]:
    """What stands on the way that the path means, or at its end, and is neither missing nor what the path needs: "a
    list" before `EACH`, else "a mapping".
    """
    yield from _obstacles(body, keys, ())


def _obstacles(value: Any, keys: Path, pointer: Pointer) -> Iterator[tuple[Pointer, str]]:
    if value is None:
        return
    if keys[:1] == (EACH,):
        if not isinstance(value, list):
            yield pointer, "a list"
        else:
            for index, item in enumerate(value):
                yield from _obstacles(item, keys[1:], (*pointer, index))
    elif not isinstance(value, dict):
        yield pointer, "a mapping"
    elif keys:
        yield from _obstacles(value.get(keys[0]), keys[1:], (*pointer, keys[0]))
