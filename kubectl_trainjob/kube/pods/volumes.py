"""The volumes of a Pod, and their mounts in containers.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (ValidateVolumes, validateVolumeSource, ValidateVolumeMounts,
ValidateVolumeDevices). Types of volumes that a cluster no longer supports are checked, too. Only the form of values of
deprecated or removed types is not checked (flocker, quobyte, storageos, flexVolume, azureDisk).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kubectl_trainjob.kube.facts import validation
from kubectl_trainjob.kube.pods.resources import amount
from kubectl_trainjob.kube.pods.visit import Check, Visit, Volumes, between, choice, every, fields, text
from kubectl_trainjob.kube.pods.volume_sources import FILE_SOURCES, ephemeral, projected
from kubectl_trainjob.model.message import Message, listed, say
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.rules import VOLUME_INVALID, VOLUME_MOUNT_UNKNOWN
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body

_LONGEST_PORTAL = 64
# Upstream's `iqn\.\d{4}-\d{2}\.([[:alnum:]-.]+)(:[^,;*&$|\s]+)$` after the last separator: it may begin inside of the
# text, and the last beginning is enough, so no beginning is read to its end but one.
_QUALIFIED = r"iqn\.\d{4}-\d{2}\."
_SEPARATORS = re.compile(r"(?a)[,;*&$|\s]")
_INITIATORS = {
    "iqn": rf"(?a){_QUALIFIED}(?:[A-Za-z0-9\-.](?!{_QUALIFIED}[A-Za-z0-9\-.]))++:.",
    "eui": r"\Aeui.[A-Za-z0-9]{16}\Z",
    "naa": r"\Anaa.[A-Za-z0-9]{32}\Z",
}


def _empty_dir(value: Body, visit: Visit) -> None:
    limit = value.get("sizeLimit")
    if limit is not None and amount(limit) < amount("0"):
        visit.reject(say('sizeLimit "{}" must be 0 or more', limit), "sizeLimit")


_HOST_PATH_TYPES = ("DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice")
_host_path_fields: Check = fields({"path": text(validation.no_backsteps), "type": choice(*_HOST_PATH_TYPES)})


def _host_path(value: Body, visit: Visit) -> None:
    if value.get("path"):
        _host_path_fields(value, visit)
    else:
        visit.reject_missing("path")


def _csi(value: Body, visit: Visit) -> None:
    secret = value.get("nodePublishSecretRef")
    if secret is None:
        return
    if name := secret.get("name"):
        visit.check_text("name", name, validation.dns_1123_subdomain, "nodePublishSecretRef", "name")
    else:
        visit.reject(say("nodePublishSecretRef has no name; add it"), "nodePublishSecretRef", "name")


def _initiator(value: str) -> Message:
    pattern = _INITIATORS.get(value[:3])
    if pattern is None:
        return say("must start with {}", listed(_INITIATORS, "or", "{}"))
    text = _SEPARATORS.split(value)[-1] if value.startswith("iqn") else value
    return Message() if re.search(pattern, text) else say("must have the form of an {} name", value[:3])


def _chap(value: Body, visit: Visit) -> None:
    if (value.get("chapAuthDiscovery") or value.get("chapAuthSession")) and value.get("secretRef") is None:
        visit.reject_missing("secretRef")


_iscsi: Check = every(
    fields(
        {"iqn": text(_initiator), "initiatorName": text(_initiator, pointer=True), "lun": between(0, 255)},
        ("targetPortal", "iqn"),
    ),
    _chap,
)


def _fibre_channel(value: Body, visit: Visit) -> None:
    names, ids, lun = value.get("targetWWNs"), value.get("wwids"), value.get("lun")
    if bool(names) == bool(ids):
        visit.reject(say("fc needs either targetWWNs or wwids; set exactly one"), "targetWWNs")
    if names and lun is not None:
        visit.check_between("lun", lun, 0, 255, "lun")
    elif names:
        visit.reject_missing("lun")


# In upstream's order: the first one is the source, the others are rejected.
_SOURCES: dict[str, Check] = {
    "emptyDir": _empty_dir,
    "hostPath": _host_path,
    "gitRepo": fields({"directory": text(validation.relative_path)}, ("repository",)),
    "gcePersistentDisk": fields({"partition": between(0, 255)}, ("pdName",)),
    "awsElasticBlockStore": fields({"partition": between(0, 255)}, ("volumeID",)),
    "secret": FILE_SOURCES["secret"],
    "nfs": fields({"path": text(validation.absolute_path)}, ("server", "path")),
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
    "csi": every(fields({"driver": text(validation.driver_name)}, ("driver",)), _csi),
    "ephemeral": ephemeral,
    "image": fields({"pullPolicy": choice("Always", "IfNotPresent", "Never")}),
}
_ORDER = {kind: rank for rank, kind in enumerate(_SOURCES)}


def volumes(value: list[Body], visit: Visit) -> Volumes:
    """The valid volumes with their kinds, and the names of invalid ones; the list is the current value."""
    cache = visit.pod_cache
    if id(value) in cache.volumes:
        return cache.volumes[id(value)][1]
    valid: dict[str, str] = {}
    invalid: set[str] = set()
    at_first, before, visit.rule = len(visit.problems), visit.rule, VOLUME_INVALID
    for volume in visit.items(value):
        found = len(visit.problems)
        name, kind = volume.get("name", ""), _check_volume(volume, valid, visit)
        if len(visit.problems) == found:
            valid[name] = kind
            if cache.is_priming:
                cache.values[id(volume)] = volume
        elif name not in valid:
            invalid.add(name)
    visit.rule = before
    checked = valid, frozenset(invalid)
    if cache.is_priming and len(visit.problems) == at_first:
        cache.volumes[id(value)] = value, checked
    return checked


def _check_volume(volume: Body, valid: Mapping[str, str], visit: Visit) -> str:
    name = volume.get("name", "")
    visit.check_text("volume name", name, validation.dns_1123_label, "name")
    if name in valid:
        visit.reject(say('duplicate volume name "{}"; change or remove one', name), "name")
    sources = [key for key, source in volume.items() if key in _ORDER and source is not None]
    if not sources:
        return "emptyDir"
    first, *others = sorted(sources, key=_ORDER.__getitem__) if len(sources) > 1 else sources
    for kind in others:
        template = 'volume "{}" already has the source {}; remove one of them'
        visit.reject(say(template, name, Message(first)), kind, on="key")
    if id(volume) not in visit.pod_cache.values:
        visit.enter(first, volume[first], _SOURCES[first])
    if "iscsi" in sources:
        _portal(name, volume["iscsi"], visit)
    return first


def _portal(name: str, iscsi: Body, visit: Visit) -> None:
    if iscsi.get("initiatorName") is not None and len(f"{name}:{iscsi.get('targetPortal', '')}") > _LONGEST_PORTAL:
        template = 'volume name "{}" and targetPortal must have fewer than {} characters together'
        visit.reject(say(template, name, _LONGEST_PORTAL), "name")


_BLOCK_KINDS = ("persistentVolumeClaim", "ephemeral")
_rare_fields: Check = fields(
    {
        "subPath": text(validation.relative_path),
        "subPathExpr": text(validation.relative_path),
        "mountPropagation": choice("Bidirectional", "HostToContainer", "None", pointer=True),
        "recursiveReadOnly": choice("Disabled", "IfPossible", "Enabled", pointer=True),
    }
)
_COMMON_FIELDS = {"name", "mountPath", "readOnly"}
_MOST_HINTS = 10  # problems of one object: the nearest name is sought among all volumes


def mounts(container: Body, visit: Visit) -> None:
    """The volumeMounts and volumeDevices of a container, which is the current value."""
    if container.get("volumeMounts"):
        visit.enter("volumeMounts", container, _check_mounts)
    if container.get("volumeDevices"):
        visit.enter("volumeDevices", container, _check_devices)
        if not visit.pod.shares_users:
            visit.reject(
                say("volumeDevices cannot be set with hostUsers: false; remove one of them"), "volumeDevices", on="key"
            )


def _check_mounts(container: Body, visit: Visit) -> None:
    volumes, claimed, trail = visit.pod.volumes, visit.pod.claimed, visit.trail
    devices = {device.get("name"): device.get("devicePath") for device in container.get("volumeDevices") or ()}
    paths = set(devices.values())
    seen: set[str] = set()
    for index, mount in enumerate(container["volumeMounts"]):
        name, path = mount.get("name", ""), mount.get("mountPath", "")
        is_known = name in volumes or name in claimed
        if is_known and path and path not in seen and not devices and mount.keys() <= _COMMON_FIELDS:
            seen.add(path)
            continue
        trail.append(index)
        if not is_known:
            visit.reject(_unknown(name, visit), "name", rule=VOLUME_MOUNT_UNKNOWN)
        if not path:
            visit.reject_missing("mountPath")
        elif path in seen:
            visit.reject(say('duplicate mountPath "{}"; use another path', path), "mountPath")
        if name in devices:
            visit.reject(say('volume "{}" is a volumeDevice of the container; remove one of them', name), "name")
        if path in paths:
            visit.reject(say('mountPath "{}" is a devicePath of the container; use another path', path), "mountPath")
        _rare_fields(mount, visit)
        _propagation(mount, container, visit)
        trail.pop()
        seen.add(path)


def _unknown(name: str, visit: Visit) -> Message:
    if not name:
        return say("the volume has no name; add the name of one of the Pod's volumes")
    if name in visit.pod.invalid_volumes:
        return say('the mounted volume "{}" is invalid; correct the volume', name)
    if len(visit.problems) >= _MOST_HINTS:
        return say('volume "{}" does not exist; add it to volumes', name)
    known = [*visit.pod.volumes, *sorted(visit.pod.claimed)]
    near = nearest(name, known)
    if near is not None:
        return say('volume "{}" does not exist; did you mean "{}"?', name, near)
    volumes = say("the Pod has {}", listed(known)) if known else say("the Pod has none")
    return say('volume "{}" does not exist ({}); add it to volumes', name, volumes)


def _propagation(mount: Body, container: Body, visit: Visit) -> None:
    propagation = mount.get("mountPropagation")
    if mount.get("subPath") and mount.get("subPathExpr"):
        visit.reject(say("subPath and subPathExpr cannot be set together; remove one"), "subPathExpr", on="key")
    if propagation == "Bidirectional" and value_at(container, ("securityContext", "privileged")) is not True:
        message = say("only privileged containers may mount bidirectionally; use HostToContainer")
        visit.reject(message, "mountPropagation")
    if mount.get("recursiveReadOnly") in ("IfPossible", "Enabled"):
        if not mount.get("readOnly"):
            visit.reject(say("recursiveReadOnly needs readOnly: true; add it"), "recursiveReadOnly", on="key")
        if propagation not in (None, "None"):
            message = say("recursiveReadOnly and mountPropagation cannot be set together; remove one")
            visit.reject(message, "recursiveReadOnly", on="key")


def _check_devices(container: Body, visit: Visit) -> None:
    mounted = {mount.get("name"): mount.get("mountPath") for mount in container.get("volumeMounts") or ()}
    mount_paths = set(mounted.values())
    names: set[str] = set()
    paths: set[str] = set()
    for device in visit.items(container["volumeDevices"]):
        name, path = device.get("name", ""), device.get("devicePath", "")
        kind = visit.pod.volumes.get(name)
        if kind is None:
            visit.reject(_unknown(name, visit), "name", rule=VOLUME_MOUNT_UNKNOWN)
        elif kind not in _BLOCK_KINDS:
            visit.reject(say('volume "{}" is not a block device; use a persistentVolumeClaim', name), "name")
        if name:
            visit.check_unique("volume", name, names, "name")
        if not path:
            visit.reject_missing("devicePath")
        elif path in paths or path in mount_paths:
            visit.reject(say('duplicate devicePath "{}"; use another path', path), "devicePath")
        else:
            visit.check_text("devicePath", path, validation.no_backsteps, "devicePath")
        if name in mounted:
            visit.reject(say('volume "{}" is mounted in the container; remove one of them', name), "name")
        paths.add(path)
