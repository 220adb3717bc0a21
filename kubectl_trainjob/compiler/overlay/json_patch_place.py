"""Where the path of a JSON 6902 operation leads in an object.

Mirrors gopkg.in/evanphx/json-patch.v4, which kustomize uses: a negative index counts from the end of a list.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from kubectl_trainjob.compiler.overlay.patch_error import PatchError
from kubectl_trainjob.model.draft import Cause
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.source import Pointer, show_pointer

_INDEX = re.compile("-?(0|[1-9][0-9]{0,8})")
_SHOWN = 80
_COMPARED = 1000  # keys that may have been meant


def place_of(root: Any, path: tuple[str, ...], cause: Cause) -> Pointer:
    """The place that is there. Raises PatchError where there is none; `cause` is the path in the patch."""
    pointer: Pointer = ()
    for part in path:
        key = _key(root, part, pointer, cause, room=0)
        if isinstance(root, dict) and key not in root:
            raise PatchError(f'{_shown(pointer)} has no "{part[:_SHOWN]}"; {_advice(part, root)}', cause)
        root, pointer = root[key], (*pointer, key)
    return pointer


def new_place_of(root: Any, path: tuple[str, ...], cause: Cause) -> Pointer:
    """Where a value is added: an entry of a mapping, old or new, or a place before or behind a list's items."""
    parent = place_of(root, path[:-1], cause)
    for key in parent:
        root = root[key]
    return (*parent, _key(root, path[-1], parent, cause, room=1))


def _key(container: Any, part: str, pointer: Pointer, cause: Cause, room: int) -> str | int:
    """What `part` means in a container; `room` is how many places a list has behind its items."""
    if isinstance(container, dict):
        return part
    if not isinstance(container, list):
        raise PatchError(f'{_shown(pointer)} is a scalar and has no "{part[:_SHOWN]}"; mend the path', cause)
    size = len(container) + room
    if part == "-" and room:
        return len(container)
    index = int(part) if _INDEX.fullmatch(part) else size
    if not -size <= index < size:
        last = f"from 0 to {size - 1}" if size else "in an empty list there is none"
        message = f'"{part[:_SHOWN]}" is no index in {_shown(pointer)}; write one: {last}'
        raise PatchError(message, cause)
    return index % size


def _advice(part: str, container: dict[str, Any]) -> str:
    near = nearest(part[:_SHOWN], map(str, islice(container, _COMPARED)))
    return f'did you mean "{near}"?' if near else "mend the path, or add what it leads through first"


def _shown(pointer: Pointer) -> str:
    return f'"{show_pointer(pointer)}"' if pointer else "the object"
