"""A program for credentials that does not end."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_trainjob.cluster import exec_plugin
from kubectl_trainjob.cluster.exec_plugin import ask_plugin
from kubectl_trainjob.model.faults import EnvironmentFault


def test_a_program_that_never_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exec_plugin, "_LIMIT", 0.1)
    settings = {"command": "sleep", "args": ["1000"], "interactiveMode": "Never"}
    settings["apiVersion"] = "client.authentication.k8s.io/v1"
    with pytest.raises(EnvironmentFault, match="from sleep: it did not end in 0 seconds; run it yourself to see"):
        ask_plugin(settings, {}, str(tmp_path))
