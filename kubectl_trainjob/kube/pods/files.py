"""Volumes whose files come from a ConfigMap, a Secret or the Pod itself.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validateKeyToPath, validateDownwardAPIVolumeFile).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.pods.downward import volume_field, volume_resource
from kubectl_trainjob.kube.pods.texts import unreserved_path
from kubectl_trainjob.kube.pods.visit import Check, Visit, each, every, fields, text
from kubectl_trainjob.kube.schemas.messages import quoted


def mode(value: int, visit: Visit) -> None:
    """The permission bits of a file."""
    if not 0 <= value <= 0o777:
        visit.refuse(f"{visit.field()} {quoted(value)} must be between 0 and 0777 (octal), which is 511")


def _file_sources(value: Mapping[str, Any], visit: Visit) -> None:
    if value.get("fieldRef") is not None:
        visit.enter("fieldRef", value["fieldRef"], volume_field)
        if value.get("resourceFieldRef") is not None:
            visit.refuse("fieldRef and resourceFieldRef exclude each other; keep one")
    elif value.get("resourceFieldRef") is not None:
        visit.enter("resourceFieldRef", value["resourceFieldRef"], volume_resource)
    else:
        visit.refuse("the file has no content; add fieldRef or resourceFieldRef")


key_to_path: Check = fields({"path": text(unreserved_path), "mode": mode}, ("key", "path"))
downward_file: Check = every(fields({"path": text(unreserved_path), "mode": mode}, ("path",)), _file_sources)
FILE_SOURCES: dict[str, Check] = {
    "configMap": fields({"defaultMode": mode, "items": each(key_to_path)}, ("name",)),
    "secret": fields({"defaultMode": mode, "items": each(key_to_path)}, ("secretName",)),
    "downwardAPI": fields({"defaultMode": mode, "items": each(downward_file)}),
}
