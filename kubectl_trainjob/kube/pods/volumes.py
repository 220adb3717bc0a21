"""Volumes and their sources.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (ValidateVolumes, validateVolumeSource). A source that a cluster
no longer offers is validated, too, except for the form of its values where the type is deprecated or removed (flocker,
quobyte, storageos, flexVolume, azureDisk).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.pods.claim_template import ephemeral
from kubectl_trainjob.kube.pods.files import FILE_SOURCES
from kubectl_trainjob.kube.pods.memo import Volumes
from kubectl_trainjob.kube.pods.projected import projected
from kubectl_trainjob.kube.pods.resources import amount
from kubectl_trainjob.kube.pods.texts import absolute_path, driver_name, label, no_backsteps, relative_path, subdomain
from kubectl_trainjob.kube.pods.visit import Check, Visit, between, choice, every, fields, missing, text
from kubectl_trainjob.kube.schemas.messages import listed, quoted
from kubectl_trainjob.model.rules import VOLUME_INVALID

_HOST_PATH_TYPES = (
    "DirectoryOrCreate",
    "Directory",
    "FileOrCreate",
    "File",
    "Socket",
    "CharDevice",
    "BlockDevice",
)
_LONGEST_PORTAL = 64
_INITIATORS = {
    "iqn": re.compile(r"iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)\Z", re.ASCII),
    "eui": re.compile(r"\Aeui.[A-Za-z0-9]{16}\Z"),
    "naa": re.compile(r"\Anaa.[A-Za-z0-9]{32}\Z"),
}


def _empty_dir(value: Mapping[str, Any], visit: Visit) -> None:
    limit = value.get("sizeLimit")
    if limit is not None and amount(limit) < amount("0"):
        visit.refuse(f"sizeLimit {quoted(limit)} must be 0 or more", "sizeLimit")


_host_path_fields: Check = fields({"path": text(no_backsteps), "type": choice(*_HOST_PATH_TYPES)})


def _host_path(value: Mapping[str, Any], visit: Visit) -> None:
    if value.get("path"):
        _host_path_fields(value, visit)
    else:
        missing("path", visit)


def _csi(value: Mapping[str, Any], visit: Visit) -> None:
    secret = value.get("nodePublishSecretRef")
    if secret is None:
        return
    name = secret.get("name") or ""
    if not name:
        visit.refuse("nodePublishSecretRef has no name; add it", "nodePublishSecretRef", "name")
    elif wrong := subdomain(name):
        visit.refuse(f"name {quoted(name)} {wrong}", "nodePublishSecretRef", "name")


def _initiator(value: str) -> str:
    pattern = _INITIATORS.get(value[:3])
    if pattern is None:
        return f"must start with {listed(_INITIATORS, 'or')}"
    return "" if pattern.search(value) else f"must have the form of an {value[:3]} name"


def _chap(value: Mapping[str, Any], visit: Visit) -> None:
    if (value.get("chapAuthDiscovery") or value.get("chapAuthSession")) and value.get("secretRef") is None:
        missing("secretRef", visit)


_iscsi: Check = every(
    fields(
        {"iqn": text(_initiator), "initiatorName": text(_initiator, pointer=True), "lun": between(0, 255)},
        ("targetPortal", "iqn"),
    ),
    _chap,
)


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


# In the order in which upstream looks at them: the first one counts, the others are refused.
_SOURCES: dict[str, Check] = {
    "emptyDir": _empty_dir,
    "hostPath": _host_path,
    "gitRepo": fields({"directory": text(relative_path)}, ("repository",)),
    "gcePersistentDisk": fields({"partition": between(0, 255)}, ("pdName",)),
    "awsElasticBlockStore": fields({"partition": between(0, 255)}, ("volumeID",)),
    "secret": FILE_SOURCES["secret"],
    "nfs": fields({"path": text(absolute_path)}, ("server", "path")),
    "iscsi": _iscsi,
    "glusterfs": fields({}, ("endpoints", "path")),
    "flocker": fields({}),
    "persistentVolumeClaim": fields({}, ("claimName",)),
    "rbd": fields({}, ("monitors", "image")),
    "cinder": fields({"secretRef": fields({}, ("name",))}, ("volumeID",)),
    "cephfs": fields({}, ("monitors",)),
    "quobyte": fields({}, ("registry", "volume")),
    "downwardAPI": FILE_SOURCES["downwardAPI"],
    "fc": _fibre_channel,
    "flexVolume": fields({}, ("driver",)),
    "configMap": FILE_SOURCES["configMap"],
    "azureFile": fields({}, ("secretName", "shareName")),
    "vsphereVolume": fields({}, ("volumePath",)),
    "photonPersistentDisk": fields({}, ("pdID",)),
    "portworxVolume": fields({}, ("volumeID",)),
    "azureDisk": fields({}, ("diskName", "diskURI")),
    "storageos": fields({}, ("volumeName",)),
    "projected": projected,
    "scaleIO": fields({}, ("gateway", "system", "volumeName")),
    "csi": every(fields({"driver": text(driver_name)}, ("driver",)), _csi),
    "ephemeral": ephemeral,
    "image": fields({"pullPolicy": choice("Always", "IfNotPresent", "Never")}),
}
_ORDER = {kind: rank for rank, kind in enumerate(_SOURCES)}


def volumes(value: list[Mapping[str, Any]], visit: Visit) -> Volumes:
    """The usable volumes with their kinds, and the names of those that are refused; `visit` stands at the list."""
    known = visit.known.volumes.get(id(value))
    if known is not None:
        return known[1]
    before = len(visit.refused)
    judged = _judged(value, visit)
    if visit.known.learning and len(visit.refused) == before:
        visit.known.volumes[id(value)] = value, judged
    return judged


def _judged(value: list[Mapping[str, Any]], visit: Visit) -> Volumes:
    usable: dict[str, str] = {}
    spoiled: set[str] = set()
    before, visit.rule = visit.rule, VOLUME_INVALID
    for index, volume in enumerate(value):
        found = len(visit.refused)
        visit.trail.append(index)
        kind = _volume(volume, usable, visit)
        visit.trail.pop()
        name = volume.get("name", "")
        if len(visit.refused) == found:
            usable[name] = kind
            if visit.known.learning:
                visit.known.values[id(volume)] = volume
        elif name not in usable:
            spoiled.add(name)
    visit.rule = before
    return usable, frozenset(spoiled)


def _volume(volume: Mapping[str, Any], usable: Mapping[str, str], visit: Visit) -> str:
    name = volume.get("name", "")
    if wrong := label(name):
        visit.refuse(f"volume name {quoted(name)} {wrong}", "name")
    if name in usable:
        visit.refuse(f"two volumes are called {quoted(name)}; rename one", "name")
    given = [key for key, source in volume.items() if key in _ORDER and source is not None]
    if len(given) > 1:
        given.sort(key=_ORDER.__getitem__)
        for kind in given[1:]:
            visit.refuse(f"volume {quoted(name)} has the source {given[0]} already; remove one of both", kind, on="key")
    elif not given:
        return "emptyDir"
    if id(volume) not in visit.known.values:
        visit.enter(given[0], volume[given[0]], _SOURCES[given[0]])
    if "iscsi" in given:
        _portal(name, volume["iscsi"], visit)
    return given[0]


def _portal(name: str, iscsi: Mapping[str, Any], visit: Visit) -> None:
    if iscsi.get("initiatorName") is not None and len(f"{name}:{iscsi.get('targetPortal', '')}") > _LONGEST_PORTAL:
        message = (
            f"volume name {quoted(name)} and targetPortal must have less than {_LONGEST_PORTAL} characters together"
        )
        visit.refuse(message, "name")
