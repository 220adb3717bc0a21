"""Security contexts of Pods and containers.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validatePodSpecSecurityContext, ValidateSecurityContext); privileged
containers are a cluster's own decision. `windowsOptions` are not checked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.pods.texts import relative_path
from kubectl_trainjob.kube.pods.visit import Check, Visit, between, choice, each, every, fields, missing
from kubectl_trainjob.kube.schemas.formats import INT32
from kubectl_trainjob.kube.schemas.messages import listed, quoted

_PROFILES = ("Localhost", "RuntimeDefault", "Unconfined")
_LONGEST_PROFILE = 4095
_SEGMENT = r"[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL = re.compile(rf"({_SEGMENT}[./])*{_SEGMENT}")
_LONGEST_SYSCTL = 253
_IPC = ("kernel.shm", "kernel.msg", "fs.mqueue.")

_user: Check = between(0, INT32[1])


def _profile_type(value: Mapping[str, Any], visit: Visit) -> None:
    kind = value.get("type") or ""
    if not kind:
        missing("type", visit)
    elif kind not in _PROFILES:
        visit.refuse(f"profile type {quoted(kind)} does not exist; use {listed(_PROFILES, 'or')}", "type")


def _seccomp(value: Mapping[str, Any], visit: Visit) -> None:
    _profile_type(value, visit)
    profile = value.get("localhostProfile")
    if value.get("type") != "Localhost":
        if profile is not None:
            message = "localhostProfile belongs to profiles of type Localhost; remove it"
            visit.refuse(message, "localhostProfile", on="key")
    elif profile is None:
        missing("localhostProfile", visit)
    elif wrong := relative_path(profile):
        visit.refuse(f"localhostProfile {quoted(profile)} {wrong}", "localhostProfile")


def _app_armor(value: Mapping[str, Any], visit: Visit) -> None:
    _profile_type(value, visit)
    kind, profile = value.get("type"), value.get("localhostProfile")
    if kind == "Localhost":
        if not profile:
            missing("localhostProfile", visit)
        elif profile != profile.strip() or len(profile.encode()) > _LONGEST_PROFILE:
            message = f"localhostProfile {quoted(profile)} must have no blanks around it and be shorter than 4096"
            visit.refuse(message, "localhostProfile")
    elif kind in _PROFILES and profile is not None:
        visit.refuse("localhostProfile belongs to profiles of type Localhost; remove it", "localhostProfile", on="key")


def _sysctls(value: list[Mapping[str, Any]], visit: Visit) -> None:
    names: set[str] = set()
    for index, entry in enumerate(value):
        name = entry.get("name") or ""
        if not name:
            visit.refuse("the sysctl has no name; add it", index, "name")
        elif len(name.encode()) > _LONGEST_SYSCTL or not _SYSCTL.fullmatch(name):
            visit.refuse(f"sysctl {quoted(name)} must be names joined by '.' or '/'", index, "name")
        elif name in names:
            visit.refuse(f"sysctl {quoted(name)} is set twice; keep one", index, "name")
        if space := _shared_space(name, visit.pod.spec):
            visit.refuse(f"sysctl {quoted(name)} is the node's with {space}: true; remove one of both", index, "name")
        names.add(name)


def _shared_space(name: str, spec: Mapping[str, Any]) -> str:
    """The field that gives the Pod the node's own part of the kernel, which the sysctl belongs to."""
    if "/" in name and (("." not in name) or name.index("/") < name.index(".")):
        name = name.translate(str.maketrans("./", "/."))
    if spec.get("hostNetwork") and name.startswith("net."):
        return "hostNetwork"
    return "hostIPC" if spec.get("hostIPC") and (name == "kernel.sem" or name.startswith(_IPC)) else ""


pod_security: Check = fields(
    {
        "fsGroup": _user,
        "runAsUser": _user,
        "runAsGroup": _user,
        "supplementalGroups": each(_user),
        "sysctls": _sysctls,
        "fsGroupChangePolicy": choice("OnRootMismatch", "Always", pointer=True),
        "supplementalGroupsPolicy": choice("Merge", "Strict", pointer=True),
        "seLinuxChangePolicy": choice("Recursive", pointer=True),
        "seccompProfile": _seccomp,
        "appArmorProfile": _app_armor,
    }
)


_proc_mounts: Check = choice("Default", "Unmasked", pointer=True)


def _proc_mount(value: str, visit: Visit) -> None:
    _proc_mounts(value, visit)
    if value == "Unmasked" and visit.pod.shares_users:
        visit.refuse('procMount "Unmasked" needs users of the Pod\'s own; set hostUsers: false')


def _escalation(value: Mapping[str, Any], visit: Visit) -> None:
    if value.get("allowPrivilegeEscalation") is not False:
        return
    if value.get("privileged"):
        message = "a privileged container has all rights; remove allowPrivilegeEscalation: false"
        visit.refuse(message, shown=("allowPrivilegeEscalation",))
    if "CAP_SYS_ADMIN" in ((value.get("capabilities") or {}).get("add") or ()):
        message = "the capability CAP_SYS_ADMIN gives more rights; remove allowPrivilegeEscalation: false"
        visit.refuse(message, shown=("allowPrivilegeEscalation",))


container_security: Check = every(
    fields(
        {
            "runAsUser": _user,
            "runAsGroup": _user,
            "procMount": _proc_mount,
            "seccompProfile": _seccomp,
            "appArmorProfile": _app_armor,
        }
    ),
    _escalation,
)
