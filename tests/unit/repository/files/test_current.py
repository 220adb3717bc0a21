"""Relative paths begin in the directory that a caller hands down, wherever the process itself is."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.repository.files.filesystem import Disk, FileSystem
from kubectl_trainjob.repository.files.find_root import CurrentDirectory
from kubectl_trainjob.repository.output.changed_files import FileChange, write
from kubectl_trainjob.repository.output.directory import write_directory
from kubectl_trainjob.repository.output.new_files import NewFile, NewFiles
from kubectl_trainjob.repository.trees import BaseAndHead, base_and_head, since, working_tree
from tests.cli.manifests import config_map, overlay, runtime, stream, train_job
from tests.reading import open_repository, workspace
from tests.unit.repository.files.git_repository import GitRepository, described, outcome

FILES = {
    "jobs/a.yaml": stream(train_job("a", "wanted")),
    "runtimes/r.yaml": stream(runtime("wanted")),
    "o/overlay.yaml": stream(*overlay("t.yaml.j2", "../jobs")),
    "o/t.yaml.j2": stream(config_map("{{ overlay.name }}")),
    "manifests/.kubectl-trainjob-index": "",
}


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CurrentDirectory:
    """A directory of a repository; the process is elsewhere, where the same names lead to nothing."""
    made = GitRepository(tmp_path / "repo")
    made.commit(FILES)
    made.write({"jobs/b.yaml": stream(config_map("b")), "old/jobs/a.yaml": FILES["jobs/a.yaml"]})
    (made.path / "jobs/link").symlink_to("../o")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return CurrentDirectory(str(made.path / "jobs"))


def _as_if_there(there: CurrentDirectory, work: Callable[[Disk], Any]) -> tuple[Any, Any]:
    """What the work gives where the process is elsewhere, and where it is in the directory."""
    before = os.getcwd()
    elsewhere = work(Disk(there))
    os.chdir(there.path)
    try:
        return elsewhere, work(Disk(CurrentDirectory(os.getcwd())))
    finally:
        os.chdir(before)


@pytest.mark.parametrize(
    "paths",
    [(), (".",), ("..",), ("a.yaml",), ("link",), ("link/../jobs",), ("../o/overlay.yaml",), ("nowhere",), ("",)],
    ids=repr,
)
def test_a_reading_begins_there(there: CurrentDirectory, paths: tuple[str, ...]) -> None:
    def of_commit(disk: FileSystem) -> Any:
        with open_repository(disk.current.path) as repository:
            return outcome(paths, repository.revision(repository.resolve("HEAD")))

    for work in (lambda disk: outcome(paths, disk), of_commit):
        elsewhere, there_ = _as_if_there(there, work)
        assert elsewhere == there_


@pytest.mark.parametrize(
    ("trees", "paths"),
    [
        pytest.param(working_tree, [], id="the files"),
        pytest.param(lambda disk: since("HEAD", disk), [], id="since a commit"),
        pytest.param(lambda disk: base_and_head(["HEAD"], ("2.3", "2.3"), disk), ["a.yaml", "../o"], id="a commit"),
        pytest.param(lambda disk: base_and_head(["../old", ".."], ("2.3", "2.3"), disk), [], id="two directories"),
    ],
)
def test_trees_begin_there(there: CurrentDirectory, trees: Callable[[Disk], BaseAndHead], paths: list[str]) -> None:
    def read(disk: Disk) -> Any:
        found = trees(disk)
        units = list(found.read(paths, workspace(files=disk)))
        found.close()
        return [(each.overlay, each.unread_overlays, described(each.old), described(each.new)) for each in units]

    elsewhere, there_ = _as_if_there(there, read)
    assert elsewhere == there_
    assert elsewhere[0][3]["inputs"] or elsewhere[0][3]["units"]


def test_files_are_written_there(there: CurrentDirectory) -> None:
    disk = Disk(there)
    write([FileChange("a.yaml", FILES["jobs/a.yaml"], "# new\n")], disk)
    write_directory("../out", [("a.yaml", "a: 1\n")], [], there)
    new = NewFiles("../new", [NewFile("jobs/c.yaml", "c: 1\n")], there)
    new.create()
    top = Path(there.path).parent
    names = ("jobs/a.yaml", "out/a.yaml", "new/jobs/c.yaml")
    assert [(top / name).read_text() for name in names] == ["# new\n", "a: 1\n", "c: 1\n"]
    assert new.shown(NewFile("jobs/c.yaml", "")) == "../new/jobs/c.yaml"
    assert new.take_back() == "nothing was written"
    assert not (top / "new").exists()
    assert not os.listdir(".")
