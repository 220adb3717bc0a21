"""Messages of the API server without the values of the object that was sent."""

from __future__ import annotations

import time
from random import Random

import pytest

from kubectl_trainjob.cluster.errors import is_temporary, mask_data
from kubectl_trainjob.cluster.protocol import ApiAnswer
from tests.loops import for_each

_CASES: list[tuple[list[str], str, str]] = [
    (["secret"], "a secret, asecretb and sec", "a ***, a***b and sec"),
    (["abcd", "abcdefgh"], "abcdefgh abcde", "*** ***e"),
    (["abcd", "cdefgh"], "abcdefgh", "***"),
    (["abcdef", "efgh"], "abcdefgh-efgh", "***-***"),
    (["abcd"], "abcdabcd", "******"),
    (["aaaa"], "aaaaaa", "***"),
    (["abc"], "abc is too short to be masked", "abc is too short to be masked"),
    (["****"], "a **** b", "a *** b"),
    ([], "nothing", "nothing"),
]


@for_each("case", _CASES, at_least=9)
def test_all_values_are_masked_also_where_they_overlap(case: tuple[list[str], str, str]) -> None:
    values, text, expected = case
    assert mask_data(text, {"command": values}) == expected


@pytest.mark.parametrize("seed", range(30))
def test_every_character_of_a_value_is_masked(seed: int) -> None:
    chance = Random(seed)
    for _ in range(40):
        text = "".join(chance.choices("ab", k=chance.randrange(60)))
        values = {"".join(chance.choices("ab", k=chance.randrange(4, 16))) for _ in range(chance.randrange(12))}
        at = [(i, value) for value in values for i in range(len(text)) if text.startswith(value, i)]
        hidden = {i + k for i, value in at for k in range(len(value))}
        starts = {i for i, _ in at} - {i + k for i, value in at for k in range(1, len(value))}
        expected = ["***" * (i in starts) + ("" if i in hidden else each) for i, each in enumerate(text)]
        assert mask_data(text, {"args": [*values]}) == "".join(expected), (text, values)


def test_many_values_of_one_message() -> None:
    values = [f"{number:06}" for number in range(20_000)]
    assert mask_data("x" + ", ".join(values), {"args": values}) == mask_data("x" + ", ".join(["***"] * 20_000), None)


def test_a_long_message_without_an_end_takes_no_longer_than_its_text() -> None:
    start = time.process_time()
    assert is_temporary(ApiAnswer(500, {"message": "failed to convert new object" * 40_000}))
    assert time.process_time() - start < 3
