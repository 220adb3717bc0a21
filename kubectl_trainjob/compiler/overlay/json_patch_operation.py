"""One operation of a JSON 6902 patch, and where its path leads in an object.

Mirrors gopkg.in/evanphx/json-patch.v4, which kustomize uses: a negative index counts from the end of a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from kubectl_trainjob.compiler.overlay.patch_error import PatchError
from kubectl_trainjob.model.draft import Cause
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.source import Pointer, show_pointer

_NEEDS = {
    "add": ("path", "value"),
    "remove": ("path",),
    "replace": ("path", "value"),
    "move": ("path", "from"),
    "copy": ("path", "from"),
    "test": ("path", "value"),
}
_FIELDS = ("op", "path", "from", "value")
_OF_THE_OBJECT = ("replace", "test")
_BAD_ESCAPE = re.compile("~(?![01])")
_SHOWN = 80
_INDEX = re.compile("-?(0|[1-9][0-9]{0,8})")
_COMPARED = 1000  # keys that may have been meant


class Operation(NamedTuple):
    """`path` and `origin` ("from") are split and unescaped; `cause` is where the operation stands."""

    op: str
    path: tuple[str, ...]
    origin: tuple[str, ...]
    value: Any
    cause: Cause


def read_operation(written: Any, cause: Cause) -> Operation:
    """The operation that a patch's entry states. Raises PatchError."""
    if not isinstance(written, Mapping):
        raise PatchError('an operation is a mapping with "op" and "path"; write one', cause)
    for key in written:
        if key not in _FIELDS:
            raise PatchError(f'"{key}" is no field of an operation; {_meant(str(key), _FIELDS)}', (*cause, key))
    if "op" not in written:
        raise PatchError('the operation lacks "op"; add it', cause)
    op = written["op"]
    if not isinstance(op, str) or op not in _NEEDS:
        raise PatchError(f'"{op}" is no operation; {_meant(str(op), _NEEDS)}', (*cause, "op"))
    for field in _NEEDS[op]:
        if field not in written:
            raise PatchError(f'the operation "{op}" lacks "{field}"; add it', cause)
    path = _split(written["path"], op in _OF_THE_OBJECT, (*cause, "path"))
    origin = _split(written["from"], False, (*cause, "from")) if "from" in _NEEDS[op] else ()
    return Operation(op, path, origin, written.get("value"), cause)


def _split(path: Any, may_be_the_object: bool, cause: Cause) -> tuple[str, ...]:
    if path == "" and may_be_the_object:
        return ()
    if not isinstance(path, str) or not path.startswith("/"):
        raise PatchError(f'"{str(path)[:_SHOWN]}" is no path; write one that begins with "/"', cause)
    if _BAD_ESCAPE.search(path):
        raise PatchError(f'the path "{path[:_SHOWN]}" has a lone "~"; write "~0" for "~" and "~1" for "/"', cause)
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/"))


def _meant(word: str, known: Iterable[str]) -> str:
    near = nearest(word[:_SHOWN], known)
    return f'did you mean "{near}"?' if near else f"write {', '.join(known)}"


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
