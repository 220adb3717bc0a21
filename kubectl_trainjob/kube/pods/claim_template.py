"""The claim that an ephemeral volume makes for each Pod.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validateEphemeralVolumeSource, ValidatePersistentVolumeClaimSpec).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.facts.validation import dns_1123_label, dns_1123_subdomain
from kubectl_trainjob.kube.pods.metadata import annotation_keys
from kubectl_trainjob.kube.pods.resources import amount
from kubectl_trainjob.kube.pods.selectors import label_selector, labels
from kubectl_trainjob.kube.pods.visit import Check, Visit, choice, every, fields, missing, text
from kubectl_trainjob.kube.schemas.messages import listed, quoted
from kubectl_trainjob.model.source import value_at

_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
_CLAIM = "PersistentVolumeClaim"


def ephemeral(value: Mapping[str, Any], visit: Visit) -> None:
    """An ephemeral volume."""
    template = value.get("volumeClaimTemplate")
    if template is None:
        missing("volumeClaimTemplate", visit)
        return
    visit.enter("volumeClaimTemplate", template, _template_fields)
    if template.get("spec") is None:
        visit.enter("volumeClaimTemplate", template, lambda _, at: at.enter("spec", {}, _spec))


def _metadata(value: Mapping[str, Any], visit: Visit) -> None:
    for key, item in value.items():
        if key not in ("labels", "annotations") and item not in ("", None):
            visit.refuse(f"{key} of a claim's template cannot be set; remove it", key, on="key")


def _access_modes(value: list[str], visit: Visit) -> None:
    for index, mode in enumerate(value):
        if mode not in _MODES:
            visit.refuse(f"access mode {quoted(mode)} does not exist; use {listed(_MODES, 'or')}", shown=(index,))
    if _MODES[-1] in value and any(mode in _MODES[:-1] for mode in value):
        visit.refuse(f"access mode {_MODES[-1]} excludes the others; keep it alone")


def _reference(value: Mapping[str, Any], visit: Visit) -> None:
    group = value.get("apiGroup") or ""
    if not group and value.get("kind") != _CLAIM:
        visit.refuse(f"kind {quoted(value.get('kind', ''))} needs an apiGroup; without one use {_CLAIM}")
    _reference_fields(value, visit)


def _own(value: Mapping[str, Any], visit: Visit) -> None:
    if not value.get("accessModes"):
        missing("accessModes", visit)
    storage = value_at(value, ("resources", "requests", "storage"))
    if storage is None:
        visit.refuse("the claim asks for no storage; add it", "resources", "requests", "storage")
    elif amount(storage) <= amount("0"):
        visit.refuse(f"storage {quoted(storage)} must be more than 0", "resources", "requests", "storage")
    _sources(value.get("dataSource"), value.get("dataSourceRef"), visit)


def _sources(source: Mapping[str, Any] | None, ref: Mapping[str, Any] | None, visit: Visit) -> None:
    if source is None or ref is None:
        return
    if ref.get("namespace"):
        visit.refuse("dataSource excludes a dataSourceRef with a namespace; remove it", shown=("dataSource",))
    elif any(source.get(key) != ref.get(key) for key in ("apiGroup", "kind", "name")):
        visit.refuse("dataSource and dataSourceRef must be the same; keep one", shown=("dataSource",))


_name: Check = text(dns_1123_subdomain)
_reference_fields: Check = fields({"apiGroup": _name, "namespace": text(dns_1123_label)}, ("name", "kind"))
_spec: Check = every(
    fields(
        {
            "accessModes": _access_modes,
            "selector": label_selector,
            "storageClassName": _name,
            "volumeAttributesClassName": _name,
            "volumeMode": choice("Block", "Filesystem", pointer=True),
            "dataSource": _reference,
            "dataSourceRef": _reference,
        }
    ),
    _own,
)
_template_fields: Check = fields(
    {"spec": _spec, "metadata": every(fields({"labels": labels, "annotations": annotation_keys}), _metadata)}
)
