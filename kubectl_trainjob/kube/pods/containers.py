"""Containers, init containers and sidecars.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validateContainers, validateInitContainers).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from kubectl_trainjob.kube.pods.env import env, env_from
from kubectl_trainjob.kube.pods.mounts import mounts
from kubectl_trainjob.kube.pods.ports import host_ports, ports
from kubectl_trainjob.kube.pods.probes import PROBES, lifecycle
from kubectl_trainjob.kube.pods.resources import resources
from kubectl_trainjob.kube.pods.security import container_security
from kubectl_trainjob.kube.pods.texts import label
from kubectl_trainjob.kube.pods.visit import Check, Visit, choice, each, fields, missing
from kubectl_trainjob.kube.schemas.messages import listed, quoted
from kubectl_trainjob.model.rules import (
    CONTAINER_IMAGE_MISSING,
    INIT_CONTAINER_FIELD,
    POD_FIELD_NAME_INVALID,
    POD_WITHOUT_CONTAINERS,
)

_POLICIES = ("Always", "Never", "OnFailure")
_SIDECAR = "Always"
_MOST_RULES = 20
_MOST_CODES = 255
_RESIZED = ("cpu", "memory")
_RESIZES = ("NotRequired", "RestartContainer")


def _resize_policy(value: list[Mapping[str, Any]], visit: Visit) -> None:
    known: set[str] = set()
    never = visit.pod.spec.get("restartPolicy") == "Never"
    for index, policy in enumerate(value):
        name, restart = policy.get("resourceName", ""), policy.get("restartPolicy", "")
        if name in known:
            visit.refuse(f"resource {quoted(name)} is given twice; keep one", index)
        known.add(name)
        if name not in _RESIZED:
            visit.refuse(f"resource {quoted(name)} cannot be resized; use cpu or memory", shown=(index, "resourceName"))
        if restart not in _RESIZES:
            message = f"restartPolicy {quoted(restart)} does not exist; use {listed(_RESIZES, 'or')}"
            visit.refuse(message, shown=(index, "restartPolicy"))
        if never and restart != "NotRequired":
            message = "containers of this Pod never restart; use NotRequired"
            visit.refuse(message, shown=(index, "restartPolicy"))


def _rule(value: Mapping[str, Any], visit: Visit) -> None:
    _rule_action(value.get("action", ""), visit)
    codes = value.get("exitCodes")
    if codes is None:
        missing("exitCodes", visit)
        return
    operator = codes.get("operator", "")
    if operator not in ("In", "NotIn"):
        visit.refuse(f"operator {quoted(operator)} does not exist; use In or NotIn", "exitCodes", "operator")
    if len(codes.get("values") or ()) > _MOST_CODES:
        visit.refuse(f"there are more than {_MOST_CODES} exit codes; remove some", "exitCodes", "values", on="key")


def _rule_action(action: str, visit: Visit) -> None:
    if action not in ("Restart", "RestartAllContainers"):
        visit.refuse(f"action {quoted(action)} does not exist; use Restart or RestartAllContainers", "action")


_rules: Check = each(_rule)


def _restart(container: Mapping[str, Any], visit: Visit, *, init: bool) -> None:
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or ()
    if policy is None and rules:
        visit.refuse("restartPolicyRules need a restartPolicy beside them; add it", "restartPolicy")
        if init:
            return
    elif policy is not None and policy not in _POLICIES:
        message = f"restartPolicy {quoted(policy)} does not exist; use {listed(_POLICIES, 'or')}"
        visit.refuse(message, "restartPolicy")
    if len(rules) > _MOST_RULES:
        visit.refuse(f"there are more than {_MOST_RULES} rules; remove some", "restartPolicyRules", on="key")
    if rules:
        visit.enter("restartPolicyRules", rules, _rules)


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
_common: Check = fields(_SHARED)
_running: Check = fields({**_SHARED, **PROBES, "lifecycle": lifecycle})
_AT_WORK = ("lifecycle", *PROBES)
_NOT_EPHEMERAL = (*_AT_WORK, "ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules")


def _named(container: Mapping[str, Any], names: set[str], visit: Visit) -> None:
    name = container.get("name", "")
    if wrong := label(name):
        visit.refuse(f"container name {quoted(name)} {wrong}", "name", rule=POD_FIELD_NAME_INVALID)
    if name in names:
        visit.refuse(f"two containers are called {quoted(name)}; rename one", "name", rule=POD_FIELD_NAME_INVALID)
    names.add(name)
    if not container.get("image"):
        message = f"container {quoted(name)} has no image; name one"
        visit.refuse(message, "image", rule=CONTAINER_IMAGE_MISSING)


def containers(value: list[Mapping[str, Any]], visit: Visit) -> None:
    """The containers of a Pod; `visit` stands at the list."""
    if not value:
        visit.refuse("the Pod has no containers; add one", rule=POD_WITHOUT_CONTAINERS)
    names: set[str] = set()
    taken: set[tuple[str, str, int]] = set()
    for index, container in enumerate(value):
        visit.trail.append(index)
        _named(container, names, visit)
        host_ports(container, taken, visit)
        _unless_known(container, _working, visit)
        visit.trail.pop()


def init_containers(value: list[Mapping[str, Any]], visit: Visit) -> None:
    """What runs before the containers, and beside them when it restarts always; `visit` stands at the list."""
    names = {container.get("name", "") for container in visit.pod.spec.get("containers") or ()}
    for index, container in enumerate(value):
        visit.trail.append(index)
        _named(container, names, visit)
        host_ports(container, set(), visit)
        _unless_known(container, _initial, visit)
        visit.trail.pop()


def _unless_known(container: Mapping[str, Any], check: Check, visit: Visit) -> None:
    """What a container is but for its name and image; not again in a Pod like the one in which it was right."""
    known, context = visit.known.containers, visit.pod.context()
    if id(container) in known and known[id(container)][1] == context:
        return
    before = len(visit.refused)
    check(container, visit)
    if visit.known.learning and len(visit.refused) == before:
        known[id(container)] = container, context, visit.pod.volumes


def _working(container: Mapping[str, Any], visit: Visit) -> None:
    _running(container, visit)
    mounts(container, visit)
    _restart(container, visit, init=False)


def _initial(container: Mapping[str, Any], visit: Visit) -> None:
    sidecar = container.get("restartPolicy") == _SIDECAR
    (_running if sidecar else _common)(container, visit)
    mounts(container, visit)
    _restart(container, visit, init=True)
    if not sidecar:
        _ends(container, visit)


def ephemeral_containers(value: list[Mapping[str, Any]], visit: Visit) -> None:
    """Containers for debugging, which only a Pod that runs can get; `visit` stands at the list."""
    if value:
        visit.refuse("a template has no ephemeral containers; remove them", on="key")
    known = {one.get("name") for kind in ("containers", "initContainers") for one in visit.pod.spec.get(kind) or ()}
    names = set(known)
    for index, container in enumerate(value):
        visit.trail.append(index)
        _named(container, names, visit)
        _common(container, visit)
        mounts(container, visit)
        _only_for_pods(container, known, visit)
        visit.trail.pop()


def _only_for_pods(container: Mapping[str, Any], known: Collection[str | None], visit: Visit) -> None:
    image, target = container.get("image") or "", container.get("targetContainerName")
    if image != image.strip():
        visit.refuse(f"image {quoted(image)} must have no blanks around it", "image")
    if target and target not in known:
        visit.refuse(f"there is no container {quoted(target)}; correct the name", "targetContainerName")
    for key in _NOT_EPHEMERAL:
        value = container.get(key)
        if value is not None and not _is_dropped(key, value) and (value or key != "resources"):
            visit.refuse(f"an ephemeral container has no {key}; remove it", key, on="key")
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        for key in ("subPath", "subPathExpr"):
            if mount.get(key):
                visit.refuse(f"an ephemeral container has no {key}; remove it", "volumeMounts", index, key, on="key")


def _ends(container: Mapping[str, Any], visit: Visit) -> None:
    for key in _AT_WORK:
        if container.get(key) is not None and not _is_dropped(key, container[key]):
            message = f"an init container ends before the others start; remove {key}, or set restartPolicy: Always"
            visit.refuse(message, key, on="key", rule=INIT_CONTAINER_FIELD)
    for index, policy in enumerate(container.get("resizePolicy") or ()):
        if policy.get("restartPolicy") == _RESIZES[1]:
            message = "an init container cannot restart to be resized; use NotRequired"
            visit.refuse(message, "resizePolicy", index, "restartPolicy")


def _is_dropped(key: str, value: Mapping[str, Any]) -> bool:
    """The API server drops stopSignal, and a lifecycle that had nothing else."""
    return key == "lifecycle" and value.get("stopSignal") is not None and value.keys() == {"stopSignal"}
