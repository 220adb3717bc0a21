"""The lines of an object's text, judged by where ruamel.yaml finds keys and items in it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
import ruamel.yaml
from ruamel.yaml.comments import CommentedMap, CommentedSeq

from kubectl_trainjob.model.source import Pointer, value_at
from kubectl_trainjob.repository.yaml.spans import Line, numbered
from tests.conformance import cases
from tests.printed import render
from tests.property import hostile


def text_of(lines: list[Line]) -> str:
    return "".join(f"{line.text}\n" for line in lines)


def found_by_ruamel(text: str) -> dict[int, Pointer]:
    """By line, the deepest entry or item whose key or value is there."""
    reader = ruamel.yaml.YAML(typ="rt", pure=True)
    return dict(_entries(reader.load(text), ()))


def _entries(node: Any, pointer: Pointer) -> Iterator[tuple[int, Pointer]]:
    if isinstance(node, CommentedMap):
        for key, value in node.items():
            yield node.lc.key(key)[0], (*pointer, str(key))
            yield from _entries(value, (*pointer, str(key)))
    elif isinstance(node, CommentedSeq):
        for index, value in enumerate(node):
            # The dash of a list in a list has a line of its own, above.
            yield node.lc.item(index)[0] - bool(isinstance(value, CommentedSeq) and value), (*pointer, index)
            yield from _entries(value, (*pointer, index))


def check(body: dict[str, Any]) -> None:
    lines = numbered(body)
    text = text_of(lines)
    assert text == "".join(render([body], "yaml"))
    begun = {number: line.pointer for number, line in enumerate(lines) if not line.continues}
    assert begun == found_by_ruamel(text)
    for above, line in pairwise(lines):
        assert not line.continues or line.pointer == above.pointer
    assert {line.pointer for line in lines} == set(pointers(body))


def pointers(value: Any, pointer: Pointer = ()) -> Iterator[Pointer]:
    """Every value but those whose line is that of their first entry: the object, and mappings in lists."""
    if pointer and not (isinstance(value, dict) and value and isinstance(pointer[-1], int)):
        yield pointer
    for key, entry in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from pointers(entry, (*pointer, key))


BODY = {
    "spec": {
        "args": ["a", ["b", ["c"]], [], {}, [{"d": 1, "e": None}]],
        "empty": {},
        "none": [],
        "script": "set -e\n\n# no comment\nexec a\n",
        "ends": "a\n\n\n",
        "quoted": " a\nb: #c\n",
        "z": [{"name": "x", "text": "a\nb"}, {"list": [1, 2]}, "a\nb", "c"],
    },
    "metadata": {"labels": {"a.b/c": "'"}, "name": "n"},
    "kind": "Thing",
    "apiVersion": "v1",
}


def test_lines() -> None:
    shown = [(line.text, "/".join(map(str, line.pointer)) + "+" * line.continues) for line in numbered(BODY)]
    assert shown == [
        ("apiVersion: v1", "apiVersion"),
        ("kind: Thing", "kind"),
        ("metadata:", "metadata"),
        ("  labels:", "metadata/labels"),
        ("    a.b/c: ''''", "metadata/labels/a.b/c"),
        ("  name: 'n'", "metadata/name"),
        ("spec:", "spec"),
        ("  args:", "spec/args"),
        ("  - a", "spec/args/0"),
        ("  -", "spec/args/1"),
        ("    - b", "spec/args/1/0"),
        ("    -", "spec/args/1/1"),
        ("      - c", "spec/args/1/1/0"),
        ("  - []", "spec/args/2"),
        ("  - {}", "spec/args/3"),
        ("  -", "spec/args/4"),
        ("    - d: 1", "spec/args/4/0/d"),
        ("      e: null", "spec/args/4/0/e"),
        ("  empty: {}", "spec/empty"),
        ("  ends: |+", "spec/ends"),
        ("    a", "spec/ends+"),
        ("", "spec/ends+"),
        ("", "spec/ends+"),
        ("  none: []", "spec/none"),
        ('  quoted: " a\\nb: #c\\n"', "spec/quoted"),
        ("  script: |", "spec/script"),
        ("    set -e", "spec/script+"),
        ("", "spec/script+"),
        ("    # no comment", "spec/script+"),
        ("    exec a", "spec/script+"),
        ("  z:", "spec/z"),
        ("  - name: x", "spec/z/0/name"),
        ("    text: |-", "spec/z/0/text"),
        ("      a", "spec/z/0/text+"),
        ("      b", "spec/z/0/text+"),
        ("  - list:", "spec/z/1/list"),
        ("    - 1", "spec/z/1/list/0"),
        ("    - 2", "spec/z/1/list/1"),
        ("  - |-", "spec/z/2"),
        ("    a", "spec/z/2+"),
        ("    b", "spec/z/2+"),
        ("  - c", "spec/z/3"),
    ]
    check(BODY)


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        pytest.param({}, [Line("{}", ())], id="empty"),
        pytest.param(
            {"a": "b\n\n"}, [Line("a: |+", ("a",)), Line("  b", ("a",), True), Line("", ("a",), True)], id="end"
        ),
        pytest.param(
            {"k" * 2000: {"a": 1}},
            [Line("? " + "k" * 2000, ("k" * 2000,)), Line(":", ("k" * 2000,), True), Line("  a: 1", ("k" * 2000, "a"))],
            id="long key",
        ),
        pytest.param({"a": "b" * 5000}, [Line("a: " + "b" * 5000, ("a",))], id="long text"),
    ],
)
def test_odd_objects(body: dict[str, Any], lines: list[Line]) -> None:
    assert numbered(body) == lines


def test_hostile_strings() -> None:
    check(hostile.catalogue(0))


@pytest.mark.parametrize("seed", range(4))
def test_random_objects(seed: int) -> None:
    chance = random.Random(f"lines {seed}")
    for number in range(40):
        check(hostile.random_object(chance, number))


def test_recorded_objects() -> None:
    checked = 0
    for case in cases.load("2.3")[::20]:
        for job in case.expected["jobs"]:
            for body in job.get("objects", []):
                check(body)
                checked += 1
    assert checked > 25


def test_deep_objects() -> None:
    body: Any = "x"
    for level in range(150):
        body = [body] if level % 3 else {"a": body}
    lines = numbered({"kind": "Thing", "spec": body})
    assert value_at({"spec": body}, lines[-1].pointer) == "x"
