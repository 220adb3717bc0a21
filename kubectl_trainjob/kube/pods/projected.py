"""Projected volumes: several sources of files in one folder.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validateProjectedVolumeSource); what the gates of 1.36 turn off
(clusterTrustBundle, podCertificate) the API server drops.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.pods.files import downward_file, key_to_path, mode
from kubectl_trainjob.kube.pods.texts import unreserved_path
from kubectl_trainjob.kube.pods.visit import Check, Visit, between, each, fields, text
from kubectl_trainjob.kube.schemas.messages import listed, quoted
from kubectl_trainjob.model.source import Pointer

_TEN_MINUTES = 600
_items: Check = fields({"items": each(key_to_path)}, ("name",))
_SOURCES: dict[str, Check] = {
    "secret": _items,
    "configMap": _items,
    "downwardAPI": fields({"items": each(downward_file)}),
    "serviceAccountToken": fields(
        {"path": text(unreserved_path), "expirationSeconds": between(_TEN_MINUTES, 1 << 32)}, ("path",)
    ),
}


def projected(value: Mapping[str, Any], visit: Visit) -> None:
    """The sources one by one, and whether two write one file."""
    if value.get("defaultMode") is not None:
        visit.enter("defaultMode", value["defaultMode"], mode)
    taken: set[str] = set()
    for index, source in enumerate(value.get("sources") or ()):
        visit.trail += ("sources", index)
        _source(source, visit)
        del visit.trail[-2:]
        for path, place in _paths(source):
            if path in taken:
                visit.refuse(f"two sources write {quoted(path)}; use another path", shown=("sources", index, *place))
            taken.add(path)


def _source(source: Mapping[str, Any], visit: Visit) -> None:
    given = [kind for kind in _SOURCES if source.get(kind) is not None]
    for kind in given:
        visit.enter(kind, source[kind], _SOURCES[kind])
    if len(given) > 1:
        visit.refuse(f"one source has {listed(given)}; make an item of each")


def _paths(source: Mapping[str, Any]) -> Iterator[tuple[str, Pointer]]:
    for kind in ("secret", "configMap", "downwardAPI"):
        for index, item in enumerate((source.get(kind) or {}).get("items") or ()):
            if item.get("path"):
                yield item["path"], (kind, "items", index, "path")
