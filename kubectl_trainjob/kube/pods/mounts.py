"""Volumes as containers see them.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (ValidateVolumeMounts, ValidateVolumeDevices).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kubectl_trainjob.kube.pods.texts import no_backsteps, relative_path
from kubectl_trainjob.kube.pods.visit import Check, Visit, choice, fields, missing, text
from kubectl_trainjob.kube.schemas.messages import listed, quoted
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.rules import VOLUME_MOUNT_UNKNOWN
from kubectl_trainjob.model.source import value_at

_BLOCK_KINDS = ("persistentVolumeClaim", "ephemeral")
_PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
_rarer: Check = fields(
    {
        "subPath": text(relative_path),
        "subPathExpr": text(relative_path),
        "mountPropagation": choice(*_PROPAGATIONS, pointer=True),
        "recursiveReadOnly": choice("Disabled", "IfPossible", "Enabled", pointer=True),
    }
)
_PLAIN = {"name", "mountPath", "readOnly"}


def mounts(container: Mapping[str, Any], visit: Visit) -> None:
    """The volumeMounts and volumeDevices of a container, at which `visit` stands."""
    mounted, devices = container.get("volumeMounts") or (), container.get("volumeDevices") or ()
    if mounted:
        visit.enter("volumeMounts", container, _check_mounts)
    if devices:
        visit.enter("volumeDevices", container, _check_devices)
        if not visit.pod.shares_users:
            visit.refuse("volumeDevices need the node's users; remove hostUsers: false", "volumeDevices", on="key")


def _check_mounts(container: Mapping[str, Any], visit: Visit) -> None:
    volumes, claimed, trail = visit.pod.volumes, visit.pod.claimed, visit.trail
    devices = {device.get("name"): device.get("devicePath") for device in container.get("volumeDevices") or ()}
    taken: set[str] = set()
    for index, mount in enumerate(container["volumeMounts"]):
        name, path = mount.get("name", ""), mount.get("mountPath", "")
        if (
            (name in volumes or name in claimed)
            and path
            and path not in taken
            and not devices
            and mount.keys() <= _PLAIN
        ):
            taken.add(path)
            continue
        trail.append(index)
        _mount_name(name, visit)
        _mount_path(path, taken, visit)
        if name in devices:
            visit.refuse(f"volume {quoted(name)} is a volumeDevice of the container; keep one of both", "name")
        if path in devices.values():
            visit.refuse(f"mountPath {quoted(path)} is a devicePath of the container; use another", "mountPath")
        _rarer(mount, visit)
        _propagation(mount, container, visit)
        trail.pop()
        taken.add(path)


def _mount_name(name: str, visit: Visit) -> None:
    if name not in visit.pod.volumes and name not in visit.pod.claimed:
        visit.refuse(_unknown(name, visit), "name", rule=VOLUME_MOUNT_UNKNOWN)


def _unknown(name: str, visit: Visit) -> str:
    if not name:
        return "the volume has no name; name one of the Pod's volumes"
    if name in visit.pod.spoiled:
        return f"volume {quoted(name)} is invalid itself; correct it"
    known = [*visit.pod.volumes, *sorted(visit.pod.claimed)]
    near = nearest(name, known)
    if near is not None:
        return f"there is no volume {quoted(name)}; did you mean {quoted(near)}?"
    there = f"the Pod has {listed(map(quoted, known))}" if known else "the Pod has none"
    return f"there is no volume {quoted(name)}, {there}; add it to volumes"


def _mount_path(path: str, taken: Iterable[str], visit: Visit) -> None:
    if not path:
        missing("mountPath", visit)
    elif path in taken:
        visit.refuse(f"mountPath {quoted(path)} is mounted twice; use another path", "mountPath")


def _propagation(mount: Mapping[str, Any], container: Mapping[str, Any], visit: Visit) -> None:
    propagation = mount.get("mountPropagation")
    if mount.get("subPath") and mount.get("subPathExpr"):
        visit.refuse("subPath and subPathExpr exclude each other; keep one", "subPathExpr", on="key")
    if propagation == "Bidirectional" and value_at(container, ("securityContext", "privileged")) is not True:
        visit.refuse("only privileged containers may mount bidirectionally; use HostToContainer", "mountPropagation")
    if mount.get("recursiveReadOnly") in ("IfPossible", "Enabled"):
        if not mount.get("readOnly"):
            visit.refuse("recursiveReadOnly needs readOnly: true; add it", "recursiveReadOnly", on="key")
        if propagation not in (None, "None"):
            visit.refuse("recursiveReadOnly excludes mountPropagation; keep one", "recursiveReadOnly", on="key")


def _check_devices(container: Mapping[str, Any], visit: Visit) -> None:
    mounted = {mount.get("name"): mount.get("mountPath") for mount in container.get("volumeMounts") or ()}
    names: set[str] = set()
    paths: set[str] = set()
    for index, device in enumerate(container["volumeDevices"]):
        name, path = device.get("name", ""), device.get("devicePath", "")
        visit.trail.append(index)
        _device_name(name, names, visit)
        if not path:
            missing("devicePath", visit)
        elif path in paths or path in mounted.values():
            visit.refuse(f"devicePath {quoted(path)} is used twice; use another path", "devicePath")
        elif wrong := no_backsteps(path):
            visit.refuse(f"devicePath {quoted(path)} {wrong}", "devicePath")
        if name in mounted:
            visit.refuse(f"volume {quoted(name)} is mounted in the container; keep one of both", "name")
        visit.trail.pop()
        names.add(name)
        paths.add(path)


def _device_name(name: str, names: Iterable[str], visit: Visit) -> None:
    kind = visit.pod.volumes.get(name)
    if kind is None:
        visit.refuse(_unknown(name, visit), "name", rule=VOLUME_MOUNT_UNKNOWN)
    elif kind not in _BLOCK_KINDS:
        visit.refuse(f"volume {quoted(name)} is no block device; use a persistentVolumeClaim", "name")
    if name and name in names:
        visit.refuse(f"volume {quoted(name)} is used twice; keep one", "name")
