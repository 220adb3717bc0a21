"""Few lines that cost much: bounded time and memory, and a right result or a clear error."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.paths_bombs import BOMBS, Bomb
from tests.hostile.paths_program import build
from tests.hostile.paths_world import new_repository


def _cases() -> Iterator[Any]:
    for name, bomb in BOMBS.items():
        marks = [pytest.mark.xfail(reason=bomb.todo, strict=True)] if bomb.todo else []
        yield pytest.param(bomb, id=name, marks=marks)


@pytest.mark.slow
@pytest.mark.parametrize("bomb", [*_cases()])
def test_bomb(tmp_path: Path, bomb: Bomb) -> None:
    repository = new_repository(tmp_path)
    bomb.make(repository)
    ended = build(repository, bomb.path)
    print(f"{ended.seconds:.1f} s {ended.mebibytes:.0f} MiB {ended.code}", ended.err[:150])
    if bomb.part:
        ended.check_refused(bomb.part)
    else:
        ended.check()
        assert (ended.code, ended.out.count("kind: ")) == (0, bomb.objects)
