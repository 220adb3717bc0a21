"""Reduce CRDs to the JSON that `kubectl_trainjob.kube.schemas.load` reads.

    python tests/schemas/generate.py CRD… -o kubectl_trainjob/schemas/data/trainer-2.3.json.gz

CRD is a file or a directory of CRDs as released: `manifests/base/crds` of kubeflow/trainer,
`config/components/crd/bases` of kubernetes-sigs/jobset. Descriptions are dropped, equal subschemas are written once.
The descriptions of all versions are in one more file:

    python tests/schemas/generate.py --descriptions trainer-2.3=DIR … -o kubectl_trainjob/…/data/descriptions.json.gz

A construct or a CEL rule that the walker does not know stops the run: it must be taught first
(`schemas/composites.py`, `schemas/cel.py`).
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from kubectl_trainjob.kube.schemas.cel import RULES, TRANSITIONS

QUANTITY = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
KUBERNETES = "x-kubernetes-"

KEPT = {"default", "nullable"}
OF_TYPE = {
    "string": {"enum", "minLength", "maxLength", "pattern", "format"},
    "integer": {"minimum", "maximum", "format"},
    "boolean": set(),
    "object": {"required", "minProperties", "maxProperties"},
    "array": {"minItems", "maxItems"},
}
FORMATS = {"string": {"date-time"}, "integer": {"int32", "int64"}}
RULE_KEYS = {"rule", "message", "messageExpression", "fieldPath", "reason", "optionalOldSelf"}

TEXT = {"type": "string"}
TIME = {"type": "string", "format": "date-time"}
TEXTS = {"type": "object", "additionalProperties": TEXT}
INT64 = {"type": "integer", "format": "int64"}
BOOLEAN = {"type": "boolean"}
OBJECT_META: dict[str, Any] = {
    "type": "object",
    "properties": {
        "annotations": TEXTS,
        "creationTimestamp": TIME,
        "deletionGracePeriodSeconds": INT64,
        "deletionTimestamp": TIME,
        "finalizers": {"type": "array", "items": TEXT},
        "generateName": TEXT,
        "generation": INT64,
        "labels": TEXTS,
        "managedFields": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "apiVersion": TEXT,
                    "fieldsType": TEXT,
                    "fieldsV1": {"x-kubernetes-preserve-unknown-fields": True, "type": "object"},
                    "manager": TEXT,
                    "operation": TEXT,
                    "subresource": TEXT,
                    "time": TIME,
                },
            },
        },
        "name": TEXT,
        "namespace": TEXT,
        "ownerReferences": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "apiVersion": TEXT,
                    "blockOwnerDeletion": BOOLEAN,
                    "controller": BOOLEAN,
                    "kind": TEXT,
                    "name": TEXT,
                    "uid": TEXT,
                },
            },
        },
        "resourceVersion": TEXT,
        "selfLink": TEXT,
        "uid": TEXT,
    },
}
"""metav1.ObjectMeta, which CRDs leave out: the server decodes `metadata` of every object strictly as this."""


class UnknownConstructError(Exception):
    """The CRD has something that the walker does not know."""


class Table:
    """The distinct subschemas, in the order in which they are met."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self._index: dict[str, int] = {}

    def add(self, schema: dict[str, Any], path: str) -> int:
        """The index of a CRD's subschema."""
        reduced = self._reduced(dict(schema), path)
        text = json.dumps(reduced, sort_keys=True)
        if text not in self._index:
            self._index[text] = len(self.nodes)
            self.nodes.append(reduced)
        return self._index[text]

    def _reduced(self, schema: dict[str, Any], path: str) -> dict[str, Any]:
        schema.pop("description", None)
        schema.pop("title", None)
        reduced = {"type": _type(schema, path)}
        kept = KEPT | OF_TYPE.get(reduced["type"], set())
        for key in sorted(kept & schema.keys()):
            reduced[key] = schema.pop(key)
        if reduced.get("format") not in {None, *FORMATS.get(reduced["type"], ())}:
            raise UnknownConstructError(f"{path}: format {reduced['format']}")
        if "properties" in schema:
            properties = schema.pop("properties")
            reduced["properties"] = {key: self.add(properties[key], f"{path}.{key}") for key in sorted(properties)}
        for key, below in (("items", "[]"), ("additionalProperties", "{}")):
            if key in schema:
                reduced[key] = self.add(schema.pop(key), path + below)
        self._kubernetes(schema, reduced, path)
        if schema:
            raise UnknownConstructError(f"{path}: {', '.join(sorted(schema))}")
        return reduced

    def _kubernetes(self, schema: dict[str, Any], reduced: dict[str, Any], path: str) -> None:
        schema.pop(
            KUBERNETES + "map-type", None
        )  # decides how server-side apply merges, never whether a value is valid
        for key in ("list-type", "list-map-keys"):
            if KUBERNETES + key in schema:
                reduced[key] = schema.pop(KUBERNETES + key)
        if schema.pop(KUBERNETES + "preserve-unknown-fields", False):
            reduced["preserve-unknown-fields"] = True
        for rule in schema.pop(KUBERNETES + "validations", ()):
            if rule["rule"] not in RULES and rule["rule"] not in TRANSITIONS:
                raise UnknownConstructError(f"{path}: CEL rule {rule['rule']}")
            if rule.keys() - RULE_KEYS:
                raise UnknownConstructError(f"{path}: CEL keys {', '.join(sorted(rule))}")
            reduced.setdefault("validations", []).append(rule)


def _type(schema: dict[str, Any], path: str) -> str:
    if schema.pop(KUBERNETES + "int-or-string", False):
        if schema.pop("anyOf", INT_OR_STRING) != INT_OR_STRING:
            raise UnknownConstructError(f"{path}: anyOf beside int-or-string")
        pattern = schema.pop("pattern", None)
        if pattern not in {None, QUANTITY}:
            raise UnknownConstructError(f"{path}: pattern {pattern} of an int-or-string")
        return "quantity" if pattern else "int-or-string"
    found = schema.pop("type", None)
    if found not in OF_TYPE:
        raise UnknownConstructError(f"{path}: type {found}")
    return str(found)


def reduce_crds(paths: list[Path]) -> dict[str, Any]:
    """The packaged form of all CRDs in files and directories."""
    table = Table()
    kinds: dict[str, Any] = {}
    for crd in (crd for path in paths for crd in _crds(path)):
        kinds.update(_kinds(crd["spec"], table))
    return {"kinds": kinds, "nodes": table.nodes}


class Descriptions:
    """The distinct descriptions of subschemas with those below: the index of a text, and the parts by name."""

    def __init__(self) -> None:
        self.kinds: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._nodes: dict[str, int] = {}

    def add(self, product: str, crd: dict[str, Any]) -> None:
        """Add the descriptions of a CRD."""
        for version in crd["spec"]["versions"]:
            name = f"{product}/{crd['spec']['group']}/{version['name']}/{crd['spec']['names']['kind']}"
            self.kinds[name] = self._node(version["schema"]["openAPIV3Schema"])

    def _node(self, schema: dict[str, Any]) -> int:
        parts = {name: self._node(part) for name, part in sorted(schema.get("properties", {}).items())}
        below = (("items", "[]"), ("additionalProperties", "{}"))
        parts |= {name: self._node(schema[key]) for key, name in below if isinstance(schema.get(key), dict)}
        text = self._texts.setdefault(schema.get("description", ""), len(self._texts))
        return self._nodes.setdefault(json.dumps([text, parts]), len(self._nodes))

    @property
    def reduced(self) -> dict[str, Any]:
        """The packaged form."""
        return {"kinds": self.kinds, "texts": list(self._texts), "nodes": [json.loads(text) for text in self._nodes]}


def describe_crds(products: Iterable[tuple[str, Path]]) -> dict[str, Any]:
    """The packaged form of the descriptions in the CRDs of products."""
    found = Descriptions()
    for product, path in products:
        for crd in _crds(path):
            found.add(product, crd)
    return found.reduced


def _crds(path: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(path.glob("*.yaml")) if path.is_dir() else [path]:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        for crd in yaml.load_all(file.read_text(encoding="utf-8"), Loader=loader):
            if crd and crd.get("kind") == "CustomResourceDefinition":
                yield crd


def _kinds(spec: dict[str, Any], table: Table) -> dict[str, Any]:
    found = {}
    for version in spec["versions"]:
        kind = spec["names"]["kind"]
        schema = dict(version["schema"]["openAPIV3Schema"])
        schema["properties"] = {**schema["properties"], "metadata": OBJECT_META}
        found[f"{spec['group']}/{version['name']}/{kind}"] = {
            "root": table.add(schema, kind),
            "namespaced": spec["scope"] == "Namespaced",
            "status": "status" in version.get("subresources", {}),
        }
    return found


def encode(reduced: dict[str, Any]) -> bytes:
    """The text that is compressed into the package."""
    return json.dumps(reduced, separators=(",", ":"), ensure_ascii=False).encode()


def main(arguments: list[str]) -> int:
    """Write one product version's file."""
    parser = argparse.ArgumentParser(description="Reduce CRDs to packaged schemas.")
    parser.add_argument("crds", nargs="+")
    parser.add_argument("--descriptions", action="store_true", help="CRD is PRODUCT-VERSION=CRD")
    parser.add_argument("-o", "--output", required=True, type=Path)
    options = parser.parse_args(arguments)
    try:
        if options.descriptions:
            products = (each.partition("=") for each in options.crds)
            text = encode(describe_crds((product, Path(path)) for product, _, path in products))
        else:
            text = encode(reduce_crds([*map(Path, options.crds)]))
    except UnknownConstructError as unknown:
        print(f"not known: {unknown}", file=sys.stderr)
        return 1
    options.output.write_bytes(gzip.compress(text, compresslevel=9, mtime=0))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
