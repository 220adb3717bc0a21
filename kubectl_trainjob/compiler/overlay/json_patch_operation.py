"""One operation of a JSON 6902 patch, and where its path leads in an object.

Mirrors gopkg.in/evanphx/json-patch.v4, which kustomize uses: a negative index counts from the end of a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from kubectl_trainjob.compiler.errors import PatchError
from kubectl_trainjob.model.draft import Cause
from kubectl_trainjob.model.message import Message, listed, say
from kubectl_trainjob.model.nearest import did_you_mean
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
_COMPARED_LETTERS = 80
_INDEX = re.compile("-?(0|[1-9][0-9]{0,8})")
_COMPARED = 1000  # keys that are compared for a hint


class Operation(NamedTuple):
    """`path` and `origin` ("from") are split and unescaped; `cause` is where the operation is."""

    op: str
    path: tuple[str, ...]
    origin: tuple[str, ...]
    value: Any
    cause: Cause


def read_operation(written: Any, cause: Cause) -> Operation:
    """The operation in a patch's entry. Raises PatchError."""
    if not isinstance(written, Mapping):
        raise PatchError(say('an operation must be a mapping with "op" and "path"; write one'), cause)
    for key in written:
        if key not in _FIELDS:
            raise PatchError(
                say('unknown field "{}" of an operation; {}', key, _meant(str(key), _FIELDS)), (*cause, key)
            )
    if "op" not in written:
        raise PatchError(say('the operation has no "op"; add it'), cause)
    op = written["op"]
    if not isinstance(op, str) or op not in _NEEDS:
        raise PatchError(say('unknown operation "{}"; {}', op, _meant(str(op), _NEEDS)), (*cause, "op"))
    for field in _NEEDS[op]:
        if field not in written:
            raise PatchError(say('the operation "{}" has no "{}"; add it', op, field), cause)
    path = _split(written["path"], op in _OF_THE_OBJECT, (*cause, "path"))
    origin = _split(written["from"], False, (*cause, "from")) if "from" in _NEEDS[op] else ()
    return Operation(op, path, origin, written.get("value"), cause)


def _split(path: Any, may_be_the_object: bool, cause: Cause) -> tuple[str, ...]:
    if path == "" and may_be_the_object:
        return ()
    if not isinstance(path, str) or not path.startswith("/"):
        raise PatchError(say('"{}" is not a valid path; write one that begins with "/"', path), cause)
    if _BAD_ESCAPE.search(path):
        raise PatchError(say('the path "{}" has an invalid "~"; write "~0" for "~" and "~1" for "/"', path), cause)
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/"))


def _meant(word: str, known: Iterable[str]) -> Message:
    return did_you_mean(word[:_COMPARED_LETTERS], known, say("write {}", listed(known, "or", "{}")))


def place_of(root: Any, path: tuple[str, ...], cause: Cause) -> Pointer:
    """The place of an existing value. Raises PatchError if there is none; `cause` is the path in the patch."""
    pointer: Pointer = ()
    for part in path:
        key = _key(root, part, pointer, cause, room=0)
        if isinstance(root, dict) and key not in root:
            raise PatchError(say('{} has no "{}"; {}', _pointer_text(pointer), part, _advice(part, root)), cause)
        root, pointer = root[key], (*pointer, key)
    return pointer


def new_place_of(root: Any, path: tuple[str, ...], cause: Cause) -> Pointer:
    """Where a value is added: an entry of a mapping, old or new, or a place before or after a list's items."""
    parent = place_of(root, path[:-1], cause)
    for key in parent:
        root = root[key]
    return (*parent, _key(root, path[-1], parent, cause, room=1))


def _key(container: Any, part: str, pointer: Pointer, cause: Cause, room: int) -> str | int:
    """What `part` means in a container; `room` is how many places a list has after its items."""
    if isinstance(container, dict):
        return part
    if not isinstance(container, list):
        raise PatchError(say('{} is a scalar and has no "{}"; correct the path', _pointer_text(pointer), part), cause)
    size = len(container) + room
    if part == "-" and room:
        return len(container)
    index = int(part) if _INDEX.fullmatch(part) else size
    if not -size <= index < size:
        valid = say("write one from 0 to {}", size - 1) if size else say("the list is empty")
        raise PatchError(say('"{}" is not a valid index in {}; {}', part, _pointer_text(pointer), valid), cause)
    return index % size


def _advice(part: str, container: dict[str, Any]) -> Message:
    known = map(str, islice(container, _COMPARED))
    return did_you_mean(part[:_COMPARED_LETTERS], known, say("correct the path, or add the missing parent first"))


def _pointer_text(pointer: Pointer) -> Message:
    return say('"{}"', show_pointer(pointer)) if pointer else say("the object")
