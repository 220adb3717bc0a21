"""The spec of a Pod in a Job's template.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (ValidatePodSpec) in 1.36 with the gates at their defaults. What
concerns only Pods of Windows is not checked (validateWindows, validateWindowsHostProcessPod).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.facts.validation import dns_1123_label, dns_1123_subdomain
from kubectl_trainjob.kube.pods.containers import containers, ephemeral_containers, init_containers
from kubectl_trainjob.kube.pods.ports import host_network_ports
from kubectl_trainjob.kube.pods.resources import overhead, pod_resources
from kubectl_trainjob.kube.pods.scheduling import affinity, readiness_gates, scheduling_gates, spread, tolerations
from kubectl_trainjob.kube.pods.security import pod_security
from kubectl_trainjob.kube.pods.selectors import labels
from kubectl_trainjob.kube.pods.texts import ip_address, search_domain
from kubectl_trainjob.kube.pods.visit import (
    Check,
    PodFacts,
    Visit,
    between,
    choice,
    each,
    fields,
    missing,
    remembered,
    text,
)
from kubectl_trainjob.kube.pods.volumes import volumes
from kubectl_trainjob.kube.schemas.formats import INT32
from kubectl_trainjob.kube.schemas.messages import quoted
from kubectl_trainjob.model.rules import POD_WITHOUT_CONTAINERS

_MOST_NAMESERVERS = 3
_MOST_SEARCHES = 32
_LONGEST_SEARCHES = 2048
_LONGEST_HOST_NAME = 64


def _claims(value: list[Mapping[str, Any]], visit: Visit) -> None:
    names: set[str] = set()
    for index, claim in enumerate(value):
        name = claim.get("name") or ""
        visit.trail.append(index)
        if name in names:
            visit.refuse(f"two claims are called {quoted(name)}; rename one", "name")
        elif wrong := dns_1123_label(name):
            visit.refuse(f"claim name {quoted(name)} {wrong}", "name")
        names.add(name)
        _claim_source(claim, visit)
        visit.trail.pop()


def _claim_source(claim: Mapping[str, Any], visit: Visit) -> None:
    given = [key for key in ("resourceClaimName", "resourceClaimTemplateName") if claim.get(key) is not None]
    if len(given) != 1:
        visit.refuse("a claim needs resourceClaimName or resourceClaimTemplateName, and only one of both; state one")
    for key in given:
        if wrong := dns_1123_subdomain(claim[key]):
            visit.refuse(f"{key} {quoted(claim[key])} {wrong}", key)


def _dns_config(value: Mapping[str, Any], visit: Visit) -> None:
    servers, searches = value.get("nameservers") or (), value.get("searches") or ()
    if not servers and visit.pod.spec.get("dnsPolicy") == "None":
        visit.refuse("dnsPolicy None needs a nameserver; add one", "nameservers")
        return
    if len(servers) > _MOST_NAMESERVERS:
        visit.refuse(f"there are more than {_MOST_NAMESERVERS} nameservers; remove some", "nameservers", on="key")
    if len(searches) > _MOST_SEARCHES or len(" ".join(searches).encode()) > _LONGEST_SEARCHES:
        message = f"searches must be no more than {_MOST_SEARCHES}, and {_LONGEST_SEARCHES} characters together"
        visit.refuse(message, "searches", on="key")
    _dns_fields(value, visit)
    for index, option in enumerate(value.get("options") or ()):
        if not option.get("name"):
            visit.refuse("the option has no name; add it", "options", index)


_dns_fields: Check = fields(
    {"nameservers": each(text(ip_address, pointer=True)), "searches": each(text(search_domain, pointer=True))}
)
_host_alias: Check = fields(
    {"ip": text(ip_address, pointer=True), "hostnames": each(text(dns_1123_subdomain, pointer=True))}
)


def _host_name(value: str, visit: Visit) -> None:
    """hostnameOverride, which nothing else may set, too."""
    for key in ("setHostnameAsFQDN", "hostNetwork"):
        if visit.pod.spec.get(key):
            visit.refuse(f"hostnameOverride and {key} exclude each other; remove one", on="key")
    if len(value.encode()) > _LONGEST_HOST_NAME:
        visit.refuse(f"hostnameOverride must be no more than {_LONGEST_HOST_NAME} characters")
    elif wrong := dns_1123_subdomain(value):
        visit.refuse(f"hostnameOverride {quoted(value)} {wrong}")


def _host_users(value: bool, visit: Visit) -> None:
    if value:
        return
    for key in ("hostNetwork", "hostPID", "hostIPC"):
        if visit.pod.spec.get(key):
            last = visit.trail.pop()
            visit.refuse(f"{key} needs the node's users; remove it, or hostUsers: false", key, on="key")
            visit.trail.append(last)


def _shared_processes(value: bool, visit: Visit) -> None:
    if value and visit.pod.spec.get("hostPID"):
        visit.refuse("shareProcessNamespace and hostPID exclude each other; remove one", on="key")


_object_name: Check = text(dns_1123_subdomain)
_FIELDS: dict[str, Check] = {
    "resourceClaims": _claims,
    "containers": containers,
    "initContainers": init_containers,
    "ephemeralContainers": ephemeral_containers,
    "resources": pod_resources,
    "overhead": overhead,
    "dnsPolicy": choice("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"),
    "dnsConfig": _dns_config,
    "nodeSelector": remembered(labels),
    "securityContext": pod_security,
    "affinity": remembered(affinity),
    "tolerations": remembered(tolerations),
    "topologySpreadConstraints": remembered(spread),
    "schedulingGates": scheduling_gates,
    "readinessGates": readiness_gates,
    "serviceAccountName": _object_name,
    "nodeName": _object_name,
    "priorityClassName": _object_name,
    "runtimeClassName": text(dns_1123_subdomain, pointer=True),
    "hostname": text(dns_1123_label),
    "subdomain": text(dns_1123_label),
    "hostnameOverride": _host_name,
    "hostAliases": each(_host_alias),
    "hostUsers": _host_users,
    "shareProcessNamespace": _shared_processes,
    "activeDeadlineSeconds": between(1, INT32[1]),
    "preemptionPolicy": choice("PreemptLowerPriority", "Never", pointer=True),
}
_fields: Check = fields(_FIELDS)


def pod_spec(spec: Mapping[str, Any], visit: Visit) -> None:
    """Everything but the restartPolicy, of which a Job has its own opinion; `visit` stands at the spec."""
    visit.pod = facts = PodFacts(spec, claimed=visit.claimed)
    if spec.get("volumes"):
        visit.trail.append("volumes")
        facts.volumes, facts.spoiled = volumes(spec["volumes"], visit)
        visit.trail.pop()
    if claims := spec.get("resourceClaims"):
        facts.claims = frozenset(claim["name"] for claim in claims if claim.get("name"))
    _fields(spec, visit)
    if spec.get("containers") is None:
        visit.refuse("the Pod has no containers; add one", "containers", rule=POD_WITHOUT_CONTAINERS)
    if spec.get("dnsPolicy") == "None" and spec.get("dnsConfig") is None:
        missing("dnsConfig", visit)
    if spec.get("hostNetwork"):
        visit.enter("containers", spec.get("containers") or [], host_network_ports)
    if not spec.get("serviceAccountName") and (wrong := dns_1123_subdomain(spec.get("serviceAccount") or "a")):
        message = f"serviceAccount {quoted(spec['serviceAccount'])} {wrong}"
        visit.refuse(message, "serviceAccountName", shown=("serviceAccount",))
    if "os" in spec:
        _operating_system((spec["os"] or {}).get("name") or "", visit)


def _operating_system(name: str, visit: Visit) -> None:
    if not name:
        visit.enter("os", name, lambda _, at: missing("name", at))
    elif name not in ("linux", "windows"):
        visit.refuse(f"os {quoted(name)} does not exist; use linux or windows", "os", shown=("os", "name"))
