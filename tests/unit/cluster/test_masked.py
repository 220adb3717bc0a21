"""Messages of the API server without the values of the object that was sent."""

from __future__ import annotations

import time

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


def test_many_values_of_one_message() -> None:
    values = [f"{number:06}" for number in range(20_000)]
    assert mask_data("x" + ", ".join(values), {"args": values}) == mask_data("x" + ", ".join(["***"] * 20_000), None)


def test_a_long_message_without_an_end_takes_no_longer_than_its_text() -> None:
    start = time.process_time()
    assert is_temporary(ApiAnswer(500, {"message": "failed to convert new object" * 40_000}))
    assert time.process_time() - start < 3
