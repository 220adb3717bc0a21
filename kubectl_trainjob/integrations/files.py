"""The packaged files, by system and name."""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import get_data
from types import MappingProxyType

from kubectl_trainjob import __version__

FILES: Mapping[str, Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "argocd": {
            "plugin": ("plugin.yaml", "The plugin, which runs `build --for argocd`."),
            "sidecar": ("sidecar.yaml", "A patch that adds the plugin's container to the repo-server."),
            "cm": ("cm.yaml", "Health of training objects, for the ConfigMap argocd-cm."),
            "application": ("application.yaml", "Two example Applications: the plugin, and the source hydrator."),
            "applicationset": ("applicationset.yaml", "An example that makes an Application for each overlay."),
        },
        "flux": {
            "kustomization": ("kustomization.yaml", "An OCIRepository and a Kustomization with health checks."),
            "push": ("push.sh", "A script that builds an overlay and pushes it as an artifact."),
        },
    }
)
"""The file and the summary of each name."""


def content(system: str, name: str) -> bytes:
    """A file for this version of the tool."""
    found = get_data(__package__, f"{system}/{FILES[system][name][0]}")
    assert found is not None
    return found.replace(b"@VERSION@", __version__.encode())
