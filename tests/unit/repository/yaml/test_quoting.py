"""Which strings get which quotes; that all readers agree is judged in tests/property."""

import pytest

from kubectl_trainjob.repository.yaml.quoting import literal, scalar

HARMLESS = """
a node-0 --lr=1e-5 -c ./run.sh ~/.cache http://a.b:80/c?d=e#f a,b key=value 1000Gi 100m $(A) ${A} a[0] 96Gi-x é 日本語
v1.2 yes,no <none> (a)
"""
AMBIGUOUS = """
y N yes No ON off true False null ~ 1 -1 +1 0x1F 0o17 017 1_000 1e3 1.5 .5 5. .inf -.Inf .NaN 22:22 2024-01-01
2024-01-01T00:00:00Z = << - -- --- ... ? : # , @a `a` %a &a *a !a |a >a [a] {a} ]a }a "a" 10.0.0.1 1.36 1a2b3c a: 09
"""


@pytest.mark.parametrize("text", HARMLESS.split())
def test_harmless_strings_stay_plain(text):
    assert scalar(text) == text


@pytest.mark.parametrize("text", [*AMBIGUOUS.split(), "", "a: b", "a #b", " a", "a ", "- a", "--- a"])
def test_what_a_reader_could_take_for_something_else_is_quoted(text):
    assert scalar(text) == f"'{text}'"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        pytest.param("it's", "it's", id="quote inside"),
        pytest.param("'a'", "'''a'''", id="quotes around"),
        pytest.param("a: 'b'", "'a: ''b'''", id="quotes and colon"),
        pytest.param("a\tb", r'"a\tb"', id="tab"),
        pytest.param("a\rb", r'"a\rb"', id="carriage return"),
        pytest.param('a\n"b"\\', r'"a\n\"b\"\\"', id="line feed, quotes, backslash"),
        pytest.param("\0", r'"\u0000"', id="NUL"),
        pytest.param("\x1b[31m", r'"\u001b[31m"', id="terminal escape"),
        pytest.param("a\x7fb\x85c\xa0", r'"a\u007fb\u0085c\u00a0"', id="DEL, NEL, NBSP"),
        pytest.param("\u202eabc", r'"\u202eabc"', id="right to left"),
        pytest.param("a\u200bb\ufeff", r'"a\u200bb\ufeff"', id="zero width, BOM"),
        pytest.param("\u2028", r'"\u2028"', id="line separator"),
        pytest.param("a\U000e0041", r'"a\U000e0041"', id="tag character"),
        pytest.param("😀", "'😀'", id="emoji"),
        pytest.param("a ##vso[b]é\n", r'"a #\u0023vso[b]é\n"', id="command to a CI system"),
        pytest.param("## [a] ##b", "'## [a] ##b'", id="comment"),
    ],
)
def test_escapes(text, written):
    assert scalar(text) == written


def test_a_lone_surrogate_is_rejected():
    with pytest.raises(ValueError, match="U\\+D800"):
        scalar("a\ud800")


@pytest.mark.parametrize(
    ("text", "block"),
    [
        pytest.param("a\nb", "|-\n  a\n  b", id="no line end"),
        pytest.param("a\nb\n", "|\n  a\n  b", id="one line end"),
        pytest.param("a\n\n\n", "|+\n  a\n\n", id="several line ends"),
        pytest.param("a\n\n  b\n", "|\n  a\n\n    b", id="empty line and indent"),
        pytest.param("\n\na\n", "|\n\n\n  a", id="empty lines first"),
        pytest.param("a\n\tb", "|-\n  a\n  \tb", id="tab"),
        pytest.param("a \n  \nb", "|-\n  a \n    \n  b", id="blanks at line ends"),
    ],
)
def test_literal_blocks(text, block):
    assert literal(text, "  ") == block


@pytest.mark.parametrize(
    "text",
    [
        *("\n", "\n\n", " a\nb", "\ta\nb", "\n a", "a\n ", "a \n", "a\r\nb", "a\n\x85", "a\n\xa0b", "\ufeffa\nb"),
        *("::error::a\nb", "a\n \u1680 ::b", "a\nb ##[c]"),
    ],
)
def test_no_literal_block_where_a_reader_could_err(text):
    assert literal(text, "  ") is None
