"""Which entries of an overlay's `images` differ, and which of these are for the images of an object."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.review.diff.contents import difference

Entry = tuple[str, Pointer]
"""The name of an entry, and the way to what differs in it, in the new list; () for one that is gone."""

_PLAIN = re.compile(r"[\w./:@-]+")


def differing(old: Any, new: Any) -> list[Entry]:
    """The entries of two lists of images that are not on both sides, wherever they stand."""
    before, after = _entries(old), _entries(new)
    gone = {str(entry.get("name")): entry for text, (_, entry) in before.items() if text not in after}
    found: list[Entry] = []
    for text, (index, entry) in after.items():
        if text not in before:
            name = str(entry.get("name"))
            found.append((name, (index, *(difference(gone.pop(name, None), entry) or ()))))
    return [*found, *((name, ()) for name in gone)]


def meant(entries: list[Entry], objects: Iterable[Any]) -> list[Pointer]:
    """The ways to those that are for images of these objects, to all if none is; () where only the order differs."""
    texts = [repr(each) for each in objects]
    ways = [way for name, way in entries if _may_mean(name, texts)] or [way for _, way in entries] or [()]
    return list(dict.fromkeys(ways))


def _entries(images: Any) -> dict[str, tuple[int, dict[str, Any]]]:
    """Each entry and its index, by what it says; one that is no mapping was told when the overlay was read."""
    entries = enumerate(images if isinstance(images, list) else ())
    return {json.dumps(each, sort_keys=True): (i, each if isinstance(each, dict) else {}) for i, each in entries}


def _may_mean(name: str, texts: list[str]) -> bool:
    return _PLAIN.fullmatch(name) is None or any(name in text for text in texts)
