"""Sources of volumes that few clusters still have.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validateISCSIVolumeSource and its neighbours).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.facts.validation import dns_1123_label
from kubectl_trainjob.kube.pods.visit import Check, Visit, between, choice, every, fields, missing, text
from kubectl_trainjob.kube.schemas.messages import listed, quoted

_INITIATORS = {
    "iqn": re.compile(r"iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)\Z", re.ASCII),
    "eui": re.compile(r"\Aeui.[A-Za-z0-9]{16}\Z"),
    "naa": re.compile(r"\Anaa.[A-Za-z0-9]{32}\Z"),
}
_LONGEST_TENANT = 64
_HOST_AND_PORT = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*):[^:\[\]]*")


def _initiator(value: str) -> str:
    pattern = _INITIATORS.get(value[:3])
    if pattern is None:
        return f"must start with {listed(_INITIATORS, 'or')}"
    return "" if pattern.search(value) else f"must have the form of an {value[:3]} name"


def _chap(value: Mapping[str, Any], visit: Visit) -> None:
    if (value.get("chapAuthDiscovery") or value.get("chapAuthSession")) and value.get("secretRef") is None:
        missing("secretRef", visit)


def _flocker(value: Mapping[str, Any], visit: Visit) -> None:
    name, uuid = value.get("datasetName") or "", value.get("datasetUUID") or ""
    if bool(name) == bool(uuid):
        visit.refuse("flocker needs datasetName or datasetUUID, and only one of both; state one")
    if "/" in name:
        visit.refuse(f"datasetName {quoted(name)} must not contain '/'", "datasetName")


def _quobyte(value: Mapping[str, Any], visit: Visit) -> None:
    registry = value.get("registry") or ""
    if not registry:
        missing("registry", visit)
    elif len((value.get("tenant") or "").encode()) > _LONGEST_TENANT:
        visit.refuse(f"tenant must be no more than {_LONGEST_TENANT} characters", "tenant")
    elif not all(_HOST_AND_PORT.fullmatch(pair) for pair in registry.split(",")):
        visit.refuse(f"registry {quoted(registry)} must be host:port, or several with commas", "registry")


def _fibre_channel(value: Mapping[str, Any], visit: Visit) -> None:
    names, ids, lun = value.get("targetWWNs"), value.get("wwids"), value.get("lun")
    if bool(names) == bool(ids):
        visit.refuse("fc needs targetWWNs or wwids, and only one of both; state one", "targetWWNs")
    if not names:
        return
    if lun is None:
        missing("lun", visit)
    elif not 0 <= lun <= 255:
        visit.refuse(f"lun {quoted(lun)} must be between 0 and 255", "lun")


def _flex_options(value: Mapping[str, str], visit: Visit) -> None:
    for key in value:
        domain = "." + key.partition("/")[0].lower()
        if domain.endswith((".kubernetes.io", ".k8s.io")):
            visit.refuse(f"option {quoted(key)} is Kubernetes' own; use another domain", key, on="key")


def _azure_disk(value: Mapping[str, Any], visit: Visit) -> None:
    kind, uri = value.get("kind", "Shared"), value.get("diskURI") or ""
    start = "/subscriptions/" if kind == "Managed" else "https://"
    if not uri.startswith(start):
        visit.refuse(f"diskURI {quoted(uri)} of this kind must start with {start}", "diskURI")


RARE_SOURCES: dict[str, Check] = {
    "iscsi": every(
        fields(
            {"iqn": text(_initiator), "initiatorName": text(_initiator, pointer=True), "lun": between(0, 255)},
            ("targetPortal", "iqn"),
        ),
        _chap,
    ),
    "flocker": _flocker,
    "quobyte": every(_quobyte, fields({}, ("volume",))),
    "fc": _fibre_channel,
    "flexVolume": fields({"options": _flex_options}, ("driver",)),
    "azureDisk": every(
        fields(
            {
                "cachingMode": choice("None", "ReadOnly", "ReadWrite", pointer=True),
                "kind": choice("Shared", "Dedicated", "Managed", pointer=True),
            },
            ("diskName", "diskURI"),
        ),
        _azure_disk,
    ),
    "storageos": fields(
        {
            "volumeName": text(dns_1123_label),
            "volumeNamespace": text(dns_1123_label),
            "secretRef": fields({}, ("name",)),
        },
        ("volumeName",),
    ),
}
