"""The packaged schemas with upstream's descriptions, for readers and editors; checks use the nodes of `load`.

`descriptions.json.gz` has the descriptions of all versions: `{"kinds": {"<product>/<apiVersion>/<kind>": index},
"texts": [text, …], "nodes": [[index of a text, {name of a part: index}], …]}`. The parts of lists and maps are called
"[]" and "{}".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from kubectl_trainjob.kube.schemas.load import packaged_data

_PARTS = (("items", "[]"), ("additionalProperties", "{}"))
_NO_NODE = -1
_TYPES = {"object": "Object", "quantity": "Object", "int-or-string": "Object"}  # kubectl has no other words


class _Tables(NamedTuple):
    schemas: list[dict[str, Any]]
    texts: list[str]
    nodes: list[tuple[int, dict[str, int]]]


@dataclass(frozen=True, slots=True)
class DescribedSchema:
    """A part of the schema of a kind. Equal parts with the same descriptions have the same `key`."""

    key: tuple[int, int]
    tables: _Tables

    @property
    def schema(self) -> Mapping[str, Any]:
        """The packaged schema."""
        return self.tables.schemas[self.key[0]]

    @property
    def description(self) -> str:
        """Upstream's description, "" for none."""
        node = self.key[1]
        return "" if node == _NO_NODE else self.tables.texts[self.tables.nodes[node][0]]

    @property
    def fields(self) -> dict[str, DescribedSchema]:
        """The fields by name."""
        return {name: self._part(name, index) for name, index in self.schema.get("properties", {}).items()}

    @property
    def members(self) -> DescribedSchema | None:
        """What a list or a map consists of."""
        found = (self._part(name, self.schema[key]) for key, name in _PARTS if key in self.schema)
        return next(found, None)

    @property
    def type(self) -> str:
        """The type as kubectl explain writes it: `Object`, `[]string`, `map[string]string`, `integer`."""
        if (members := self.members) is not None:
            return ("[]" if "items" in self.schema else "map[string]") + members.type
        return _TYPES.get(self.schema["type"]) or str(self.schema["type"])

    def _part(self, name: str, schema: int) -> DescribedSchema:
        node = self.key[1]
        parts = {} if node == _NO_NODE else self.tables.nodes[node][1]
        return DescribedSchema((schema, parts.get(name, _NO_NODE)), self.tables)


@cache
def _descriptions() -> dict[str, Any]:
    return packaged_data("descriptions")


def described_schemas(product_version: str) -> Iterator[tuple[str, str, DescribedSchema]]:
    """The apiVersion, the kind and the schema of each kind of a product, for example of "trainer-2.3"."""
    data, described = packaged_data(product_version), _descriptions()
    tables = _Tables(data["nodes"], described["texts"], described["nodes"])
    for name, entry in data["kinds"].items():
        api_version, _, kind = name.rpartition("/")
        node = described["kinds"].get(f"{product_version}/{name}", _NO_NODE)
        yield api_version, kind, DescribedSchema((entry["root"], node), tables)
