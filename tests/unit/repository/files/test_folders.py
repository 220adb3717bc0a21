"""Directories that are of no use are named, wherever they are met; none is passed over in silence."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.units import Documents
from kubectl_trainjob.repository.files.root import Entry, SecureRoot, UnsafePathError
from kubectl_trainjob.repository.files.walk import FoundFile, overlays, walk
from tests.ordinary import ordinary_user
from tests.reading import read

_JOB = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\n"
_OTHER = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
_CONFIG = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n"
_OVERLAY = _CONFIG.replace("Config", "Overlay")


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current directory, of a user who may not read everything."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        monkeypatch.chdir(path)
        with ordinary_user():
            _write({".git/HEAD": "", "jobs/a.yaml": _JOB})
            yield path
        for directory in path.rglob("*"):
            if not directory.is_symlink():
                directory.chmod(0o700)


def _write(content: dict[str, str]) -> None:
    for path, text in content.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)


def _read(*paths: str) -> Documents:
    return read(paths, lambda _most: b"")


def _locked(path: str) -> None:
    Path(path).mkdir(parents=True)
    Path(path).chmod(0)


_USELESS = [
    pytest.param(_locked, "Permission denied", id="locked"),
    pytest.param(lambda path: Path(path).symlink_to("jobs"), "it is a symbolic link", id="link"),
    pytest.param(lambda path: Path(path).symlink_to("nowhere"), "it is a symbolic link", id="link to nowhere"),
    pytest.param(lambda path: Path(path).write_text("jobs"), "Not a directory", id="file"),
    pytest.param(os.mkfifo, "Not a directory", id="pipe"),
]


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(("make", "reason"), _USELESS)
@pytest.mark.parametrize("folder", ["runtimes", "own"])
def test_folder_of_runtimes_that_is_of_no_use(make: Callable[[str], object], reason: str, folder: str) -> None:
    if folder != "runtimes":
        _write({"trainjob.yaml": f"{_CONFIG}runtimes: [{folder}]\n"})
    make(folder)
    with pytest.raises(EnvironmentFault, match=f"^{folder}: {reason}; the setting runtimes needs a dir"):
        _read("jobs")
    _write({"jobs/a.yaml": _OTHER})
    assert _read("jobs").diagnostics == ()  # nothing here refers to a runtime


@pytest.mark.usefixtures("repository")
def test_folder_of_runtimes_that_is_listed_again_and_again() -> None:
    runtime = _JOB.replace("TrainJob", "ClusterTrainingRuntime")
    _write({"trainjob.yaml": f"{_CONFIG}runtimes: [{'own, ' * 1000}]\n", "own/r.yaml": runtime})
    assert [manifest.id.name for manifest in _read("jobs").library] == ["a"]


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("paths", [["jobs"], ["jobs/../jobs"], ["."], []], ids=str)
def test_locked_directory_is_named(paths: list[str]) -> None:
    _locked("jobs/deep/locked")
    with pytest.raises(EnvironmentFault, match=r"^jobs/deep/locked: Permission denied$"):
        _read(*paths)


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("resource", ["../jobs", "../jobs/deep"])
def test_locked_directory_of_an_overlay_is_named(resource: str) -> None:
    _locked("jobs/deep/locked")
    _write({"o/overlay.yaml": f"{_OVERLAY}resources: [{resource}]\n"})
    with pytest.raises(EnvironmentFault, match=r"^jobs/deep/locked: Permission denied$"):
        _read("o")


@pytest.mark.usefixtures("repository")
def test_locked_directory_of_the_library_is_named() -> None:
    _locked("runtimes/locked")
    with pytest.raises(EnvironmentFault, match=r"^runtimes/locked: Permission denied$"):
        _read("jobs")


@pytest.mark.usefixtures("repository")
def test_locked_directory_elsewhere_does_not_matter() -> None:
    """Whether an overlay lists the template is looked up in the whole repository."""
    _locked("elsewhere")
    _write({"jobs/t.yaml.j2": "", "o/overlay.yaml": f"{_OVERLAY}resources: [../jobs/t.yaml.j2]\n"})
    assert _read("jobs").diagnostics == ()


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        pytest.param(lambda path: path.symlink_to("/dev/null"), "it is a symbolic link", id="link"),
        pytest.param(os.mkfifo, "it is not a regular file", id="pipe"),
        pytest.param(lambda path: path.touch(0), "Permission denied", id="locked"),
        pytest.param(lambda path: path.write_text(_CONFIG + "#" * (32 << 20)), "it is too large", id="large"),
    ],
)
@pytest.mark.parametrize("paths", [["jobs"], []], ids=str)
def test_configuration_that_cannot_be_read(make: Callable[[Path], object], reason: str, paths: list[str]) -> None:
    make(Path("trainjob.yaml"))
    with pytest.raises(EnvironmentFault, match=f"^trainjob.yaml: {reason}$"):
        _read(*paths)


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ("resources: [{}]", "p.yaml"),
        ("resources: [{}]", "p.yaml.j2"),
        ("patches: [{{path: {}, target: {{kind: A}}}}]", "p.yaml"),
    ],
)
def test_a_pipe_is_not_called_a_link(entry: str, name: str) -> None:
    _write({"o/overlay.yaml": f"{_OVERLAY}{entry.format(name)}\n"})
    os.mkfifo(f"o/{name}")
    (found,) = _read("o").diagnostics
    assert "it is not a regular file" in found.message


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("path", [".git/HEAD", ".GIT/HEAD", "git~1/HEAD", "jobs/.git/config", ".git", "a/.Git/b"])
def test_nothing_of_git_is_read(path: str) -> None:
    for verb in (lambda: SecureRoot(".").read(path, 100), lambda: SecureRoot(".").entries(path)):
        with pytest.raises(UnsafePathError, match="it belongs to git"):
            verb()


class _Changing(SecureRoot):
    """Where a directory that was a directory when it was listed is a link when it is entered."""

    def entries(self, path: str = "") -> list[Entry]:
        if path == "jobs":
            raise UnsafePathError("it is a symbolic link")
        return super().entries(path)


@pytest.mark.usefixtures("repository")
def test_directory_that_becomes_a_link_meanwhile() -> None:
    _write({"b/c.yaml": _OTHER, "o/overlay.yaml": _OVERLAY})
    root = _Changing(".")
    assert list(walk(root, "", lambda _path, _is_directory: False)) == [
        FoundFile("b/c.yaml"),
        FoundFile("jobs", "linked directory"),
        FoundFile("o", "overlay"),
    ]
    assert list(overlays(root, lambda _path, _is_directory: False)) == ["o"]
