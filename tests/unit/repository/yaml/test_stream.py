"""Offsets to lines and columns, and the texts of lines."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob.repository.yaml.stream import Lines


def _counted(text: str, offset: int) -> tuple[int, int]:
    line = column = 1
    for at, char in enumerate(text[:offset]):
        if char in "\n\x85\u2028\u2029" or (char == "\r" and text[at + 1 : at + 2] != "\n"):
            line, column = line + 1, 1
        else:
            column += 1
    return line, column


@given(st.text("ab\n\r\x85\u2028", max_size=40), st.integers(2, 8), st.data())
def test_positions(text: str, step: int, data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Lines, "_STEP", step)
        lines = Lines(text)
        for offset in data.draw(st.lists(st.integers(0, len(text)), max_size=8)):
            if text[max(offset - 1, 0) : offset + 1] != "\r\n":
                assert lines.position(offset) == _counted(text, offset)


@given(st.text("ab\n\r\x85\u2028", max_size=40), st.integers(2, 8))
def test_texts_of_lines(text: str, step: int) -> None:
    expected = re.split("\r\n|[\n\r\x85\u2028]", text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Lines, "_STEP", step)
        assert Lines(text).count == len(expected)
        for number in range(1, len(expected) + 2):
            lines = Lines(text)
            assert list(lines.since(number)) == expected[number - 1 :]
            assert lines.line(number) == (expected[number - 1] if number <= len(expected) else None)
        assert [*map(lines.line, range(len(expected), 0, -1))] == expected[::-1]


def test_lines_above_are_found_without_a_search() -> None:
    """An excerpt looks at the lines before it."""
    lines = Lines("a: b\n" * 200_000)
    start = time.process_time()
    assert {*map(lines.line, range(200_000, 0, -1))} == {"a: b"}
    assert time.process_time() - start < 3
