"""Objects as a YAML document stream or as a JSON `v1 List`, the same bytes for the same data on every machine.

Field order is kubectl's and kustomize's: `apiVersion`, `kind`, `metadata`, then the rest by name; by name everywhere
below. What passes through keeps its explicit nulls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from kubectl_trainjob.stages import Body
from kubectl_trainjob.yamlio.emit import Emitter, lead_first

_LEAD = ("apiVersion", "kind", "metadata")


def render(objects: Iterable[Body], fmt: Literal["yaml", "json"]) -> Iterator[str]:
    """The text in pieces, at most one an object; no objects give no YAML and an empty List.

    Raises TypeError or ValueError for what is not plain JSON data.
    """
    return _yaml(objects) if fmt == "yaml" else _json(objects)


def _yaml(objects: Iterable[Body]) -> Iterator[str]:
    emitter = Emitter(sort_keys=True, lead=_LEAD)
    separator = ""
    for body in objects:
        yield separator + emitter.document(body)
        separator = "---\n"


def _json(objects: Iterable[Body]) -> Iterator[str]:
    from kubectl_trainjob.emit.jsontext import write_json  # stays out of the way when YAML is asked for

    yield '{\n    "apiVersion": "v1",\n    "kind": "List",\n    "items": ['
    separator, end = "\n" + " " * 8, "]\n}\n"
    for body in objects:
        yield separator + write_json(body, " " * 8, lead_first(body, _LEAD))
        separator, end = ",\n" + " " * 8, "\n    ]\n}\n"
    yield end
