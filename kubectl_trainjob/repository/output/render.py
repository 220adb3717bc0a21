"""Objects as a YAML document stream or as a JSON `v1 List`, the same bytes for the same data on every machine.

Field order is kubectl's and kustomize's: `apiVersion`, `kind`, `metadata`, then the rest by name; by name everywhere
below. What passes through keeps its explicit nulls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from kubectl_trainjob.model.stages import Body, Object, PrintedObject, pop_each
from kubectl_trainjob.repository.yaml.emit import LEAD, Emitter, lead_first

Format = Literal["yaml", "json"]
_ITEM = " " * 8


def printer(fmt: Format) -> Callable[[Body], bytes]:
    """What makes the UTF-8 text of one object: a document with its line end, or an item of the List.

    It raises TypeError or ValueError for what is not plain JSON data.
    """
    if fmt == "yaml":
        document = Emitter(sort_keys=True, lead=LEAD).document
        return lambda body: document(body).encode()
    from kubectl_trainjob.repository.output.jsontext import write_json  # stays out of the way when YAML is asked for

    return lambda body: write_json(body, _ITEM, lead_first(body, LEAD)).encode()


def texts(objects: list[Object | PrintedObject], fmt: Format) -> Iterator[bytes]:
    """The text of each object; the list is emptied: first the places go, with the texts of files, then each body."""
    text = printer(fmt)
    contents = [each.text if isinstance(each, PrintedObject) else each.body for each in objects]
    objects.clear()
    for content in pop_each(contents):
        yield content if isinstance(content, bytes) else text(content)


def joined(texts: Iterable[bytes], fmt: Format) -> Iterator[bytes]:
    """The texts of all objects, and what stands between them; none is copied.

    No objects give no YAML and an empty List.
    """
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
