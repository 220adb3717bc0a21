"""The container image, built for real by buildah, twice, and run as Kubernetes would run it.

The base that the Dockerfile names lies in a registry; here one of the same Debian and Python is made of Debian's
packages. A container is a chroot in namespaces of its own: no network, nothing that can be written.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.delivery.conftest import COMMANDS, ROOT, Answer, elsewhere, expected
from tests.tools import missing, require

DOCKERFILE = (ROOT / "Dockerfile").read_text()
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")  # of this machine, for pip in the first stage
TIME = "1700000000"

USERS = [pytest.param("999:999", id="argocd"), pytest.param("1000680000:0", id="openshift")]

_CONTROLLER = ("controller", "once")
_KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: none
clusters: [{name: none, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: none, context: {cluster: none, user: none}}]
users: [{name: none, user: {token: none}}]
"""

_ENTER = """
mount --bind "$ROOT" "$ROOT"
mount -o remount,ro,bind "$ROOT"
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
mount --bind "$WORK" "$ROOT/repo"
mount -o remount,ro,bind "$ROOT/repo"
exec chroot --userspec="$AS" "$ROOT" "$@"
"""


class Builder(NamedTuple):
    """Buildah with a store of its own."""

    store: Path

    def run(self, *arguments: str | Path) -> str:
        """What a command prints. Fails with all that it said."""
        where = ["--root", self.store / "root", "--runroot", self.store / "run"]
        done = subprocess.run(
            [require("buildah"), *where, *arguments], capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    def build(self, source: Path, name: str) -> str:
        """The id of the image that a source gives: the hash of its settings and layers."""
        trusted = ["--volume", f"{CERTIFICATES}:{CERTIFICATES}:ro"]
        same = ["--isolation", "chroot", "--no-cache", "--quiet", "--timestamp", TIME]
        return self.run("build", *same, *trusted, "--build-arg", "PYTHON_IMAGE=localhost/python", "-t", name, source)

    def unpacked(self, name: str) -> Path:
        """The folder with the files of an image."""
        return Path(self.run("mount", self.run("from", "--pull-never", name)))


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Builder]:
    """Buildah with a base image: Debian's Python, as the Dockerfile's has it."""
    if os.geteuid() != 0:
        missing("only root can build the image without a service")
    enter = ["unshare", "--mount", "--net", "--ipc", "mount", "-t", "tmpfs", "none", tmp_path_factory.mktemp("mounted")]
    if subprocess.run(enter, capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine lets nobody mount anything, so no container can be made")
    made = Builder(tmp_path_factory.mktemp("containers"))
    base = made.store / "base.tar"
    [suite] = re.findall(r"^ARG PYTHON_IMAGE=.*-slim-(\w+)@", DOCKERFILE, re.MULTILINE)
    slim = [f"--dpkgopt=path-exclude=/usr/share/{folder}/*" for folder in ("doc", "info", "locale", "man")]
    slim.append("--dpkgopt=path-include=/usr/share/doc/*/copyright")
    what = ["--mode=root", "--variant=apt", *slim, "--include=python3-venv,ca-certificates", suite, base]
    subprocess.run([require("mmdebstrap"), "--quiet", *what], check=True, timeout=600)
    container = made.run("from", "scratch")
    made.run("add", "--quiet", container, base, "/")
    made.run("commit", "--quiet", "--rm", container, "localhost/python")
    base.unlink()
    yield made
    made.run("umount", "--all")
    shutil.rmtree(made.store)


@pytest.fixture(scope="module")
def built(builder: Builder) -> str:
    return builder.build(ROOT, "one")


@pytest.fixture(scope="module")
def files(builder: Builder, built: str) -> Path:
    return builder.unpacked(built)


@pytest.fixture(scope="module")
def settings(builder: Builder, built: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(builder.run("inspect", "--type", "image", built))["OCIv1"]["config"]
    return found


def _run(files: Path, settings: dict[str, Any], work: Path, user: str, command: Sequence[str]) -> Answer:
    """Run a command in the image as a user, with the image's environment; all is read-only, `work` is at /repo."""
    inside = ["/usr/bin/env", "-i", "-C", settings["WorkingDir"], *settings["Env"], *command]
    done = subprocess.run(
        ["unshare", "--mount", "--net", "--ipc", "sh", "-euc", _ENTER, "sh", *inside],
        env={"PATH": os.environ["PATH"], "ROOT": str(files), "WORK": str(work), "AS": user},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=600,
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def test_hadolint_finds_nothing() -> None:
    done = subprocess.run([require("hadolint"), ROOT / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_the_base_is_pinned_by_digest_for_every_stage() -> None:
    assert re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE) == ["${PYTHON_IMAGE}"] * 2
    [base] = re.findall(r"^ARG PYTHON_IMAGE=(.*)$", DOCKERFILE, re.MULTILINE)
    assert re.fullmatch(r"docker\.io/library/python:3\.\d+\.\d+-slim-\w+@sha256:[0-9a-f]{64}", base)


@pytest.mark.slow
def test_the_same_commit_gives_the_same_image(
    builder: Builder, built: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert builder.build(elsewhere(tmp_path_factory.mktemp("else where")), "two") == built


@pytest.mark.slow
def test_its_settings_suit_a_cluster(settings: dict[str, Any]) -> None:
    assert settings["User"] == "999:999"
    assert (settings["Entrypoint"], settings["WorkingDir"]) == (["kubectl-trainjob"], "/repo")
    assert settings["Labels"]["org.opencontainers.image.licenses"] == "Apache-2.0"


def _tree(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Path to mode, owner and size of each file that is no directory; the times are the same for all."""
    paths = ((Path(parent) / name) for parent, _, names in os.walk(folder) for name in names)
    stats = ((str(path.relative_to(folder)), path.lstat()) for path in paths)
    return {name: (stat.st_mode, stat.st_uid, stat.st_size) for name, stat in stats}


@pytest.mark.slow
def test_it_adds_the_program_and_git_to_its_base_and_no_more(builder: Builder, files: Path) -> None:
    base, image = _tree(builder.unpacked("localhost/python")), _tree(files)
    added = {name: stat for name, stat in image.items() if name not in base}
    assert {name: image.get(name) for name in base} == base
    own = re.compile(r"opt/kubectl-trainjob/|(usr/bin/git|usr/share/doc/git/copyright|var/lib/dpkg/status\.d/git)$")
    assert [name for name in added if not own.match(name)] == []
    assert [name for name in added if re.search(r"/pip/|/hatchling/|/tests/|__pycache__", name)] == []
    assert [
        name for name, (mode, owner, _) in added.items() if owner != 0 or (mode & 0o6022 and not mode & 0o20000)
    ] == []
    assert sum(size for _, _, size in added.values()) < 132_000_000


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "code"), COMMANDS)
def test_it_answers_as_the_installed_package(
    arguments: tuple[str, ...], code: int, repository: Path, files: Path, settings: dict[str, Any]
) -> None:
    found = _run(files, settings, repository, settings["User"], [*settings["Entrypoint"], *arguments])
    assert found == expected(arguments, repository)
    assert found.code == code


@pytest.fixture(scope="module")
def cluster(repository: Path) -> Path:
    """The repository, with a kubeconfig whose server does not answer."""
    (repository / "cluster.yaml").write_text(_KUBECONFIG)
    return repository


@pytest.mark.slow
@pytest.mark.parametrize("user", USERS)
def test_the_controller_starts(user: str, cluster: Path, files: Path, settings: dict[str, Any]) -> None:
    start = [*settings["Entrypoint"], *_CONTROLLER]
    assert b"controller [OPTIONS] run|once" in _run(files, settings, cluster, user, [*start, "--help"]).out
    found = _run(files, settings, cluster, user, [*start, "--kubeconfig=cluster.yaml", "--request-timeout=1s"])
    assert (found.code, found.out) == (2, b""), found.err.decode()
    assert found.err.decode().startswith("error: the cluster does not answer:")
    make_key = "from cryptography.hazmat.primitives.asymmetric import ec; ec.generate_private_key(ec.SECP521R1())"
    assert _run(files, settings, cluster, user, ["python3", "-c", make_key]) == Answer(0, b"", b"")


@pytest.mark.slow
@pytest.mark.parametrize("user", USERS)
def test_anybody_may_run_it_and_write_nothing(
    user: str, repository: Path, files: Path, settings: dict[str, Any]
) -> None:
    probes = [
        "id -u",
        "kubectl-trainjob build overlays/vision/prod | tail -n 1",
        "kubectl-trainjob diff HEAD~1..HEAD | head -n 1",
    ]
    writes = "for f in /tmp /repo /opt/kubectl-trainjob /home; do touch $f/x 2> /dev/null && echo $f; done; true"
    found = _run(files, settings, repository, user, ["sh", "-c", "; ".join([*probes, writes])])
    lines = found.out.decode().splitlines()
    assert (lines[0], found.code) == (user.split(":", maxsplit=1)[0], 0), found.err.decode()
    assert lines[1:] == [
        expected(("build", "overlays/vision/prod"), repository).out.decode().splitlines()[-1],
        expected(("diff", "HEAD~1..HEAD"), repository).out.decode().splitlines()[0],
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code"), [(("lint", "overlays/vision/prod"), 0), ((*_CONTROLLER, "--kubeconfig=cluster.yaml"), 2)]
)
def test_a_start_compiles_nothing(
    arguments: tuple[str, ...], code: int, cluster: Path, files: Path, settings: dict[str, Any]
) -> None:
    command = ["python3", "-v", "-m", "kubectl_trainjob", *arguments]
    found = _run(files, settings, cluster, settings["User"], command)
    loaded = re.findall(r"code object from '?([^'\n]+)", found.err.decode())
    assert found.code == code
    assert len(loaded) > 200
    assert [path for path in loaded if not path.endswith(".pyc")] == []


@pytest.mark.slow
def test_a_scanner_sees_the_git_that_is_in_it(repository: Path, files: Path, settings: dict[str, Any]) -> None:
    entry = (files / "var/lib/dpkg/status.d/git").read_text()
    version = _run(files, settings, repository, settings["User"], shlex.split("git version")).out.decode().split()[-1]
    assert entry.startswith("Package: git\n")
    assert re.search(rf"^Version: 1:{re.escape(version)}-", entry, re.MULTILINE)
