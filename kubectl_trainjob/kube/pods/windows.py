"""What a Pod may state for Windows, and what not, depending on the system that it says it is for.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validateWindowsSecurityContextOptions and its neighbours,
validateOS, validateLinux, validateWindows).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.facts.validation import dns_1123_subdomain
from kubectl_trainjob.kube.pods.metadata import containers_of
from kubectl_trainjob.kube.pods.visit import Check, Visit, fields, missing, text
from kubectl_trainjob.kube.schemas.messages import quoted
from kubectl_trainjob.model.source import value_at

_LONGEST_CREDENTIAL = 64 * 1024
_LONGEST_DOMAIN = 255
_LONGEST_USER = 104
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NET_BIOS = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}')
_DNS_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_DNS = re.compile(rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*")
_NOT_IN_USER = re.compile(r'["/\\:;|=,+*?<>@\[\]]')

_POD_FIELDS = ("hostUsers", "hostPID", "hostIPC", "shareProcessNamespace")
_POD_SECURITY = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "runAsUser",
    "runAsGroup",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "seLinuxChangePolicy",
)
_CONTAINER_SECURITY = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
)
_HOST_PROCESS = ("securityContext", "windowsOptions", "hostProcess")


def _credential(value: str) -> str:
    if value and len(value.encode()) <= _LONGEST_CREDENTIAL:
        return ""
    return "must not be empty and be no larger than 64 KiB"


def _user_name(value: str) -> str:
    if not value or _CONTROL.search(value) or value.count("\\") > 1:
        return "must be a user, or a domain, a backslash and a user"
    domain, given, user = value.rpartition("\\")
    is_domain = _NET_BIOS.fullmatch(domain) or _DNS.fullmatch(domain)
    if given and (len(domain.encode()) > _LONGEST_DOMAIN or not is_domain):
        return "must have the name of a domain before the backslash"
    if not user.strip(". ") or len(user.encode()) > _LONGEST_USER or _NOT_IN_USER.search(user):
        return "must have the name of a user, without special characters"
    return ""


windows_options: Check = fields(
    {
        "gmsaCredentialSpecName": text(dns_1123_subdomain, pointer=True),
        "gmsaCredentialSpec": text(_credential, pointer=True),
        "runAsUserName": text(_user_name, pointer=True),
    }
)


def host_processes(spec: Mapping[str, Any], visit: Visit) -> None:
    """Containers that are processes of a Windows node: all or none; `visit` stands at the Pod's spec."""
    of_pod = value_at(spec, _HOST_PROCESS)
    if of_pod is None and not any("windowsOptions" in (c.get("securityContext") or ()) for c, _ in containers_of(spec)):
        return
    found = []
    for container, place in containers_of(spec):
        own = value_at(container, _HOST_PROCESS)
        if of_pod is not None and own is not None and own != of_pod:
            visit.refuse("hostProcess differs from the Pod's; use one value", *place, *_HOST_PROCESS)
        found.append(bool(of_pod if own is None else own))
    if any(found):
        if not all(found):
            visit.refuse("one container is a process of the node; set hostProcess for all of them")
        if not spec.get("hostNetwork"):
            visit.refuse("processes of the node use its network; set hostNetwork: true", "hostNetwork")


def operating_system(spec: Mapping[str, Any], visit: Visit) -> None:
    """What suits the system that the Pod names; `visit` stands at the Pod's spec."""
    name = (spec.get("os") or {}).get("name") or ""
    if not name:
        visit.enter("os", spec, lambda _, at: missing("name", at))
    elif name == "linux":
        _linux(spec, visit)
    elif name == "windows":
        _windows(spec, visit)
    else:
        visit.refuse(f"os {quoted(name)} does not exist; use linux or windows", "os", shown=("os", "name"))


def _linux(spec: Mapping[str, Any], visit: Visit) -> None:
    for owner, place in ((spec, ()), *containers_of(spec)):
        if value_at(owner, ("securityContext", "windowsOptions")) is not None:
            message = "a Pod of linux has no windowsOptions; remove them"
            visit.refuse(message, *place, "securityContext", "windowsOptions", on="key")


def _windows(spec: Mapping[str, Any], visit: Visit) -> None:
    pod = spec.get("securityContext") or {}
    for key in _POD_FIELDS:
        if spec.get(key) or (spec.get(key) is not None and key in ("hostUsers", "shareProcessNamespace")):
            _not_for_windows(visit, key)
    for key in _POD_SECURITY:
        if pod.get(key) is not None:
            _not_for_windows(visit, "securityContext", key)
    if pod.get("sysctls"):
        _not_for_windows(visit, "securityContext", "sysctls")
    for container, place in containers_of(spec):
        own = container.get("securityContext") or {}
        for key in _CONTAINER_SECURITY:
            if own.get(key) is not None:
                _not_for_windows(visit, *place, "securityContext", key)


def _not_for_windows(visit: Visit, *place: str | int) -> None:
    visit.refuse(f"a Pod of windows has no {place[-1]}; remove it", *place, on="key")
