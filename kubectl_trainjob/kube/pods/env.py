"""Environment variables. Mirrors k8s.io/kubernetes/pkg/apis/core/validation (ValidateEnv, ValidateEnvFrom)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.pods.downward import env_field, env_resource
from kubectl_trainjob.kube.pods.texts import config_key, env_name, label, no_backsteps, subdomain
from kubectl_trainjob.kube.pods.visit import Check, Visit, fields, missing, text
from kubectl_trainjob.kube.schemas.messages import listed, quoted
from kubectl_trainjob.model.rules import POD_FIELD_NAME_INVALID, VOLUME_MOUNT_UNKNOWN

_key_ref: Check = fields({"name": text(subdomain), "key": text(config_key)}, ("name", "key"))


def _file_key(value: Mapping[str, Any], visit: Visit) -> None:
    _file_fields(value, visit)
    name = value.get("volumeName") or ""
    kinds = {volume.get("name"): volume for volume in visit.pod.spec.get("volumes") or ()}
    if name not in kinds:
        message = f"there is no volume {quoted(name)}; add it or name one that exists"
        visit.refuse(message, "volumeName", rule=VOLUME_MOUNT_UNKNOWN)
    elif kinds[name].get("emptyDir") is None and len(kinds[name]) > 1:
        visit.refuse(f"volume {quoted(name)} is no emptyDir; name one", "volumeName")


_file_fields: Check = fields(
    {"key": text(env_name), "volumeName": text(label), "path": text(no_backsteps)},
    ("key", "volumeName", "path"),
)
_SOURCES: dict[str, Check] = {
    "fieldRef": env_field,
    "resourceFieldRef": env_resource,
    "configMapKeyRef": _key_ref,
    "secretKeyRef": _key_ref,
    "fileKeyRef": _file_key,
}
_sources: Check = fields(_SOURCES)


def env(value: list[Mapping[str, Any]], visit: Visit) -> None:
    """The variables of one container."""
    for index, variable in enumerate(value):
        name = variable.get("name", "")
        if name.isidentifier() and name.isascii() and "valueFrom" not in variable:
            continue
        visit.trail.append(index)
        _variable(name, variable, visit)
        visit.trail.pop()


def _variable(name: str, variable: Mapping[str, Any], visit: Visit) -> None:
    if not name:
        missing("name", visit, POD_FIELD_NAME_INVALID)
    elif wrong := env_name(name):
        visit.refuse(f"variable {quoted(name)} {wrong}", "name", rule=POD_FIELD_NAME_INVALID)
    source = variable.get("valueFrom")
    if source is None:
        return
    given = [key for key in _SOURCES if source.get(key) is not None]
    if not given:
        visit.refuse(f"valueFrom of {quoted(name)} names no source; use {listed(_SOURCES, 'or')}", "valueFrom")
    elif variable.get("value"):
        visit.refuse(f"variable {quoted(name)} has a value and valueFrom; keep one", "valueFrom", on="key")
    elif len(given) > 1:
        visit.refuse(f"valueFrom of {quoted(name)} names {listed(given)}; keep one", "valueFrom")
    visit.enter("valueFrom", source, _sources)


def _name_or_beginning(name: str) -> str:
    """Upstream takes these names for the beginnings of names, which may end with '-'."""
    return subdomain(name[:-2] + "a" if len(name) > 1 and name.endswith("-") else name)


_named: Check = fields({"name": text(_name_or_beginning)}, ("name",))


def env_from(value: list[Mapping[str, Any]], visit: Visit) -> None:
    """The ConfigMaps and Secrets that a container takes variables from."""
    for index, source in enumerate(value):
        if prefix := source.get("prefix"):
            _prefix_of(prefix, index, visit)
        given = [key for key in ("configMapRef", "secretRef") if source.get(key) is not None]
        if len(given) != 1:
            wrong = "names two sources; keep configMapRef or secretRef" if given else "names no source; add one"
            visit.refuse(f"envFrom[{index}] {wrong}", shown=(index,))
        for key in given:
            visit.trail += (index, key)
            _named(source[key], visit)
            del visit.trail[-2:]


def _prefix_of(prefix: str, index: int, visit: Visit) -> None:
    if wrong := env_name(prefix):
        visit.refuse(f"prefix {quoted(prefix)} {wrong}", index, "prefix", rule=POD_FIELD_NAME_INVALID)
