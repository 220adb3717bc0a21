"""The import contracts of pyproject.toml, and what a plain build may load."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_contracts_are_kept(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

    monkeypatch.chdir(ROOT)
    status = lint_imports(no_cache=True)
    assert status == EXIT_STATUS_SUCCESS, capsys.readouterr().out


def test_every_package_says_what_comes_in_what_goes_out_and_what_it_must_not_do() -> None:
    import ast

    silent = []
    for init in sorted((ROOT / "kubectl_trainjob").rglob("__init__.py")):
        if init.parent.name == "data" or init.parent == ROOT / "kubectl_trainjob":
            continue
        text = ast.get_docstring(ast.parse(init.read_text())) or ""
        if not all(word in text for word in ("In: ", "Out: ", "ust not")):
            silent.append(os.path.relpath(init, ROOT))
    assert silent == []
