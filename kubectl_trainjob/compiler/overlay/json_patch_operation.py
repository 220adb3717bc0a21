"""One operation of a JSON 6902 patch, as it stands in the patch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.compiler.overlay.patch_error import PatchError
from kubectl_trainjob.model.draft import Cause
from kubectl_trainjob.model.nearest import nearest

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
