"""Another opinion on the packaged schemas: JSON Schema for jsonschema-rs, objects that fit, and ways to break them."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

from tests.schemas.generate import QUANTITY

Schemas = list[dict[str, Any]]

INT_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
WRONG = [
    None,
    True,
    0,
    -1,
    1.5,
    2.0,
    2**31,
    2**63,
    "",
    "x",
    "a" * 600,
    "3",
    "2026-01-01T00:00:00Z",
    [],
    [None],
    [1],
    {},
    {"a": 1},
]
SAMPLES = {
    "quantity": ["1", "500m", "4Gi", "1e3", ".5", 8, 0, -1],
    "int-or-string": ["http", "80", 80, 0],
    "boolean": [True, False],
}


def json_schema(schemas: Schemas, root: int) -> dict[str, Any]:
    """The JSON Schema of one kind: strict, with Go's integer ranges, without list keys and CEL."""
    return {"$defs": {str(index): _converted(schemas, schema) for index, schema in enumerate(schemas)}, **_ref(root)}


def _ref(index: int) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{index}"}


def _converted(schemas: Schemas, schema: dict[str, Any]) -> dict[str, Any]:
    kind = schema["type"]
    if kind == "int-or-string":
        low, high = INT_RANGES["int32"]
        return {"anyOf": [{"type": "integer", "minimum": low, "maximum": high}, {"type": "string"}]}
    if kind == "quantity":
        low, high = INT_RANGES["int64"]
        integer = {"type": "integer", "minimum": low, "maximum": high}
        return {"anyOf": [integer, {"type": "string", "pattern": QUANTITY}]}
    same = (
        "type",
        "enum",
        "minLength",
        "maxLength",
        "pattern",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
    )
    converted = {key: schema[key] for key in same if key in schema}
    if kind == "integer":
        low, high = INT_RANGES[schema.get("format", "int64")]
        converted["allOf"] = [{"minimum": low, "maximum": high}]
        converted |= {key: schema[key] for key in ("minimum", "maximum") if key in schema}
    elif kind == "string" and "format" in schema:
        converted["format"] = schema["format"]
    elif kind == "array":
        converted["items"] = _ref(schema["items"])
    elif kind == "object":
        converted |= _object(schemas, schema)
    return converted


def _object(schemas: Schemas, schema: dict[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties", {})
    entries = schema.get("additionalProperties")
    others: Any = _ref(entries) if entries is not None else schema.get("preserve-unknown-fields", False)
    return {
        "properties": {key: _ref(index) for key, index in properties.items()},
        "required": [key for key in schema.get("required", ()) if "default" not in schemas[properties[key]]],
        "additionalProperties": others,
    }


def without_nulls(schemas: Schemas, index: int, value: Any) -> Any:
    """The value as the server prunes it: nulls of known fields are absent, unknown fields and a list's nulls stay."""
    schema = schemas[index]
    if isinstance(value, list) and "items" in schema:
        return [without_nulls(schemas, schema["items"], item) for item in value]
    if not isinstance(value, dict):
        return value
    properties, entries = schema.get("properties", {}), schema.get("additionalProperties")
    pruned = {}
    for key, item in value.items():
        part = properties.get(key, entries)
        if part is None:
            pruned[key] = item
        elif item is not None:
            pruned[key] = without_nulls(schemas, part, item)
    return pruned


def has_duplicates(schemas: Schemas, index: int, value: Any) -> bool:
    """Whether a list-map or list-set below has two items of one key; the value fits the JSON Schema."""
    schema = schemas[index]
    if isinstance(value, dict):
        properties, entries = schema.get("properties", {}), schema.get("additionalProperties")
        below = ((properties.get(key, entries), item) for key, item in value.items())
        return any(has_duplicates(schemas, part, item) for part, item in below if part is not None)
    if not isinstance(value, list):
        return False
    keys = [_key(schemas, schema, item) for item in value]
    if schema.get("list-type") in {"map", "set"} and any(key in keys[:place] for place, key in enumerate(keys)):
        return True
    return any(has_duplicates(schemas, schema["items"], item) for item in value)


def _key(schemas: Schemas, schema: dict[str, Any], item: Any) -> Any:
    if schema.get("list-type") != "map":
        return item
    properties = schemas[schema["items"]]["properties"]
    return [item.get(key, schemas[properties[key]].get("default")) for key in schema["list-map-keys"]]


def fitting(schemas: Schemas, index: int, random: Random, depth: int = 0) -> Any:
    """A value that fits a schema, list keys aside."""
    schema = schemas[index]
    kind = schema["type"]
    if "enum" in schema:
        return random.choice(schema["enum"])
    if kind == "object":
        return _fitting_object(schemas, schema, random, depth)
    if kind == "array":
        size = random.randint(schema.get("minItems", 0), 2 if depth < 18 else 1)
        return [
            fitting(schemas, schema["items"], random, depth + 1) for _ in range(max(size, schema.get("minItems", 0)))
        ]
    if kind == "string":
        return _fitting_text(schema, random)
    if kind == "integer":
        low, high = INT_RANGES[schema.get("format", "int64")]
        low, high = max(low, schema.get("minimum", low)), min(high, schema.get("maximum", high))
        return random.choice([low, high, max(low, 1), min(high, max(low, 3))])
    return copy.deepcopy(random.choice(SAMPLES[kind]))


def _fitting_object(schemas: Schemas, schema: dict[str, Any], random: Random, depth: int) -> dict[str, Any]:
    properties: dict[str, int] = schema.get("properties", {})
    required = set(schema.get("required", ()))
    chance = 0.9 if len(properties) < 3 else 3 / len(properties)
    chosen = [key for key in properties if key in required or random.random() < chance]
    made = {key: fitting(schemas, properties[key], random, depth + 1) for key in chosen}
    if "additionalProperties" in schema:
        made |= {
            f"k{n}": fitting(schemas, schema["additionalProperties"], random, depth + 1)
            for n in range(random.randint(0, 2))
        }
    while len(made) < schema.get("minProperties", 0):
        key = random.choice(list(properties))
        made[key] = fitting(schemas, properties[key], random, depth + 1)
    return made


def _fitting_text(schema: dict[str, Any], random: Random) -> str:
    if schema.get("format") == "date-time":
        return "2026-03-01T08:00:00Z"
    size = max(schema.get("minLength", 0), random.choice([0, 1, 3, schema.get("maxLength", 5)]))
    return "A" * (max(size, 1) if "pattern" in schema else size)


def broken(value: Any, random: Random) -> Any:
    """The value with one change somewhere; the change may be harmless."""
    value = copy.deepcopy(value)
    holders = list(_holders(value))
    holder = random.choice(holders)
    if isinstance(holder, dict) and (not holder or random.random() < 0.2):
        holder[random.choice(["unknown", "name", "Name"])] = random.choice(WRONG)
    elif isinstance(holder, dict):
        key = random.choice(list(holder))
        if random.random() < 0.3:
            del holder[key]
        else:
            holder[key] = copy.deepcopy(random.choice(WRONG))
    elif holder and random.random() < 0.5:
        holder.append(copy.deepcopy(random.choice(holder)))
    else:
        holder.append(copy.deepcopy(random.choice(WRONG)))
    return value


def _holders(value: Any) -> Any:
    if isinstance(value, dict | list):
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from _holders(item)
