"""Labels and annotations of Jobs and Pods, and the annotations that mean something to Kubernetes.

Mirrors k8s.io/apimachinery/pkg/api/validation (ValidateAnnotations) and k8s.io/kubernetes/pkg/apis/core/validation
(ValidatePodSpecificAnnotations and what compares annotations with fields on creation).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.pods.scheduling import tolerations
from kubectl_trainjob.kube.pods.texts import annotation_key, decimal_integer, relative_path
from kubectl_trainjob.kube.pods.visit import Visit
from kubectl_trainjob.kube.schemas.messages import quoted
from kubectl_trainjob.model.rules import POD_LABEL_INVALID
from kubectl_trainjob.model.source import Pointer

_LARGEST = 256 * 1024
_MIRROR = "kubernetes.io/config.mirror"
_DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations"
_SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP = "container.seccomp.security.alpha.kubernetes.io/"
_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP_NAMES = {"RuntimeDefault": ("runtime/default", "docker/default"), "Unconfined": ("unconfined",)}
_APP_ARMOR_NAMES = {"RuntimeDefault": ("runtime/default",), "Unconfined": ("unconfined",)}
_LOCALHOST = "localhost/"


def annotation_keys(value: Mapping[str, str], visit: Visit) -> None:
    """Annotations of any object: upstream names the whole mapping, people are shown the entry."""
    for key in value:
        if wrong := annotation_key(key):
            visit.refuse(f"annotation {quoted(key)} {wrong}", rule=POD_LABEL_INVALID, shown=(key,))
    if sum(len(key.encode()) + len(str(item).encode()) for key, item in value.items()) > _LARGEST:
        visit.refuse("annotations must be no larger than 256 KiB together", rule=POD_LABEL_INVALID)


def pod_annotations(value: Mapping[str, str], visit: Visit) -> None:
    """What annotations of a Pod say, beside their form; `visit` stands at them."""
    if _MIRROR in value and not visit.pod.spec.get("nodeName"):
        visit.refuse(f"annotation {_MIRROR} belongs to Pods of a node's own; remove it", _MIRROR, on="key")
    cost = value.get(_DELETION_COST)
    if cost is not None and (decimal_integer(cost) or not -(2**31) <= int(cost) < 2**31):
        visit.refuse(f"annotation {_DELETION_COST} {quoted(cost)} must be a whole number of 32 bits", _DELETION_COST)
    if value.get(_TOLERATIONS):
        _tolerations(value[_TOLERATIONS], visit)
    for key, profile in value.items():
        if key == _SECCOMP_POD or key.startswith(_SECCOMP):
            _seccomp(key, profile, visit)
        elif key.startswith(_APP_ARMOR):
            _app_armor(key, profile, visit)


def _tolerations(value: str, visit: Visit) -> None:
    import json

    try:
        stated = json.loads(value)
    except ValueError:
        stated = None
    if isinstance(stated, list) and all(isinstance(one, dict) for one in stated):
        visit.enter(_TOLERATIONS, stated, tolerations)
    else:
        visit.refuse(f"annotation {_TOLERATIONS} must be a list of tolerations in JSON", shown=(_TOLERATIONS,))


def _seccomp(key: str, profile: str, visit: Visit) -> None:
    if profile in ("runtime/default", "docker/default", "unconfined"):
        return
    if not profile.startswith(_LOCALHOST):
        visit.refuse(f"seccomp profile {quoted(profile)} does not exist; use runtime/default", key)
    elif wrong := relative_path(profile.removeprefix(_LOCALHOST)):
        visit.refuse(f"seccomp profile {quoted(profile)} {wrong}", key)


def _app_armor(key: str, profile: str, visit: Visit) -> None:
    container = key.removeprefix(_APP_ARMOR)
    if not any(one.get("name") == container for one, _ in containers_of(visit.pod.spec)):
        visit.refuse(f"there is no container {quoted(container)}; correct the name", key, on="key")
    if profile not in ("", "runtime/default", "unconfined") and not profile.startswith(_LOCALHOST):
        visit.refuse(f"AppArmor profile {quoted(profile)} does not exist; use runtime/default", key)


def containers_of(spec: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Pointer]]:
    """Every container of a Pod with its place in the Pod's spec."""
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for index, container in enumerate(spec.get(kind) or ()):
            yield container, (kind, index)


def profiles_agree(value: Mapping[str, str], visit: Visit) -> None:
    """Whether annotations and fields name the same profiles; `visit` stands at the Pod's spec."""
    spec = visit.pod.spec
    pod = spec.get("securityContext") or {}
    if _SECCOMP_POD in value:
        at: Pointer = ("securityContext", "seccompProfile")
        _agree(value[_SECCOMP_POD], pod.get("seccompProfile"), _SECCOMP_NAMES, at, visit)
    for container, place in containers_of(spec):
        own = container.get("securityContext") or {}
        at = (*place, "securityContext")
        if (stated := value.get(_SECCOMP + container.get("name", ""))) is not None:
            _agree(stated, own.get("seccompProfile"), _SECCOMP_NAMES, (*at, "seccompProfile"), visit)
        if (stated := value.get(_APP_ARMOR + container.get("name", ""))) is not None:
            profile = own.get("appArmorProfile") or pod.get("appArmorProfile")
            _agree(stated, profile, _APP_ARMOR_NAMES, (*at, "appArmorProfile"), visit)


def _agree(
    stated: str, profile: Mapping[str, Any] | None, names: Mapping[str, tuple[str, ...]], at: Pointer, visit: Visit
) -> None:
    differs = f"the annotation says {quoted(stated)}, which is another profile; remove the annotation"
    if profile is None:
        return
    kind = profile.get("type") or ""
    if (kind in names and stated not in names[kind]) or (kind == "Localhost" and not stated.startswith(_LOCALHOST)):
        visit.refuse(differs, *at, "type")
    elif kind == "Localhost" and stated.removeprefix(_LOCALHOST) != profile.get("localhostProfile"):
        visit.refuse(differs, *at, "localhostProfile")
