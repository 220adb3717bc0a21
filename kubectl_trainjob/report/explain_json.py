"""What `explain` says, as JSON: `cli/manual/json.md` describes it."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.explain.field import TracedField, TracedFields
from kubectl_trainjob.explain.history import TracedInput, Write
from kubectl_trainjob.model.source import Pointer, json_pointer
from kubectl_trainjob.report.json_syntax import as_json_text
from kubectl_trainjob.repository.positions import Location


def as_json(fields: TracedFields, pointer: Pointer) -> str:
    """The values at `pointer` and below."""
    identity = fields.identity
    explanation = {
        "schemaVersion": 1,
        "object": {
            "apiVersion": identity.api_version,
            "kind": identity.kind,
            "namespace": identity.namespace,
            "name": identity.name,
        },
        "fields": [_field(fields, each) for each in fields.below(pointer)],
    }
    return as_json_text(explanation, indent=4)


def _field(fields: TracedFields, field: TracedField) -> dict[str, Any]:
    return {
        "path": fields.path(field.pointer),
        "pointer": json_pointer(field.pointer),
        "value": field.value,
        "history": [_write(each) for each in field.history],
    }


def _write(write: Write) -> dict[str, Any]:
    return {
        "by": write.step,
        "how": write.how,
        "value": write.value,
        "source": _source(write.place),
        "madeOf": [_input(each) for each in write.made_of],
    }


def _input(made_of: TracedInput) -> dict[str, Any]:
    return {
        "object": made_of.name,
        "path": made_of.path,
        "pointer": json_pointer(made_of.pointer),
        "value": made_of.value,
        "source": _source(made_of.place),
        "history": [_write(each) for each in made_of.history],
    }


def _source(location: Location | None) -> dict[str, Any] | None:
    if location is None:
        return None
    return {"file": location.file.path, "line": location.span.line, "column": location.span.column}
