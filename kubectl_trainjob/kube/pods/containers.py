"""Containers, init containers and sidecars.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validateContainers, validateInitContainers).
"""

from __future__ import annotations

from collections.abc import Collection

from kubectl_trainjob.kube.facts.validation import dns_1123_label
from kubectl_trainjob.kube.pods.env import env, env_from
from kubectl_trainjob.kube.pods.ports import PROBES, host_ports, lifecycle, ports
from kubectl_trainjob.kube.pods.resources import resources
from kubectl_trainjob.kube.pods.security import container_security
from kubectl_trainjob.kube.pods.visit import Check, Visit, choice, each, fields
from kubectl_trainjob.kube.pods.volumes import mounts
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import (
    CONTAINER_IMAGE_MISSING,
    INIT_CONTAINER_FIELD,
    POD_FIELD_NAME_INVALID,
    POD_WITHOUT_CONTAINERS,
)
from kubectl_trainjob.model.stages import Body

_SIDECAR = "Always"
_POLICIES = (_SIDECAR, "Never", "OnFailure")
_MOST_RULES = 20
_MOST_CODES = 255
_RESIZES = ("NotRequired", "RestartContainer")


def _resize_policy(value: list[Body], visit: Visit) -> None:
    seen: set[str] = set()
    never = visit.pod.spec.get("restartPolicy") == "Never"
    for index, policy in enumerate(value):
        name, restart = policy.get("resourceName", ""), policy.get("restartPolicy", "")
        visit.check_unique("resource", name, seen, index)
        if name not in ("cpu", "memory"):
            visit.reject(say('resource "{}" cannot be resized; use cpu or memory', name), shown=(index, "resourceName"))
        visit.check_choice("restartPolicy", restart, _RESIZES, shown=(index, "restartPolicy"))
        if never and restart != "NotRequired":
            visit.reject(say("containers of this Pod never restart; use NotRequired"), shown=(index, "restartPolicy"))


def _restart_rule(value: Body, visit: Visit) -> None:
    visit.check_choice("action", value.get("action", ""), ("Restart", "RestartAllContainers"), "action")
    codes = value.get("exitCodes")
    if codes is None:
        visit.reject_missing("exitCodes")
        return
    visit.check_choice("operator", codes.get("operator", ""), ("In", "NotIn"), "exitCodes", "operator")
    visit.check_at_most(len(codes.get("values") or ()), _MOST_CODES, "exit codes", "exitCodes", "values")


def _restart(container: Body, visit: Visit, *, init: bool) -> None:
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or ()
    if policy is None and rules:
        visit.reject(say("restartPolicyRules need a restartPolicy; add it"), "restartPolicy")
        if init:
            return
    elif policy is not None:
        visit.check_choice("restartPolicy", policy, _POLICIES, "restartPolicy")
    if rules:
        visit.check_at_most(len(rules), _MOST_RULES, "rules", "restartPolicyRules")
        visit.enter("restartPolicyRules", rules, each(_restart_rule))


_SHARED: dict[str, Check] = {
    "env": env,
    "ports": ports,
    "envFrom": env_from,
    "resources": resources,
    "securityContext": container_security,
    "imagePullPolicy": choice("Always", "IfNotPresent", "Never"),
    "terminationMessagePolicy": choice("File", "FallbackToLogsOnError"),
    "resizePolicy": _resize_policy,
}
_common_fields: Check = fields(_SHARED)
_running_fields: Check = fields({**_SHARED, **PROBES, "lifecycle": lifecycle})
_RUNNING_ONLY = ("lifecycle", *PROBES)
_NOT_EPHEMERAL = (*_RUNNING_ONLY, "ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules")


def _name_and_image(container: Body, names: set[str], visit: Visit) -> None:
    name = container.get("name", "")
    visit.check_text("container name", name, dns_1123_label, "name", rule=POD_FIELD_NAME_INVALID)
    visit.check_unique("container name", name, names, "name", rule=POD_FIELD_NAME_INVALID)
    if not container.get("image"):
        visit.reject(say('container "{}" has no image; add it', name), "image", rule=CONTAINER_IMAGE_MISSING)


def containers(value: list[Body], visit: Visit) -> None:
    """The containers of a Pod; the list is the current value."""
    if not value:
        visit.reject(say("the Pod has no containers; add one"), rule=POD_WITHOUT_CONTAINERS)
    names: set[str] = set()
    taken: set[tuple[str, str, int]] = set()
    for container in visit.items(value):
        _name_and_image(container, names, visit)
        host_ports(container, taken, visit)
        _check_new(container, _main_container, visit)


def init_containers(value: list[Body], visit: Visit) -> None:
    """Init containers, with sidecars (which always restart); the list is the current value."""
    names = {container.get("name", "") for container in visit.pod.spec.get("containers") or ()}
    for container in visit.items(value):
        _name_and_image(container, names, visit)
        host_ports(container, set(), visit)
        _check_new(container, _init_container, visit)


def _check_new(container: Body, check: Check, visit: Visit) -> None:
    """Check a container without its name and image, unless it was valid in a Pod with the same context."""
    cached, context = visit.pod_cache.containers, visit.pod.context()
    if id(container) in cached and cached[id(container)][1] == context:
        return
    before = len(visit.problems)
    check(container, visit)
    if visit.pod_cache.is_priming and len(visit.problems) == before:
        cached[id(container)] = container, context, visit.pod.volumes


def _main_container(container: Body, visit: Visit) -> None:
    _running_fields(container, visit)
    mounts(container, visit)
    _restart(container, visit, init=False)


def _init_container(container: Body, visit: Visit) -> None:
    is_sidecar = container.get("restartPolicy") == _SIDECAR
    (_running_fields if is_sidecar else _common_fields)(container, visit)
    mounts(container, visit)
    _restart(container, visit, init=True)
    if not is_sidecar:
        _reject_fields_of_running(container, visit)


def _reject_fields_of_running(container: Body, visit: Visit) -> None:
    for key in _RUNNING_ONLY:
        if container.get(key) is not None and not _is_dropped(key, container[key]):
            template = "an init container ends before the others start; remove {}, or set restartPolicy: Always"
            visit.reject(say(template, Message(key)), key, on="key", rule=INIT_CONTAINER_FIELD)
    for index, policy in enumerate(container.get("resizePolicy") or ()):
        if policy.get("restartPolicy") == _RESIZES[1]:
            message = say("an init container cannot restart to be resized; use NotRequired")
            visit.reject(message, "resizePolicy", index, "restartPolicy")


def ephemeral_containers(value: list[Body], visit: Visit) -> None:
    """Containers for debugging, which only a running Pod can get; the list is the current value."""
    if value:
        visit.reject(say("a template cannot have ephemeral containers; remove them"), on="key")
    known = {one.get("name") for kind in ("containers", "initContainers") for one in visit.pod.spec.get(kind) or ()}
    names = set(known)
    for container in visit.items(value):
        _name_and_image(container, names, visit)
        _common_fields(container, visit)
        mounts(container, visit)
        _reject_fields_of_templates(container, known, visit)


def _reject_fields_of_templates(container: Body, known: Collection[str | None], visit: Visit) -> None:
    image, target = container.get("image") or "", container.get("targetContainerName")
    if image != image.strip():
        visit.reject(say('image "{}" must have no spaces around it', image), "image")
    if target and target not in known:
        visit.reject(say('container "{}" does not exist; correct the name', target), "targetContainerName")
    for key in _NOT_EPHEMERAL:
        value = container.get(key)
        if value is not None and not _is_dropped(key, value) and (value or key != "resources"):
            visit.reject(_not_in_ephemeral(key), key, on="key")
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        for key in ("subPath", "subPathExpr"):
            if mount.get(key):
                visit.reject(_not_in_ephemeral(key), "volumeMounts", index, key, on="key")


def _not_in_ephemeral(key: str) -> Message:
    return say("an ephemeral container cannot have {}; remove it", Message(key))


def _is_dropped(key: str, value: Body) -> bool:
    """The API server drops stopSignal, and a lifecycle that had no other field."""
    return key == "lifecycle" and value.get("stopSignal") is not None and value.keys() == {"stopSignal"}
