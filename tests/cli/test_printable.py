"""What reaches a terminal: judged by the Unicode database, not by our own table."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob.model.printable import columns, printable
from tests.loops import for_each

# The bidi controls and zero-width characters that Unicode's security reports name, and terminals' control strings.
DANGEROUS = [
    *map(chr, range(0x20)),
    *map(chr, range(0x7F, 0xA0)),
    *map(chr, [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]),
    *map(chr, [0x00AD, 0x034F, 0x115F, 0x180E, 0x200B, 0x200C, 0x200D, 0x2060, 0x3164, 0xFEFF, 0xFE0F, 0xFFA0]),
    *map(chr, [0x2028, 0x2029, 0xD800, 0xDFFF, 0xE0001, 0xE0041, 0xE0100]),
]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain text: ok", "plain text: ok", id="plain"),
        pytest.param("größe 模型 é", "größe 模型 é", id="letters"),
        pytest.param("\x1b[31mred", "\\x1b[31mred", id="escape sequence"),
        pytest.param("\x9b31m", "\\x9b31m", id="C1 control sequence introducer"),
        pytest.param("a\rb\nc\td", "a\\x0db\\x0ac\\x09d", id="line breaks and tab"),
        pytest.param("a\u202eb", "a\\u202eb", id="right-to-left override"),
        pytest.param("a\U000e0041b", "a\\U000e0041b", id="tag character"),
        pytest.param("\udc80.yaml", "\\udc80.yaml", id="undecodable byte of a file name"),
    ],
)
def test_writes_what_a_terminal_would_act_on(text: str, shown: str) -> None:
    assert printable(text) == shown


@for_each("char", {f"U+{ord(c):04X}": c for c in DANGEROUS}, at_least=96)
def test_escapes(char: str) -> None:
    assert printable(f"a{char}b").isascii()


@given(st.text())
def test_nothing_that_acts_or_hides_passes(text: str) -> None:
    allowed = {"L", "M", "N", "P", "S"}
    assert all(c == " " or unicodedata.category(c)[0] in allowed for c in printable(text))


@pytest.mark.parametrize(
    ("text", "width"),
    [
        pytest.param("abc", 3, id="ascii"),
        pytest.param("模型", 4, id="wide"),
        pytest.param("e\u0301", 1, id="combining"),
        pytest.param("é", 1, id="composed"),
        pytest.param("\uff21", 2, id="fullwidth"),
    ],
)
def test_counts_columns(text: str, width: int) -> None:
    assert columns(text) == width
