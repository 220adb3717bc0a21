"""Where the programs of Argo CD and Flux are; `tests/gitops/build` makes them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

NAMES = ("argo-judge", "argocd", "flux", "flux-judge", "kustomize-controller", "oci-registry", "redis-server")


def folder() -> Path:
    """`$TRAINJOB_GITOPS`, by default in the user's cache."""
    return Path(os.environ.get("TRAINJOB_GITOPS") or Path.home() / ".cache/kubectl-trainjob/gitops")


def path(name: str) -> str:
    """A program."""
    return str(folder() / name)


def crds(system: str) -> list[Path]:
    """The CRDs of Argo CD ("argo") or Flux ("flux")."""
    return sorted((folder() / "crds" / system).glob("*.yaml"))


def lacking() -> list[str]:
    """What is not there."""
    return [name for name in NAMES if not os.access(path(name), os.X_OK)] + [
        f"crds/{system}" for system in ("argo", "flux") if not crds(system)
    ]


def answers(name: str, *arguments: str | Path) -> list[dict[str, Any]]:
    """The lines of JSON that a program prints."""
    command = [path(name), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
