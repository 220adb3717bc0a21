"""Commands that compare compile each job once, and apply each overlay once on each side."""

from __future__ import annotations

import gc
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.compiler import pipeline
from kubectl_trainjob.compiler.overlay import apply
from tests.unit.repository.files.git_repository import GitRepository

pytestmark = pytest.mark.gate
_ROOT = Path(__file__).parents[2]
COMMANDS = [
    pytest.param(["diff", "HEAD", "-o", "json"], id="diff"),
    pytest.param(["lint", "--since", "HEAD", "-o", "json"], id="lint --since"),
    pytest.param(["review", "HEAD", "-o", "json"], id="review"),
]


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitRepository]:
    """Our own examples, and an overlay whose built files are committed."""
    repository = GitRepository(tmp_path / "repo")
    for name in ("overlays", "runtimes"):
        shutil.copytree(_ROOT / name, repository.path / name)
    monkeypatch.chdir(repository.path)
    run("kubectl-trainjob", ["build", "overlays/fashion-mnist", "-O", "built"])
    repository.commit()
    yield repository
    gc.enable()


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> tuple[Counter[object], Counter[str]]:
    """How often each job, by its overlay and name, is compiled, and how often each overlay is applied."""
    jobs, overlays = Counter[object](), Counter[str]()
    compile_job, apply_overlays = pipeline.compile_job, apply.apply_overlays

    def compiled(job, *arguments):
        jobs[job.unit, job.manifest.id] += 1
        return compile_job(job, *arguments)

    def applied(unit, steps):
        overlays[unit.overlay.source.file.path] += 1
        return apply_overlays(unit, steps)

    monkeypatch.setattr(pipeline, "compile_job", compiled)
    monkeypatch.setattr(apply, "apply_overlays", applied)
    return jobs, overlays


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_changed(work, command: list[str], capsys) -> None:
    assert run("kubectl-trainjob", command) == 0
    assert json.loads(capsys.readouterr().out)
    jobs, overlays = work
    assert len(jobs) > 20
    assert set(jobs.values()) == {1}
    assert len(overlays) > 5
    assert set(overlays.values()) == {2}


@pytest.mark.parametrize("command", COMMANDS)
def test_one_job_changed(examples: GitRepository, work, command: list[str], capsys) -> None:
    changed = examples.path / "overlays" / "fashion-mnist" / "job.yaml"
    changed.write_text(changed.read_text().replace("numNodes: 2", "numNodes: 3"))
    assert run("kubectl-trainjob", command) in (0, 1)
    assert json.loads(capsys.readouterr().out)
    twice = [job for job, count in work[0].items() if count == 2]
    assert len(twice) == 1
    assert max(work[0].values()) == 2
    assert set(work[1].values()) == {2}
