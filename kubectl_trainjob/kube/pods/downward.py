"""What a container can be told of its Pod, in env and in volumes.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validateObjectFieldSelector, validateContainerResourceFieldSelector)
and pkg/apis/core/pods (ConvertDownwardAPIFieldLabel).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.facts.quantity import Quantity, canonical
from kubectl_trainjob.kube.facts.validation import qualified_name
from kubectl_trainjob.kube.pods.visit import Check, Visit, missing
from kubectl_trainjob.kube.schemas.messages import listed, quoted

_METADATA = ("metadata.name", "metadata.namespace", "metadata.uid")
_IN_ENV = (
    *_METADATA,
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
_IN_VOLUMES = (*_METADATA, "metadata.labels", "metadata.annotations")
_ALIASES = {"spec.host": "spec.nodeName"}
_AMOUNTS = ("cpu", "memory", "ephemeral-storage")
_RESOURCES = tuple(f"{of}.{what}" for of in ("limits", "requests") for what in _AMOUNTS)
_HUGE_PAGES = ("requests.hugepages-", "limits.hugepages-")
_SIZES = ("1", *("1" + unit for unit in ("k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")))
_CPU_SIZES = ("1m", "1")


def _field_ref(allowed: tuple[str, ...]) -> Check:
    def check(value: Mapping[str, Any], visit: Visit) -> None:
        path = value.get("fieldPath") or ""
        if value.get("apiVersion") not in (None, "", "v1"):
            message = f"apiVersion {quoted(value['apiVersion'])} of a Pod does not exist; use v1"
            visit.refuse(message, "fieldPath", shown=("apiVersion",))
            return
        of, subscripted, key = path.removesuffix("']").partition("['") if path.endswith("']") else (path, "", "")
        if of and subscripted:
            _subscript(of, key, visit)
        elif _ALIASES.get(path, path) not in allowed:
            visit.refuse(f"fieldPath {quoted(path)} is not offered here; use {listed(allowed, 'or')}", "fieldPath")

    return check


def _subscript(of: str, key: str, visit: Visit) -> None:
    if of not in ("metadata.annotations", "metadata.labels"):
        visit.refuse(f"fieldPath {quoted(of)} has no entries; only labels and annotations have", "fieldPath")
        # Upstream goes on with an empty path and refuses that, too.
    elif wrong := qualified_name(key.lower() if of == "metadata.annotations" else key):
        visit.refuse(f"key {quoted(key)} {wrong}", shown=("fieldPath",))


env_field: Check = _field_ref(_IN_ENV)
volume_field: Check = _field_ref(_IN_VOLUMES)


def _resource_ref(*, of_container: bool) -> Check:
    def check(value: Mapping[str, Any], visit: Visit) -> None:
        name = value.get("resource") or ""
        if not of_container and not value.get("containerName"):
            missing("containerName", visit)
        elif not name:
            missing("resource", visit)
        elif name not in _RESOURCES and not name.startswith(_HUGE_PAGES):
            visit.refuse(f"resource {quoted(name)} is not offered; use {listed(_RESOURCES, 'or')}", "resource")
        _divisor(name, value.get("divisor"), visit)

    return check


def _divisor(name: str, divisor: str | int | None, visit: Visit) -> None:
    if divisor is None or Quantity.parse(divisor).is_zero():
        return
    sizes = _CPU_SIZES if name.endswith(".cpu") and name in _RESOURCES else _SIZES
    if (name in _RESOURCES or name.startswith(_HUGE_PAGES)) and canonical(divisor) not in sizes:
        visit.refuse(f"divisor {quoted(divisor)} does not suit {name}; use {listed(sizes, 'or')}", "divisor")


env_resource: Check = _resource_ref(of_container=True)
volume_resource: Check = _resource_ref(of_container=False)
