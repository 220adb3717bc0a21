"""`for_each` calls a test with every value, reports every value that fails, and lets none disappear."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tests.loops import cases, for_each, sample, sampled

LETTERS = {"first": "a", "second": "b", "third": "c"}


def test_every_failure_is_reported_with_its_label_and_its_line() -> None:
    seen = []

    @for_each("letter", LETTERS, at_least=3)
    def judge(letter: str) -> None:
        seen.append(letter)
        assert letter == "b", f"{letter} is not b"

    with pytest.raises(pytest.fail.Exception) as failed:
        judge()
    message = str(failed.value)
    assert seen == ["a", "b", "c"]
    assert message.startswith("2 of 3 cases failed\n== 'first'\n")
    assert "== 'third'" in message
    assert "c is not b" in message
    assert f"{Path(__file__).name}:" in message
    assert "second" not in message


def test_stacked_loops_give_the_product_and_fixtures_stay_arguments() -> None:
    seen = []

    @for_each("number", (1, 2), at_least=2)
    @for_each("letter", LETTERS, at_least=3)
    def judge(number: int, letter: str, tmp_path: Path) -> None:
        del tmp_path
        seen.append((number, letter))

    judge(tmp_path=Path())
    assert seen == [(1, "a"), (1, "b"), (1, "c"), (2, "a"), (2, "b"), (2, "c")]
    assert cases(judge, None) == 6
    assert list(inspect.signature(judge).parameters) == ["tmp_path"]


def test_too_few_values_fail() -> None:
    with pytest.raises(AssertionError, match="3 values, expected 4"):
        for_each("letter", LETTERS, at_least=4)(print)


def test_a_missing_raise_is_one_failure_of_many() -> None:
    @for_each("letter", LETTERS, at_least=3)
    def judge(letter: str) -> None:
        with pytest.raises(ValueError, match=letter):
            int("1" if letter == "b" else letter)

    with pytest.raises(pytest.fail.Exception, match="1 of 3 cases failed\n== 'second'"):
        judge()


def test_a_skip_is_no_failure() -> None:
    @for_each("letter", LETTERS, at_least=3)
    def judge(letter: str) -> None:
        pytest.skip(letter)

    with pytest.raises(pytest.skip.Exception):
        judge()


def test_a_sample_and_the_rest_are_all_and_a_sample_has_every_value() -> None:
    seen = []

    @sampled(every=2)
    @for_each("number", range(4), at_least=4)
    @for_each("letter", LETTERS, at_least=3)
    def judge(number: int, letter: str) -> None:
        seen.append((number, letter))

    judge(part=True)
    some = list(seen)
    judge(part=False)
    assert len(some) == cases(judge, part=True) == cases(judge, part=False) == 6
    assert len(set(seen)) == len(seen) == cases(judge, None) == 12
    assert {number for number, _ in some} == set(range(4))
    assert {letter for _, letter in some} == {"a", "b", "c"}
    assert list(inspect.signature(judge).parameters) == ["part"]
    (mark,) = vars(judge)["pytestmark"]
    assert [[each.name for each in one.marks] for one in mark.args[1]] == [[], ["slow"]]


def test_parameters_are_slow_but_for_a_sample() -> None:
    parameters = sample(LETTERS, every=2)
    assert [(each.id, *each.values) for each in parameters] == [("first", "a"), ("second", "b"), ("third", "c")]
    assert [bool(each.marks) for each in parameters] == [False, True, False]
    assert [each.values for each in sample("ab", every=1)] == [("a",), ("b",)]
    (first, second) = sample([pytest.param(1, 2, id="x"), pytest.param(3, 4, id="y", marks=pytest.mark.gate)], every=2)
    assert (first.values, first.id, first.marks) == ((1, 2), "x", ())
    assert (second.values, second.id, [each.name for each in second.marks]) == ((3, 4), "y", ["gate", "slow"])
