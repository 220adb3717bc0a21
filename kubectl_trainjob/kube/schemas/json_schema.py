"""JSON Schemas (draft 7) of the kinds of Trainer and JobSet, for editors.

They accept what the API server accepts, and more: they have no CEL rules. Unknown fields are errors, as in strict
validation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.schemas.descriptions import DescribedSchema

DIALECT = "http://json-schema.org/draft-07/schema#"
_COPIED = (
    *("default", "enum", "pattern"),
    *("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "minProperties", "maxProperties"),
)
# JobSet's webhook names the rules of failure policies before the API server checks the schema.
_FILLED_IN = {"rules": "name"}
_TYPES = {"quantity": ["string", "integer"], "int-or-string": ["string", "integer"]}

Json = dict[str, Any]
Kinds = Mapping[str, tuple[str, DescribedSchema]]
"""The apiVersion and the schema of each kind."""


def of_kind(name: str, kinds: Kinds, settings: Mapping[str, Json]) -> Json:
    """The schema of one kind; `settings` are the schemas of other kinds, as they are."""
    definitions = _Definitions()
    own = settings[name] if name in settings else definitions.add_kind(name, *kinds[name])
    return {"$schema": DIALECT, "title": name, **own, "definitions": definitions.json}


def combined(kinds: Kinds, settings: Mapping[str, Json]) -> Json:
    """One schema for documents of all kinds: the kind selects the schema, and other kinds are valid."""
    definitions = _Definitions()
    every = {name: definitions.add_kind(name, *kind) for name, kind in kinds.items()} | dict(settings)
    groups: dict[str, list[str]] = {}
    for name, each in every.items():
        groups.setdefault(each["properties"]["apiVersion"]["const"].partition("/")[0], []).append(name)
    return {
        "$schema": DIALECT,
        "title": ", ".join(every),
        "type": "object",
        "allOf": [
            *(_if(_head(each), {"$ref": f"#/definitions/{name}"}) for name, each in every.items()),
            *(_if(_of_group(group), {"properties": {"kind": {"enum": names}}}) for group, names in groups.items()),
        ],
        "definitions": {**every, **definitions.json},
    }


def _if(condition: Json, then: Json) -> Json:
    return {"if": condition, "then": then}


def _head(schema: Json) -> Json:
    head = ("apiVersion", "kind")
    fixed = {field: {"const": schema["properties"][field]["const"]} for field in head}
    return {"properties": fixed, "required": [*head]}


def _of_group(group: str) -> Json:
    pattern = "^" + group.replace(".", "\\.") + "/"
    return {"properties": {"apiVersion": {"type": "string", "pattern": pattern}}, "required": ["apiVersion", "kind"]}


class _Definitions:
    """Parts of schemas, each once: `json` has them by name."""

    def __init__(self) -> None:
        self.json: Json = {}
        self._names: dict[tuple[int, int], str] = {}

    def add_kind(self, name: str, api_version: str, schema: DescribedSchema) -> Json:
        """The schema of a kind."""
        body = self._schema(name, schema)
        for field, value in (("apiVersion", api_version), ("kind", name)):
            body["properties"][field] = {**body["properties"][field], "const": value}
        return {**body, "required": sorted({*body.get("required", ()), "apiVersion", "kind"})}

    def _reference(self, field: str, schema: DescribedSchema) -> Json:
        """The schema of a part; one with fields is a definition, named after its first field: editors show the name."""
        if not schema.fields:
            return self._schema(field, schema)
        if schema.key not in self._names:
            name = self._names[schema.key] = f"{field}-{len(self._names)}" if field in self.json else field
            self.json[name] = {}  # keeps the order of the parts
            self.json[name] = self._schema(field, schema)
        return {"$ref": f"#/definitions/{self._names[schema.key]}"}

    def _schema(self, field: str, described: DescribedSchema) -> Json:
        return dict(self._entries(field, described))

    def _entries(self, field: str, described: DescribedSchema) -> Iterator[tuple[str, Any]]:
        schema, types = described.schema, _TYPES.get(described.schema["type"], described.schema["type"])
        if described.description:
            yield "description", described.description
        yield "type", [*([types] if isinstance(types, str) else types), "null"] if schema.get("nullable") else types
        yield from ((key, schema[key]) for key in _COPIED if key in schema)
        if "required" in schema:
            yield "required", [name for name in schema["required"] if name != _FILLED_IN.get(field)]
        if described.fields:
            yield "properties", {name: self._reference(name, part) for name, part in described.fields.items()}
        if described.members is not None:
            yield "items" if "items" in schema else "additionalProperties", self._reference(field, described.members)
        elif (described.fields or types == "object") and not schema.get("preserve-unknown-fields"):
            yield "additionalProperties", False
