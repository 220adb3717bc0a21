"""Texts made to exhaust or confuse a reader; each names the rules that may answer it."""

from collections.abc import Callable
from dataclasses import dataclass

_HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


@dataclass(frozen=True)
class Hostile:
    """`rules` are all the rules that the text must cause; empty where it is harmless."""

    make: Callable[[], bytes]
    rules: frozenset[str]


def _text(make: Callable[[], str], *rules: str) -> Hostile:
    return Hostile(lambda: make().encode(), frozenset(rules))


def _aliases(levels: int, width: int) -> str:
    lines = ["a0: &a0 [x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels + 1)]
    return _HEAD + "\n".join(lines) + "\n"


def _merges(levels: int, width: int) -> str:
    lines = ["m0: &m0 {k: v}"]
    lines += [f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * width)}], k{n}: v}}" for n in range(1, levels + 1)]
    return _HEAD + "\n".join(lines) + "\n"


def _document(body: str) -> str:
    return _HEAD + body + "\n"


HOSTILE = {
    "alias bomb 9^8": _text(lambda: _aliases(8, 9), "KTJ024"),
    "alias bomb of mappings": _text(lambda: _aliases(12, 20).replace("[x]", "{k: v}"), "KTJ024"),
    "merge chain": _text(lambda: _merges(7, 9), "KTJ024"),
    "deep merge chain": _text(lambda: _merges(40, 40), "KTJ024"),
    "alias of a long text": _text(lambda: _document(f"a: &a {'x' * 1_000_000}\nb: [{'*a, ' * 1_000}]"), "KTJ024"),
    "flow lists open": _text(lambda: "[" * 10_000, "KTJ023"),
    "flow lists open, many": _text(lambda: "[" * 1_000_000, "KTJ023"),
    "flow lists closed": _text(lambda: "a: " + "[" * 100_000 + "]" * 100_000, "KTJ023"),
    "flow mappings": _text(lambda: "{a: " * 50_000, "KTJ023"),
    "JSON objects": _text(lambda: '{"a":' * 100_000, "KTJ023"),
    "JSON objects closed": _text(lambda: '{"a":' * 100_000 + "1" + "}" * 100_000, "KTJ023"),
    "brackets spread over lines": _text(lambda: "a:\n" + " [\n" * 100_000, "KTJ023"),
    "block levels": _text(lambda: "".join(f"{' ' * n}a:\n" for n in range(1000)), "KTJ023"),
    "block levels, many": _text(lambda: "".join(f"{' ' * n}a:\n" for n in range(3000)), "KTJ023"),
    "dashes": _text(lambda: "- " * 100_000 + "a", "KTJ023"),
    "dashes with tabs": _text(lambda: "-\t" * 100_000 + "a", "KTJ001"),
    "question marks": _text(lambda: "? " * 100_000 + "a", "KTJ023"),
    "digits": _text(lambda: _document("data: " + "9" * 5000)),
    "hexadecimal digits": _text(lambda: _document("data: 0x" + "f" * 20_000)),
    "exponent": _text(lambda: _document("data: 1e999999999")),
    "digits in JSON": _text(
        lambda: '{"apiVersion":"v1","kind":"C","metadata":{"name":"a"},"x":' + "9" * 5000 + "}", "KTJ007"
    ),
    "long key": _text(lambda: _document(f"{'k' * 2000}: 1"), "KTJ001"),
    "escapes": _text(lambda: _document('data: "' + "\\n" * 200_000 + '"')),
    "unknown escapes": _text(lambda: _document('data: "' + "\\q" * 200_000 + '"'), "KTJ001"),
    "quote without an end": _text(lambda: _document('data: "' + "x\n" * 200_000), "KTJ001"),
    "separators": _text(lambda: "---\n" * 1_000_000, "KTJ022"),
    "JSON objects in a row": _text(lambda: "{}" * 1_000_000, "KTJ022"),
    "items of a List": _text(lambda: "kind: List\nitems:\n" + "- {kind: A}\n" * 20_001, "KTJ022", "KTJ030"),
    "broken documents": _text(lambda: "a: ]\n---\n" * 5_000, "KTJ001"),
    "alias in itself": _text(lambda: _document("data: &a {b: *a}"), "KTJ009"),
    "merge of itself": _text(lambda: _document("data: &a {<<: *a}"), "KTJ009"),
    "alias of the whole": _text(lambda: "&a [*a, *a]", "KTJ009"),
    "tag that makes objects": _text(lambda: _document("data: !!python/object/apply:os.system [id]"), "KTJ006"),
    "unknown tag": _text(lambda: _document("data: !Vault abc"), "KTJ006"),
    "UTF-16": Hostile(lambda: _document("data: a").encode("utf-16"), frozenset({"KTJ002"})),
    "UTF-16 without a mark": Hostile(lambda: _document("data: a").encode("utf-16-le"), frozenset({"KTJ002"})),
    "UTF-32": Hostile(lambda: _document("data: a").encode("utf-32"), frozenset({"KTJ002"})),
    "Latin-1": Hostile(lambda: _document("data: \xe9").encode("latin-1"), frozenset({"KTJ002"})),
    "overlong UTF-8": Hostile(lambda: b"a: \xc0\xaf", frozenset({"KTJ002"})),
    "surrogate in UTF-8": Hostile(lambda: b"a: \xed\xa0\x80", frozenset({"KTJ002"})),
    "NUL": _text(lambda: _document("data: a\0b"), "KTJ003"),
    "escaped NUL": _text(lambda: _document('data: "a\\0b"'), "KTJ003"),
    "escape sequence": _text(lambda: _document("data: \x1b[31m"), "KTJ003"),
    "bidirectional override": _text(lambda: _document("data: \u202eabc")),
    "lone surrogate": _text(lambda: _document('data: "\\ud800"'), "KTJ013"),
    "nothing": _text(lambda: ""),
    "only a byte order mark": Hostile(lambda: b"\xef\xbb\xbf", frozenset()),
    "only blanks": _text(lambda: " \n\t\n"),
    "empty list": _text(lambda: "apiVersion: v1\nkind: List\nitems: []\n"),
    "null list": _text(lambda: "apiVersion: v1\nkind: List\nitems: null\n"),
    "weird list": _text(lambda: "apiVersion: v1\nkind: List\nitems: {a: b}\n", "KTJ031"),
    "list of lists": _text(lambda: "kind: List\nitems: [{kind: List, items: [5, null, x]}]\n", "KTJ010"),
    "top-level list": _text(lambda: "- a\n- b\n", "KTJ010"),
    "top-level text": _text(lambda: "just text\n", "KTJ010"),
    "null metadata": _text(lambda: "apiVersion: v1\nkind: A\nmetadata: null\n", "KTJ031"),
    "metadata is text": _text(lambda: "apiVersion: v1\nkind: A\nmetadata: x\n", "KTJ031"),
    "name is a list": _text(lambda: "apiVersion: v1\nkind: A\nmetadata: {name: [a]}\n", "KTJ031"),
    "kind is a mapping": _text(lambda: "apiVersion: v1\nkind: {a: b}\nmetadata: {name: a}\n", "KTJ030"),
    "namespace is a number": _text(lambda: "apiVersion: v1\nkind: A\nmetadata: {name: a, namespace: 5}\n", "KTJ031"),
    "namespace is a mapping": _text(lambda: "apiVersion: v1\nkind: A\nmetadata: {name: a, namespace: {}}\n", "KTJ031"),
    "comments that end in CRLF": _text(lambda: "#\r\n" * 2_000 + ": :\n", "KTJ001"),
    "comments behind a document's end": _text(lambda: _document("a: 1\n...\n" + "# x\n" * 2_000 + "b"), "KTJ012"),
    "colliding keys": _text(lambda: _document("data: {1: a, true: b, 1.0: c}"), "KTJ005"),
    "no manifest": _text(lambda: "<html>\n<body a='1'>\n", "KTJ010"),
    "carriage returns": _text(lambda: _document("data: a").replace("\n", "\r")),
    "separator behind a line separator": _text(lambda: _document("data: a\u2028--- \u2028b: c"), "KTJ012"),
}
