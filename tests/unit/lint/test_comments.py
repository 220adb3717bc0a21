"""Comments that keep lint from reporting something: which lines they are about, and what they say."""

from __future__ import annotations

import pytest

from kubectl_trainjob.lint.comments import Words, comments_of, words
from kubectl_trainjob.model.source import SourceFile

TEXT = """\
spec:
  # trainjob: ignore[KTJ301] shared GPUs until=2027-01-31
  # another comment

  containers:
  - name: node  # trainjob: ignore[KTJ901] pinned by the registry
    image: a
    resources:  # trainjob: ignore[KTJ304]
      requests: {cpu: 1}
  - name: other
  volumes: []
script: |
  echo '# trainjob: not for us'  # trainjob: ignored
"""


def test_a_comment_is_about_its_line_and_what_is_indented_below_it() -> None:
    found = {each.words.rule: (each.span.line, each.first, each.last) for each in comments_of(SourceFile("a", TEXT))}
    assert found == {"KTJ301": (2, 5, 10), "KTJ901": (6, 6, 9), "KTJ304": (8, 8, 9)}


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        pytest.param("a: 1  # trainjob: ignore[X] r\nb: 2\n", 1, 1, id="one line"),
        pytest.param("# trainjob: ignore[X] r\na:\n  b: 1\n\n  c: 2\nd: 3\n", 2, 5, id="a mapping, with an empty line"),
        pytest.param("# trainjob: ignore[X] r\na:\n- 1\n- 2\nd: 3\n", 2, 4, id="a list that is not indented"),
        pytest.param("- a: 1  # trainjob: ignore[X] r\n  b: 2\n- c: 3\n", 1, 2, id="one item"),
        pytest.param("a: 1\n# trainjob: ignore[X] r\n", 2, 2, id="at the end, about nothing"),
        pytest.param("a:  # trainjob: ignore[X] r\r\n  b: 1\r\nc: 2\r\n", 1, 2, id="CRLF"),
        pytest.param("a: {b: 1} #trainjob:ignore[X]r\n", 1, 1, id="without blanks"),
    ],
)
def test_the_lines_of_a_comment(text: str, first: int, last: int) -> None:
    (comment,) = comments_of(SourceFile("a", text))
    assert (comment.first, comment.last) == (first, last)


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        pytest.param(" shared GPUs until=2027-01-31", Words("KTJ301", "shared GPUs", "2027-01-31"), id="reason, end"),
        pytest.param("until=2027-01-31 shared", Words("KTJ301", "shared", "2027-01-31"), id="end, reason"),
        pytest.param("", Words("KTJ301", "", ""), id="nothing"),
        pytest.param(" until=", Words("KTJ301", "", ""), id="an empty end"),
        pytest.param(" until=soon", Words("KTJ301", "", "soon"), id="no date"),
    ],
)
def test_what_a_comment_says(rest: str, expected: Words) -> None:
    assert words(" KTJ301", rest) == expected


def test_a_word_that_only_begins_alike_is_no_comment() -> None:
    assert list(comments_of(SourceFile("a", "a: b#trainjob: ignore[X] y\n# trainjob: ignores[X]\n"))) == []


def test_what_stands_inside_a_value_is_no_comment() -> None:
    text = 'a: |  # trainjob: ignore[A] header\n  # trainjob: ignore[B] script\nb: "x # trainjob: ignore[C] quoted"\n'
    assert [each.words.rule for each in comments_of(SourceFile("a", text))] == ["A"]


def test_a_template_is_taken_as_it_is() -> None:
    text = "{% for i in j %}\na: {{ i }}  # trainjob: ignore[A] r\n{% endfor %}\n"
    assert [each.words.rule for each in comments_of(SourceFile("a", text))] == ["A"]


def test_two_comments_on_one_line_and_two_above() -> None:
    text = "# trainjob: ignore[A] a\n# trainjob: ignore[B] b\nk: v  # trainjob: ignore[C] c # trainjob: ignore[D] d\n"
    found = [(each.words.rule, each.words.reason, each.first) for each in comments_of(SourceFile("a", text))]
    assert found == [("A", "a", 3), ("B", "b", 3), ("C", "c", 3), ("D", "d", 3)]
