"""The spec of a Pod in a Job's template.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (ValidatePodSpec) in 1.36 with the gates at their defaults. What
concerns only Pods of Windows is not checked (validateWindows, validateWindowsHostProcessPod).
"""

from __future__ import annotations

from kubectl_trainjob.kube.facts import validation
from kubectl_trainjob.kube.pods.containers import containers, ephemeral_containers, init_containers
from kubectl_trainjob.kube.pods.ports import host_network_ports
from kubectl_trainjob.kube.pods.resources import overhead, pod_resources
from kubectl_trainjob.kube.pods.scheduling import affinity, readiness_gates, scheduling_gates, spread, tolerations
from kubectl_trainjob.kube.pods.security import pod_security
from kubectl_trainjob.kube.pods.selectors import labels
from kubectl_trainjob.kube.pods.visit import Check, PodFacts, Visit, between, cached, choice, each, fields, text
from kubectl_trainjob.kube.pods.volumes import volumes
from kubectl_trainjob.kube.schemas.scalars import INT32
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import POD_WITHOUT_CONTAINERS
from kubectl_trainjob.model.stages import Body

_MOST_NAMESERVERS = 3
_MOST_SEARCHES = 32
_LONGEST_SEARCHES = 2048
_LONGEST_HOST_NAME = 64


def _claims(value: list[Body], visit: Visit) -> None:
    names: set[str] = set()
    for claim in visit.items(value):
        name = claim.get("name") or ""
        if name not in names:
            visit.check_text("claim name", name, validation.dns_1123_label, "name")
        visit.check_unique("claim name", name, names, "name")
        given = [key for key in ("resourceClaimName", "resourceClaimTemplateName") if claim.get(key) is not None]
        if len(given) != 1:
            visit.reject(say("a claim needs either resourceClaimName or resourceClaimTemplateName; set exactly one"))
        for key in given:
            visit.check_text(key, claim[key], validation.dns_1123_subdomain, key)


def _dns_config(value: Body, visit: Visit) -> None:
    servers, searches = value.get("nameservers") or (), value.get("searches") or ()
    if not servers and visit.pod.spec.get("dnsPolicy") == "None":
        visit.reject(say("dnsPolicy None needs a nameserver; add one"), "nameservers")
        return
    visit.check_at_most(len(servers), _MOST_NAMESERVERS, "nameservers", "nameservers")
    if len(searches) > _MOST_SEARCHES or len(" ".join(searches).encode()) > _LONGEST_SEARCHES:
        template = "searches must be no more than {}, and {} characters together"
        visit.reject(say(template, _MOST_SEARCHES, _LONGEST_SEARCHES), "searches", on="key")
    _dns_fields(value, visit)
    for index, option in enumerate(value.get("options") or ()):
        if not option.get("name"):
            visit.reject(say("the option has no name; add it"), "options", index)


_ip: Check = text(validation.ip_address, pointer=True)
_dns_fields: Check = fields({"nameservers": each(_ip), "searches": each(text(validation.search_domain, pointer=True))})
_host_alias: Check = fields({"ip": _ip, "hostnames": each(text(validation.dns_1123_subdomain, pointer=True))})


def _host_name(value: str, visit: Visit) -> None:
    """hostnameOverride, which excludes fields that set the host name, too."""
    for key in ("setHostnameAsFQDN", "hostNetwork"):
        if visit.pod.spec.get(key):
            visit.reject(say("hostnameOverride and {} cannot be set together; remove one", Message(key)), on="key")
    visit.check_text("hostnameOverride", value, _host_name_form)


def _host_name_form(name: str) -> Message:
    return validation.too_long(name, _LONGEST_HOST_NAME) or validation.dns_1123_subdomain(name)


def _host_users(value: bool, visit: Visit) -> None:
    if value:
        return
    for key in ("hostNetwork", "hostPID", "hostIPC"):
        if visit.pod.spec.get(key):
            last = visit.trail.pop()
            visit.reject(say("{} cannot be set with hostUsers: false; remove one of them", Message(key)), key, on="key")
            visit.trail.append(last)


def _shared_processes(value: bool, visit: Visit) -> None:
    if value and visit.pod.spec.get("hostPID"):
        visit.reject(say("shareProcessNamespace and hostPID cannot be set together; remove one"), on="key")


_object_name: Check = text(validation.dns_1123_subdomain)
_FIELDS: dict[str, Check] = {
    "resourceClaims": _claims,
    "containers": containers,
    "initContainers": init_containers,
    "ephemeralContainers": ephemeral_containers,
    "resources": pod_resources,
    "overhead": overhead,
    "dnsPolicy": choice("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"),
    "dnsConfig": _dns_config,
    "nodeSelector": cached(labels),
    "securityContext": pod_security,
    "affinity": cached(affinity),
    "tolerations": cached(tolerations),
    "topologySpreadConstraints": cached(spread),
    "schedulingGates": scheduling_gates,
    "readinessGates": readiness_gates,
    "serviceAccountName": _object_name,
    "nodeName": _object_name,
    "priorityClassName": _object_name,
    "runtimeClassName": text(validation.dns_1123_subdomain, pointer=True),
    "hostname": text(validation.dns_1123_label),
    "subdomain": text(validation.dns_1123_label),
    "hostnameOverride": _host_name,
    "hostAliases": each(_host_alias),
    "hostUsers": _host_users,
    "shareProcessNamespace": _shared_processes,
    "activeDeadlineSeconds": between(1, INT32[1]),
    "preemptionPolicy": choice("PreemptLowerPriority", "Never", pointer=True),
}
_fields: Check = fields(_FIELDS)


def pod_spec(spec: Body, visit: Visit) -> None:
    """Every field except the restartPolicy, which a Job restricts; the spec is the current value."""
    visit.pod = facts = PodFacts(spec, claimed=visit.claimed)
    if spec.get("volumes"):
        visit.trail.append("volumes")
        facts.volumes, facts.invalid_volumes = volumes(spec["volumes"], visit)
        visit.trail.pop()
    if claims := spec.get("resourceClaims"):
        facts.claims = frozenset(claim["name"] for claim in claims if claim.get("name"))
    _fields(spec, visit)
    if spec.get("containers") is None:
        visit.reject(say("the Pod has no containers; add one"), "containers", rule=POD_WITHOUT_CONTAINERS)
    if spec.get("dnsPolicy") == "None" and spec.get("dnsConfig") is None:
        visit.reject_missing("dnsConfig")
    if spec.get("hostNetwork"):
        visit.enter("containers", spec.get("containers") or [], host_network_ports)
    if not spec.get("serviceAccountName") and (account := spec.get("serviceAccount")):
        shown = ("serviceAccount",)
        visit.check_text("serviceAccount", account, validation.dns_1123_subdomain, "serviceAccountName", shown=shown)
    if "os" in spec:
        _operating_system((spec["os"] or {}).get("name") or "", visit)


def _operating_system(name: str, visit: Visit) -> None:
    if not name:
        visit.enter("os", name, lambda _, os: os.reject_missing("name"))
    else:
        visit.check_choice("os", name, ("linux", "windows"), "os", shown=("os", "name"))
