"""Annotations and names of Jobs and Pods, and the labels and selector that the API server generates.

Mirrors k8s.io/apimachinery/pkg/api/validation (ValidateAnnotations), k8s.io/kubernetes/pkg/apis/core/validation
(ValidatePodSpecificAnnotations and the comparison of annotations with fields on creation), pkg/registry/batch/job
(generateSelector) and pkg/apis/batch/validation (validateGeneratedSelector, ValidateJob).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubectl_trainjob.kube.facts.validation import (
    annotation_key,
    decimal_integer,
    dns_1123_label,
    dns_1123_subdomain,
    label_value,
    relative_path,
)
from kubectl_trainjob.kube.pods.scheduling import tolerations
from kubectl_trainjob.kube.pods.selectors import label_selector
from kubectl_trainjob.kube.pods.visit import Visit
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import JOB_NAME_INVALID, POD_LABEL_INVALID
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Body

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
    """Annotations of any object: upstream names the whole mapping, reports show the entry."""
    for key in value:
        visit.check_text("annotation", key, annotation_key, rule=POD_LABEL_INVALID, shown=(key,))
    if sum(len(key.encode()) + len(str(item).encode()) for key, item in value.items()) > _LARGEST:
        visit.reject(say("annotations are larger than 256 KiB in total; shorten them"), rule=POD_LABEL_INVALID)


def pod_annotations(value: Mapping[str, str], visit: Visit) -> None:
    """The values of a Pod's annotations, which are the current value."""
    if _MIRROR in value and not visit.pod.spec.get("nodeName"):
        visit.reject(say("only the kubelet sets annotation {}; remove it", Message(_MIRROR)), _MIRROR, on="key")
    cost = value.get(_DELETION_COST)
    if cost is not None and (decimal_integer(cost) or not -(2**31) <= int(cost) < 2**31):
        template = 'annotation {} "{}" must be an integer of 32 bits'
        visit.reject(say(template, Message(_DELETION_COST), cost), _DELETION_COST)
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
        items = json.loads(value)
    except ValueError:
        items = None
    if isinstance(items, list) and all(isinstance(one, dict) for one in items):
        visit.enter(_TOLERATIONS, items, tolerations)
    else:
        message = say("annotation {} must be a list of tolerations in JSON", Message(_TOLERATIONS))
        visit.reject(message, shown=(_TOLERATIONS,))


def _seccomp(key: str, profile: str, visit: Visit) -> None:
    if profile.startswith(_LOCALHOST):
        if error := relative_path(profile.removeprefix(_LOCALHOST)):
            visit.reject(say('seccomp profile "{}" {}', profile, error), key)
    elif profile not in ("runtime/default", "docker/default", "unconfined"):
        visit.reject(say('seccomp profile "{}" does not exist; use runtime/default', profile), key)


def _app_armor(key: str, profile: str, visit: Visit) -> None:
    container = key.removeprefix(_APP_ARMOR)
    if not any(one.get("name") == container for one, _ in containers_of(visit.pod.spec)):
        visit.reject(say('container "{}" does not exist; correct the name', container), key, on="key")
    if profile not in ("", "runtime/default", "unconfined") and not profile.startswith(_LOCALHOST):
        visit.reject(say('AppArmor profile "{}" does not exist; use runtime/default', profile), key)


def containers_of(spec: Body) -> Iterator[tuple[Body, Pointer]]:
    """Every container of a Pod with its place in the Pod's spec."""
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for index, container in enumerate(spec.get(kind) or ()):
            yield container, (kind, index)


def check_profiles(value: Mapping[str, str], visit: Visit) -> None:
    """Whether annotations and fields have the same profiles; the Pod's spec is the current value."""
    if not any(key.startswith((_SECCOMP_POD, _SECCOMP, _APP_ARMOR)) for key in value):
        return
    spec = visit.pod.spec
    pod = spec.get("securityContext") or {}
    at: Pointer = ("securityContext", "seccompProfile")
    _check_profile(value.get(_SECCOMP_POD), pod.get("seccompProfile"), _SECCOMP_NAMES, at, visit)
    for container, place in containers_of(spec):
        own, name = container.get("securityContext") or {}, container.get("name", "")
        at = (*place, "securityContext", "seccompProfile")
        _check_profile(value.get(_SECCOMP + name), own.get("seccompProfile"), _SECCOMP_NAMES, at, visit)
        profile = own.get("appArmorProfile") or pod.get("appArmorProfile")
        at = (*place, "securityContext", "appArmorProfile")
        _check_profile(value.get(_APP_ARMOR + name), profile, _APP_ARMOR_NAMES, at, visit)


def _check_profile(
    annotated: str | None, profile: Body | None, names: Mapping[str, tuple[str, ...]], at: Pointer, visit: Visit
) -> None:
    if annotated is None or profile is None:
        return
    kind, is_local = profile.get("type") or "", annotated.startswith(_LOCALHOST)
    if (kind in names and annotated not in names[kind]) or (kind == "Localhost" and not is_local):
        field = "type"
    elif kind == "Localhost" and annotated.removeprefix(_LOCALHOST) != profile.get("localhostProfile"):
        field = "localhostProfile"
    else:
        return
    visit.reject(say('the annotation has another profile, "{}"; remove the annotation', annotated), *at, field)


_NAME_LABELS = ("job-name", "batch.kubernetes.io/job-name")
_ID_LABELS = ("controller-uid", "batch.kubernetes.io/controller-uid")
_ID = "batch.kubernetes.io/controller-uid"
_UID = "00000000-0000-0000-0000-000000000000"
_LABELS: Pointer = ("template", "metadata", "labels")


def generated_labels(name: str, spec: Body, visit: Visit) -> None:
    """The labels that the API server adds to a Job's Pods; the Job's spec is the current value."""
    own = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
    selector = spec.get("selector")
    if spec.get("manualSelector"):
        _check_manual(selector, own, visit)
        return
    if error := label_value(name):
        _reject_name(say('label job-name "{}" {}; shorten the TrainJob\'s name', name, error), visit, *_LABELS)
    if own:
        _check_reserved(name, own, visit)
    if selector is not None:
        _check_generated(name, selector, own, visit)


def _check_reserved(name: str, own: Mapping[str, str], visit: Visit) -> None:
    """Labels of the API server may be set only with the value that it would set."""
    for key in (*_NAME_LABELS, *_ID_LABELS):
        if key in own and (key in _ID_LABELS or own[key] != name):
            message = say('only the API server sets label "{}"; remove it', key)
            visit.reject(message, *_LABELS, key, rule=POD_LABEL_INVALID)
            if key == _ID:  # The generated selector needs it, and finds no Pods.
                visit.reject(message, *_LABELS, rule=POD_LABEL_INVALID, shown=(*_LABELS, key))


def _check_generated(name: str, selector: Body, own: Mapping[str, str], visit: Visit) -> None:
    """A selector must find the Pods by the generated labels only."""
    generated = dict.fromkeys(_NAME_LABELS, name) | dict.fromkeys(_ID_LABELS, _UID)
    found = len(visit.problems)
    visit.enter("selector", selector, label_selector)
    if len(visit.problems) > found:
        return
    if not _selects(selector, generated):
        visit.reject(say("the selector is generated; remove it"), "selector", on="key", rule=POD_LABEL_INVALID)
    if not _selects(selector, generated | dict(own)) and _ID not in own:
        visit.reject(say("the selector does not find the Job's Pods; remove it"), *_LABELS, rule=POD_LABEL_INVALID)


def _check_manual(selector: Body | None, own: Mapping[str, str], visit: Visit) -> None:
    if selector is None:
        message = say("manualSelector needs a selector; remove it, so the API server generates one")
        for field in (("selector",), _LABELS):
            visit.reject(message, *field, shown=("manualSelector",), on="key", rule=POD_LABEL_INVALID)
        return
    found = len(visit.problems)
    visit.enter("selector", selector, label_selector)
    if len(visit.problems) == found and not _selects(selector, own):
        message = say("the selector does not find the Job's Pods; correct the labels")
        visit.reject(message, *_LABELS, rule=POD_LABEL_INVALID)


def _selects(selector: Body, labels: Mapping[str, str]) -> bool:
    has_labels = all(labels.get(key) == value for key, value in (selector.get("matchLabels") or {}).items())
    return has_labels and all(_matches(one, labels) for one in selector.get("matchExpressions") or ())


def _matches(expression: Body, labels: Mapping[str, str]) -> bool:
    operator, key, values = expression.get("operator"), expression.get("key", ""), expression.get("values") or ()
    if operator == "In":
        return key in labels and labels[key] in values
    if operator == "NotIn":
        return key not in labels or labels[key] not in values
    return (key in labels) == (operator == "Exists")


def is_indexed(spec: Body) -> bool:
    """Whether the Job's Pods have numbers, as by default."""
    return bool(spec.get("completionMode", "Indexed") == "Indexed")


def completions_of(spec: Body) -> int | None:
    """How many Pods a Job completes: None if only parallelism is set, one by default."""
    if spec.get("completions") is not None:
        return int(spec["completions"])
    return 1 if spec.get("parallelism") is None else None


def job_name(name: str, spec: Body, visit: Visit) -> None:
    """The Job's name, and the longest of its Pods' host names."""
    completions = completions_of(spec) or 0
    if error := dns_1123_subdomain(name):
        _reject_name(say("the Job's name \"{}\" {}; change the TrainJob's name", name, error), visit)
    elif is_indexed(spec) and completions > 0:
        host = f"{name}-{completions - 1}"
        if error := dns_1123_label(host):
            _reject_name(say("a Pod's name \"{}\" {}; change the TrainJob's name", host, error), visit)


def _reject_name(message: Message, visit: Visit, *field: str | int) -> None:
    """The name of the JobSet is invalid, which all Jobs are named after; upstream may report another field."""
    name: Pointer = ("metadata", "name")
    pointer = visit.pointer(*field) if field else name
    visit.problems.append(Problem(JOB_NAME_INVALID, pointer, message, shown=name))
