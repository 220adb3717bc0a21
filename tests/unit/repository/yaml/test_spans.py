"""Places to spans."""

import pytest

from kubectl_trainjob.model.source import Place, Pointer, Source, SourceFile, Span
from kubectl_trainjob.repository.yaml.spans import Spans

_YAML = """\
# a job
kind: TrainJob
metadata: {name: a}
spec:
  trainer: &t
    image: "x:1"
    args:
    - one
    - two
  other:
    <<: *t
    image: y
  again: *t
  script: |
    a
    b

  empty:
"""


def _text(file: SourceFile, span: Span) -> str:
    """The first line of a span."""
    line = file.text.splitlines()[span.line - 1]
    return line[span.column - 1 : span.end_column - 1 if span.end_line == span.line else None]


@pytest.mark.parametrize(
    ("pointer", "on", "line", "text"),
    [
        pytest.param(("kind",), "value", 2, "TrainJob", id="value"),
        pytest.param(("kind",), "key", 2, "kind", id="key"),
        pytest.param(("metadata",), "value", 3, "{name: a}", id="flow mapping"),
        pytest.param(("metadata", "name"), "value", 3, "a", id="in a flow mapping"),
        pytest.param(("spec",), "value", 4, "spec", id="a block is shown by its key"),
        pytest.param(("spec", "trainer", "image"), "value", 6, '"x:1"', id="quoted"),
        pytest.param(("spec", "trainer", "args", 1), "value", 9, "two", id="item"),
        pytest.param(("spec", "trainer", "args", 2), "value", 7, "args", id="item that is not there"),
        pytest.param(("spec", "trainer", "numNodes"), "value", 5, "trainer", id="field that is not there"),
        pytest.param(("spec", "trainer", "numNodes"), "key", 5, "trainer", id="key that is not there"),
        pytest.param(("spec", "other", "args", 0), "value", 8, "one", id="through a merge key"),
        pytest.param(("spec", "other", "image"), "value", 12, "y", id="over a merge key"),
        pytest.param(("spec", "again", "args", 0), "value", 8, "one", id="through an alias"),
        pytest.param(("spec", "again", "image"), "key", 6, "image", id="key through an alias"),
        pytest.param(("spec", "script"), "value", 14, "|", id="block scalar"),
        pytest.param(("spec", "empty"), "value", 18, "empty", id="no value"),
        pytest.param(("status", "x"), "value", 2, "kind: TrainJob", id="nothing of it is there"),
        pytest.param((), "value", 2, "kind: TrainJob", id="the object"),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_yaml(pointer: Pointer, on: str, line: int, text: str, line_end: str) -> None:
    file = SourceFile("a.yaml", ("x: 1\n---\n" + _YAML).replace("\n", line_end))
    span = Spans().span(Place(Source(file, 1), pointer, on))
    assert (span.line - 2, _text(file, span)) == (line, text)


def test_block_scalar_ends_with_its_text() -> None:
    assert Spans().span(Place(Source(SourceFile("a.yaml", _YAML)), ("spec", "script"))) == Span(14, 11, 16, 6)


def test_list_prefix() -> None:
    file = SourceFile("a.yaml", "kind: List\nitems:\n- kind: A\n- kind: B\n  x: 1\n")
    assert Spans().span(Place(Source(file, 0, ("items", 1)), ("x",))) == Span(5, 6, 5, 7)


@pytest.mark.parametrize(
    ("document", "pointer", "line", "text"),
    [
        pytest.param(0, ("a", 1), 2, '"\\ud83d\\ude00"', id="surrogate pair"),
        pytest.param(0, ("b",), 2, "5", id="behind a surrogate pair"),
        pytest.param(1, ("b",), 3, "6", id="second object"),
    ],
)
def test_json(document: int, pointer: Pointer, line: int, text: str) -> None:
    file = SourceFile("a.json", ' {"a": [1,\n\t"\\ud83d\\ude00"], "b": 5}\n{"b":6} ')
    span = Spans().span(Place(Source(file, document), pointer))
    assert (span.line, _text(file, span)) == (line, text)


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(Place(Source(SourceFile("a", "a: [")), ("a",)), id="broken"),
        pytest.param(Place(Source(SourceFile("a", "")), ("a",)), id="empty"),
        pytest.param(Place(Source(SourceFile("a", "a: 1"), 7), ("a",)), id="no such document"),
        pytest.param(Place(Source(SourceFile("a", "[" * 5000)), ("a",)), id="too deep"),
    ],
)
def test_unreadable(place: Place) -> None:
    assert Spans().span(place) == Span(1, 1, 1, 1)


def test_self_reference_and_merge_of_itself_end() -> None:
    file = SourceFile("a", "a: &a {<<: *a, b: *a}")
    assert Spans().span(Place(Source(file), ("a", "c"))).line == 1


def test_documents_are_composed_once() -> None:
    spans, file = Spans(), SourceFile("a", _YAML)
    first = spans._root(file.text, 0)
    spans.span(Place(Source(SourceFile("b", _YAML)), ("kind",)))
    assert spans._root(file.text, 0) is first
