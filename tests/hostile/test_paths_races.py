"""A link put in place while a build runs: again and again what is named changes places with a link to a secret."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.manifests import config_map, stream
from tests.hostile.paths_program import CANARY, PROJECT, ProcessResult, build
from tests.hostile.paths_ways import (
    DIRECTORY_WAYS,
    FILE_WAYS,
    FOUND_DIRECTORIES,
    NAMED_DIRECTORY_WAYS,
    NAMED_FILE_WAYS,
    Way,
)
from tests.hostile.paths_world import new_repository, prepared, write

_FEWEST, _MOST = 25, 300  # builds
_INVALID = ("trainjob.yaml", "above runtimes of a setting", "above overlay's directory")  # not with any other text
_WAYS = {**FILE_WAYS, **DIRECTORY_WAYS, **{f"named {name}": way for name, way in NAMED_FILE_WAYS.items()}}
_WAYS |= {f"named {name}": way for name, way in NAMED_DIRECTORY_WAYS.items()}
_CASES = {name: way for name, way in _WAYS.items() if not name.endswith(_INVALID)}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return new_repository(tmp_path)


@contextmanager
def flipping(one: Path, other: Path) -> Iterator[None]:
    """Two names change places meanwhile."""
    command = [sys.executable, "-m", "tests.hostile.paths_flipper", str(one), str(other)]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield
            assert process.poll() is None
        finally:
            process.kill()


def seen(once: Callable[[], ProcessResult]) -> Counter[int]:
    """How often builds ended with which exit code, until both success and rejection were seen."""
    codes: Counter[int] = Counter()
    while codes.total() < _MOST and (codes.total() < _FEWEST or not codes[0] or not codes[1] + codes[2]):
        ended = once()
        ended.check()
        codes[ended.code] += 1
    return codes


def _harmless(text: str) -> str:
    return text.replace(CANARY, "harmless")


@pytest.mark.parametrize(
    "way",
    [pytest.param(way, id=name, marks=pytest.mark.slow) for name, way in _CASES.items()],
)
def test_what_is_named_becomes_a_link(repository: Path, way: Way) -> None:
    world = prepared(repository, way)
    if isinstance(way.content, str):
        write(repository, {way.slot: _harmless(way.content)})
    else:
        write(world.slot, {path: _harmless(text) for path, text in way.content.items()})
    link = world.slot.with_name(".link")
    link.symlink_to(world.secret)

    def once() -> ProcessResult:
        ended = build(repository, *way.arguments)
        assert (ended.code == 0) == bool(ended.out)
        is_skipped = way.slot in FOUND_DIRECTORIES and "(link)" in ended.err
        return replace(ended, code=1) if is_skipped else ended

    with flipping(world.slot, link):
        codes = seen(once)
    assert codes[0], f"no build found the regular file or directory: {codes}"
    assert codes[1] + codes[2], f"no build found the link: {codes}"


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["namespaces", "namespaces/team"])
def test_where_is_written_to_becomes_a_link(repository: Path, folder: str) -> None:
    outside, out = repository.with_name("outside"), repository.with_name("out")
    write(outside, {"team/configmap_plain.yaml": CANARY, "configmap_plain.yaml": CANARY})
    job = repository / "jobs/a.yaml"
    job.parent.mkdir()
    count = 0

    def once() -> ProcessResult:
        nonlocal count
        count += 1
        job.write_text(stream(config_map("plain", "team", count=str(count))))
        return build(repository, "jobs", "-O", "../out")

    assert once().code == 0
    link = out / ".link"
    link.symlink_to(outside)
    with flipping(out / folder, link):
        codes = seen(once)
    assert codes[0], f"no build found the folder: {codes}"
    assert codes[1] + codes[2], f"no build found the link: {codes}"
    files = {str(path.relative_to(outside)): path.read_text() for path in outside.rglob("*") if path.is_file()}
    assert files == {"team/configmap_plain.yaml": CANARY, "configmap_plain.yaml": CANARY}
