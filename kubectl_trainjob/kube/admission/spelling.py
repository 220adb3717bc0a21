"""Quantities of an object as Kubernetes writes them.

Trainer's mutating webhook decodes a TrainJob and writes it again when it stamps a runtimePatch, and only then (trainer
pkg/webhooks/trainjob_webhook.go, since 2.2). A TrainJob in the spelling that Go writes stays unchanged; in another one
(`nvidia.com/gpu: 1`, `1000m`) its next update changes an immutable field.
"""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.kube.facts.quantity import canonical
from kubectl_trainjob.kube.facts.trainer import API_VERSION, TRAIN_JOB
from kubectl_trainjob.kube.schemas.composites import ListNode, MappingNode
from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.kube.schemas.scalars import Amount
from kubectl_trainjob.kube.schemas.walk import SchemaNode
from kubectl_trainjob.model.stages import Body

_DIVISOR = "divisor"


def as_stored(train_job: Body, schemas: str) -> Body:
    """An admitted TrainJob with its quantities as Kubernetes writes them; `schemas` as in `Admission`."""
    stored: Body = respell(train_job, schema_for(schemas, API_VERSION, TRAIN_JOB).root)
    return stored


def respell(value: Any, node: SchemaNode | None) -> Any:
    """A value with its quantities as Kubernetes writes them; `node` is its schema.

    A missing divisor is added, because one manager owns its whole mapping. Other fields that the server adds stay
    unchanged in an update.
    """
    if isinstance(node, Amount):
        return value if value is None else canonical(value)
    if isinstance(node, ListNode) and isinstance(value, list):
        return [respell(item, node.item) for item in value]
    if not isinstance(node, MappingNode) or not isinstance(value, dict):
        return value
    fields = {key: respell(entry, node.fields[key] or node.entry) for key, entry in value.items()}
    return {_DIVISOR: "0", **fields} if _DIVISOR in node.fields.indexes else fields
