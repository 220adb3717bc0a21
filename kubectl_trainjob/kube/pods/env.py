"""Environment variables, and the fields of a Pod that its containers can read in env and in volumes.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (ValidateEnv, ValidateEnvFrom, validateObjectFieldSelector,
validateContainerResourceFieldSelector) and pkg/apis/core/pods (ConvertDownwardAPIFieldLabel).
"""

from __future__ import annotations

from kubectl_trainjob.kube.facts import validation
from kubectl_trainjob.kube.facts.quantity import Quantity, canonical
from kubectl_trainjob.kube.pods.visit import Check, Visit, fields, text
from kubectl_trainjob.model.message import Message, listed, say
from kubectl_trainjob.model.rules import POD_FIELD_NAME_INVALID, VOLUME_MOUNT_UNKNOWN
from kubectl_trainjob.model.stages import Body

_METADATA = ("metadata.name", "metadata.namespace", "metadata.uid")
_POD = ("spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs")
_ALIASES = {"spec.host": "spec.nodeName"}
_AMOUNTS = ("cpu", "memory", "ephemeral-storage")
_RESOURCES = tuple(f"{field}.{what}" for field in ("limits", "requests") for what in _AMOUNTS)
_HUGE_PAGES = ("requests.hugepages-", "limits.hugepages-")
_SIZES = ("1", *("1" + unit for unit in ("k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")))


def _field_ref(allowed: tuple[str, ...]) -> Check:
    def check(value: Body, visit: Visit) -> None:
        path = value.get("fieldPath") or ""
        if value.get("apiVersion") not in (None, "", "v1"):
            message = say('apiVersion "{}" of a Pod does not exist; use v1', value["apiVersion"])
            visit.reject(message, "fieldPath", shown=("apiVersion",))
            return
        field, subscripted, key = path.removesuffix("']").partition("['") if path.endswith("']") else (path, "", "")
        if field and subscripted:
            _check_subscript(field, key, visit)
        elif _ALIASES.get(path, path) not in allowed:
            advice = listed(allowed, "or", "{}")
            visit.reject(say('fieldPath "{}" is not available here; use {}', path, advice), "fieldPath")

    return check


def _check_subscript(field: str, key: str, visit: Visit) -> None:
    if field not in ("metadata.annotations", "metadata.labels"):
        message = say('fieldPath "{}" has no entries; only metadata.labels and metadata.annotations have', field)
        visit.reject(message, "fieldPath")  # Upstream goes on with an empty path and rejects that, too.
    else:
        form = validation.annotation_key if field == "metadata.annotations" else validation.qualified_name
        visit.check_text("key", key, form, shown=("fieldPath",))


env_field: Check = _field_ref((*_METADATA, *_POD))
volume_field: Check = _field_ref((*_METADATA, "metadata.labels", "metadata.annotations"))


def _resource_ref(*, of_container: bool) -> Check:
    def check(value: Body, visit: Visit) -> None:
        name = value.get("resource") or ""
        if not of_container and not value.get("containerName"):
            visit.reject_missing("containerName")
        elif not name:
            visit.reject_missing("resource")
        elif not name.startswith(_HUGE_PAGES):
            visit.check_choice("resource", name, _RESOURCES, "resource")
        _check_divisor(name, value.get("divisor"), visit)

    return check


def _check_divisor(name: str, divisor: str | int | None, visit: Visit) -> None:
    if divisor is None or Quantity.parse(divisor).is_zero():
        return
    is_cpu = name.endswith(".cpu") and name in _RESOURCES
    is_known = name in _RESOURCES or name.startswith(_HUGE_PAGES)
    if is_known and canonical(divisor) not in (("1m", "1") if is_cpu else _SIZES):
        advice = say("1m or 1") if is_cpu else say("1, or 1 with a unit such as 1k or 1Mi")
        visit.reject(say('divisor "{}" is invalid for {}; use {}', divisor, name, advice), "divisor")


env_resource: Check = _resource_ref(of_container=True)
volume_resource: Check = _resource_ref(of_container=False)


_key_ref: Check = fields(
    {"name": text(validation.dns_1123_subdomain), "key": text(validation.config_key)}, ("name", "key")
)
_file_fields: Check = fields(
    {
        "key": text(validation.env_name),
        "volumeName": text(validation.dns_1123_label),
        "path": text(validation.no_backsteps),
    },
    ("key", "volumeName", "path"),
)


def _file_key(value: Body, visit: Visit) -> None:
    _file_fields(value, visit)
    name = value.get("volumeName") or ""
    volumes = {volume.get("name"): volume for volume in visit.pod.spec.get("volumes") or ()}
    if name not in volumes:
        message = say('volume "{}" does not exist; add it or correct the name', name)
        visit.reject(message, "volumeName", rule=VOLUME_MOUNT_UNKNOWN)
    elif volumes[name].get("emptyDir") is None and len(volumes[name]) > 1:
        visit.reject(say('volume "{}" is not an emptyDir; use an emptyDir volume', name), "volumeName")


_SOURCES: dict[str, Check] = {
    "fieldRef": env_field,
    "resourceFieldRef": env_resource,
    "configMapKeyRef": _key_ref,
    "secretKeyRef": _key_ref,
    "fileKeyRef": _file_key,
}
_sources: Check = fields(_SOURCES)


def env(value: list[Body], visit: Visit) -> None:
    """The variables of one container."""
    for index, variable in enumerate(value):
        name = variable.get("name", "")
        if name.isidentifier() and name.isascii() and "valueFrom" not in variable:
            continue
        visit.trail.append(index)
        _check_variable(name, variable, visit)
        visit.trail.pop()


def _check_variable(name: str, variable: Body, visit: Visit) -> None:
    if name:
        visit.check_text("variable", name, validation.env_name, "name", rule=POD_FIELD_NAME_INVALID)
    else:
        visit.reject_missing("name", POD_FIELD_NAME_INVALID)
    source = variable.get("valueFrom")
    if source is None:
        return
    given = [key for key in _SOURCES if source.get(key) is not None]
    if not given:
        visit.reject(say('valueFrom of "{}" has no source; use {}', name, listed(_SOURCES, "or", "{}")), "valueFrom")
    elif variable.get("value"):
        visit.reject(say('variable "{}" has a value and valueFrom; remove one', name), "valueFrom", on="key")
    elif len(given) > 1:
        visit.reject(say('valueFrom of "{}" has {}; keep one', name, listed(given, template="{}")), "valueFrom")
    visit.enter("valueFrom", source, _sources)


def _name_or_prefix(name: str) -> Message:
    """Upstream checks these names as prefixes, which may end with '-'."""
    return validation.dns_1123_subdomain(name[:-2] + "a" if len(name) > 1 and name.endswith("-") else name)


_named: Check = fields({"name": text(_name_or_prefix)}, ("name",))


def env_from(value: list[Body], visit: Visit) -> None:
    """The ConfigMaps and Secrets that a container takes variables from."""
    for index, source in enumerate(value):
        if prefix := source.get("prefix"):
            visit.check_text("prefix", prefix, validation.env_name, index, "prefix", rule=POD_FIELD_NAME_INVALID)
        given = [key for key in ("configMapRef", "secretRef") if source.get(key) is not None]
        if len(given) != 1:
            found = say("two sources") if given else say("no source")
            visit.reject(say("envFrom[{}] has {}; set either configMapRef or secretRef", index, found), shown=(index,))
        for key in given:
            visit.trail += (index, key)
            _named(source[key], visit)
            del visit.trail[-2:]
