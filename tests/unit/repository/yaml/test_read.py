"""Documents, positions, errors and limits of `read_stream`."""

from dataclasses import replace
from typing import Any

import pytest

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import SourceFile, Span
from kubectl_trainjob.repository.positions import Locator
from kubectl_trainjob.repository.yaml.compose import BACKEND
from kubectl_trainjob.repository.yaml.read import Reader, read_stream

_HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


def _objects(text: str) -> list[dict[str, Any]]:
    reading = read_stream(SourceFile("a.yaml", text))
    assert not reading.diagnostics
    return [body for body, _ in reading.objects]


def _errors(text: str, **limits: int) -> list[Diagnostic]:
    return read_stream(SourceFile("a.yaml", text), replace(LIMITS, **limits)).diagnostics


def _where(diagnostic: Diagnostic) -> tuple[str, int, int]:
    span = Locator().resolve(diagnostic.place).span
    return diagnostic.rule.id, span.line, span.column


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        pytest.param("a: 1\n---\nb: 2\n", [0, 1], id="two"),
        pytest.param("---\na: 1\n---\nb: 2\n", [0, 1], id="separator first"),
        pytest.param("# c\n\n---\na: 1\n---\n---\nb: 2\n", [0, 2], id="comment first, one empty"),
        pytest.param("a: &x 1\nc: *x\n---\nb: 2\n", [0, 1], id="an alias in the first"),
        pytest.param("a: x\r\n---\r\nb: 2\r\n", [0, 1], id="crlf"),
        pytest.param('{"a": 1}\n{"b": 2}', [0, 1], id="json in a row"),
        pytest.param("{a: 1}\n---\n{b: 2}", [0, 1], id="flow, not json"),
        pytest.param('{"a": 1}\n---\n{"b": 2}', [0, 1], id="json between separators"),
    ],
)
def test_documents_are_counted(text: str, numbers: list[int]) -> None:
    reading = read_stream(SourceFile("a.yaml", text))
    assert not reading.diagnostics
    assert [source.document for _, source in reading.objects] == numbers
    assert [next(iter(body)) for body, _ in reading.objects] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a: 1\nb:\n  c: 1\n  c: 2\n", ("KTJ004", 4, 3), id="duplicate key"),
        pytest.param('{"a": 1,\n "a": 2}', ("KTJ004", 2, 2), id="duplicate key in json"),
        pytest.param("a: {1: b}", ("KTJ005", 1, 5), id="number as key"),
        pytest.param("a: {on: b}", ("KTJ005", 1, 5), id="boolean as key"),
        pytest.param("?\n: b", ("KTJ005", 1, 2), id="no key"),
        pytest.param("a:\n  ? [x]\n  : b", ("KTJ005", 2, 5), id="list as key"),
        pytest.param("a: {.inf: b}", ("KTJ005", 1, 5), id="infinity as key"),
        pytest.param("a: !!str 5", ("KTJ006", 1, 4), id="tag"),
        pytest.param("a: ! 5", None, id="non-specific tag means text"),
        pytest.param("a: !<plain> 5", ("KTJ006", 1, 4), id="tag that is named as ours"),
        pytest.param("a: !x {b: c}", ("KTJ006", 1, 4), id="tag of a mapping"),
        pytest.param("!x a: b", ("KTJ006", 1, 1), id="tag of a key"),
        pytest.param("a: [1, .NaN]", ("KTJ007", 1, 8), id="not a number"),
        pytest.param('{"a": 1,\n"b": 1e999}', ("KTJ007", 2, 6), id="overflow in json"),
        pytest.param("# x\n%YAML 1.1\n---\na: 1", ("KTJ008", 2, 1), id="directive"),
        pytest.param("a: &x\n  b: [*x]", ("KTJ009", 2, 7), id="alias in itself"),
        pytest.param("---\n- a", ("KTJ010", 2, 1), id="list"),
        pytest.param("kind: List\nitems:\n- a: b\n- 5", ("KTJ010", 4, 3), id="item of a list"),
        pytest.param("a: &x {c: 1}\nb:\n  c: 2\n  <<: *x", ("KTJ011", 4, 3), id="merge that overrides"),
        pytest.param("a: {<<: [b]}", ("KTJ011", 1, 10), id="merge of text"),
        pytest.param("a: &x {c: 1}\nb: {c: 1, <<: *x}", None, id="merge of the same value"),
        pytest.param("a: 1\n--- b\n", ("KTJ012", 2, 5), id="content on a separator"),
        pytest.param("a: 1\n... \nb: 2\n", ("KTJ012", 2, 1), id="document end"),
        pytest.param("a: 1\n...\n# bye\n---\nb: 2\n...\n", None, id="harmless document end"),
        pytest.param('a: "\\ud800"', ("KTJ013", 1, 5), id="lone surrogate"),
        pytest.param('{"a": "\\ud800"}', ("KTJ013", 1, 8), id="lone surrogate in json"),
        pytest.param("a: é\nb: x\x07", ("KTJ003", 2, 5), id="control character"),
        pytest.param('a: b\nc: "\\x00"', ("KTJ003", 2, 4), id="escaped nul"),
        pytest.param('{"a": "\\u0000"}', ("KTJ003", 1, 7), id="escaped nul in json"),
        pytest.param("a:\n\tb: c", ("KTJ001", 2, 1), id="tab"),
        pytest.param("a: b: c", ("KTJ001", 1, 5), id="colon in a value"),
        pytest.param("a: @b", ("KTJ001", 1, 4), id="reserved indicator"),
        pytest.param("a: 'b\nc: d\n", ("KTJ001", 1, 4), id="unclosed quote"),
        pytest.param("a:\n  b: 1\n c: 2\n", ("KTJ001", 3, 2), id="bad indentation"),
        pytest.param("a: *b", ("KTJ001", 1, 4), id="unknown alias"),
        pytest.param("a: [*.b]", ("KTJ001", 1, 6), id="pattern of files"),
        pytest.param("a: &b 1\nc: &b 2", ("KTJ001", 2, 4), id="anchor twice"),
        pytest.param("a: {b: c", ("KTJ001", 1, 9), id="unclosed mapping"),
        pytest.param("a: {b: c\nd:\n  e: 1\n", ("KTJ001", 1, 4), id="mapping that was never closed"),
        pytest.param("a: {b: c\n    d: e}\n", ("KTJ001", 2, 6), id="no comma"),
        pytest.param("a:\n  b: 1\nc\n  d: 1\n", ("KTJ001", 3, 1), id="key without colon"),
        pytest.param('a: "\\/"', ("KTJ001", 1, 5), id="slash escape"),
    ],
)
def test_error_has_its_place(text: str, expected: tuple[str, int, int] | None) -> None:
    found = [_where(diagnostic) for diagnostic in _errors(text)]
    assert found == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        pytest.param("a: [b  # {{ c }}\nd: e", 2, "a [...] list is not", id="tag in a comment"),
        pytest.param(_HEAD + _HEAD, 4, "another object begins here; write a line --- above it", id="no separator"),
        pytest.param(_HEAD + "--\n" + _HEAD, 4, "write --- at the start of the line", id="two dashes"),
        pytest.param("a:\n  b: 1\n  ---\nc: 1\n", 3, "write --- at the start of the line", id="indented"),
        pytest.param("a:\n  b: 1\n  c:2\n  d: 3\n", 3, "add a colon and a blank", id="no blank after the colon"),
        pytest.param(" a: 1\nb: 2\n", 2, "is not indented as the lines above", id="a blank before the first key"),
        pytest.param("a:\n-b\n- c\n", 2, "write a blank between it and the item", id="no blank after a dash"),
        pytest.param("a:\n  b: {{ .Values.b }}\n", 2, "helm template", id="value of a chart"),
        pytest.param("a:\n  b: {{ .Release.Name }}-c\n", 2, "helm template", id="part of a value of a chart"),
        pytest.param(
            "a:\n  {{- range .Values.b }}\n  - c: 1\n  {{- end }}\n", 2, "helm template", id="loop of a chart"
        ),
    ],
)
def test_one_mistake_is_one_error_at_the_line_to_change(text: str, line: int, words: str) -> None:
    (found,) = _errors(text)
    assert _where(found)[1] == line
    assert words in found.message


def test_duplicate_key_names_the_first_one() -> None:
    (found,) = _errors(_HEAD + "data:\n  a: b\n  c: d\n  a: e\n")
    assert found.place.span == Span(7, 3, 7, 4)
    assert [related.place.span for related in found.related] == [Span(5, 3, 5, 4)]
    assert '"a"' in found.message


def test_bad_documents_do_not_hide_others() -> None:
    text = "a: [\n---\n" + _HEAD + "---\nb: 1\nb: 2\n---\nc: 'x\n---\n" + _HEAD + "---\nd: !t x\n"
    reading = read_stream(SourceFile("a.yaml", text))
    assert [_where(found) for found in reading.diagnostics] == [
        ("KTJ001", 2, 1),
        ("KTJ004", 8, 1),
        ("KTJ001", 10, 4),
        ("KTJ006", 16, 4),
    ]
    assert [source.document for body, source in reading.objects if "kind" in body] == [1, 4]


def test_all_errors_of_a_document_are_found() -> None:
    assert [found.rule.id for found in _errors("a: 1\na: 2\nb: .nan\nyes: !x y\n")] == [
        "KTJ004",
        "KTJ007",
        "KTJ005",
        "KTJ006",
    ]


def test_list_items_become_objects() -> None:
    text = "apiVersion: v1\nkind: List\nitems:\n- kind: A\n- kind: List\n  items: [{kind: B}]\n"
    reading = read_stream(SourceFile("a.yaml", text))
    assert [(body["kind"], source.prefix) for body, source in reading.objects] == [
        ("A", ("items", 0)),
        ("B", ("items", 1, "items", 0)),
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("kind: AllowList\nitems: 5\n", id="no list of items"),
        pytest.param("kind: Basket\nitems: [{a: b}]\n", id="another kind"),
    ],
)
def test_other_objects_with_items_stay(text: str) -> None:
    assert len(_objects(text)) == 1


def test_nulls_are_kept() -> None:
    assert _objects("a: {b: null, c: , d: ~}") == [{"a": {"b": None, "c": None, "d": None}}]


def test_merge_keys_fill_in() -> None:
    text = "a: &a {x: 1, z: 1}\nb: &b {x: 2, w: 2}\nc: {<<: [*a, *b], z: 3}\nd: {<<: {q: 1}}\n"
    (body,) = _objects(text)
    assert body["c"] == {"x": 1, "z": 3, "w": 2}
    assert body["d"] == {"q": 1}


def _nested(depth: int, flow: bool) -> str:
    if flow:
        return "a: " + "[" * (depth - 1) + "]" * (depth - 1)
    return "".join(f"{' ' * level}a:\n" for level in range(depth - 1)) + " " * (depth - 1) + "a: 1\n"


@pytest.mark.parametrize("backend", sorted({BACKEND, "python"}))
@pytest.mark.parametrize("flow", [True, False], ids=["flow", "block"])
def test_depth_limit(flow: bool, backend: Any) -> None:
    def errors(depth: int) -> list[str]:
        file = SourceFile("a.yaml", _nested(depth, flow))
        return [found.message for found in Reader(LIMITS, backend).read(file).diagnostics]

    assert errors(64) == []
    (message,) = errors(65)
    assert "64 levels" in message


def test_depth_limit_in_json() -> None:
    def text(depth: int) -> str:
        return '{"a":' * depth + "1" + "}" * depth

    assert _errors(text(64)) == []
    assert [found.rule.id for found in _errors(text(65))] == ["KTJ023"]


def test_depth_limit_through_aliases() -> None:
    def text(depth: int) -> str:
        return f"a: &a {'[' * (depth - 3)}{']' * (depth - 3)}\nb: [[*a]]"

    assert _errors(text(64)) == []
    assert [found.rule.id for found in _errors(text(65))] == ["KTJ023"]


@pytest.mark.parametrize("documents", ["---\na: 1\n", '{"a": 1}\n'], ids=["yaml", "json"])
def test_document_limit(documents: str) -> None:
    assert _errors(documents * 3, documents=3) == []
    (found,) = _errors(documents * 4, documents=3)
    assert found.rule.id == "KTJ022"
    assert "3 documents" in found.message


def test_document_limit_counts_items_and_all_files() -> None:
    reader = Reader(replace(LIMITS, documents=3))
    file = SourceFile("a.yaml", "kind: List\nitems: [{kind: A}, {kind: B}]")
    assert reader.read(file).diagnostics == []
    second = reader.read(file)
    assert [found.rule.id for found in second.diagnostics] == ["KTJ022"]
    assert len(second.objects) == 1
    assert reader.is_full


@pytest.mark.parametrize(("nodes", "errors"), [(12, []), (11, ["KTJ024"])], ids=["at the limit", "beyond"])
def test_alias_limit(nodes: int, errors: list[str]) -> None:
    text = "a: &a [1, 2]\nb: [*a, *a]\nc: {x: *a, y1: &b 1, z: [*b, *b, *b]}\n"  # three lists of 3 nodes, 3 scalars
    assert [found.rule.id for found in _errors(text, alias_nodes=nodes)] == errors


def test_alias_limit_holds_over_documents() -> None:
    text = "a: &a [1, 2]\nb: *a\n---\n"
    assert [found.rule.id for found in _errors(text * 2, alias_nodes=5)] == ["KTJ024"]
    assert _errors(text * 2, alias_nodes=6) == []


@pytest.mark.parametrize(("entries", "errors"), [(7, []), (6, ["KTJ027"])])
def test_a_document_with_too_many_entries_is_rejected_alone(entries, errors):
    text = "apiVersion: v1\nkind: A\nx: [1, 2, 3]\nz: 1\nw: 2\n"
    assert [found.rule.id for found in _errors(text, entries=entries)] == errors
    both = read_stream(SourceFile("x", f"{text}---\napiVersion: v1\nkind: B\n"), replace(LIMITS, entries=entries))
    assert [body["kind"] for body, _ in both.objects] == (["B"] if errors else ["A", "B"])


def test_not_more_errors_are_kept_than_a_reader_needs() -> None:
    errors = _errors("?\n" * 3000 + "---\na: 1\na: 2\n---\nb: 1\n")
    assert len(errors) == 1001
    assert _where(errors[-1])[1] == 3003  # the document after them has an error, too
