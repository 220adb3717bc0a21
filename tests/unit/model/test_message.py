"""A message keeps its words and data apart, and reads as one text."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from kubectl_trainjob.model.message import Data, Message, joined, listed, say, truncate


@pytest.mark.parametrize(
    ("message", "text", "pieces"),
    [
        pytest.param(say("add it"), "add it", ("add it",), id="words"),
        pytest.param(say("{} is set", "a"), "a is set", (Data("a"), " is set"), id="data"),
        pytest.param(say('no "{}"', "a"), 'no "a"', ("no ", Data("a", is_quoted=True)), id="quoted data"),
        pytest.param(say("{} of {}", 1, 2), "1 of 2", ("1", " of ", "2"), id="numbers are words"),
        pytest.param(say("not {}", True), "not true", ("not ", Data("true")), id="a value as JSON"),
        pytest.param(say("{}{}", Message(), say("a")), "a", ("a",), id="nothing"),
        pytest.param(say("{}; add it", say('no "{}"', "a")), 'no "a"; add it', None, id="a message"),
        pytest.param(say("{}", "{}"), "{}", (Data("{}"),), id="data is no template"),
        pytest.param(say("{}", "a" * 999 + "b"), "a" * 150 + "…" + "a" * 149 + "b", None, id="long data"),
    ],
)
def test_say(message: Message, text: str, pieces: tuple[str | Data, ...] | None) -> None:
    assert message == text
    assert pieces is None or message.pieces == pieces


def test_a_long_name_keeps_both_ends() -> None:
    assert truncate("a" * 300) == "a" * 300
    assert truncate("a" * 200 + "b" * 200, 10) == "aaaaa…bbbbb"


@pytest.mark.parametrize("values", [(), ("a", "b")])
def test_each_value_has_its_place(values: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match="zip"):
        say("{}", *values)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        pytest.param("", "", id="none"),
        pytest.param("a", '"a"', id="one"),
        pytest.param("ab", '"a" or "b"', id="two"),
        pytest.param("abc", '"a", "b" or "c"', id="three"),
        pytest.param(
            "abcdefghijklmn", '"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l" or 2 more', id="many"
        ),
    ],
)
def test_listed(names: str, text: str) -> None:
    assert listed(names, "or") == text


def test_joined_and_written_and_pickled() -> None:
    message = joined((say("{}", "<a>"), say("b"), say('"{}"', "c")), "; ")
    assert message == '<a>; b; "c"'
    assert message.written(lambda data: f"`{data}`", str.upper) == "`<a>`; B; `c`"
    assert pickle.loads(pickle.dumps(message)).pieces == message.pieces
