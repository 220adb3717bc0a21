"""Two minutes of the fuzzer, and all that it ever found."""

from __future__ import annotations

import pytest

from tests.fuzz.__main__ import FOUND, fuzz
from tests.fuzz.inputs import Input, draw
from tests.fuzz.run import error_of
from tests.loops import for_each

_SEED = 1
_SECONDS = 120
_MOST = 100  # the same ones on each machine; `python -m tests.fuzz` goes on


@pytest.mark.slow
def test_random_inputs_show_no_error_of_the_program(note_figure) -> None:
    count, errors = fuzz(_SEED, _SECONDS, _MOST)
    note_figure(f"{count} inputs in {_SECONDS} s")
    assert errors == {}
    assert count >= 2


@for_each("name", sorted(path.name for path in FOUND.glob("*.json")), at_least=2)
def test_what_was_found_is_fixed(name: str) -> None:
    assert error_of(Input.from_json((FOUND / name).read_text())) == ""


def test_a_seed_gives_the_same_input_again() -> None:
    assert [draw(seed) for seed in range(20)] == [draw(seed) for seed in range(20)]
    assert len({draw(seed).to_json() for seed in range(20)}) == 20


def test_an_error_of_the_program_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> int:
        raise ValueError("a bug")

    monkeypatch.setattr("tests.fuzz.run.run_command", fail)
    assert "a bug" in error_of(draw(1))
    monkeypatch.setattr("tests.fuzz.run.run_command", lambda *_: 3)
    assert error_of(draw(1)) == "exit code 3"
    monkeypatch.setattr("tests.fuzz.run.run_command", lambda *_: print("\x1b[31m") or 0)
    assert "unprintable" in error_of(draw(1))
