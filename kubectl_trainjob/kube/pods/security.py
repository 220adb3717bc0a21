"""Security contexts of Pods and containers.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validatePodSpecSecurityContext, ValidateSecurityContext). Whether
containers may be privileged depends on the cluster. `windowsOptions` are not checked.
"""

from __future__ import annotations

import re

from kubectl_trainjob.kube.facts.validation import relative_path
from kubectl_trainjob.kube.pods.visit import Check, Visit, between, choice, each, every, fields
from kubectl_trainjob.kube.schemas.scalars import INT32
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.stages import Body

_PROFILES = ("Localhost", "RuntimeDefault", "Unconfined")
_LONGEST_PROFILE = 4095
_SEGMENT = r"[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL = rf"({_SEGMENT}[./])*{_SEGMENT}"
_LONGEST_SYSCTL = 253
_IPC = ("kernel.shm", "kernel.msg", "fs.mqueue.")
_NOT_LOCALHOST = "localhostProfile needs a profile of type Localhost; remove it"

_user: Check = between(0, INT32[1])


def _profile_type(value: Body, visit: Visit) -> None:
    if value.get("type"):
        visit.check_choice("profile type", value["type"], _PROFILES, "type")
    else:
        visit.reject_missing("type")


def _seccomp(value: Body, visit: Visit) -> None:
    _profile_type(value, visit)
    profile = value.get("localhostProfile")
    if value.get("type") != "Localhost":
        if profile is not None:
            visit.reject(say(_NOT_LOCALHOST), "localhostProfile", on="key")
    elif profile is None:
        visit.reject_missing("localhostProfile")
    else:
        visit.check_text("localhostProfile", profile, relative_path, "localhostProfile")


def _app_armor(value: Body, visit: Visit) -> None:
    _profile_type(value, visit)
    kind, profile = value.get("type"), value.get("localhostProfile")
    if kind == "Localhost":
        if not profile:
            visit.reject_missing("localhostProfile")
        elif profile != profile.strip() or len(profile.encode()) > _LONGEST_PROFILE:
            template = 'localhostProfile "{}" must have no spaces around it and no more than {} characters'
            visit.reject(say(template, profile, _LONGEST_PROFILE), "localhostProfile")
    elif kind in _PROFILES and profile is not None:
        visit.reject(say(_NOT_LOCALHOST), "localhostProfile", on="key")


def _sysctls(value: list[Body], visit: Visit) -> None:
    names: set[str] = set()
    for index, entry in enumerate(value):
        name = entry.get("name") or ""
        if not name:
            visit.reject(say("the sysctl has no name; add it"), index, "name")
        elif len(name.encode()) > _LONGEST_SYSCTL or not re.fullmatch(_SYSCTL, name):
            visit.reject(say("sysctl \"{}\" must be names joined by '.' or '/'", name), index, "name")
        else:
            visit.check_unique("sysctl", name, names, index, "name")
        if field := _shared_part(name, visit.pod.spec):
            template = 'sysctl "{}" cannot be set with {}: true; remove one of them'
            visit.reject(say(template, name, Message(field)), index, "name")


def _shared_part(name: str, spec: Body) -> str:
    """The field that shares the host's namespace, which the sysctl belongs to."""
    if "/" in name and (("." not in name) or name.index("/") < name.index(".")):
        name = name.translate(str.maketrans("./", "/."))
    if spec.get("hostNetwork") and name.startswith("net."):
        return "hostNetwork"
    return "hostIPC" if spec.get("hostIPC") and (name == "kernel.sem" or name.startswith(_IPC)) else ""


_SHARED: dict[str, Check] = {
    "runAsUser": _user,
    "runAsGroup": _user,
    "seccompProfile": _seccomp,
    "appArmorProfile": _app_armor,
}
pod_security: Check = fields(
    {
        **_SHARED,
        "fsGroup": _user,
        "supplementalGroups": each(_user),
        "sysctls": _sysctls,
        "fsGroupChangePolicy": choice("OnRootMismatch", "Always", pointer=True),
        "supplementalGroupsPolicy": choice("Merge", "Strict", pointer=True),
        "seLinuxChangePolicy": choice("Recursive", pointer=True),
    }
)


def _proc_mount(value: str, visit: Visit) -> None:
    visit.check_choice("procMount", value, ("Default", "Unmasked"))
    if value == "Unmasked" and visit.pod.shares_users:
        visit.reject(say("procMount Unmasked needs hostUsers: false; add it"))


def _escalation(value: Body, visit: Visit) -> None:
    if value.get("allowPrivilegeEscalation") is not False:
        return
    shown = ("allowPrivilegeEscalation",)
    if value.get("privileged"):
        visit.reject(say("a privileged container has all rights; remove allowPrivilegeEscalation: false"), shown=shown)
    if "CAP_SYS_ADMIN" in ((value.get("capabilities") or {}).get("add") or ()):
        message = say("the capability CAP_SYS_ADMIN gives more rights; remove allowPrivilegeEscalation: false")
        visit.reject(message, shown=shown)


container_security: Check = every(fields({**_SHARED, "procMount": _proc_mount}), _escalation)
