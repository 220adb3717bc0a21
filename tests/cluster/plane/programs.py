"""Where the programs and manifests of the control plane are; `tests/cluster/build` makes them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

CORE = ("etcd", "kube-apiserver", "kube-controller-manager")
OPTIONAL = ("kube-scheduler", "kwok", "jobset-manager", "trainer-manager")


KUEUE = "kueue-manager"
"""Not part of `lacking()`: only the tests of queues need it."""


def folder() -> Path:
    """`$TRAINJOB_CONTROL_PLANE`, by default in the user's cache."""
    return Path(os.environ.get("TRAINJOB_CONTROL_PLANE") or Path.home() / ".cache/kubectl-trainjob/control-plane")


def manifests() -> Path:
    """The folder with `crds/` and `webhooks/`: `$TRAINJOB_CONTROL_PLANE_MANIFESTS`, else beside the programs."""
    return Path(os.environ.get("TRAINJOB_CONTROL_PLANE_MANIFESTS") or folder() / "manifests")


def lacking(*more: str) -> list[str]:
    """What is not there of all that a control plane needs, and of more programs."""
    programs = [name for name in (*CORE, *OPTIONAL, *more) if not os.access(folder() / name, os.X_OK)]
    files = [name for name in ("crds", "webhooks") if not list((manifests() / name).glob("*.yaml"))]
    return programs + files + [name for name in ("openssl",) if shutil.which(name) is None]
