"""A comparison of commits judges each commit's own files, whatever is on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.cli.app import run
from tests.cli.manifests import PLAIN, stream, train_job
from tests.unit.repository.files.git_repository import GitRepository

BUILT = "built/jobset_a.yaml"
Lint = Callable[..., list[str]]


def _commit(repository: GitRepository, nodes: int, *, rebuilds: bool) -> str:
    job = {**train_job("a", "plain"), "spec": {"runtimeRef": {"name": "plain"}, "trainer": {"numNodes": nodes}}}
    repository.write({"jobs/a.yaml": stream(job)})
    if rebuilds:
        assert run("kubectl-trainjob", ["build", "jobs", "-O", "built"]) == 0
    return repository.commit()


@pytest.fixture
def commits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[GitRepository, str, str, str]:
    """Three commits with built files: they are up to date, out of date, and up to date again."""
    repository = GitRepository(tmp_path / "repo")
    repository.write({"runtimes/plain.yaml": stream(PLAIN)})
    monkeypatch.chdir(repository.path)
    ids = [_commit(repository, nodes, rebuilds=rebuilds) for nodes, rebuilds in ((1, True), (2, False), (3, True))]
    return repository, *ids


@pytest.fixture
def new_findings(capsys: pytest.CaptureFixture[str]) -> Callable[..., list[Any]]:
    """The new findings about built files that a command reports."""

    def found(*command: str) -> list[Any]:
        capsys.readouterr()
        assert run("kubectl-trainjob", [*command, "-o", "json"]) in (0, 1)
        report = json.loads(capsys.readouterr().out)
        findings = (report if command[0] == "lint" else report["lint"])["results"]
        return [each["file"] for each in findings if each["rule"] == "KTJ819"]

    return found


def test_a_commit_with_outdated_files_is_reported(commits, new_findings) -> None:
    _, fresh, outdated, _ = commits
    assert new_findings("review", f"{fresh}..{outdated}") == [BUILT]


def test_deleted_files_on_disk_hide_nothing(commits, new_findings) -> None:
    repository, fresh, outdated, _ = commits
    (repository.path / BUILT).unlink()
    assert new_findings("review", f"{fresh}..{outdated}") == [BUILT]


def test_a_commit_is_not_blamed_for_the_disk(commits, new_findings) -> None:
    repository, _, outdated, again = commits
    (repository.path / BUILT).write_text("# edited\n")
    assert new_findings("review", f"{outdated}..{again}") == []
    assert new_findings("review", f"{again}..{again}") == []


def test_the_working_tree_is_judged_by_its_own_files(commits, new_findings) -> None:
    repository, *_ = commits
    assert new_findings("review", "HEAD") == []
    path = repository.path / "jobs" / "a.yaml"
    path.write_text(path.read_text().replace("numNodes: 3", "numNodes: 4"))
    assert new_findings("review", "HEAD") == [BUILT]
    assert new_findings("lint", "--since", "HEAD") == [BUILT]


def test_what_the_base_has_is_not_new(commits, new_findings) -> None:
    repository, *_ = commits
    _commit(repository, 5, rebuilds=False)
    assert new_findings("lint") == [BUILT]
    assert new_findings("lint", "--since", "HEAD") == []
    assert new_findings("review", "HEAD") == []
