"""The paths of objects on the API server."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

from kubectl_trainjob.cluster.errors import ApiError


class ApiResource(NamedTuple):
    """How the server serves a kind."""

    api_version: str
    kind: str
    plural: str
    is_namespaced: bool

    def path(self, namespace: str = "", name: str = "") -> str:
        """The path of an object, or without a name of a collection; without a namespace of all namespaces.

        Raises ApiError "Invalid" for a name that would lead to another path.
        """
        base = f"/apis/{self.api_version}" if "/" in self.api_version else f"/api/{self.api_version}"
        space = f"/namespaces/{_segment(namespace)}" if self.is_namespaced and namespace else ""
        return f"{base}{space}/{self.plural}" + (f"/{_segment(name)}" if name else "")


def _segment(name: str) -> str:
    """A part of a path. Mirrors IsValidPathSegmentName of k8s.io/apimachinery."""
    if name in (".", "..") or "/" in name or "%" in name:
        raise ApiError("Invalid", f'"{name}" is not a valid name; write one without "/" and "%"')
    return quote(name, safe="", errors="replace")
