"""Schemas as packaged: read one product version's file, make a kind's nodes when they are first met.

The files under `data/` are written by `tests/schemas/generate.py`: JSON, compressed, `{"kinds": {"<apiVersion>/<kind>":
{"root": index, "namespaced": bool, "status": bool}}, "nodes": [schema, …]}`; a schema names its parts by index.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from functools import cache
from typing import Any

from kubectl_trainjob.kube.schemas.cel import RULES, TRANSITIONS
from kubectl_trainjob.kube.schemas.composites import List, Object
from kubectl_trainjob.kube.schemas.scalars import Amount, Anything, Boolean, Integer, IntOrString, Number, Scalar, Text
from kubectl_trainjob.kube.schemas.walk import Checked, Memo, Walk

_DATA = os.path.join(os.path.dirname(__file__), "data")
_GZIP = 16 + zlib.MAX_WBITS
_SCALARS: Mapping[str, type[Scalar]] = {
    "string": Text,
    "integer": Integer,
    "number": Number,
    "boolean": Boolean,
    "int-or-string": IntOrString,
    "quantity": Amount,
    "any": Anything,
}


class Schema:
    """The schema of one kind; `product` is where it is from, as "trainer-2.3", or "" for a schema without a name."""

    __slots__ = ("api_version", "has_status", "kind", "namespaced", "product", "root")

    def __init__(
        self, kind: str, entry: Mapping[str, Any], root: Object, product: str = "", api_version: str = ""
    ) -> None:
        self.product = product
        self.api_version = api_version
        self.kind = kind
        self.root = root
        self.namespaced: bool = entry["namespaced"]
        self.has_status: bool = entry["status"]

    def check(self, value: Mapping[str, Any], memo: Memo | None = None) -> Checked:
        """Walk one object: defaults, unknown fields, nulls, types, limits, list keys and CEL rules.

        A `status` of a kind with that subresource is dropped, as the server does on creation.
        """
        walk = Walk(memo)
        given = value
        if self.has_status and "status" in value:
            given = {key: item for key, item in value.items() if key != "status"}
        completed = self.root.visit(given, walk)
        return Checked(completed, tuple(dict.fromkeys(walk.problems)), tuple(walk.nulls), walk.is_readable)


class _Product:
    """One file's nodes; each is made once."""

    __slots__ = ("_made", "_schemas", "kinds")

    def __init__(self, kinds: Mapping[str, Any], schemas: list[dict[str, Any]]) -> None:
        self.kinds = kinds
        self._schemas = schemas
        self._made: dict[int, Scalar | Object | List] = {}

    def node(self, index: int) -> Scalar | Object | List:
        """The node of one schema."""
        made = self._made.get(index)
        if made is None:
            made = self._made[index] = self._make(self._schemas[index])
        return made

    def _make(self, schema: dict[str, Any]) -> Scalar | Object | List:
        validations = schema.get("validations", ())
        rules = tuple(RULES[each["rule"]] for each in validations if each["rule"] not in TRANSITIONS)
        for each in validations:
            if each["rule"] in TRANSITIONS:
                schema = {**schema, "immutable": each["message"]}
        if schema["type"] == "object":
            fields = schema.get("properties", {})
            schema = {**schema, "defaulted": [name for name in fields if "default" in self._schemas[fields[name]]]}
            return Object(schema, rules, self.node)
        if schema["type"] == "array":
            return List(schema, rules, self.node)
        return _SCALARS[schema["type"]](schema, rules)


@cache
def _product(version: str) -> _Product:
    with open(os.path.join(_DATA, f"{version}.json.gz"), "rb") as file:
        data = json.loads(zlib.decompress(file.read(), _GZIP))
    return _Product(data["kinds"], data["nodes"])


@cache
def schema_for(product_version: str, api_version: str, kind: str) -> Schema:
    """The schema of a kind, for example `schema_for("trainer-2.3", "trainer.kubeflow.org/v1alpha1", "TrainJob")`."""
    product = _product(product_version)
    entry = product.kinds[f"{api_version}/{kind}"]
    root = product.node(entry["root"])
    assert isinstance(root, Object)
    return Schema(kind, entry, root, product_version, api_version)


def packaged(product: str) -> list[str]:
    """The versions of a product that there are schemas of, from old to new."""
    names = [name.removesuffix(".json.gz").rpartition("-") for name in os.listdir(_DATA)]
    found = [version for of, _, version in names if of == product]
    return sorted(found, key=lambda version: [int(part) for part in version.split(".")])
