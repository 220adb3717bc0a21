"""`SecureRoot`, one test a verb and a way out each: nothing outside the root is read."""

import os
import socket
import threading
from pathlib import Path

import pytest

from kubectl_trainjob.repository.files import root as root_module
from kubectl_trainjob.repository.files.root import Entry, SecureRoot, TooLargeError, UnsafePathError

_SECRET = b"do not show this"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A root with a file and a directory; beside it what must not be reached."""
    inside = tmp_path / "repo"
    (inside / "jobs").mkdir(parents=True)
    (inside / "jobs" / "a.yaml").write_bytes(b"a: 1\n")
    (tmp_path / "secret.yaml").write_bytes(_SECRET)
    (tmp_path / "repo-secrets").mkdir()
    (tmp_path / "repo-secrets" / "a.yaml").write_bytes(_SECRET)
    return inside


@pytest.fixture(params=["handles", "paths"])
def root(request: pytest.FixtureRequest, repository: Path, monkeypatch: pytest.MonkeyPatch) -> SecureRoot:
    """Both ways of opening: component by component with handles, and by path as where there are none."""
    if request.param == "paths":
        monkeypatch.setattr(root_module, "_HAS_DIRECTORY_HANDLES", False)
    return SecureRoot(str(repository))


def test_reads_a_file(root: SecureRoot) -> None:
    assert root.read("jobs/a.yaml", 100) == b"a: 1\n"


@pytest.mark.parametrize(("most", "fits"), [(5, True), (4, False)], ids=["at the limit", "beyond"])
def test_size_limit(root: SecureRoot, most: int, fits: bool) -> None:
    if fits:
        assert root.read("jobs/a.yaml", most) == b"a: 1\n"
    else:
        with pytest.raises(TooLargeError):
            root.read("jobs/a.yaml", most)


def test_sparse_file_is_not_read(root: SecureRoot, repository: Path) -> None:
    with open(repository / "big.yaml", "wb") as file:
        file.truncate(2 << 30)
    with pytest.raises(TooLargeError):
        root.read("big.yaml", 1 << 20)


@pytest.mark.parametrize(
    "path",
    [
        "../secret.yaml",
        "jobs/../../secret.yaml",
        "jobs/../jobs/a.yaml",
        "../repo-secrets/a.yaml",
        "./jobs/a.yaml",
        "jobs//a.yaml",
        "/etc/passwd",
        "/",
        "jobs/a.yaml\0",
        "..",
    ],
)
def test_way_out_is_rejected(root: SecureRoot, path: str) -> None:
    with pytest.raises(UnsafePathError):
        root.read(path, 100)
    assert not root.has_directory(path)


@pytest.mark.parametrize(
    ("link", "target"),
    [
        pytest.param("l.yaml", "../secret.yaml", id="to a file outside"),
        pytest.param("l.yaml", "jobs/a.yaml", id="to a file inside"),
        pytest.param("l.yaml", "/proc/self/environ", id="absolute"),
        pytest.param("l.yaml", "nowhere", id="to nowhere"),
        pytest.param("l.yaml", "l.yaml", id="to itself"),
        pytest.param("l.yaml", "../repo/jobs/a.yaml", id="out and in again"),
    ],
)
def test_link_is_rejected(root: SecureRoot, repository: Path, link: str, target: str) -> None:
    (repository / link).symlink_to(target)
    with pytest.raises(UnsafePathError):
        root.read(link, 100)


@pytest.mark.parametrize("target", ["..", "jobs", "../repo-secrets", "/"])
def test_link_to_a_directory_is_rejected(root: SecureRoot, repository: Path, target: str) -> None:
    (repository / "l").symlink_to(target)
    for path in ("l/a.yaml", "l/secret.yaml"):
        with pytest.raises(UnsafePathError):
            root.read(path, 100)
    with pytest.raises(UnsafePathError):
        root.entries("l")
    assert not root.has_directory("l")
    assert root.has_directory("jobs")


def test_link_to_a_link_is_rejected(root: SecureRoot, repository: Path) -> None:
    (repository / "one").symlink_to("two")
    (repository / "two").symlink_to("../secret.yaml")
    with pytest.raises(UnsafePathError):
        root.read("one", 100)


def test_special_files_are_rejected(root: SecureRoot, repository: Path) -> None:
    os.mkfifo(repository / "pipe.yaml")
    with pytest.raises(UnsafePathError):
        root.read("pipe.yaml", 100)
    with pytest.raises((UnsafePathError, OSError)):
        root.read("jobs", 100)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(repository / "s.yaml"))
        with pytest.raises((UnsafePathError, OSError)):
            root.read("s.yaml", 100)


def test_entries(root: SecureRoot, repository: Path) -> None:
    (repository / "b.yaml").touch()
    (repository / "away").symlink_to("..")
    (repository / "file").symlink_to("b.yaml")
    (repository / "loop").symlink_to("loop")
    (repository / "nowhere").symlink_to("missing")
    assert root.entries() == [
        Entry("away", False, False, is_link=True),
        Entry("b.yaml", True, False),
        Entry("file", False, False, is_link=True, leads_to_file=True),
        Entry("jobs", False, True),
        Entry("loop", False, False, is_link=True),
        Entry("nowhere", False, False, is_link=True),
    ]
    assert [entry.name for entry in root.entries("jobs")] == ["a.yaml"]


def test_missing_file_is_the_environments_fault(root: SecureRoot) -> None:
    with pytest.raises(FileNotFoundError):
        root.read("jobs/b.yaml", 100)


def test_root_itself_may_be_reached_through_a_link(repository: Path) -> None:
    (repository.parent / "link").symlink_to("repo")
    assert SecureRoot(str(repository.parent / "link")).read("jobs/a.yaml", 100) == b"a: 1\n"


def test_link_put_in_place_while_reading(repository: Path) -> None:
    """A directory that turns into a link and back, again and again: what is read never comes from outside."""
    root, moved, stop = SecureRoot(str(repository)), repository / "moved", threading.Event()

    def flip() -> None:
        while not stop.is_set():
            (repository / "jobs").rename(moved)
            (repository / "jobs").symlink_to("../repo-secrets")
            (repository / "jobs").unlink()
            moved.rename(repository / "jobs")

    thread = threading.Thread(target=flip)
    thread.start()
    seen: set[bytes] = set()
    try:
        for attempt in range(1_000_000):
            if attempt >= 3000 and b"a: 1\n" in seen:  # on a busy machine the directory may be away each time at first
                break
            try:
                seen.add(root.read("jobs/a.yaml", 100))
            except (UnsafePathError, OSError) as error:
                seen.add(str(error).encode())
    finally:
        stop.set()
        thread.join()
    assert b"a: 1\n" in seen
    assert not any(_SECRET in text for text in seen)


def test_no_handle_is_left_open(repository: Path) -> None:
    root = SecureRoot(str(repository))
    (repository / "l.yaml").symlink_to("jobs/a.yaml")
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for _ in range(50):
        root.read("jobs/a.yaml", 100)
        root.entries("jobs")
        with pytest.raises(UnsafePathError):
            root.read("l.yaml", 100)
        root.has_directory("nowhere/at/all")
        root.has_directory("jobs/a.yaml/x")
    after = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert before == after
