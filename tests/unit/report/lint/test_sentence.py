"""Messages taken apart: what is data, in which pieces."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kubectl_trainjob.report.sentence import Data, apart, written


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        pytest.param("write `trainer: {}` there", ["`trainer: {}`"], id="backticks"),
        pytest.param('the "all plain words" of it', ['"all plain words"'], id="quotes"),
        pytest.param("(`a: b`), or not", ["`a: b`"], id="brackets and a comma"),
        pytest.param('`a b` "c d"', ["`a b`", '"c d"'], id="next to each other"),
        pytest.param('x_y "a b" x_z', ["x_y", '"a b"', "x_z"], id="next to other data"),
        pytest.param("x_y x_z", ["x_y x_z"], id="other data alone"),
        pytest.param('"a `b c` d"', ['"a `b c` d"'], id="backticks in quotes"),
        pytest.param('`a "b c" d`', ['`a "b c" d`'], id="quotes in backticks"),
        pytest.param('key="a b" is', ['key="a b"'], id="behind an equals sign"),
        pytest.param('"a"b" is no name', ['"a"b"'], id="a quote in quotes"),
        pytest.param('say "hi and go', ['"hi'], id="a lone quote"),
        pytest.param("say `hi and go", ["`hi"], id="a lone backtick"),
        pytest.param('a 5" disk and a 3" one', ['5"', '3"'], id="inches"),
        pytest.param("its hosts' SSH servers aren't one job's", [], id="possessives"),
        pytest.param("refers to $(A_B), and", ["$(A_B)"], id="brackets of data"),
        pytest.param("(see f(x))", ["f(x)"], id="brackets around brackets of data"),
    ],
)
def test_the_pieces_of_data(text: str, pieces: list[str]) -> None:
    assert [piece.text for piece in apart(text) if isinstance(piece, Data)] == pieces


@given(st.text(st.one_of(st.sampled_from("`\"'() .,:a1_"), st.characters())))
@example(" ")
@example("  a")
def test_no_character_but_blanks_at_the_start_is_lost(text: str) -> None:
    assert written(apart(text), str) == text.lstrip(" ")
