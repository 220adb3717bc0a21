"""The undefined value: any use of it is an error that names what there is instead."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from jinja2 import StrictUndefined, Undefined
from jinja2.runtime import LoopContext
from jinja2.utils import Namespace, missing

from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.repository.templates.child.filters import METHODS
from kubectl_trainjob.repository.templates.child.text import UNDEFINED

_LISTED = 12  # names
_SEARCHED = 10_000  # mappings and lists
_WAY_OUT = "correct the name, define it in the overlay's values, or use | default(…)"


_KINDS: dict[type, str] = {
    str: "a text",
    list: "a list",
    tuple: "a list",
    dict: "a mapping",
    LoopContext: "the loop",
    Namespace: "the namespace",
}


def missing_in(values: Mapping[str, Any], names: Collection[str]) -> type[StrictUndefined]:
    """The class of undefined values of one template, for its values and all names that it could have meant."""

    def message(value: Undefined) -> str:
        if value._undefined_hint:
            hint = value._undefined_hint.strip(".")
            return hint if "; " in hint else f"{hint}; {_WAY_OUT}"
        name, owner = value._undefined_name, value._undefined_obj
        if owner is missing:
            return f'"{name}" is not defined; {_hint(str(name), names)}'
        return _not_in(owner, name, _path(values, owner))

    return type(UNDEFINED, (StrictUndefined,), {"__slots__": (), "_undefined_message": property(message)})


def _not_in(owner: Any, name: Any, path: str) -> str:
    if isinstance(owner, dict) and isinstance(name, str) and name not in METHODS[dict]:
        return f'{path or "the mapping"} has no "{name}"; {_hint(name, [key for key in owner if isinstance(key, str)])}'
    if isinstance(owner, list | tuple) and isinstance(name, int):
        return f"{path or 'the list'} has no item {name}, only {len(owner)}; {_WAY_OUT}"
    what = _KINDS.get(type(owner), "the value")
    shown = f'"{name}"' if isinstance(name, str) else str(name) if isinstance(name, int | float) else "that key"
    if name in METHODS.get(type(owner), ()):
        return f"{shown} of {path or what} must be called; write .{name}(…)"
    return f"{path or what} has no {shown}; {_WAY_OUT}"


def _hint(name: str, candidates: Iterable[str]) -> str:
    known = sorted(candidate for candidate in candidates if candidate != name)
    near = nearest(name, known)
    if near is not None:
        return f'did you mean "{near}"?'
    listed = ", ".join(known[:_LISTED]) + (", …" if len(known) > _LISTED else "")
    return f"there is: {listed}; {_WAY_OUT}" if known else _WAY_OUT


def _path(values: Mapping[str, Any], owner: Any) -> str:
    """How a template reaches a mapping or list of its values; "" where it is none of them."""
    waiting: list[tuple[str, Any]] = [("", values)]
    for _ in range(_SEARCHED):
        if not waiting:
            break
        path, value = waiting.pop(0)
        if value is owner:
            return path
        entries: Iterable[tuple[Any, Any]] = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in entries:
            if isinstance(item, dict | list):
                step = f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{_step(key)}]"
                waiting.append((f"{path}{step}" if path else str(key), item))
    return ""


def _step(key: Any) -> str:
    return str(key) if isinstance(key, int) else f'"{key}"'
