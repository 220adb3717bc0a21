"""The lines of a streamed answer, as they come, and none without an end."""

from __future__ import annotations

import io

import pytest
from urllib3 import HTTPResponse

from kubectl_trainjob.cluster import connection

LONGEST = connection._LONGEST_LINE


@pytest.mark.parametrize(
    "text", [b"", b"\n", b"a", b"a\n\nb\n", b"a\nb", b"\n" * 70000, b"a" * 70000 + b"\n" + b"b" * 70000]
)
def test_lines_are_those_of_the_text(text: bytes) -> None:
    lines = text.split(b"\n")
    assert [*connection._lines(answer(text))] == (lines if lines[-1] else lines[:-1])


def test_a_line_without_an_end_is_cut() -> None:
    lines = [*connection._lines(answer(b"a" * (3 * LONGEST) + b"\nend"))]
    assert max(map(len, lines)) <= LONGEST + 2**16
    assert (sum(map(len, lines[:-1])), lines[-1]) == (3 * LONGEST, b"end")


def answer(text: bytes) -> HTTPResponse:
    """An answer of which urllib3 reads the body."""
    return HTTPResponse(io.BytesIO(text), preload_content=False)
