"""krew's archive: what krew says of it, and that it does what the installed package does, with nothing but Python."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.delivery.conftest import COMMANDS, REPOSITORY, ROOT, Answer, answer, expected, system_path
from tests.tools import require

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a python3 that has the standard library and nothing else."""
    folder = tmp_path_factory.mktemp("python")
    own = getattr(sys, "_base_executable", sys.executable)
    (folder / "python3").write_text(f'#!/bin/sh\nexec "{own}" -S -E "$@"\n')
    (folder / "python3").chmod(0o755)
    for program in ("env", "sh"):
        (folder / program).symlink_to(shutil.which(program) or program)
    return folder


@pytest.fixture(scope="module")
def archive(released: Path) -> Path:
    [path] = released.glob("kubectl-trainjob-v*.tar.gz")
    return path


@pytest.fixture(scope="module")
def linked(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """krew's folder of programs: links to what it unpacked, and the one that the manifest asks people to make."""
    root = tmp_path_factory.mktemp("krew")
    with tarfile.open(archive) as contents:
        contents.extractall(root / "store" / "trainjob" / "v0", filter="data")
    programs = root / "bin"
    programs.mkdir()
    (programs / "kubectl-trainjob").symlink_to(root / "store" / "trainjob" / "v0" / "kubectl-trainjob")
    (programs / "kubectl_complete-trainjob").symlink_to("kubectl-trainjob")
    return programs


def _with_krew(arguments: tuple[str, ...], repository: Path, *path: Path) -> Answer:
    return answer([require("kubectl"), *arguments], repository, [*path, *system_path()])


@pytest.mark.parametrize("name", ["kubectl-trainjob-v*.tar.gz", "trainjob.yaml"])
def test_the_same_commit_gives_the_same_bytes(name: str, released: Path, released_elsewhere: Path) -> None:
    [here], [there] = released.glob(name), released_elsewhere.glob(name)
    assert (here.name, here.read_bytes()) == (there.name, there.read_bytes())


def test_the_archive_depends_on_nobody(archive: Path) -> None:
    with tarfile.open(archive) as contents:
        entries = contents.getmembers()
    assert {(entry.uid, entry.gid, entry.uname, entry.mtime, entry.type) for entry in entries} == {
        (0, 0, "", 1580601600, tarfile.REGTYPE)
    }
    assert [entry.name for entry in entries] == sorted({entry.name for entry in entries})
    assert [entry.name for entry in entries if entry.mode != 0o644] == ["kubectl-trainjob"]
    assert {entry.name.split("/")[0] for entry in entries} == {"LICENSE", "kubectl-trainjob", "lib"}
    assert [entry.name for entry in entries if entry.name.endswith((".so", ".pyd", ".pyc"))] == []


def test_the_licences_of_all_that_is_shipped_are_in_it(archive: Path) -> None:
    with tarfile.open(archive) as contents:
        names = contents.getnames()
    shipped = {name.split("/")[1] for name in names if name.endswith(".dist-info/METADATA")}
    assert len(shipped) == 7
    assert {name.split("/")[1] for name in names if "/licenses/LICENSE" in name} == shipped


@pytest.mark.parametrize(("arguments", "code"), COMMANDS)
def test_it_answers_as_the_installed_package(
    arguments: tuple[str, ...], code: int, repository: Path, linked: Path, python: Path
) -> None:
    found = _with_krew(("trainjob", *arguments), repository, linked, python)
    assert found == expected(arguments, repository)
    assert found.code == code, found.err.decode()


def test_kubectl_completes_it_by_the_link_that_the_manifest_names(
    released: Path, repository: Path, linked: Path, python: Path
) -> None:
    caveats = yaml.safe_load((released / "trainjob.yaml").read_text())["spec"]["caveats"]
    [line] = [line.strip() for line in caveats.splitlines() if "ln -s" in line]
    (linked / "kubectl_complete-trainjob").unlink()
    subprocess.run(["sh", "-euc", line], env={"KREW_ROOT": str(linked.parent), "PATH": os.environ["PATH"]}, check=True)
    found = _with_krew(("__complete", "trainjob", "build", "--emit", ""), repository, linked, python)
    assert found.out.decode().splitlines() == ["jobset", "trainjob", ":4"]


# The version is what the launcher asks; no older Python can be had from a package registry.
_OLD = (
    "import runpy, sys; sys.version_info = 3, 9, 2; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
)


def test_an_old_python_is_reported(linked: Path, repository: Path, tmp_path: Path) -> None:
    found = answer([sys.executable, "-c", _OLD, linked / "kubectl-trainjob"], repository, [tmp_path])
    assert found == (
        2,
        b"",
        f"error: kubectl trainjob needs Python 3.11 or later; python3 is 3.9 here ({sys.executable})\n".encode(),
    )


def test_an_old_python_hands_over_to_a_newer_one(linked: Path, repository: Path, tmp_path: Path, python: Path) -> None:
    (tmp_path / "python3.12").symlink_to(python / "python3")
    found = answer([sys.executable, "-c", _OLD, linked / "kubectl-trainjob", "--version"], repository, [tmp_path])
    assert (found.code, found.out[:17]) == (0, b"kubectl-trainjob ")


def test_a_python_that_is_too_old_for_the_package_can_read_the_launcher() -> None:
    import ast

    ast.parse((ROOT / ".ci" / "krew" / "kubectl-trainjob").read_text(), feature_version=(3, 3))


@pytest.fixture(scope="module")
def krew(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with krew and its judge of manifests, compiled."""
    folder = tmp_path_factory.mktemp("programs")
    own = Path(__file__).parent / "krew"
    subprocess.run([require("go"), "build", "-o", f"{folder}/", "tool"], cwd=own, check=True, timeout=600)
    (folder / "krew").rename(folder / "kubectl-krew")
    return folder


@pytest.fixture
def served(released: Path, archive: Path, tmp_path: Path) -> Iterator[Path]:
    """The manifest, with an address where a server has the archive."""
    [version] = {yaml.safe_load((released / "trainjob.yaml").read_text())["spec"]["version"]}
    where = tmp_path / "served" / "releases" / "download" / version
    where.mkdir(parents=True)
    shutil.copy(archive, where)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "served"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        manifest = tmp_path / "trainjob.yaml"
        address = f"http://127.0.0.1:{server.server_port}"
        manifest.write_text((released / "trainjob.yaml").read_text().replace(REPOSITORY, address))
        yield manifest
        server.shutdown()


def _judged(manifest: Path, krew: Path) -> subprocess.CompletedProcess[str]:
    kubectl = Path(require("kubectl")).parent
    return subprocess.run(
        [krew / "validate-krew-manifest", "-manifest", manifest],
        env={"PATH": f"{krew}:{kubectl}:{os.environ['PATH']}", "HOME": str(manifest.parent)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.mark.go
def test_krews_judge_installs_it_for_every_platform(served: Path, krew: Path) -> None:
    judged = _judged(served, krew)
    assert judged.returncode == 0, judged.stderr
    assert "all 1 spec.platforms installed fine" in judged.stderr


@pytest.mark.go
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param("sha256: ", "sha256: 0", "sha256", id="sum"),
        pytest.param("version: v", "version: ", "version", id="version"),
        pytest.param("key: os", "key: shell", "shell", id="platform"),
        pytest.param("name: trainjob", "name: trainjobs", "trainjobs", id="name"),
        pytest.param("bin: kubectl-trainjob", "bin: trainjob", "trainjob", id="program"),
    ],
)
def test_krews_judge_would_reject_another(old: str, new: str, said: str, served: Path, krew: Path) -> None:
    served.write_text(served.read_text().replace(old, new))
    judged = _judged(served, krew)
    assert judged.returncode != 0
    assert said in judged.stderr


@pytest.mark.go
def test_krew_installs_it_and_kubectl_runs_it(
    released: Path, archive: Path, krew: Path, repository: Path, python: Path, tmp_path: Path
) -> None:
    root = tmp_path / "krew root"
    done = subprocess.run(
        [require("kubectl"), "krew", "install", f"--manifest={released / 'trainjob.yaml'}", f"--archive={archive}"],
        env={"PATH": f"{krew}:{os.environ['PATH']}", "KREW_ROOT": str(root), "HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert "Installed plugin: trainjob" in done.stderr, done.stderr
    arguments = ("build", "overlays/vision/prod")
    assert _with_krew(("trainjob", *arguments), repository, root / "bin", python) == expected(arguments, repository)
