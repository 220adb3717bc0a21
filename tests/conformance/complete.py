"""Brings an object into the form in which two sides are compared: defaults filled in, nothing empty left.

The defaults are restated here from JobSet 0.12's CRD and webhook, on purpose apart from the product's own tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Object = dict[str, Any]

_JOB = "spec.replicatedJobs[].template.spec"
_POD = f"{_JOB}.template.spec"
_CONTAINERS = tuple(f"{_POD}.{kind}[]" for kind in ("containers", "initContainers", "ephemeralContainers"))
_VOLUME = f"{_POD}.volumes[]"
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")

# Defaults that apply in every object at the path before the last dot.
_DEFAULTS: dict[str, Any] = {
    "spec.suspend": False,
    "spec.failurePolicy.restartStrategy": "Recreate",
    "spec.replicatedJobs[].groupName": "default",
    "spec.replicatedJobs[].replicas": 1,
    "spec.volumeClaimPolicies[].retentionPolicy": {},
    "spec.volumeClaimPolicies[].retentionPolicy.whenDeleted": "Delete",
    "spec.volumeClaimPolicies[].templates[].status": {},
    f"{_JOB}.completionMode": "Indexed",
    f"{_POD}.restartPolicy": "OnFailure",
    f"{_POD}.imagePullSecrets[].name": "",
    **{f"{c}.ports[].protocol": "TCP" for c in _CONTAINERS},
    **{f"{c}.env[].valueFrom.{ref}.name": "" for c in _CONTAINERS for ref in ("configMapKeyRef", "secretKeyRef")},
    **{f"{c}.env[].valueFrom.fileKeyRef.optional": False for c in _CONTAINERS},
    **{f"{c}.envFrom[].{ref}.name": "" for c in _CONTAINERS for ref in ("configMapRef", "secretRef")},
    **{f"{c}.{probe}.grpc.service": "" for c in _CONTAINERS for probe in _PROBES},
    f"{_VOLUME}.azureDisk.fsType": "ext4",
    f"{_VOLUME}.azureDisk.readOnly": False,
    f"{_VOLUME}.configMap.name": "",
    f"{_VOLUME}.csi.nodePublishSecretRef.name": "",
    f"{_VOLUME}.iscsi.iscsiInterface": "default",
    f"{_VOLUME}.projected.sources[].configMap.name": "",
    f"{_VOLUME}.projected.sources[].secret.name": "",
    f"{_VOLUME}.rbd.keyring": "/etc/ceph/keyring",
    f"{_VOLUME}.rbd.pool": "rbd",
    f"{_VOLUME}.rbd.user": "admin",
    f"{_VOLUME}.scaleIO.fsType": "xfs",
    f"{_VOLUME}.scaleIO.storageMode": "ThinProvisioned",
    **{
        f"{_VOLUME}.{kind}.secretRef.name": ""
        for kind in ("cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos")
    },
}

# What a JobSet must state itself: a second apply of the same file fails where creation filled these in.
CREATE_ONLY = (
    f"{_JOB}.completionMode",
    f"{_POD}.restartPolicy",
    "spec.failurePolicy.rules[].name",
    "spec.volumeClaimPolicies[].retentionPolicy.whenDeleted",
    "spec.volumeClaimPolicies[].templates[].status",
)


def complete(value: Object) -> Object:
    """A copy of an object with defaults filled in and without nulls, empty metadata and owners."""
    copied = _without_nulls(value)
    metadata = copied.setdefault("metadata", {})
    metadata.pop("ownerReferences", None)
    metadata.setdefault("namespace", "default")
    if copied.get("kind") == "JobSet":
        for path, default in _DEFAULTS.items():
            for parent, field in _parents(copied, path):
                parent.setdefault(field, default if not isinstance(default, dict) else dict(default))
        for index, rule in enumerate(copied["spec"].get("failurePolicy", {}).get("rules", [])):
            rule["name"] = rule.get("name") or f"failurePolicyRule{index}"
    return _without_empty_metadata(copied)


def missing(value: Object) -> list[str]:
    """The create-only defaults that a JobSet leaves to the server."""
    return [path for path in CREATE_ONLY for parent, field in _parents(value, path) if field not in parent]


def _parents(value: Any, path: str) -> Iterator[tuple[Object, str]]:
    *steps, field = path.split(".")
    found = [value]
    for step in steps:
        name = step.removesuffix("[]")
        found = [v[name] for v in found if isinstance(v, dict) and name in v]
        if step.endswith("[]"):
            found = [entry for entries in found if isinstance(entries, list) for entry in entries]
    return ((parent, field) for parent in found if isinstance(parent, dict))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(entry) for key, entry in value.items() if entry is not None}
    if isinstance(value, list):
        return [_without_nulls(entry) for entry in value]
    return value


def _without_empty_metadata(value: Any) -> Any:
    if isinstance(value, dict):
        cleaned = {key: _without_empty_metadata(entry) for key, entry in value.items()}
        return {key: entry for key, entry in cleaned.items() if not (key == "metadata" and entry == {})}
    if isinstance(value, list):
        return [_without_empty_metadata(entry) for entry in value]
    return value
