"""Objects as a stream of YAML documents or as a JSON `v1 List`: the same bytes on every machine.

The fields are in the order of kubectl and kustomize: `apiVersion`, `kind`, `metadata`, then by name; by name everywhere
below. Objects that are copied unchanged keep their explicit nulls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from kubectl_trainjob.model.stages import Body, Object, PrintedObject, pop_each
from kubectl_trainjob.repository.yaml.emit import LEAD, Emitter, atom, lead_first
from kubectl_trainjob.repository.yaml.quoting import ESCAPED, escape

Format = Literal["yaml", "json"]
_ITEM, _STEP = " " * 8, " " * 4


def printer(fmt: Format) -> Callable[[Body], bytes]:
    """The function for the UTF-8 text of one object: a document with its line end, or an item of the List.

    It raises TypeError or ValueError for what is not plain JSON data.
    """
    if fmt == "yaml":
        document = Emitter(sort_keys=True, lead=LEAD).document
        return lambda body: document(body).encode()
    return lambda body: write_json(body, _ITEM, lead_first(body, LEAD)).encode()


def texts(objects: list[Object | PrintedObject], fmt: Format) -> Iterator[bytes]:
    """The text of each object; the list is emptied first, which frees source texts early and then each body."""
    text = printer(fmt)
    contents = [each.text if isinstance(each, PrintedObject) else each.body for each in objects]
    objects.clear()
    for content in pop_each(contents):
        yield content if isinstance(content, bytes) else text(content)


def joined(texts: Iterable[bytes], fmt: Format) -> Iterator[bytes]:
    """The texts of all objects, with separators. No objects give no YAML and an empty List."""
    return _stream(texts) if fmt == "yaml" else _list(texts)


def _stream(texts: Iterable[bytes]) -> Iterator[bytes]:
    is_first = True
    for text in texts:
        if not is_first:
            yield b"---\n"
        yield text
        is_first = False


def _list(texts: Iterable[bytes]) -> Iterator[bytes]:
    yield b'{\n    "apiVersion": "v1",\n    "kind": "List",\n    "items": ['
    between, end = b"\n" + _ITEM.encode(), b"]\n}\n"
    for text in texts:
        yield between
        yield text
        between, end = b",\n" + _ITEM.encode(), b"\n    ]\n}\n"
    yield end


def write_json(body: Mapping[str, Any], indent: str, keys: Iterable[str]) -> str:
    """An object as kubectl prints JSON, below `indent`; `keys` is the order of its top fields, others are sorted.

    Invisible characters are escaped, and commands to a CI system. Raises TypeError for what is not plain data,
    ValueError for what JSON, an int64 or UTF-8 cannot hold.
    """
    inner = indent + _STEP
    entries = [f"{_string(key)}: {_value(body[key], inner)}" for key in keys]
    if not entries:
        return "{}"
    return "{\n" + inner + f",\n{inner}".join(entries) + f"\n{indent}" + "}"


def _value(value: Any, indent: str) -> str:
    kind = type(value)
    if kind is str:
        return _string(value)
    if kind is dict:
        return write_json(value, indent, sorted(value))
    if kind is list or kind is tuple:
        return _array(value, indent)
    return atom(value)


def _array(items: Sequence[Any], indent: str) -> str:
    if not items:
        return "[]"
    inner = indent + _STEP
    return "[\n" + inner + f",\n{inner}".join([_value(item, inner) for item in items]) + f"\n{indent}]"


def _string(text: str) -> str:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text and "##" not in text:
        return f'"{text}"'
    return '"' + re.sub(ESCAPED, _escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    """As YAML, but JSON writes what is beyond U+FFFF as two surrogates."""
    code = ord(match[0])
    if code < 0x10000:
        return escape(match)
    return f"\\u{0xD7C0 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
