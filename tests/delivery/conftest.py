"""A release, made once, and once more elsewhere; a repository to try it on; what the checkout answers there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.tools import require

ROOT = Path(__file__).resolve().parents[2]
REPOSITORY = "https://git.acme.example/kubectl-trainjob"

_FILES = ("LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", ".gitignore", ".dockerignore", "Dockerfile")
_FOLDERS = (".ci", "kubectl_trainjob", "overlays", "runtimes", "tests")

# More TrainJobs than one process takes.
_MANY = """\
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: made-{number}}}
spec: {{runtimeRef: {{name: torch-distributed}}, trainer: {{numNodes: {number}}}}}
"""


class Answer(NamedTuple):
    """How a command ended and what it wrote."""

    code: int
    out: bytes
    err: bytes


# Each command with its exit code: templates in a child process, forked workers, schemas, the catalogue, git.
COMMANDS = [
    pytest.param(("build", "overlays/vision/prod"), 0, id="templates"),
    pytest.param(("build", "overlays/gpu-fleet", "-o", "json"), 0, id="fleet"),
    pytest.param(("build", "runtimes", "many.yaml"), 0, id="workers"),
    pytest.param(("build", "runtimes", "broken.yaml"), 1, id="findings"),
    pytest.param(("explain", "-f", "overlays/vision/prod", "TrainJob/captions"), 0, id="explain"),
    pytest.param(("env", "-f", "overlays/vision/prod", "TrainJob/captions"), 0, id="env"),
    pytest.param(("init", "--list-runtimes"), 0, id="catalogue"),
    pytest.param(("lint", "-o", "sarif"), 1, id="lint"),
    pytest.param(("lint", "explain", "KTJ301"), 0, id="manual"),
    pytest.param(("diff", "HEAD~1..HEAD", "-o", "markdown"), 1, id="diff"),
    pytest.param(("review", "HEAD~1..HEAD", "-o", "markdown"), 1, id="review"),
    pytest.param(("--version",), 0, id="version"),
]


def answer(command: Sequence[str | Path], folder: Path, path: Sequence[Path | str]) -> Answer:
    """Run a command in a folder, with nothing in its environment but PATH and a home."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={"PATH": os.pathsep.join(map(str, path)), "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=600,
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def elsewhere(folder: Path) -> Path:
    """A copy of what a release is made of: new times, and only the owner may read it."""
    for name in _FILES:
        shutil.copy(ROOT / name, folder / name)
    for name in _FOLDERS:
        shutil.copytree(
            ROOT / name, folder / name, copy_function=shutil.copy, ignore=shutil.ignore_patterns("__pycache__")
        )
    for path in folder.rglob("*"):
        path.chmod(path.stat().st_mode & 0o700)
    return folder


def release(source: Path, out: Path, umask: int = 0o022, **environment: str) -> Path:
    """The folder of what `.ci/release.py` makes of a source."""
    kept = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    done = subprocess.run(
        [sys.executable, source / ".ci" / "release.py", out, "--repository", REPOSITORY],
        env={**kept, **environment},
        umask=umask,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return out


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What this checkout releases."""
    return release(ROOT, tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="session")
def released_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same from another folder, by another person, in another place and time zone."""
    source = elsewhere(tmp_path_factory.mktemp("some where else"))
    unlike = {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "7", "HOME": str(source)}
    return release(source, tmp_path_factory.mktemp("release-2"), umask=0o077, **unlike)


@pytest.fixture(scope="session")
def wheelhouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheels that ours needs, by hash."""
    folder = tmp_path_factory.mktemp("wheelhouse")
    lock = ROOT / ".ci" / "requirements-runtime.lock"
    how = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", lock, "-d", folder]
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *how], check=True, timeout=600)
    return folder


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository of the examples, with a change in its last commit, and many jobs."""
    folder = tmp_path_factory.mktemp("repository")
    folder.chmod(0o755)  # another user reads it in a container
    for name in ("runtimes", "overlays"):
        shutil.copytree(ROOT / name, folder / name)
    job = folder / "overlays" / "fashion-mnist" / "job.yaml"
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, "Begin")
    job.write_text(job.read_text().replace("numNodes: 2", "numNodes: 4"))
    commit(folder, "Use four nodes")
    (folder / "many.yaml").write_text("".join(_MANY.format(number=number) for number in range(1, 621)))
    (folder / "broken.yaml").write_text(_MANY.format(number=-1).replace("torch-", "trch-"))
    return folder


def git(folder: Path, *arguments: str) -> None:
    """Run git there, without anybody's settings."""
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": "ada@acme.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    subprocess.run([require("git"), *arguments], cwd=folder, env=environment, check=True)


def commit(folder: Path, message: str) -> None:
    """Commit all."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)


def expected(arguments: Sequence[str], repository: Path) -> Answer:
    """What this checkout's plugin answers to `kubectl trainjob ARGUMENTS` there."""
    path = (Path(require("kubectl-trainjob")).parent, Path(require("kubectl")).parent, *system_path())
    return answer([require("kubectl"), "trainjob", *arguments], repository, path)


def system_path() -> list[Path]:
    """The folder of git."""
    return [Path(require("git")).parent]
