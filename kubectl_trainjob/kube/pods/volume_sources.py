"""Volumes with files of ConfigMaps, Secrets, the Pod or several of these (projected), and ephemeral volumes.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validateKeyToPath, validateDownwardAPIVolumeFile,
validateProjectedVolumeSource, validateEphemeralVolumeSource, ValidatePersistentVolumeClaimSpec). The API server drops
what the gates of 1.36 turn off (clusterTrustBundle, podCertificate).
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.validation import dns_1123_label, dns_1123_subdomain, unreserved_path
from kubectl_trainjob.kube.pods.env import volume_field, volume_resource
from kubectl_trainjob.kube.pods.metadata import annotation_keys
from kubectl_trainjob.kube.pods.resources import amount
from kubectl_trainjob.kube.pods.selectors import label_selector, labels
from kubectl_trainjob.kube.pods.visit import Check, Visit, between, choice, each, every, fields, text
from kubectl_trainjob.model.message import Message, listed, say
from kubectl_trainjob.model.source import Pointer, value_at
from kubectl_trainjob.model.stages import Body

_TEN_MINUTES = 600


def _mode(value: int, visit: Visit) -> None:
    """The permission bits of a file."""
    if not 0 <= value <= 0o777:
        visit.reject(say('{} "{}" must be between 0 and 511 (octal 0777)', Message(visit.field()), value))


def _file_sources(value: Body, visit: Visit) -> None:
    if value.get("fieldRef") is not None:
        visit.enter("fieldRef", value["fieldRef"], volume_field)
        if value.get("resourceFieldRef") is not None:
            visit.reject(say("fieldRef and resourceFieldRef cannot be set together; remove one"))
    elif value.get("resourceFieldRef") is not None:
        visit.enter("resourceFieldRef", value["resourceFieldRef"], volume_resource)
    else:
        visit.reject(say("the file has no content; add fieldRef or resourceFieldRef"))


_key_to_path: Check = fields({"path": text(unreserved_path), "mode": _mode}, ("key", "path"))
_downward_file: Check = every(fields({"path": text(unreserved_path), "mode": _mode}, ("path",)), _file_sources)
FILE_SOURCES: dict[str, Check] = {
    "configMap": fields({"defaultMode": _mode, "items": each(_key_to_path)}, ("name",)),
    "secret": fields({"defaultMode": _mode, "items": each(_key_to_path)}, ("secretName",)),
    "downwardAPI": fields({"defaultMode": _mode, "items": each(_downward_file)}),
}
_items: Check = fields({"items": each(_key_to_path)}, ("name",))
_token: Check = fields({"path": text(unreserved_path), "expirationSeconds": between(_TEN_MINUTES, 1 << 32)}, ("path",))
_PROJECTED: dict[str, Check] = {
    "secret": _items,
    "configMap": _items,
    "downwardAPI": fields({"items": each(_downward_file)}),
    "serviceAccountToken": _token,
}


def projected(value: Body, visit: Visit) -> None:
    """The sources one by one, and whether two of them write one file."""
    if value.get("defaultMode") is not None:
        visit.enter("defaultMode", value["defaultMode"], _mode)
    seen: set[str] = set()
    for index, source in enumerate(value.get("sources") or ()):
        visit.trail += ("sources", index)
        _check_source(source, visit)
        del visit.trail[-2:]
        for path, place in _paths(source):
            if path in seen:
                visit.reject(say('two sources write "{}"; use another path', path), shown=("sources", index, *place))
            seen.add(path)


def _check_source(source: Body, visit: Visit) -> None:
    given = [kind for kind in _PROJECTED if source.get(kind) is not None]
    for kind in given:
        visit.enter(kind, source[kind], _PROJECTED[kind])
    if len(given) > 1:
        visit.reject(say("one source has {}; write one item for each", listed(given, template="{}")))


def _paths(source: Body) -> Iterator[tuple[str, Pointer]]:
    for kind in ("secret", "configMap", "downwardAPI"):
        for index, item in enumerate((source.get(kind) or {}).get("items") or ()):
            if item.get("path"):
                yield item["path"], (kind, "items", index, "path")


_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
_CLAIM = "PersistentVolumeClaim"
_STORAGE = ("resources", "requests", "storage")


def ephemeral(value: Body, visit: Visit) -> None:
    """An ephemeral volume."""
    template = value.get("volumeClaimTemplate")
    if template is None:
        visit.reject_missing("volumeClaimTemplate")
        return
    visit.enter("volumeClaimTemplate", template, _template_fields)
    if template.get("spec") is None:
        visit.enter("volumeClaimTemplate", template, lambda _, at: at.enter("spec", {}, _spec))


def _metadata(value: Body, visit: Visit) -> None:
    for key, item in value.items():
        if key not in ("labels", "annotations") and item not in ("", None):
            visit.reject(say("{} of a claim's template cannot be set; remove it", key), key, on="key")


def _access_modes(value: list[str], visit: Visit) -> None:
    for index, mode in enumerate(value):
        visit.check_choice("access mode", mode, _MODES, shown=(index,))
    if _MODES[-1] in value and any(mode in _MODES[:-1] for mode in value):
        visit.reject(say("access mode {} excludes the others; keep only this one", Message(_MODES[-1])))


def _reference(value: Body, visit: Visit) -> None:
    group = value.get("apiGroup") or ""
    if not group and value.get("kind") != _CLAIM:
        visit.reject(say('kind "{}" needs an apiGroup; without one use {}', value.get("kind", ""), Message(_CLAIM)))
    _reference_fields(value, visit)


def _check_claim(value: Body, visit: Visit) -> None:
    if not value.get("accessModes"):
        visit.reject_missing("accessModes")
    storage = value_at(value, _STORAGE)
    if storage is None:
        visit.reject(say("the claim requests no storage; add it"), *_STORAGE)
    elif amount(storage) <= amount("0"):
        visit.reject(say('storage "{}" must be more than 0', storage), *_STORAGE)
    _sources(value.get("dataSource"), value.get("dataSourceRef"), visit)


def _sources(source: Body | None, ref: Body | None, visit: Visit) -> None:
    if source is None or ref is None:
        return
    if ref.get("namespace"):
        message = say("dataSource and a dataSourceRef with a namespace cannot be set together; remove dataSource")
        visit.reject(message, shown=("dataSource",))
    elif any(source.get(key) != ref.get(key) for key in ("apiGroup", "kind", "name")):
        visit.reject(say("dataSource and dataSourceRef must be the same; remove one"), shown=("dataSource",))


_name: Check = text(dns_1123_subdomain)
_reference_fields: Check = fields({"apiGroup": _name, "namespace": text(dns_1123_label)}, ("name", "kind"))
_spec: Check = every(
    fields(
        {
            "accessModes": _access_modes,
            "selector": label_selector,
            "storageClassName": _name,
            "volumeAttributesClassName": _name,
            "volumeMode": choice("Block", "Filesystem", pointer=True),
            "dataSource": _reference,
            "dataSourceRef": _reference,
        }
    ),
    _check_claim,
)
_template_fields: Check = fields(
    {"spec": _spec, "metadata": every(fields({"labels": labels, "annotations": annotation_keys}), _metadata)}
)
