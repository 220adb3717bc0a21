"""Directories of built files: each tree shows its own, whatever another tree or the disk has."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from kubectl_trainjob.model.units import BuiltDirectory, Documents
from kubectl_trainjob.repository.files.walk import INDEX_FILE
from kubectl_trainjob.repository.output.built_index import built_directories, index_of
from kubectl_trainjob.repository.output.directory import write_directory
from kubectl_trainjob.repository.trees import base_and_head
from tests.cli.manifests import config, config_map, overlay, stream
from tests.reading import current, disk, open_repository, read, workspace
from tests.unit.repository.files.git_repository import GitRepository, read_at

FIRST = {"jobset_a.yaml": "a: 1\n", "jobset_b.yaml": "b: 1\n"}
SECOND = {"jobset_a.yaml": "a: 2\n", "jobset_c.yaml": "c: 1\n"}


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    """Two commits that build different files, the second without the files of the first."""
    made = GitRepository(tmp_path / "repo")
    monkeypatch.chdir(made.path)
    made.write({"jobs/a.yaml": stream(config_map("a")), "o/overlay.yaml": stream(*overlay("../jobs"))})
    for files in (FIRST, SECOND):
        write_directory("manifests", files.items(), [], current())
        made.commit()
    return made


def contents(documents: Documents) -> dict[str, Mapping[str, str | None]]:
    """What the index of each directory lists, with the texts of these files."""
    found = built_directories([documents, documents])
    return {each.path: {path: each.text(path) for path in sorted(index_of(each) or ())} for each in found}


def test_a_tree_shows_its_own_files(made: GitRepository) -> None:
    made.write({"manifests/jobset_a.yaml": "a: edited\n"})
    (made.path / "manifests/jobset_c.yaml").unlink()
    with open_repository() as repository:
        assert contents(read_at(repository, "HEAD~1")) == {"manifests": FIRST}
        assert contents(read_at(repository, "HEAD")) == {"manifests": SECOND}
    assert contents(read(["."])) == {"manifests": {"jobset_a.yaml": "a: edited\n", "jobset_c.yaml": None}}


def test_a_commit_needs_no_file_on_disk(made: GitRepository) -> None:
    shutil.rmtree(made.path / "manifests")
    with open_repository() as repository:
        assert contents(read_at(repository, "HEAD")) == {"manifests": SECOND}
    assert contents(read(["."])) == {}


def test_both_trees_of_a_range(made: GitRepository) -> None:
    shutil.rmtree(made.path / "manifests")
    range_ = base_and_head(["HEAD~1..HEAD"], ("2.3", "2.3"), disk())
    units = list(range_.read([], workspace()))
    assert [each.overlay for each in units] == ["", "o"]
    assert contents(units[0].old) == {"manifests": FIRST}
    assert contents(units[0].new) == {"manifests": SECOND}
    range_.close()


def test_a_commit_ignores_nothing(made: GitRepository) -> None:
    made.commit({".gitignore": "manifests\n", "later/.gitignore": "*\n"})
    write_directory("later", FIRST.items(), [], current())
    made.git("rm", "-q", "-r", "--cached", "manifests")
    with open_repository() as repository:
        assert contents(read_at(repository, "HEAD")) == {"manifests": SECOND}
    assert contents(read(["."])) == {}
    made.git("add", "-f", f"later/{INDEX_FILE}")
    assert contents(read(["."])) == {"later": FIRST}


def test_git_is_not_asked_where_nothing_was_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subprocess.run", None)
    (tmp_path / "a.yaml").write_text(stream(config_map("a")))
    assert built_directories([read([str(tmp_path)])]) == []


@pytest.mark.parametrize("text", ["nonsense\n", f"{'0' * 64}  ../jobs/a.yaml\n", "\udcff"], ids=ascii)
def test_an_index_that_cannot_be_read(made: GitRepository, text: str) -> None:
    (made.path / "manifests" / INDEX_FILE).write_bytes(text.encode(errors="surrogateescape"))
    [found] = read(["."]).built
    assert index_of(found) is None


@pytest.mark.parametrize("path", ["../jobs/a.yaml", "/etc/passwd", ".", "", "jobset_b.yaml", "link.yaml", "more"])
def test_only_files_of_the_directory_are_read(made: GitRepository, path: str) -> None:
    (made.path / "manifests/link.yaml").symlink_to("../jobs/a.yaml")
    (made.path / "manifests/more").mkdir()
    made.commit()
    with open_repository() as repository:
        for documents in (read(["."]), read_at(repository, "HEAD")):
            [found] = documents.built
            assert found.text(path) is None
            assert found.file(path) is None


def test_a_file_has_the_path_of_both_sides(made: GitRepository) -> None:
    def paths(found: BuiltDirectory) -> list[tuple[str, str]]:
        files = (found.file("jobset_a.yaml"), found.named("gone.yaml"))
        return [(each.path, each.common_path) for each in files if each]

    [found] = read(["."]).built
    assert paths(found) == [(path, path) for path in ("manifests/jobset_a.yaml", "manifests/gone.yaml")]
    [found] = read(["."], base=".").built
    assert paths(found) == [(path, path) for path in ("manifests/jobset_a.yaml", "manifests/gone.yaml")]
    [found] = read([str(made.path)], base=str(made.path)).built
    assert paths(found) == [
        (f"{made.path}/manifests/jobset_a.yaml", "manifests/jobset_a.yaml"),
        (f"{made.path}/manifests/gone.yaml", "manifests/gone.yaml"),
    ]


def test_a_file_larger_than_a_result_may_be(made: GitRepository) -> None:
    made.write({"trainjob.yaml": stream(*config(limits={"outputBytes": 100}))})
    made.write({"manifests/jobset_a.yaml": "a" * 101, "manifests/jobset_c.yaml": "c" * 100})
    [found] = read(["."]).built
    assert found.text("jobset_a.yaml") is None
    assert found.text("jobset_c.yaml") == "c" * 100
