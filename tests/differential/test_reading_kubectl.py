"""Scalars, structures and JSON as real kubectl reads them."""

import json
import re
import subprocess
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.yaml.compose import BACKEND
from kubectl_trainjob.repository.yaml.read import Reader, read_stream
from kubectl_trainjob.repository.yaml.scalars import NotFiniteError, plain
from tests.loops import for_each, sample
from tests.tools import require

AMBIGUOUS = re.findall(
    r"\S+",
    """
on off yes no y n Y N On ON OFF Yes NO oN True TRUE true tRUE False FALSE ~ null Null NULL nUll
0400 0o400 0O17 0x1F 0X1f 0b101 0B11 0b2 0o8 09 089 08_9 00 0_7 0_o7 -0400 -0o7 +0x1F 0x 0b 0o 0x_1 0b-101 0b+101 -0b101
0b_1 22:22 1:30:00 190:20:30 -1:30 +12e03
12345678901234567890123 18446744073709551615 18446744073709551616 9007199254740993 9223372036854775807
9223372036854775808 -9223372036854775808 -9223372036854775809 +18446744073709551615 0xFFFFFFFFFFFFFFFF
0x1FFFFFFFFFFFFFFFF 01777777777777777777777 07777777777777777777777777 9.223372036854774784e18 9.2233720368547758e18
-0 +0 -0.0 0.0 1_000 1__0 1_ _1 -_1 +_1 1.0 1.10 1e3 1E3 1.5e-7 1e-5 1e5 1e18 1e19
1e20 1e21 1e22 1e_3 1e400 -1e400 1e-400 12e4567 1234e56
1_0.5 +5 -5 + .5 5. .5e3 -.5 +.5 . .. .e5 .1_0 ._5 .5_ .0x1 1.2.3 1.2.3.4 1,000 1e 1e+ 0.1_0 0123456 0e0 0x1p4 0x1.8p1
2024-01-01 2024-1-2 2024-01-01T00:00:00Z 2001-12-14t21:59:43.10-05:00 = << <<x .infinity inf nan NaN Infinity
8Gi 500m 1e3Ki v1.2 sha256:12 10.0.0.1 a_b ١٢ １２
""",
)
REJECTED = [".inf", "-.inf", "+.inf", ".Inf", "-.INF", "+.Inf", ".nan", ".NaN", ".NAN"]

_DOCUMENT = "apiVersion: v1\nkind: Foo\nmetadata: {{name: a}}\ndata: {}\n"


def _kubectl(text: str) -> subprocess.CompletedProcess[str]:
    command = [require("kubectl"), "label", "--local", "z=z", "-o", "json", "-f", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def _read_by_kubectl(text: str) -> list[dict[str, Any]]:
    done = _kubectl(text)
    assert done.returncode == 0, done.stderr
    decoder, at, found = json.JSONDecoder(parse_int=_Number, parse_float=_Number), 0, []
    output = done.stdout.strip()
    while at < len(output):
        body, at = decoder.raw_decode(output, at)
        del body["metadata"]
        found.append(body)
        at += len(re.match(r"\s*", output[at:])[0])
    return found


class _Number(str):
    """A number as kubectl printed it."""

    __slots__ = ()


def _same(kubectl: Any, ours: Any) -> bool:
    """Equal in type and value; whether a float has a dot is not seen once it is JSON."""
    if isinstance(kubectl, _Number):
        if isinstance(ours, bool) or not isinstance(ours, int | float):
            return False
        return (
            float(kubectl) == ours
            if isinstance(ours, float)
            else str(ours) == kubectl.replace("-0", "0", kubectl == "-0")
        )
    if isinstance(kubectl, dict):
        return (
            isinstance(ours, dict) and kubectl.keys() == ours.keys() and all(_same(kubectl[k], ours[k]) for k in ours)
        )
    if isinstance(kubectl, list):
        return isinstance(ours, list) and len(kubectl) == len(ours) and all(map(_same, kubectl, ours))
    return type(kubectl) is type(ours) and kubectl == ours


def _read_by_us(text: str) -> list[dict[str, Any]]:
    reading = read_stream(SourceFile("-", text))
    assert not reading.diagnostics
    return [{key: value for key, value in body.items() if key != "metadata"} for body, _ in reading.objects]


@pytest.fixture(scope="module")
def ambiguous() -> dict[str, Any]:
    """What kubectl takes each scalar for, each alone in a manifest of one stream."""
    read = _read_by_kubectl("---\n".join(_DOCUMENT.format(text) for text in AMBIGUOUS))
    assert len(read) == len(AMBIGUOUS)
    return {text: body.get("data") for text, body in zip(AMBIGUOUS, read, strict=True)}


@for_each("text", AMBIGUOUS, at_least=146)
def test_plain_scalar(text: str, ambiguous: dict[str, Any]) -> None:
    assert _same(ambiguous[text], plain(text)), (ambiguous[text], plain(text))
    assert [body["data"] for body in _read_by_us(_DOCUMENT.format(text))] == [plain(text)]


@pytest.mark.parametrize("text", sample(list(REJECTED), every=3))
def test_rejected_scalar(text: str) -> None:
    assert _kubectl(_DOCUMENT.format(text)).returncode != 0
    with pytest.raises(NotFiniteError):
        plain(text)


_NUMBERISH = st.text("0123456789+-._eExXoObBaAfFyYnNtT~:,", min_size=1, max_size=24)
_DIGITS = st.from_regex(r"[-+]?(0[xXbBoO]?)?[0-9_]{1,24}(\.[0-9_]{0,20})?([eE][-+]?[0-9]{1,3})?", fullmatch=True)
_FLOATS = st.floats(allow_nan=False, allow_infinity=False).map(repr)
_INTEGERS = st.integers(-(1 << 66), 1 << 66).map(str)


def _stands_alone(text: str) -> bool:
    """Whether a text is one plain scalar: no indicator, key, document mark or rejected number."""
    if text.startswith(("---", "...", "- ", ",")) or text in ("-", "---") or text.endswith(":") or ": " in text:
        return False
    try:
        plain(text)
    except NotFiniteError:
        return False
    return True


@settings(max_examples=10)
@given(st.lists(st.one_of(_NUMBERISH, _DIGITS, _FLOATS, _INTEGERS).filter(_stands_alone), min_size=50, max_size=400))
def test_any_scalar(texts: list[str]) -> None:
    text = _DOCUMENT.format("\n" + "".join(f"- {item}\n" for item in texts))
    (read,) = _read_by_kubectl(text)
    wrong = [(t, k, plain(t)) for t, k in zip(texts, read["data"], strict=True) if not _same(k, plain(t))]
    assert wrong == []


STRUCTURES = {
    "merge first": "data: {a: &a {x: 1, y1: 2}, b: {<<: *a, x: 3}}",
    "merge list, first wins": "data: {a: &a {x: 1}, b: &b {x: 2, z: 3}, c: {<<: [*a, *b]}}",
    "merge of a merge": "data: {a: &a {x: 1}, b: &b {<<: *a, z: 3}, c: {<<: *b}}",
    "quoted merge key is a key": 'data: {a: &a {x: 1}, b: {"<<": *a}}',
    "inline merge": "data: {b: {<<: {x: 1}, z: 2}}",
    "alias of a list": "data: {a: &a [1, yes], b: *a}",
    "alias as key": "data: {a: &a b, *a : c}",
    "flow adjacency": 'data: {a: b:c, "d":e, f: http://x/y, g: [a, "b", c: d]}',
    "block scalars": "data:\n  a: |\n    x\n     y\n\n  b: >-\n    x\n    y\n  c: |+\n    x\n\n",
    "quotes": "data: {a: 'it''s', b: \"\\x41\\u00e9\\n\\t\", c: \"1\"}",
    "folded plain": "data: a\n  b\n\n  c",
    "tab behind a colon": "data:\ta",
    "nulls": "data: {a: , b: ~, c: null}",
    "dates stay text": "data: [2024-01-01, 2024-01-01 10:00:00]",
    "comments": "data: # one\n  a: b # two\n  c: d#three",
}


@pytest.mark.parametrize("body", sample(STRUCTURES, every=3))
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_structure(body: str, line_end: str) -> None:
    text = f"apiVersion: v1\nkind: Foo\nmetadata: {{name: a}}\n{body}\n".replace("\n", line_end)
    kubectl, ours = _read_by_kubectl(text), _read_by_us(text)
    assert _same(kubectl, ours), (kubectl, ours)


@pytest.mark.parametrize("backend", sorted({"python", BACKEND}))
def test_backends_read_structures_alike(backend: str) -> None:
    readable_by_both = [body for name, body in STRUCTURES.items() if name != "tab behind a colon"]  # PyYAML rejects it
    text = "\n---\n".join(readable_by_both)
    reading = Reader(backend=backend).read(SourceFile("-", text))
    assert not reading.diagnostics
    assert [body for body, _ in reading.objects] == [body for body, _ in read_stream(SourceFile("-", text)).objects]


REJECTED_BY_BOTH = {
    "slash escape": 'data: "a\\/b"',
    "surrogate pair": 'data: "\\ud83d\\ude00"',
    "lone surrogate": 'data: "\\ud83d"',
    "unknown escape": 'data: "\\q"',
    "control character": "data: a\x01b",
    "tab as indentation": "data:\n\ta: b",
    "key without a colon": "data:\n  a\n  b: c",
    "unclosed quote": 'data: "a',
    "unknown alias": "data: *a",
    "alias in itself": "data: &a {b: *a}",
    "merge of text": "data: {<<: a}",
    "number that is none": "data: .inf",
    "content on a separator": "data: a\n--- {b: c}",
    "directive": "data: a\n---\n%YAML 1.1\n---\na: b",
}


@pytest.mark.parametrize("body", sample(REJECTED_BY_BOTH, every=3))
def test_rejected_by_both(body: str) -> None:
    text = f"apiVersion: v1\nkind: Foo\nmetadata: {{name: a}}\n{body}\n"
    assert _kubectl(text).returncode != 0
    assert read_stream(SourceFile("-", text)).diagnostics


_JSON = '{"apiVersion":"v1","kind":"Foo","metadata":{"name":"a"},"data":%s}'


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("[1e3, 1.0, -0, 12345678901234567890, 0.1, 1e21, 1e-7, 9007199254740993]", id="numbers"),
        pytest.param('["\\ud83d\\ude00", "\\/", "\\u00e9", "yes", "1"]', id="strings"),
        pytest.param('{\t"a":\t[true, false, null],\t"b": {}}', id="tabs"),
        pytest.param('"' + "x" * 3000 + '"', id="long"),
        pytest.param('{"' + "k" * 2000 + '": 1}', id="long key"),
    ],
)
def test_json(value: str) -> None:
    text = _JSON % value
    assert _same(_read_by_kubectl(text), _read_by_us(text))


STREAMS = {
    "objects in a row": _JSON % "1" + _JSON % "2" + "\n\n" + _JSON % "3",
    "empty documents": "---\n---\n# only this\n---\n" + _DOCUMENT.format("1") + "---\n" + _DOCUMENT.format("2"),
    "comment on a separator": "--- # first\n" + _DOCUMENT.format("1") + "---  \n" + _DOCUMENT.format("2"),
    "typed list": "apiVersion: v1\nkind: FooList\nitems:\n- metadata: {name: a}\n  data: 1\n",
    "list": "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v2, kind: Bar, metadata: {name: a}}\n",
}


@pytest.mark.parametrize("text", STREAMS.values(), ids=STREAMS)
def test_stream(text: str) -> None:
    kubectl, ours = _read_by_kubectl(text), _read_by_us(text)
    assert _same(kubectl, ours), (kubectl, ours)
