"""A field of a kind with its type, description and fields, as `kubectl explain` writes it.

Mirrors k8s.io/kubectl pkg/explain/v2/templates/plaintext.tmpl.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from kubectl_trainjob.kube.schemas.descriptions import DescribedSchema

_WIDTH = 76


def field_text(kind: tuple[str, str], name: str, schema: DescribedSchema, *, recursive: bool) -> str:
    """The field `name`, "" for the whole object, of a `kind`, an apiVersion and a name."""
    group, _, version = kind[0].rpartition("/")
    lines = [f"GROUP:      {group}", f"KIND:       {kind[1]}", f"VERSION:    {version}", ""]
    if name:
        lines += [f"FIELD: {name} {_type(name, schema, required=False)}"]
        values = schema.schema.get("enum", ())
        lines += ["ENUM:", *(f"    {_quote(each)}" for each in values)] if values else [""]
        lines.append("")
    whole = _innermost(schema)
    description = "\n".join(dict.fromkeys(filter(None, (schema.description, whole.description))))
    lines += ["DESCRIPTION:", *(_wrap(description) or ["    <empty>"]), "    "]
    if whole.fields:
        lines += ["FIELDS:", *_fields(whole, 1, recursive=recursive), ""]
    return "\n".join((*lines, "")) + "\n"


def _innermost(schema: DescribedSchema) -> DescribedSchema:
    while schema.members is not None:
        schema = schema.members
    return schema


def _fields(schema: DescribedSchema, level: int, *, recursive: bool) -> Iterator[str]:
    indent, required = "  " * level, schema.schema.get("required", ())
    for name, field in sorted(schema.fields.items()):
        yield f"{indent}{name}\t{_type(name, field, required=name in required)}"
        if values := field.schema.get("enum"):
            yield f"{indent}enum: {', '.join(map(_quote, values))}"
        if recursive:
            yield from _fields(_innermost(field), level + 1, recursive=True)
        else:
            yield from (*_wrap(field.description), "")


def _type(name: str, schema: DescribedSchema, *, required: bool) -> str:
    shown = "ObjectMeta" if name == "metadata" and not schema.description else schema.type
    return f"<{shown}>{' -required-' if required else ''}"


def _quote(value: object) -> str:
    return str(value) or '""'


def _wrap(text: str) -> list[str]:
    wrapper = textwrap.TextWrapper(_WIDTH, break_long_words=False, break_on_hyphens=False, replace_whitespace=False)
    return [f"    {line}" for paragraph in text.splitlines() for line in wrapper.wrap(paragraph) or [""]]
