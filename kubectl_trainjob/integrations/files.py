"""The packaged files, by system and name."""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import get_data
from types import MappingProxyType
from typing import NamedTuple

from kubectl_trainjob import __version__


class PackagedFile(NamedTuple):
    """The names of its parts, which are joined. `source` is the kind that a Kustomization of Flux reads."""

    summary: str
    parts: tuple[str, ...]
    source: str = ""


FILES: Mapping[str, Mapping[str, PackagedFile]] = MappingProxyType(
    {
        "argocd": {
            "plugin": PackagedFile("The plugin, which runs `build --for argocd`.", ("plugin.yaml",)),
            "sidecar": PackagedFile("A patch that adds the plugin's container to the repo-server.", ("sidecar.yaml",)),
            "cm": PackagedFile("Health of training objects, for the ConfigMap argocd-cm.", ("cm.yaml",)),
            "application": PackagedFile(
                "Two example Applications: the plugin, and the source hydrator.",
                ("application.yaml", "sync.yaml", "hydrator.yaml", "sync.yaml"),
            ),
            "applicationset": PackagedFile(
                "An example that creates an Application for each overlay.", ("applicationset.yaml",)
            ),
        },
        "flux": {
            "kustomization": PackagedFile(
                "An OCIRepository and a Kustomization with health checks.",
                ("oci.yaml", "kustomization.yaml"),
                "OCIRepository",
            ),
            "artifact": PackagedFile(
                "A Kustomization that applies an ExternalArtifact, built in the cluster.",
                ("artifact.yaml", "kustomization.yaml"),
                "ExternalArtifact",
            ),
            "push": PackagedFile("A script that builds an overlay and pushes it as an artifact.", ("push.sh",)),
        },
        "controller": {
            "install": PackagedFile(
                "The definition of TrainingSets, the rights and the Deployment of the controller.",
                ("crd.yaml", "rbac.yaml", "deployment.yaml"),
            ),
            "crd": PackagedFile("Only the definition of TrainingSets.", ("crd.yaml",)),
            "account": PackagedFile("The service account of TrainingSets in a namespace.", ("account.yaml",)),
            "shadow": PackagedFile("The service account that only reads, for --shadow.", ("shadow.yaml",)),
        },
    }
)
"""The files of each name."""


def content(system: str, name: str) -> bytes:
    """A file for this version of the tool."""
    file = FILES[system][name]
    parts = (get_data(__package__, f"{system}/{part}") or b"" for part in file.parts)
    return b"".join(parts).replace(b"@VERSION@", __version__.encode()).replace(b"@SOURCE@", file.source.encode())
