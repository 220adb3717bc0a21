"""A run starts one process that renders templates, however many overlays and trees it reads."""

from __future__ import annotations

import gc
import json
import shutil
from pathlib import Path

import pytest

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.repository.templates import process
from tests.unit.repository.files.git_repository import GitRepository

pytestmark = pytest.mark.gate
_ROOT = Path(__file__).parents[2]


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The processes that a run starts in our own examples, of which one job is not committed."""
    made = GitRepository(tmp_path / "repo")
    for name in ("overlays", "runtimes"):
        shutil.copytree(_ROOT / name, made.path / name)
    made.commit()
    monkeypatch.chdir(made.path)
    pids: list[int] = []
    start = process._start

    def counted(command):
        child = start(command)
        pids.append(child.pid)
        return child

    monkeypatch.setattr(process, "_start", counted)
    return pids


@pytest.mark.parametrize(
    ("command", "count"),
    [
        pytest.param(["review", "HEAD", "-o", "json"], 1, id="review"),
        pytest.param(["lint", "--since", "HEAD", "-o", "json"], 1, id="lint --since", marks=pytest.mark.slow),
        pytest.param(["lint", "-o", "json"], 1, id="lint", marks=pytest.mark.slow),
        pytest.param(["diff", "HEAD", "-o", "json"], 1, id="diff", marks=pytest.mark.slow),
        pytest.param(["build", "overlays/vision/prod", "overlays/vision/dev", "-o", "json"], 1, id="build"),
        pytest.param(["build", "overlays/fashion-mnist", "-o", "json"], 0, id="no template"),
    ],
)
def test_one_process_renders_all_templates(started: list[int], command: list[str], count: int, capsys) -> None:
    try:
        assert run("kubectl-trainjob", command) in (0, 1)
    finally:
        gc.enable()
    assert json.loads(capsys.readouterr().out)
    assert len(started) == count
