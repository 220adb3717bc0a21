from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob.model.source import SourceFile, Span
from kubectl_trainjob.repository.excerpt import Excerpts, underline


@pytest.mark.parametrize(
    ("line", "start", "end", "shown"),
    [
        pytest.param("name: torch", 6, 11, ["name: torch", "      ^~~~~"], id="value"),
        pytest.param("name: torch", 6, 7, ["name: torch", "      ^"], id="one character"),
        pytest.param("name:", 5, 5, ["name:", "     ^"], id="behind the end"),
        pytest.param("name: torch", 6, 99, ["name: torch", "      ^~~~~"], id="end behind the line"),
        pytest.param("\tname: x", 7, 8, ["    name: x", "          ^"], id="tab"),
        pytest.param("模型: 大", 4, 5, ["模型: 大", "      ^~"], id="wide characters"),
        pytest.param("e\u0301: x", 4, 5, ["e\u0301: x", "   ^"], id="combining mark"),
        pytest.param("a\x1b: \u202ex", 4, 6, ["a\\x1b: \\u202ex", "       ^~~~~~~"], id="escaped characters"),
        pytest.param("k" * 200, 100, 104, ["..." + "k" * 140 + "...", " " * 53 + "^~~~"], id="long line"),
        pytest.param("k" * 200, 0, 4, ["k" * 90 + "...", "^~~~"], id="start of a long line"),
        pytest.param("k" * 200, 198, 200, ["..." + "k" * 52, " " * 53 + "^~"], id="end of a long line"),
        pytest.param("k" * 500, 100, 400, ["..." + "k" * 140 + "...", " " * 53 + "^" + "~" * 89], id="long mark"),
    ],
)
def test_underlines(line: str, start: int, end: int, shown: list[str]) -> None:
    assert list(underline(line, start, end)) == shown


@given(st.text(max_size=400), st.integers(0, 400), st.integers(0, 400))
def test_any_line_gives_two_safe_lines(line: str, start: int, length: int) -> None:
    start = min(start, len(line))
    shown, carets = underline(line, start, min(start + length, len(line)))
    assert shown.replace(" ", "").isprintable()
    assert carets.lstrip(" ").startswith("^")
    assert set(carets) <= {" ", "^", "~"}


@pytest.mark.parametrize(
    ("text", "number", "line"),
    [
        pytest.param("a: 1\nb: 2\n", 2, "b: 2", id="LF"),
        pytest.param("a: 1\r\nb: 2\r\n", 2, "b: 2", id="CRLF"),
        pytest.param("a: 1\rb: 2", 2, "b: 2", id="CR"),
        pytest.param("a: ä\x85b: 2\u2028c: 3", 3, "c: 3", id="YAML's other breaks"),
        pytest.param("a: '\x0b'\nb: 2", 2, "b: 2", id="vertical tab breaks no line"),
    ],
)
def test_finds_lines_as_yaml_counts_them(text: str, number: int, line: str) -> None:
    found = Excerpts().show(SourceFile("x.yaml", text), Span(number, 1, number, 2))
    assert found is not None
    assert found[0] == line


def test_a_place_behind_the_file_has_no_excerpt() -> None:
    assert Excerpts().show(SourceFile("x.yaml", "a: 1"), Span(2, 1, 2, 1)) is None


def test_a_mark_over_several_lines_ends_with_the_first() -> None:
    shown = Excerpts().show(SourceFile("x.yaml", "a:\n  b: 1\n  c: 2\n"), Span(2, 3, 3, 7))
    assert shown == ("  b: 1", "  ^~~~")


# A line with a colon or an equals sign may have a secret, which is not shown.
_LINES = st.text(st.characters(exclude_characters=":=\r\n\x85\u2028\u2029"), max_size=5)


@given(st.lists(_LINES, min_size=1), st.data())
def test_finds_every_line(lines: list[str], data: st.DataObject) -> None:
    text = lines[0] + "".join(data.draw(st.sampled_from(["\n", "\r\n", "\x85", "\u2029"])) + line for line in lines[1:])
    number = data.draw(st.integers(1, len(lines)))
    shown = Excerpts().show(SourceFile("x.yaml", text), Span(number, 1, number, 1))
    assert shown == underline(lines[number - 1], 0, 0)
