"""Each YAML block of the guides that users copy from: it builds, is migrated, or is rejected at the line to correct.

The guides are of 2024 to 2026. Some blocks are fragments, some lost their indentation, and some have placeholders.
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from kubectl_trainjob.cli.app import run

BLOCKS = Path(__file__).parent / "blocks"
_FINDING = re.compile(r"^-:(\d+):\d+: (?:error|warning) (KTJ\d+) ", re.MULTILINE)
_REWRITTEN = re.compile(r"rewritten: (.*)$", re.MULTILINE)

Findings = tuple[tuple[int, str], ...]


class Block(NamedTuple):
    """The findings of `migrate`, by line and rule, the rules that rewrite the block, and what a build then reports."""

    findings: Findings = ()
    rules: tuple[str, ...] = ()
    built: Findings = ()


_NO_NAME = ((4, "KTJ031"),)
_TWICE = ((4, "KTJ031"), (9, "KTJ004"), (10, "KTJ004"))
EXPECTED = {
    "000-0": Block(),  # a fragment
    "000-1": Block(),
    "001-0": Block(
        rules=("ancestor-labels", "api-version", "runtime-processes"),
        built=((16, "KTJ210"), (21, "KTJ210"), (26, "KTJ210")),  # only the names of the jobs
    ),
    "001-1": Block(((11, "KTJ001"),)),  # ...
    "001-2": Block(
        rules=("ancestor-labels", "api-version", "container-names", "runtime-processes", "short-template"),
    ),
    "001-3": Block(rules=("api-version", "runtime-ref-group"), built=((9, "KTJ201"),)),  # the runtime is in 001-2
    "001-4": Block(),  # a fragment
    "001-5": Block(((3, "KTJ001"),)),  # indentation
    "001-6": Block(rules=("api-version",)),
    "002-0": Block(_NO_NAME),  # all indentation is lost
    "002-1": Block(),
    "002-2": Block(((17, "KTJ001"),)),  # a line of a script at the left margin
    "002-3": Block(_TWICE),
    "002-4": Block(_NO_NAME),
    "002-5": Block(),
    "002-6": Block(((17, "KTJ001"),)),  # a line of a script at the left margin
    "002-7": Block(_TWICE),
    "002-8": Block(),
    "002-9": Block(((13, "KTJ001"),)),
    "002-10": Block(((4, "KTJ031"), (7, "KTJ004"))),
    "002-11": Block(((13, "KTJ001"),)),
    "004-0": Block(
        ((5, "KTJ1053"), (8, "KTJ1053"), (11, "KTJ1053"), (14, "KTJ1053"), (16, "KTJ1053")),
        ("ancestor-labels", "api-version", "job-names", "lost-indentation", "runtime-processes"),
    ),
    "004-1": Block(((10, "KTJ001"),)),  # ...
    "004-2": Block(((15, "KTJ001"),)),  # indentation
    "004-3": Block(((6, "KTJ1053"),), ("api-version", "lost-indentation")),
    "004-4": Block(),  # fragments
    "004-5": Block(),
    "004-6": Block(),
}
FRAGMENTS = {
    "mlPolicy": ("001-4", "004-4"),
    "replicatedJobs": ("004-5", "004-6"),
}
"""Fragments, and where they belong."""


def _command(monkeypatch: pytest.MonkeyPatch, stdin: str, *arguments: str) -> tuple[int, str, str]:
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    code = run("kubectl-trainjob", [*arguments, "-"])
    out.flush()
    return code, out.buffer.getvalue().decode(), err.getvalue()  # type: ignore[attr-defined]


def _found(err: str) -> Findings:
    return tuple((int(line), rule) for line, rule in _FINDING.findall(err))


def _rules(err: str) -> tuple[str, ...]:
    found = _REWRITTEN.search(err)
    return tuple(re.findall(r"\d+ ([a-z-]+) \(", found[1])) if found else ()


@pytest.mark.parametrize("name", EXPECTED)
def test_a_block_of_a_guide(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    text, expected = (BLOCKS / f"{name}.yaml").read_text(encoding="utf-8"), EXPECTED[name]
    code, out, err = _command(monkeypatch, text, "migrate")
    assert (_found(err), _rules(err), code) == (expected.findings, expected.rules, int(bool(expected.findings)))
    if expected.findings:
        return
    built, _, problems = _command(monkeypatch, out, "build", "--emit", "trainjob", "--allow-empty")
    assert (_found(problems), built) == (expected.built, int(bool(expected.built)))


@pytest.mark.parametrize(("field", "name"), [(field, name) for field, names in FRAGMENTS.items() for name in names])
def test_a_fragment_in_a_runtime(field: str, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    head = "apiVersion: kubeflow.org/v2alpha1\nkind: TrainingRuntime\nmetadata: {name: r}\nspec:\n"
    above = {"mlPolicy": "", "replicatedJobs": "  template:\n    spec:\n"}[field]
    indent = " " * (2 + 4 * bool(above))
    text = (BLOCKS / f"{name}.yaml").read_text(encoding="utf-8")
    whole = head + above + "".join(f"{indent}{line}\n" for line in text.splitlines())
    code, out, err = _command(monkeypatch, whole, "migrate")
    asked = {"001-4": "runtime-processes", "004-4": "runtime-processes", "004-5": "initializer-job"}.get(name)
    assert code == int(asked is not None)
    assert f"({asked})" in err or asked is None
    assert "trainer-node" not in out
    assert "\n  torch:" not in out or "numProcPerNode" not in out


def test_every_block_is_expected() -> None:
    assert sorted(EXPECTED) == sorted(path.stem for path in BLOCKS.glob("*.yaml"))
