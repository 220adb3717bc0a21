"""Plain data to YAML text: block style, two blanks of indent, lists not indented under their key, no anchors.

Shared objects are printed in full, strings as in `quoting`: all readers read the same document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kubectl_trainjob.repository.yaml.quoting import literal, scalar

LEAD = ("apiVersion", "kind", "metadata")
"""The first keys of a Kubernetes object."""

_REMEMBERED = 8192  # entries of a cache before it is cleared
_SHORT = 64  # characters; longer strings seldom repeat
_SIMPLE_KEY = 900  # characters; YAML readers limit a plain `key:` to 1024
_INT64 = 1 << 63

_Heads = tuple[tuple[str, str], ...]


class Emitter:
    """Writes objects and remembers what their keys and short strings look like: use one for many objects.

    Keys are in the order of the mapping or, with `sort_keys`, of their code points: equal data gives equal text. `lead`
    are the first keys of a document.
    """

    def __init__(self, *, sort_keys: bool = False, lead: tuple[str, ...] = ()) -> None:
        self._sort_keys = sort_keys
        self._lead = lead
        self._heads: dict[tuple[str, ...], _Heads] = {}
        self._scalars: dict[str, str] = {}

    def document(self, body: Mapping[str, Any]) -> str:
        """One document, with a line end and without a marker.

        Raises TypeError for what is not plain data, ValueError for what JSON, an int64 or UTF-8 cannot hold.
        """
        if not body:
            return "{}\n"
        lines: list[str] = []
        keys = sorted(body) if self._sort_keys else body
        self._mapping(body, self._make_heads(lead_first(keys, self._lead), ""), "", "", lines)
        lines.append("")
        return "\n".join(lines)

    def _mapping(self, body: Mapping[str, Any], heads: _Heads, indent: str, first: str, lines: list[str]) -> None:
        """`first` is the text before the first key instead of `indent`: the dash of an item."""
        known = self._heads
        scalars = self._scalars
        start = first or indent
        inner = indent + "  "
        for key, head in heads:
            value = body[key]
            kind = type(value)
            if kind is str:
                lines.append(f"{start}{head} {scalars.get(value) or self._string(value, inner)}")
            elif kind is dict and value:
                lines.append(start + head)
                self._mapping(value, known.get(tuple(value)) or self._add_heads(value, inner), inner, "", lines)
            elif (kind is list or kind is tuple) and value:
                lines.append(start + head)
                self._sequence(value, indent, lines)
            else:
                lines.append(f"{start}{head} {atom(value)}")
            start = indent

    def _sequence(self, items: Sequence[Any], indent: str, lines: list[str]) -> None:
        known = self._heads
        scalars = self._scalars
        inner = indent + "  "
        dash = indent + "- "
        for value in items:
            kind = type(value)
            if kind is str:
                lines.append(dash + (scalars.get(value) or self._string(value, inner)))
            elif kind is dict and value:
                self._mapping(value, known.get(tuple(value)) or self._add_heads(value, inner), inner, dash, lines)
            elif (kind is list or kind is tuple) and value:
                lines.append(indent + "-")
                self._sequence(value, inner, lines)
            else:
                lines.append(dash + atom(value))

    def _string(self, value: str, indent: str) -> str:
        if "\n" in value:
            return literal(value, indent) or scalar(value)
        text = scalar(value)
        if len(value) <= _SHORT:
            if len(self._scalars) >= _REMEMBERED:
                self._scalars.clear()
            self._scalars[value] = text
        return text

    def _add_heads(self, body: dict[str, Any], indent: str) -> _Heads:
        """The heads of a mapping that is not known yet; they hold for every mapping with the same keys."""
        heads = self._make_heads(sorted(body) if self._sort_keys else body, indent)
        if not any(head.startswith("?") for _, head in heads):
            if len(self._heads) >= _REMEMBERED:
                self._heads.clear()
            self._heads[tuple(body)] = heads
        return heads

    def _make_heads(self, keys: Iterable[str], indent: str) -> _Heads:
        return tuple((key, _head(scalar(key), indent)) for key in keys)


def lead_first(keys: Iterable[str], lead: tuple[str, ...]) -> list[str]:
    """`keys`, those of `lead` first."""
    rest = list(keys)
    return [key for key in lead if key in rest] + [key for key in rest if key not in lead]


def _head(key: str, indent: str) -> str:
    return f"{key}:" if len(key) <= _SIMPLE_KEY else f"? {key}\n{indent}:"


def atom(value: Any) -> str:
    """What is neither a string nor a filled container; the text is JSON as well as YAML."""
    kind = type(value)
    if kind is bool:
        return "true" if value else "false"
    if value is None:
        return "null"
    if kind is int:
        return _integer(value)
    if kind is float:
        return _float(value)
    if kind is dict:
        return "{}"
    if kind is list or kind is tuple:
        return "[]"
    raise TypeError(f"{kind.__name__} is not plain data")


def _integer(value: int) -> str:
    if -_INT64 <= value < _INT64:
        return str(value)
    raise ValueError(f"{value} does not fit into an int64")


def _float(value: float) -> str:
    """As Kubernetes reads it back: numbers without a fraction are integers; YAML 1.1 wants a dot before an exponent."""
    if value.is_integer() and abs(value) < _INT64:
        return str(int(value))
    text = repr(value)
    if text in ("inf", "-inf", "nan"):
        raise ValueError(f"{text} cannot be written as JSON")
    return text if "." in text else text.replace("e", ".0e")
