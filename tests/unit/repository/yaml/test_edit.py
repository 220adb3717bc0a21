"""Values of a text are changed with as few characters as possible.

Judges: PyYAML and ruamel.yaml, which know nothing of our reader, say what a text holds and which comments it has;
difflib says which lines were touched.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import ruamel.yaml
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kubectl_trainjob.model.source import Pointer, value_at
from kubectl_trainjob.repository.yaml import edit
from kubectl_trainjob.repository.yaml.edit import REMOVE, DataChange, EditedText, EditError, open_text
from kubectl_trainjob.repository.yaml.edit_data import change_data, in_order
from kubectl_trainjob.repository.yaml.edit_parts import compose
from tests.conformance.cases import VERSIONS, load

ROOT = Path(__file__).parents[4]


def edited(text: str, document: int, changes: Iterable[DataChange]) -> str:
    return open_text(text).with_changes(document, changes).text


def change(text: str, *changes: tuple[Pointer, Any]) -> str:
    return edited(text, 0, [DataChange(*each) for each in changes])


JOB = """\
# about the job
spec:
  trainer:  # the trainer
    # first
    env:
    - name: A  # a
      value: "1"
    # second
    - name: B
      value: '2'
      # still B
    # behind
    args: [--lr, 1]
  empty: {}
  none:
  text: |  # why
    one
    two

last: 1
"""


@pytest.mark.parametrize(
    ("pointer", "value", "old", "new"),
    [
        pytest.param(("last",), 2, "last: 1", "last: 2", id="scalar"),
        pytest.param(("last",), "yes", "last: 1", "last: 'yes'", id="text that needs quotes"),
        pytest.param(("spec", "trainer", "env", 0, "value"), "3", 'value: "1"', 'value: "3"', id="double quotes"),
        pytest.param(("spec", "trainer", "env", 1, "value"), "it's", "value: '2'", "value: 'it''s'", id="single"),
        pytest.param(("spec", "trainer", "env", 0, "name"), "C", "A  # a", "C  # a", id="the comment stays"),
        pytest.param(("spec", "trainer", "args", 1), "a, b", "[--lr, 1]", "[--lr, 'a, b']", id="flow"),
        pytest.param(("spec", "trainer", "args", 2), 3, "[--lr, 1]", "[--lr, 1, 3]", id="append in flow"),
        pytest.param(("spec", "trainer", "args", 0), REMOVE, "[--lr, 1]", "[1]", id="first in flow"),
        pytest.param(("spec", "trainer", "args", 1), REMOVE, "[--lr, 1]", "[--lr]", id="last in flow"),
        pytest.param(("spec", "none"), 5, "  none:\n", "  none: 5\n", id="nothing"),
        pytest.param(("spec", "none", "a"), 5, "  none:\n", "  none:\n    a: 5\n", id="below nothing"),
        pytest.param(("spec", "empty", "a"), 5, "empty: {}", "empty: {a: 5}", id="into empty braces"),
        pytest.param(("spec", "empty", "a", "b"), 5, "empty: {}", "empty:\n    a:\n      b: 5", id="two levels"),
        pytest.param(("spec", "text"), "x", "|  # why\n    one\n    two\n", "x  # why\n", id="block scalar"),
        pytest.param(("spec", "text"), "x\ny\n", "    one\n    two\n", "    x\n    y\n", id="block scalar again"),
        pytest.param(("spec", "last"), 1, "    two\n\n", "    two\n  last: 1\n\n", id="behind a block scalar"),
        pytest.param(
            ("spec", "trainer", "env", 0),
            REMOVE,
            '    - name: A  # a\n      value: "1"\n',
            "",
            id="item, comments above stay",
        ),
        pytest.param(
            ("spec", "trainer", "env", 1),
            REMOVE,
            "    - name: B\n      value: '2'\n      # still B\n",
            "",
            id="item with a comment of its own",
        ),
        pytest.param(
            ("spec", "trainer", "env", 0, "name"),
            REMOVE,
            "- name: A  # a\n      value",
            "- value",
            id="behind the dash",
        ),
        pytest.param(
            ("spec", "trainer", "env", 2),
            {"name": "C", "value": "3"},
            "      # still B\n",
            "      # still B\n    - name: C\n      value: '3'\n",
            id="append",
        ),
        pytest.param(
            ("spec", "trainer", "env", 0),
            {"name": "A", "valueFrom": {}},
            '      value: "1"\n',
            "      valueFrom: {}\n",
            id="large change made small",
        ),
        pytest.param(
            ("last",), {"a": [1, {"b": None}]}, "last: 1\n", "last:\n  a:\n  - 1\n  - b: null\n", id="scalar to mapping"
        ),
        pytest.param(("spec", "trainer", "args"), "x", "[--lr, 1]", "x", id="list to scalar"),
    ],
)
def test_one_edit(pointer: Pointer, value: Any, old: str, new: str) -> None:
    assert JOB.count(old) == 1
    expected = JOB.replace(old, new)
    assert change(JOB, (pointer, value)) == expected
    crlf = change(JOB.replace("\n", "\r\n"), (pointer, value))
    assert crlf == expected.replace("\n", "\r\n")


def test_emptied_list_keeps_the_comments_between() -> None:
    new = change(JOB, (("spec", "trainer", "env", 1), REMOVE), (("spec", "trainer", "env", 0), REMOVE))
    assert "    env: []\n    # second\n    # behind\n" in new


def test_pointers_lead_into_the_text_as_it_was() -> None:
    text = "- a\n- b\n- c\n- d\n"
    assert change(text, ((0,), REMOVE), ((2,), REMOVE), ((3,), "e"), ((4,), "f")) == "- b\n- e\n- f\n"
    once = open_text(text).with_changes(0, [DataChange((0,), REMOVE)])
    assert once.with_changes(0, [DataChange((2,), REMOVE)]).text == "- b\n- d\n"


JSON = '{\n  "a": 1,\n  "b": [\n    "x",\n    "y"\n  ],\n  "c": {}\n}\n'


@pytest.mark.parametrize(
    ("pointer", "value", "old", "new"),
    [
        pytest.param(("a",), "q\n", '"a": 1', '"a": "q\\n"', id="scalar"),
        pytest.param(("a",), REMOVE, '  "a": 1,\n', "", id="first"),
        pytest.param(("c",), REMOVE, '],\n  "c": {}\n', "]\n", id="last"),
        pytest.param(("b", 1), REMOVE, '"x",\n    "y"\n', '"x"\n', id="last item"),
        pytest.param(("b", 2), "z", '"y"\n', '"y",\n    "z"\n', id="append"),
        pytest.param(("d",), [True, None], '"c": {}\n', '"c": {},\n  "d": [true, null]\n', id="insert"),
        pytest.param(("c", "k"), 1, '"c": {}', '"c": {"k": 1}', id="into empty braces"),
    ],
)
def test_json(pointer: Pointer, value: Any, old: str, new: str) -> None:
    assert change(JSON, (pointer, value)) == JSON.replace(old, new)


FLOW = "a: {\n  b: 1,\n  'c': \"2\",\n}\nd: [x, {y: z}]\ne: [ 1,\n  2 ]\n"


@pytest.mark.parametrize(
    ("pointer", "value", "old", "new"),
    [
        pytest.param(("a", "b"), REMOVE, "  b: 1,\n  'c': \"2\",\n", "  'c': \"2\"\n", id="first line"),
        pytest.param(("a", "c"), REMOVE, "1,\n  'c': \"2\",\n", "1\n", id="last"),
        pytest.param(("a", "e"), 3, '"2",\n', '"2",\n  e: 3\n', id="insert"),
        pytest.param(("e", 2), 3, "[ 1,\n  2 ]", "[ 1, 2, 3 ]", id="on one line"),
        pytest.param(("d", 1, "y"), REMOVE, "{y: z}", "{}", id="emptied"),
        pytest.param(("d", 1, "q"), {"r": [1]}, "{y: z}", "{y: z, q: {r: [1]}}", id="nested"),
    ],
)
def test_flow_on_several_lines(pointer: Pointer, value: Any, old: str, new: str) -> None:
    assert change(FLOW, (pointer, value)) == FLOW.replace(old, new)


STREAM = "---\na: 1\n---  # second\nb: 2\n...\n---\nkind: List\nitems:\n- a: 3\n- a: 4"


@pytest.mark.parametrize(
    ("document", "pointer", "value", "old", "new"),
    [
        pytest.param(1, ("b",), 5, "b: 2", "b: 5", id="between markers"),
        pytest.param(1, ("c",), 5, "b: 2\n", "b: 2\nc: 5\n", id="before the end marker"),
        pytest.param(2, ("items", 1, "a"), 5, "a: 4", "a: 5", id="item of a List"),
        pytest.param(2, ("items", 2), {"a": 5}, "- a: 4", "- a: 4\n- a: 5", id="no line end at the end"),
    ],
)
def test_documents(document: int, pointer: Pointer, value: Any, old: str, new: str) -> None:
    assert edited(STREAM, document, [DataChange(pointer, value)]) == STREAM.replace(old, new)


@pytest.mark.parametrize(
    ("text", "pointer", "value"),
    [
        pytest.param("a: &x {b: 1}\nc: *x\n", ("a", "b"), 2, id="anchored value used elsewhere"),
        pytest.param("a: &x {b: 1}\nc: *x\n", ("c", "b"), 2, id="through an alias"),
        pytest.param("a: &x {b: 1}\nc: *x\n", ("a",), REMOVE, id="anchor used elsewhere"),
        pytest.param("a: &x {b: 1}\nc: {<<: *x}\n", ("c", "b"), REMOVE, id="what a merge brings"),
        pytest.param("a: {\n  b: 1,  # why\n  c: 2\n}\n", ("a", "c"), REMOVE, id="a comment in flow style, a removal"),
        pytest.param("a: {\n  b: 1,  # why\n  c: 2\n}\n", ("a", "d"), 3, id="a comment in flow style, an entry"),
        pytest.param("a: 1\n", ("b",), REMOVE, id="nothing to remove"),
        pytest.param("a: 1\n", ("a",), REMOVE, id="all"),
        pytest.param("a: 1\n", (), {"b": 1}, id="the document"),
        pytest.param("a: 1\n", ("a", "b"), 1, id="below a scalar"),
        pytest.param("- a\n", (3,), 1, id="far behind the end"),
        pytest.param("a: [\n", ("a",), 1, id="unreadable"),
        pytest.param("a: 1\n", ("a",), "\ud800", id="what no file holds"),
        pytest.param("a: 1\n", ("a",), float("inf"), id="what JSON does not hold"),
    ],
)
def test_rejected(text: str, pointer: Pointer, value: Any) -> None:
    with pytest.raises(EditError):
        change(text, (pointer, value))


@pytest.mark.parametrize(
    ("text", "pointer", "value", "new"),
    [
        pytest.param("a: &x {b: 1}\nc: *x\n", ("c",), 2, "a: &x {b: 1}\nc: 2\n", id="alias replaced"),
        pytest.param("a: &x {b: 1}\nc: *x\n", ("c",), REMOVE, "a: &x {b: 1}\n", id="alias removed"),
        pytest.param("a: &x 1\n", ("a",), 2, "a: &x 2\n", id="the anchor stays"),
        pytest.param(
            "a: &x {b: 1}\nc:\n  <<: *x\n", ("c", "b"), 2, "a: &x {b: 1}\nc:\n  <<: *x\n  b: 2\n", id="merge overridden"
        ),
        pytest.param("a:\t1\t# c\n", ("a",), 2, "a:\t2\t# c\n", id="tabs"),
        pytest.param("a:   1\n", ("a",), 2, "a:   2\n", id="alignment"),
        pytest.param("'a': 1\n", ("a",), 1, "'a': 1\n", id="as it is"),
        pytest.param("a: 0x10\n", ("a",), 16, "a: 0x10\n", id="as it is in another spelling"),
    ],
)
def test_odd_texts(text: str, pointer: Pointer, value: Any, new: str) -> None:
    assert change(text, (pointer, value)) == new


def _expected(value: Any, pointer: Pointer, new: Any) -> Any:
    """The data with the change, made anew."""
    step, *rest = pointer
    if rest:
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        made = {key: _expected(each, tuple(rest), new) if key == step else each for key, each in pairs}
    else:
        made = dict(value.items() if isinstance(value, dict) else enumerate(value)) | {step: new}
        made = {key: each for key, each in made.items() if each is not REMOVE}
    return made if isinstance(value, dict) else list(made.values())


def _walk(value: Any, pointer: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    yield pointer, value
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _walk(each, (*pointer, key))


NEW = ["other", "v: 1", {"x": 1, "y": ["z"]}, "a\nb\n", [], None]


def _changes(value: Any) -> Iterator[DataChange]:
    for pointer, each in _walk(value):
        if pointer:
            yield DataChange(pointer, REMOVE)
            yield from (DataChange(pointer, new) for new in NEW)
        if isinstance(each, dict):
            yield from (DataChange((*pointer, "new/key"), new) for new in NEW)
        elif isinstance(each, list):
            yield from (DataChange((*pointer, len(each)), new) for new in NEW)


def _ordinary() -> Iterator[tuple[str, str]]:
    for path in sorted((*ROOT.glob("runtimes/*.yaml"), *ROOT.glob("overlays/**/*.yaml"))):
        yield path.name, path.read_text()
    for version in VERSIONS:
        yield from ((case.id, case.input) for case in load(version)[::40])


def _ruamel(text: str) -> tuple[list[Any], list[str]]:
    """What ruamel.yaml takes a stream for, and the comments that it would write."""
    reader = ruamel.yaml.YAML()
    reader.preserve_quotes = True
    reader.width = 10_000
    out = io.StringIO()
    documents = list(reader.load_all(text))
    reader.dump_all(documents, out)
    return list(ruamel.yaml.YAML(typ="safe", pure=True).load_all(text)), _comments(out.getvalue())


def _comments(text: str) -> list[str]:
    """The comments of a text; a number sign inside of a scalar begins none."""
    parts, at = [], 0
    for token in yaml.scan(text, yaml.CSafeLoader):
        if isinstance(token, yaml.ScalarToken):
            parts.append(text[at : token.start_mark.index])
            at = token.end_mark.index
    return re.findall(r"#.*", "".join((*parts, text[at:])))


@pytest.mark.slow
def test_ordinary_files_are_edited() -> None:
    """Random edits; fewer than one in twenty is rejected, and no comment is lost that stands elsewhere."""
    chance, rejected, made = random.Random(9), 0, 0
    for name, text in _ordinary():
        documents = list(yaml.load_all(text, yaml.CSafeLoader))
        start: EditedText = open_text(text)
        for number, value in enumerate(documents):
            if not isinstance(value, dict) or len(start.pieces) != len(documents):
                continue
            for each in chance.sample(list(_changes(value)), 4):
                try:
                    new = start.with_changes(number, [each]).text
                except EditError:
                    rejected += 1
                    continue
                made += 1
                wanted = [*documents[:number], _expected(value, *each), *documents[number + 1 :]]
                found, comments = _ruamel(new)
                assert list(yaml.load_all(new, yaml.CSafeLoader)) == wanted, (name, each)
                assert found == wanted, (name, each)
                if each.value is not REMOVE and not isinstance(value_at(value, each.pointer), (list, dict)):
                    assert comments == _ruamel(text)[1], (name, each)
    assert made > 80
    assert rejected < made / 20


@dataclass
class _Written:
    """A random document: its lines, each with the pointers of what begins on it, and the owner of each comment."""

    chance: random.Random
    lines: list[tuple[str, list[Pointer]]] = field(default_factory=list)
    comments: dict[str, tuple[Pointer, bool]] = field(default_factory=dict)
    anchors: list[tuple[str, Any]] = field(default_factory=list)
    named: int = 0

    def comment(self, owner: Pointer, *, above: bool) -> str:
        name = f"#c{len(self.comments)}"
        self.comments[name] = (owner, above)
        return name

    def trailing(self, owner: Pointer) -> str:
        return f"  {self.comment(owner, above=False)}" if self.chance.random() < 0.3 else ""

    def scalar(self, value: Any) -> str:
        text = yaml.safe_dump(value, width=10_000).split("\n")[0]
        if isinstance(value, str) and self.chance.random() < 0.4:
            return '"' + value + '"'
        return text

    def flow(self, value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key}: {self.flow(each)}" for key, each in value.items()) + "}"
        return "[" + ", ".join(map(self.flow, value)) + "]" if isinstance(value, list) else self.scalar(value)

    def value(self, head: str, value: Any, pointer: Pointer, indent: int, owners: list[Pointer]) -> None:
        """The lines of a value behind `head`, its key or dash, indented so far."""
        kind = self.chance.random()
        known = [name for name, each in self.anchors if each == value and type(each) is type(value)]
        if known and kind < 0.5:
            self.lines.append((f"{head} *{known[0]}{self.trailing(pointer)}", owners))
            return
        anchor = ""
        if kind > 0.9:
            self.named += 1
            anchor = f" &a{self.named}"
        if not isinstance(value, (dict, list)) or not value or kind < 0.15:
            self.lines.append((f"{head}{anchor} {self.flow(value)}{self.trailing(pointer)}", owners))
        elif isinstance(value, dict) and head.endswith("-") and not anchor and kind < 0.7:
            self.block(value, pointer, indent + 2, owners, f"{head} ")
        else:
            self.lines.append((f"{head}{anchor}{self.trailing(pointer)}", owners))
            deeper = 0 if isinstance(value, list) and not head.endswith("-") and kind < 0.6 else 2
            self.block(value, pointer, indent + deeper, [], "")
        if anchor:
            self.anchors.append((anchor[2:], value))

    def block(self, value: Any, pointer: Pointer, indent: int, owners: list[Pointer], first: str) -> None:
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            below = (*pointer, key)
            if not first and self.chance.random() < 0.25:
                self.lines.append((" " * indent + self.comment(below, above=True), []))
            if not first and self.chance.random() < 0.1:
                self.lines.append(("", []))
            head = f"{key}:" if isinstance(value, dict) else "-"
            self.value((first or " " * indent) + head, each, below, indent, [*owners, below])
            first, owners = "", []


_SCALARS = st.sampled_from([1, 0, True, None, "x", "two words", "it's", "a-b", "7", 2.5])
_KEYS = st.sampled_from(["a", "b", "c", "name", "value"])
_DATA = st.dictionaries(
    _KEYS,
    st.recursive(_SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(_KEYS, v, max_size=3), max_leaves=10),
    min_size=2,
)


@settings(max_examples=150, deadline=None)
@given(_DATA, st.randoms(use_true_random=False), st.booleans(), st.booleans())
def test_random_documents(data: Any, chance: random.Random, crlf: bool, marked: bool) -> None:
    written = _Written(chance)
    written.block(data, (), 0, [], "")
    head = ["---  # start"] if marked else []
    eol = "\r\n" if crlf else "\n"
    text = eol.join([*head, *(line for line, _ in written.lines), ""])
    assert yaml.safe_load(text) == data
    each = chance.choice(list(_changes(data)))
    try:
        new = change(text, each)
    except EditError:
        return
    wanted = _expected(data, *each)
    assert yaml.safe_load(new) == wanted
    assert ruamel.yaml.YAML(typ="safe", pure=True).load(new) == wanted
    _same_comments(written, each, new)
    _other_lines_are_the_same(written, each, text, new, len(head))
    assert ("\n" in new.replace("\r\n", "")) is False if crlf else "\r" not in new
    try:
        assert change(new, each) == new or each.value is REMOVE or len(each.pointer) == 0
    except EditError:
        assert each.value is REMOVE


def _apart(chance: random.Random, changes: list[DataChange]) -> list[DataChange]:
    """Some changes, none of which is inside of another one."""
    found: list[DataChange] = []
    for each in chance.sample(changes, min(30, len(changes))):
        ways = [(each.pointer, other.pointer) for other in found]
        if each.pointer and not any(one[: len(other)] == other[: len(one)] for one, other in ways):
            found.append(each)
    return found


@settings(max_examples=100, deadline=None)
@given(_DATA, st.randoms(use_true_random=False))
def test_many_changes_at_once(data: Any, chance: random.Random) -> None:
    written = _Written(chance)
    written.block(data, (), 0, [], "")
    text = "\n".join([*(line for line, _ in written.lines), ""])
    changes = _apart(chance, list(_changes(data)))
    wanted = data
    for each in in_order(changes):
        wanted = change_data(wanted, each)
    with contextlib.suppress(EditError):
        assert yaml.safe_load(edited(text, 0, changes)) == wanted


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("".join(f"k{number}: a\n" for number in range(60)), id="entries"),
        pytest.param("".join(f"- name: n{number}\n  value: a\n" for number in range(60)), id="items"),
        pytest.param(f"{{{', '.join(f'k{number}: a' for number in range(60))}}}\n", id="flow"),
    ],
)
@pytest.mark.parametrize("new", [pytest.param(REMOVE, id="removed"), pytest.param("b", id="replaced")])
def test_the_changes_of_a_collection_are_one_reading(text: str, new: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    readings: list[str] = []
    monkeypatch.setattr(edit, "compose", lambda text: readings.append(text) or compose(text))
    value = yaml.safe_load(text)
    keys = list(value if isinstance(value, dict) else range(len(value)))[1::2]
    edited(text, 0, [DataChange((key,), new) for key in keys])
    assert len(readings) == 1


def _same_comments(written: _Written, each: DataChange, new: str) -> None:
    """Those of the entry that was removed, or replaced as a whole, may go; those above it stay."""
    kept = re.findall(r"#c\d+", new)
    assert len(kept) == len(set(kept))
    for name, (owner, above) in written.comments.items():
        is_inside = owner[: len(each.pointer)] == each.pointer and not (above and owner == each.pointer)
        assert name in kept or is_inside, (name, owner)


def _other_lines_are_the_same(written: _Written, each: DataChange, text: str, new: str, first: int) -> None:
    old_lines = text.splitlines(keepends=True)
    touched = difflib.SequenceMatcher(None, old_lines, new.splitlines(keepends=True), autojunk=False).get_opcodes()
    for tag, start, end, _, _ in touched:
        if tag not in ("replace", "delete"):
            continue
        for number in range(start, end):
            line, owners = written.lines[number - first] if number >= first else ("---", [])
            assert _belongs(line, owners, each.pointer), (each, line)


def _belongs(line: str, owners: list[Pointer], pointer: Pointer) -> bool:
    """Whether a line is of the entry, its parent's or, with what stands behind a dash, the next one's; or is flow."""
    near = pointer[:-1]
    if not owners:
        return "#c" in line or not line.strip()
    is_flow = "{" in line or "[" in line
    return any(
        owner[: len(pointer)] == pointer
        or owner == near
        or owner[:-1] == near
        or (is_flow and pointer[: len(owner)] == owner)
        for owner in owners
    )
