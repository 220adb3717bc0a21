"""Reports and baselines beside the files of a stranger's branch: none is written through a link, none is half."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.paths_world import new_repository

pytestmark = pytest.mark.slow
_OLD = "the old text\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return new_repository(tmp_path)


def run(repository: Path, *arguments: str, most: int = -1) -> subprocess.CompletedProcess[str]:
    """Run a command; no file that it writes may have more than `most` bytes."""

    def limited() -> None:
        if most >= 0:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    command = [sys.executable, "-m", "kubectl_trainjob", *arguments]
    return subprocess.run(
        command, check=False, cwd=repository, capture_output=True, text=True, timeout=600, preexec_fn=limited
    )


_WRITING = [
    pytest.param(("lint", "-o", "json=PATH"), id="report"),
    pytest.param(("lint", "--write-baseline", "PATH"), id="baseline"),
]


@pytest.mark.parametrize("arguments", _WRITING)
@pytest.mark.parametrize("target", ["../outside/precious", "jobs/../precious", "missing"])
def test_no_link_of_the_repository_is_followed(repository: Path, arguments: tuple[str, ...], target: str) -> None:
    (repository / "jobs").mkdir(exist_ok=True)
    places = [repository.parent / "outside" / "precious", repository / "precious"]
    for each in places:
        each.parent.mkdir(exist_ok=True)
        each.write_text(_OLD)
    (repository / "report").symlink_to(target)
    (repository / "folder").symlink_to("../outside")
    for path in ("report", "folder/precious", "folder/new", str(repository / "report")):
        ran = run(repository, *(each.replace("PATH", path) for each in arguments))
        assert (ran.returncode, "symbolic link" in ran.stderr) == (2, True), ran.stderr
    assert [each.read_text() for each in places] == [_OLD, _OLD]
    assert not (repository.parent / "outside" / "new").exists()
    assert not (repository / "missing").exists()


@pytest.mark.parametrize("arguments", _WRITING)
def test_a_full_disk_leaves_the_old_file(repository: Path, arguments: tuple[str, ...]) -> None:
    file = repository / "report"
    file.write_text(_OLD)
    ran = run(repository, *(each.replace("PATH", "report") for each in arguments), most=20)
    assert (ran.returncode, file.read_text()) == (2, _OLD), ran.stderr
    assert not (repository / ".kubectl-trainjob-new").exists()


@pytest.mark.parametrize("arguments", _WRITING)
def test_an_error_names_a_directory_in_the_way(repository: Path, arguments: tuple[str, ...]) -> None:
    (repository / ".kubectl-trainjob-new" / "inside").mkdir(parents=True)
    ran = run(repository, *(each.replace("PATH", "report") for each in arguments))
    assert (ran.returncode, ".kubectl-trainjob-new: Is a directory" in ran.stderr) == (2, True), ran.stderr
    assert (repository / ".kubectl-trainjob-new" / "inside").is_dir()


@pytest.mark.parametrize("arguments", _WRITING)
def test_a_file_that_exists_keeps_its_metadata(repository: Path, arguments: tuple[str, ...]) -> None:
    file = repository / "report"
    file.write_text(_OLD)
    file.chmod(0o640)
    if os.getuid() == 0:
        os.chown(file, 12, 34)
    try:
        os.setxattr(file, "user.team", b"ml")
        attributes = {"user.team": b"ml"}
    except OSError:  # not every file system has them
        attributes = {}
    before = file.stat()
    assert run(repository, *(each.replace("PATH", "report") for each in arguments)).returncode in (0, 1)
    after = file.stat()
    assert file.read_text() != _OLD
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert {name: os.getxattr(file, name) for name in attributes} == attributes


def test_links_and_pipes_of_the_user_are_followed(repository: Path, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (tmp_path / "mine").symlink_to(outside)
    (outside / "link").symlink_to("report")
    for path in ("mine/new", "elsewhere/link"):
        assert run(repository, "lint", "-o", f"json={tmp_path / path}").returncode in (0, 1)
    assert (outside / "new").read_text() == (outside / "report").read_text()
    assert (outside / "link").is_symlink()
    command = [sys.executable, "-m", "kubectl_trainjob", "lint", "-q", "-o", "json=/dev/stderr"]
    ran = subprocess.run(command, check=False, cwd=repository, capture_output=True, text=True)
    assert ran.stderr == (outside / "new").read_text()


@pytest.mark.parametrize("path", ["/dev/zero", "pipe", "folder", "link", "huge"])
def test_a_baseline_is_a_regular_file(repository: Path, path: str) -> None:
    os.mkfifo(repository / "pipe")
    (repository / "folder").mkdir()
    (repository / "link").symlink_to("/etc/hostname")
    with open(repository / "huge", "wb") as file:
        file.truncate(1 << 40)
    ran = run(repository, "lint", "--baseline", path)
    assert (ran.returncode, ran.stderr.startswith(f"error: {path}: "), ran.stderr.count("\n")) == (2, True, 1)


@pytest.mark.parametrize(
    "data",
    [
        b'{"schemaVersion": 1, "findings": [{"fingerprint": "a", "count": %s}]}' % (b"9" * 4300),
        b"\xff\xfe{}",
        b"[" * 9999,
    ],
    ids=["a count of thousands of digits", "other bytes than UTF-8", "deep"],
)
def test_a_file_that_is_not_a_baseline(repository: Path, data: bytes) -> None:
    (repository / "b.json").write_bytes(data)
    ran = run(repository, "lint", "--baseline", "b.json")
    assert (ran.returncode, "not a valid baseline" in ran.stderr) == (2, True)
