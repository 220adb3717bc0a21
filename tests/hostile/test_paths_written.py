"""`-O DIR` where the directory holds what leads out of it: nothing outside is written, read or shown."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.manifests import config_map, stream
from tests.hostile.paths_program import build
from tests.hostile.paths_shapes import DENIED, LINK, SPECIAL
from tests.hostile.paths_ways import SECRET
from tests.hostile.paths_world import new_repository, write
from tests.loops import sample

pytestmark = pytest.mark.slow


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return new_repository(tmp_path)


def _replace(path: Path, target: str) -> None:
    path.rename(path.with_name(f"moved-{path.name}")) if path.is_dir() else path.unlink(missing_ok=True)
    path.symlink_to(target)


def _pipe_for(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


_INDEX = ".kubectl-trainjob-index"
_OUTPUT = "namespaces/team/configmap_plain.yaml"


@pytest.mark.parametrize(
    ("meddle", "part"),
    sample(
        [
            pytest.param(lambda out: _replace(out / _OUTPUT, "../../../outside/file"), LINK, id="file"),
            pytest.param(lambda out: _replace(out / "namespaces/team", "../../outside"), LINK, id="folder"),
            pytest.param(lambda out: _replace(out / "namespaces", "../outside"), LINK, id="folder above"),
            pytest.param(lambda out: _replace(out / "namespaces", ".."), LINK, id="folder that leads above"),
            pytest.param(lambda out: _replace(out / _INDEX, "../outside/file"), LINK, id="index"),
            pytest.param(lambda out: _replace(out / _INDEX, "/dev/zero"), LINK, id="index is a device"),
            pytest.param(lambda out: _pipe_for(out / _INDEX), SPECIAL, id="index is a pipe"),
            pytest.param(lambda out: _pipe_for(out / _OUTPUT), SPECIAL, id="pipe"),
            pytest.param(lambda out: (out / _OUTPUT).chmod(0), DENIED, id="locked"),
            pytest.param(lambda out: (out / "namespaces").chmod(0), DENIED, id="locked folder"),
            pytest.param(
                lambda out: (out / _INDEX).write_text(f"{'0' * 64}  ../outside/file\n"), "line 1", id="index leads out"
            ),
            pytest.param(lambda out: (out / _INDEX).write_text(SECRET), "line 1", id="index is another's"),
            pytest.param(lambda out: _replace(out / ".kubectl-trainjob-new", "../outside/file"), "", id="new file"),
            pytest.param(
                lambda out: _replace(out / ".kubectl-trainjob-new", "../outside/made"), "", id="file to be made"
            ),
        ],
        every=3,
    ),
)
def test_output_goes_nowhere_else(repository: Path, meddle: Callable[[Path], object], part: str) -> None:
    """`part` is what is said; "" where it does not matter."""
    outside, out = repository.with_name("outside"), repository.with_name("out")
    write(outside, {"file": SECRET, "configmap_plain.yaml": SECRET})
    write(repository, {"jobs/a.yaml": stream(config_map("plain", "team"))})
    assert build(repository, "jobs", "-O", "../out").code == 0
    meddle(out)
    write(repository, {"jobs/a.yaml": stream(config_map("plain", "team", new="1"))})
    ended = build(repository, "jobs", "-O", "../out")
    ended.check_rejected(part) if part else ended.check()
    assert ended.code == (2 if part else 0)
    assert {path.name: path.read_text() for path in outside.iterdir()} == {
        "file": SECRET,
        "configmap_plain.yaml": SECRET,
    }


@pytest.mark.parametrize("target", ["out", "deep/out"])
def test_output_is_not_led_out_of_the_repository(repository: Path, target: str) -> None:
    outside = repository.with_name("outside")
    write(outside, {"out/file": SECRET})
    write(repository, {"jobs/a.yaml": stream(config_map("plain"))})
    link = repository / target.partition("/")[0]
    link.symlink_to("../outside/out" if link.name == "out" else "../outside")
    ended = build(repository, "jobs", "-O", target)
    assert [path.name for path in (outside / "out").iterdir()] == ["file"]
    ended.check_rejected(target, "leads out of the repository")


@pytest.mark.parametrize("target", [".git", ".git/x", ".GIT/x", ""])
def test_output_goes_neither_to_git_nor_to_nowhere(repository: Path, target: str) -> None:
    write(repository, {"jobs/a.yaml": stream(config_map("plain"))})
    ended = build(repository, "jobs", "-O", target)
    assert (ended.code, ended.out) == (2, "")
    assert not (repository / ".git" / "x").exists()
