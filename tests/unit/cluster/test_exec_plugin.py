"""A program for credentials that takes long, or does not end."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.cluster import exec_plugin
from kubectl_trainjob.cluster.exec_plugin import ask_plugin
from kubectl_trainjob.model.faults import EnvironmentFault


def test_a_program_that_never_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exec_plugin, "_LIMIT", 0.1)
    monkeypatch.setattr(sys, "stderr", None)
    settings = {"command": "sleep", "args": ["1000"], "interactiveMode": "Never"}
    settings["apiVersion"] = "client.authentication.k8s.io/v1"
    with pytest.raises(EnvironmentFault, match="from sleep: it did not end in 0 seconds; run it yourself to see"):
        ask_plugin(settings, {}, str(tmp_path))


def test_a_login_in_a_browser_has_time_while_a_user_sees_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exec_plugin, "_LIMIT", 0.1)
    reader, terminal = os.openpty()
    version = "client.authentication.k8s.io/v1"
    answer = f'{{"apiVersion": "{version}", "kind": "ExecCredential", "status": {{"token": "t"}}}}'
    settings: dict[str, Any] = {"apiVersion": version, "interactiveMode": "Never", "command": "sh"}
    settings["args"] = ["-c", f"sleep 1; echo '{answer}'"]
    with open(terminal, "w") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        assert ask_plugin(settings, {}, str(tmp_path)).token == "t"
    os.close(reader)
