"""The packaged schemas: one file for each version of a product; a kind's nodes are made when they are first needed.

`tests/schemas/generate.py` writes the files under `data/`: compressed JSON, `{"kinds": {"<apiVersion>/<kind>":
{"root": index, "namespaced": bool, "status": bool}}, "nodes": [schema, …]}`; a schema names its parts by index.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from kubectl_trainjob.kube.facts.supported import NEXT
from kubectl_trainjob.kube.schemas.cel import RULES, TRANSITIONS
from kubectl_trainjob.kube.schemas.composites import ListNode, MappingNode
from kubectl_trainjob.kube.schemas.scalars import Amount, Boolean, Integer, IntOrString, Scalar, Text
from kubectl_trainjob.kube.schemas.walk import PartCache, SchemaNode, SchemaResult, Walk

_DATA = os.path.join(os.path.dirname(__file__), "data")
_GZIP = 16 + zlib.MAX_WBITS
_NEWEST = 1 << 16  # larger than each number of a release
_SCALARS: Mapping[str, type[Scalar]] = {
    "string": Text,
    "integer": Integer,
    "boolean": Boolean,
    "int-or-string": IntOrString,
    "quantity": Amount,
}


class Schema(NamedTuple):
    """The schema of one kind; `product` is its product and version, such as "trainer-2.3", and extensions after "+"."""

    product: str
    api_version: str
    kind: str
    root: MappingNode
    has_status: bool

    @property
    def version(self) -> str:
        """The version of the product."""
        return self.product.partition("+")[0].rpartition("-")[2]

    def check(self, value: Mapping[str, Any], cache: PartCache | None = None) -> SchemaResult:
        """Check one object: unknown fields, nulls, types, limits, list keys and CEL rules; and add defaults.

        If the kind has the subresource `status`, that field is dropped, as the server does on creation.
        """
        walk = Walk(cache)
        given = value
        if self.has_status and "status" in value:
            given = {key: item for key, item in value.items() if key != "status"}
        completed = self.root.visit(given, walk)
        problems, nulls = tuple(dict.fromkeys(walk.problems)), tuple(walk.nulls)
        return SchemaResult(completed, problems, nulls, walk.is_readable, tuple(walk.mistyped))


class _Product:
    """The nodes of one file; each is made once."""

    __slots__ = ("_nodes", "_schemas", "kinds")

    def __init__(self, kinds: Mapping[str, Any], schemas: list[dict[str, Any]]) -> None:
        self.kinds = kinds
        self._schemas = schemas
        self._nodes: dict[int, SchemaNode] = {}

    def node(self, index: int) -> SchemaNode:
        """The node of one schema."""
        if index not in self._nodes:
            self._nodes[index] = self._make(self._schemas[index])
        return self._nodes[index]

    def _make(self, schema: dict[str, Any]) -> SchemaNode:
        validations = schema.get("validations", ())
        rules = tuple(RULES[each["rule"]] for each in validations if each["rule"] not in TRANSITIONS)
        for each in validations:
            if each["rule"] in TRANSITIONS:
                schema = {**schema, "immutable": each["message"]}
        if schema["type"] == "object":
            fields = schema.get("properties", {})
            schema = {**schema, "defaulted": [name for name in fields if "default" in self._schemas[fields[name]]]}
            return MappingNode(schema, rules, self.node)
        if schema["type"] == "array":
            return ListNode(schema, rules, self.node)
        return _SCALARS[schema["type"]](schema, rules)


@cache
def _product(version: str) -> _Product:
    data, extensions = packaged_data(version), version.split("+")[1:]
    if extensions:
        from kubectl_trainjob.kube.schemas.extensions import extend

        extend(data, extensions)
    return _Product(data["kinds"], data["nodes"])


def packaged_data(version: str) -> dict[str, Any]:
    """The content of a packaged file."""
    with open(os.path.join(_DATA, f"{version.partition('+')[0]}.json.gz"), "rb") as file:
        data: dict[str, Any] = json.loads(zlib.decompress(file.read(), _GZIP))
    return data


@cache
def schema_for(product_version: str, api_version: str, kind: str) -> Schema:
    """The schema of a kind, for example `schema_for("trainer-2.3", "trainer.kubeflow.org/v1alpha1", "TrainJob")`."""
    product = _product(product_version)
    entry = product.kinds[f"{api_version}/{kind}"]
    root = product.node(entry["root"])
    assert isinstance(root, MappingNode)
    return Schema(product_version, api_version, kind, root, has_status=entry["status"])


def kinds_of(product_version: str, group: str) -> tuple[str, ...]:
    """The kinds of a group that a version of a product has."""
    found = (name.rpartition("/") for name in _product(product_version).kinds)
    return tuple(kind for api_version, _, kind in found if api_version.rpartition("/")[0] == group)


def packaged(product: str) -> list[str]:
    """The versions of a product that have packaged schemas, from old to new."""
    names = (name.removesuffix(".json.gz").rpartition("-") for name in os.listdir(_DATA))
    return sorted((version for of, _, version in names if of == product), key=version_number)


def version_number(version: str) -> tuple[int, ...]:
    """The numbers of a version, to compare versions by; a minor version is its newest patch release."""
    if version == NEXT:
        return (_NEWEST,)
    numbers = tuple(int(part) for part in version.split("."))
    return numbers if len(numbers) > 2 else (*numbers, _NEWEST)


def field_paths(product_version: str, api_version: str, kind: str) -> frozenset[str]:
    """The fields of a kind that are not in the template of a Pod, as `spec.replicatedJobs[].name`."""
    data = packaged_data(product_version)
    nodes = data["nodes"]
    return frozenset(paths(nodes[data["kinds"][f"{api_version}/{kind}"]["root"]], nodes.__getitem__))


def paths(node: Mapping[str, Any], part: Callable[[Any], Mapping[str, Any]], at: str = "") -> Iterator[str]:
    """The fields below a schema; `part` finds the schema of a property or of items. Pod templates are one field."""
    while "items" in node:
        node, at = part(node["items"]), f"{at}[]"
    for name, value in (node.get("properties") or {}).items():
        if at or name in ("spec", "status"):
            below = f"{at}.{name}" if at else name
            yield below
            if not below.endswith("template.spec.template"):
                yield from paths(part(value), part, below)
