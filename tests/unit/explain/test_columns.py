"""Notes beside lines: where they stand, and that they leave the YAML what it was."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob.explain.columns import LineNote, abbreviated, beside
from kubectl_trainjob.model.printable import columns
from kubectl_trainjob.repository.yaml.spans import numbered
from tests.property import hostile, readers

WIDE = 120


def laid_out(text: str) -> list[tuple[str, str]]:
    """Lines and notes out of a text in which a bar stands between them; the bars are in the column of the notes."""
    return [(line.partition("|")[0].rstrip(), line.partition("|")[2].strip()) for line in text.splitlines()]


@pytest.mark.parametrize(
    ("text", "width"),
    [
        pytest.param("a: 1      |one\nlong: 22  |two\n", WIDE, id="one column"),
        pytest.param("a: 1   |one\nlonger: 22\nb: 22  |two\n", WIDE, id="a line without a note takes no room"),
        pytest.param("a: 1  |one\n" + "-\n" * 7 + "b: 2  |two\n", WIDE, id="no note for seven lines"),
        pytest.param("a: 1\nb: 2\n", WIDE, id="no notes"),
        pytest.param("", WIDE, id="no lines"),
    ],
)
def test_notes_stand_in_one_column(text: str, width: int) -> None:
    lines = laid_out(text)
    assert beside(lines, width) == text.replace("|", "# ").splitlines()


@pytest.mark.parametrize(
    ("lengths", "width", "at"),
    [
        pytest.param([10], WIDE, [12], id="one"),
        pytest.param([10, 20, 30], WIDE, [32, 32, 32], id="rising"),
        pytest.param([10, 12, 11, 80], WIDE, [14, 14, 14, 82], id="one stands out"),
        pytest.param([80, 10, 12, 11], WIDE, [82, 14, 14, 14], id="the first stands out"),
        pytest.param([10, 26, 42, 58], WIDE, [60] * 4, id="in steps"),
        pytest.param([5, 40, 42, 44], WIDE, [46] * 4, id="short ones stand in the column"),
        pytest.param([10, 70, 72, 74], WIDE, [76] * 4, id="most are long"),
        pytest.param([30, 40, 50, 60], 60, [52, 52, 52, 62], id="the notes' end is at the screen's"),
        pytest.param([10, 20, 30], 20, [12, 22, 32], id="a narrow screen"),
        pytest.param([10, 20, 30], 0, [12, 22, 32], id="no screen at all"),
        pytest.param([10, *[None] * 7, 20], WIDE, [22, *[None] * 7, 22], id="near"),
        pytest.param([10, *[None] * 8, 20], WIDE, [12, *[None] * 8, 22], id="apart"),
    ],
)
def test_where_notes_begin(lengths: list[int | None], width: int, at: list[int | None]) -> None:
    """The notes take 8 columns."""
    lines = [("-" * 3, "") if length is None else ("x" * length, "note..") for length in lengths]
    shown = beside(lines, width)
    assert [line.index("#") if "#" in line else None for line in shown] == at


def test_a_wide_character_takes_two_columns() -> None:
    shown = beside([("a: 日本", "one"), ("b: xxxx", "two")], WIDE, columns)
    assert shown == ["a: 日本  # one", "b: xxxx  # two"]


A, B = "runtimes/a.yaml", "jobs/b.yaml"


@pytest.mark.parametrize(
    ("notes", "texts"),
    [
        pytest.param([LineNote(A, 3)], [f"{A}:3"], id="one"),
        pytest.param([LineNote(A, 3, "default")], [f"{A}:3 default"], id="with words"),
        pytest.param([LineNote(A, 3), LineNote(A, 4, "computed")], [f"{A}:3", ":4 computed"], id="the same file"),
        pytest.param(
            [LineNote(A, 3), LineNote(B, 4), LineNote(A, 5)], [f"{A}:3", f"{B}:4", f"{A}:5"], id="other files"
        ),
        pytest.param([LineNote(A, 3), None, LineNote(A, 5)], [f"{A}:3", "", ":5"], id="over a line without a note"),
        pytest.param(
            [LineNote(A, 3), LineNote("", 0, "fixed"), LineNote(A, 5)], [f"{A}:3", "fixed", f"{A}:5"], id="no file"
        ),
        pytest.param(
            [LineNote(A, 3), *[None] * 8, LineNote(A, 5)], [f"{A}:3", *[""] * 8, f"{A}:5"], id="another group"
        ),
        pytest.param([None, None], ["", ""], id="none"),
        pytest.param([], [], id="no lines"),
    ],
)
def test_files_are_named_once(notes: list[LineNote | None], texts: list[str]) -> None:
    assert abbreviated(notes) == texts


def noted(body: dict[str, Any], chance: random.Random, width: int) -> str:
    """The object with notes on lines that may have one."""
    lines = [
        (
            line.text,
            "" if line.continues or chance.random() < 0.2 else chance.choice(["a: #b", "|", "'", '"', "f:1 {x"]),
        )
        for line in numbered(body)
    ]
    return "\n".join([*beside(lines, width), ""])


@pytest.mark.parametrize("reader", [readers.kubectl, readers.pyyaml, readers.ruamel_12], ids=lambda each: each.__name__)
@pytest.mark.parametrize("width", [40, 200])
def test_notes_leave_the_yaml_what_it_was(reader: Any, width: int) -> None:
    chance = random.Random(f"columns {width}")
    objects = [hostile.catalogue(0), *(hostile.random_object(chance, number) for number in range(1, 40))]
    text = "---\n".join(noted(body, chance, width) for body in objects)
    assert text.count("# ") > 500
    read = {body["metadata"]["name"]: body for body in reader(text)}
    assert not [d for body in objects for d in readers.differences(body, read[body["metadata"]["name"]])]


@given(st.lists(st.tuples(st.text("ab ", max_size=40).map("x".__add__), st.text("no", max_size=9))), st.integers(0, 99))
def test_every_text_and_note_is_there_once(lines: list[tuple[str, str]], width: int) -> None:
    for (text, note), shown in zip(lines, beside(lines, width), strict=True):
        if note:
            before, _, after = shown.rpartition("  # ")
            assert (before[: len(text)], before[len(text) :].strip(" "), after) == (text, "", note)
        else:
            assert shown == text
