"""Few lines that cost much: bounded time and memory, and a right result or a clear error."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.paths_bombs import BOMBS, Bomb
from tests.hostile.paths_program import build
from tests.hostile.paths_world import new_repository


@pytest.mark.slow
@pytest.mark.gate
@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_bomb(tmp_path: Path, bomb: Bomb) -> None:
    repository = new_repository(tmp_path)
    bomb.make(repository)
    ended = build(repository, bomb.path)
    print(f"{ended.seconds:.1f} s {ended.mebibytes:.0f} MiB {ended.code}", ended.err[:150])
    if bomb.part:
        ended.check_rejected(bomb.part)
    else:
        ended.check()
        assert (ended.code, ended.out.count("kind: ")) == (0, bomb.objects)
