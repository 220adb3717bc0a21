"""The sidecar of Argo CD with our plugin, as `integrations argocd plugin` prints it."""

from __future__ import annotations

from pathlib import Path

from kubectl_trainjob.integrations.files import content
from tests.gitops import programs
from tests.gitops.manual import path_with


def command() -> list[str]:
    """The program of the sidecar and its arguments, for a folder that is current."""
    return [programs.path("argo-judge"), "cmp-server", "--config-dir-path", "plugin"]


def prepare(folder: Path) -> dict[str, str]:
    """Write what the sidecar reads; its environment. The program that it runs is that of this environment."""
    for name in ("plugin", "sockets", "work"):
        (folder / name).mkdir()
    (folder / "plugin/plugin.yaml").write_bytes(content("argocd", "plugin"))
    sockets, work = str(folder / "sockets"), str(folder / "work")
    return {"ARGOCD_PLUGINSOCKFILEPATH": sockets, "ARGOCD_CMP_WORKDIR": work, "PATH": path_with()}


def socket(folder: Path) -> Path:
    """Where the sidecar listens."""
    return folder / "sockets/trainjob.sock"
