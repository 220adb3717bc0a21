"""The wheel and the sdist: the same bytes from everywhere, what is in them, and that pip and pipx install them."""

from __future__ import annotations

import configparser
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from packaging.metadata import Metadata

from kubectl_trainjob import __version__
from tests.delivery.conftest import COMMANDS, ROOT, Answer, answer, expected, system_path
from tests.tools import require

pytestmark = pytest.mark.slow

PROGRAMS = ["kubectl-trainjob", "kubectl_complete-trainjob"]
FEW = [param for param in COMMANDS if param.id in ("templates", "catalogue", "diff", "version")]


@pytest.fixture(scope="module")
def wheel(released: Path) -> Path:
    [path] = released.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _tracked(*folders: str) -> set[str]:
    """The files that git knows, or would add."""
    command = [require("git"), "ls-files", "--cached", "--others", "--exclude-standard", "-z", *folders]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {name for name in listed.split("\0") if name and (ROOT / name).exists()}


@pytest.mark.parametrize("name", ["*.whl", "kubectl_trainjob-*.tar.gz"])
def test_the_same_commit_gives_the_same_bytes(name: str, released: Path, released_elsewhere: Path) -> None:
    [here], [there] = released.glob(name), released_elsewhere.glob(name)
    assert (here.name, here.read_bytes()) == (there.name, there.read_bytes())


def test_the_wheel_has_the_package_the_examples_and_the_catalogue_and_nothing_else(contents: dict[str, bytes]) -> None:
    own = f"kubectl_trainjob-{__version__}.dist-info/"
    about = {own + name for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")}
    examples = {f"kubectl_trainjob/_examples/{name}": name for name in _tracked("runtimes", "overlays")}
    package = {name: name for name in _tracked("kubectl_trainjob")}
    assert {"kubectl_trainjob/py.typed", "kubectl_trainjob/_examples/runtimes/plain.yaml"} < {*examples, *package}
    assert set(contents) == {*about, *examples, *package}
    for name, source in {**examples, **package, own + "licenses/LICENSE": "LICENSE"}.items():
        assert contents[name] == (ROOT / source).read_bytes(), name


def test_the_sdist_has_the_wheels_sources_and_the_tests(released: Path) -> None:
    [path] = released.glob("kubectl_trainjob-*.tar.gz")
    with tarfile.open(path) as archive:
        entries = archive.getmembers()
    names = {entry.name.removeprefix(f"kubectl_trainjob-{__version__}/") for entry in entries}
    folders = _tracked("kubectl_trainjob", "runtimes", "overlays", "tests")
    files = {"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml", "PKG-INFO", ".gitignore"}
    assert names == folders | files
    assert {(entry.uid, entry.gid, entry.uname, entry.mtime) for entry in entries} == {(0, 0, "", 1580601600)}


def test_its_metadata_is_as_the_standards_say(contents: dict[str, bytes]) -> None:
    found = Metadata.from_email(contents[f"kubectl_trainjob-{__version__}.dist-info/METADATA"], validate=True)
    needed = [r.name for r in found.requires_dist or [] if r.marker is None]
    assert (found.name, str(found.version), found.license_expression) == ("kubectl-trainjob", __version__, "Apache-2.0")
    assert (sorted(needed), str(found.requires_python)) == (["click", "jinja2", "jsonpatch", "pyyaml"], ">=3.11")


def test_it_brings_the_plugin_and_its_completion(contents: dict[str, bytes]) -> None:
    points = configparser.ConfigParser()
    points.optionxform = str  # type: ignore[assignment, method-assign]
    points.read_string(contents[f"kubectl_trainjob-{__version__}.dist-info/entry_points.txt"].decode())
    assert sorted(points["console_scripts"]) == PROGRAMS


def _run(command: Sequence[str | Path], **environment: str) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP", "PYTHON", "VIRTUAL"))}
    certificates = {name: value for name, value in os.environ.items() if name in ("PIP_CERT", "PIP_INDEX_URL")}
    done = subprocess.run(
        command, env={**kept, **certificates, **environment}, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def by_pip(wheel: Path, wheelhouse: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a fresh environment."""
    folder = tmp_path_factory.mktemp("fresh") / "venv"
    _run([sys.executable, "-m", "venv", folder])
    _run([folder / "bin" / "pip", "install", "--no-index", "--find-links", wheelhouse, wheel])
    return folder / "bin"


@pytest.fixture(scope="module")
def by_pipx(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs that pipx puts on the PATH. It may want a newer pip of the package index first."""
    home = tmp_path_factory.mktemp("pipx")
    lock = (ROOT / ".ci" / "requirements-runtime.lock").read_text()
    (home / "versions").write_text("\n".join(re.findall(r"^[\w.-]+==[^ ]+", lock, re.MULTILINE)))
    _run(
        [require("pipx"), "install", "--python", sys.executable, f"--pip-args=-c {home}/versions", str(wheel)],
        PIPX_HOME=str(home / "home"),
        PIPX_BIN_DIR=str(home / "bin"),
        PIPX_MAN_DIR=str(home / "man"),
    )
    return home / "bin"


def _plugin(arguments: Sequence[str], repository: Path, programs: Path) -> Answer:
    return answer([require("kubectl"), *arguments], repository, [programs, *system_path()])


@pytest.mark.parametrize(("arguments", "code"), FEW)
@pytest.mark.parametrize("installed", ["by_pip", "by_pipx"])
def test_kubectl_finds_it(
    installed: str, arguments: tuple[str, ...], code: int, repository: Path, request: pytest.FixtureRequest
) -> None:
    found = _plugin(("trainjob", *arguments), repository, request.getfixturevalue(installed))
    assert found == expected(arguments, repository)
    assert found.code == code


@pytest.mark.parametrize("installed", ["by_pip", "by_pipx"])
def test_kubectl_lists_and_completes_it(installed: str, repository: Path, request: pytest.FixtureRequest) -> None:
    programs = request.getfixturevalue(installed)
    listed = _plugin(("plugin", "list", "--name-only"), repository, programs).out.decode().splitlines()
    assert "kubectl-trainjob" in listed
    completed = _plugin(("__complete", "trainjob", "build", "--emit", ""), repository, programs)
    assert completed.out.decode().splitlines() == ["jobset", "trainjob", ":4"]
