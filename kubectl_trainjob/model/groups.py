"""Items by a name that several of them have."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

_Name = TypeVar("_Name", bound=Hashable)
_Item = TypeVar("_Item")


def group(items: Iterable[tuple[_Name, _Item]]) -> dict[_Name, list[_Item]]:
    """The items of each name, in order."""
    found: dict[_Name, list[_Item]] = {}
    for name, item in items:
        found.setdefault(name, []).append(item)
    return found
