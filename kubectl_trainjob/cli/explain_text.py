"""What `explain` says, as text for people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.cli.printable import columns, printable
from kubectl_trainjob.explain.columns import Note, abbreviated, beside
from kubectl_trainjob.explain.field import Field, Fields, is_leaf
from kubectl_trainjob.explain.history import Input, Write
from kubectl_trainjob.explain.lines import numbered
from kubectl_trainjob.explain.path import show
from kubectl_trainjob.explain.steps import in_short, in_words
from kubectl_trainjob.explain.target import Found
from kubectl_trainjob.source import Place, Pointer

_WIDTH = 140  # columns of a screen
_LONGEST = 100  # characters of a value that is shown
_MOST_INPUTS = 20  # values that one value was computed from


def as_text(found: Found, pointer: Pointer) -> str:
    """The history of the value at `pointer`, or what stands there with the origins beside it."""
    fields = Fields(found)
    body = fields.body
    lines = _leaf(found, body, fields.field(pointer)) if is_leaf(body, pointer) else _tree(fields, body, pointer)
    return "".join(f"{line}\n" for line in lines)


def _leaf(found: Found, body: Any, field: Field) -> Iterator[str]:
    yield printable(f"{found.object.identity} {show(body, field.pointer)}")
    for number, write in enumerate(field.history):
        yield from _write(write, "was" if number else "is ", "  ")


def _write(write: Write, word: str, indent: str) -> Iterator[str]:
    who = in_words(write.step)
    if write.how == "absent":
        yield f"{indent}{word} not set{_where(write.place)}"
        return
    simple = _as_it_stands(write)
    told = f"{indent}{word} {_value(write.value)}  {who}"
    if not write.made_of:
        yield f"{told}, whatever the files say" if write.how == "fixed" else told + _where(write.place)
        return
    if len(write.made_of) == 1 and not write.made_of[0].name:  # a line of an overlay says all there is to say
        yield told + _where(write.made_of[0].place)
        return
    if simple is not None:
        yield f"{told}, copied from {simple.path} of {printable(simple.name)}{_where(simple.place)}"
        return
    yield f"{told}, {'copied' if write.how == 'copied' else 'computed'} from"
    for each in write.made_of[:_MOST_INPUTS]:
        yield from _input(each, f"{indent}    ")
    if len(write.made_of) > _MOST_INPUTS:
        yield f"{indent}    and {len(write.made_of) - _MOST_INPUTS} more"


def _as_it_stands(write: Write) -> Input | None:
    """The one input whose value was copied, where nothing but a file has to do with it."""
    if write.how != "copied" or len(write.made_of) != 1:
        return None
    made_of = write.made_of[0]
    return made_of if made_of.name and [each.step for each in made_of.history] == ["file"] else None


def _input(made_of: Input, indent: str) -> Iterator[str]:
    name = f" of {printable(made_of.name)}" if made_of.name else ""
    told = f"{indent}{printable(made_of.path)}{name}"
    steps = [write.step for write in made_of.history]
    if not steps:
        yield told + _where(made_of.place)
    elif steps == ["file"]:
        value = "not set" if made_of.history[0].how == "absent" else _value(made_of.value)
        yield f"{told}: {value}{_where(made_of.place)}"
    else:
        yield told
        for number, write in enumerate(made_of.history):
            yield from _write(write, "was" if number else "is ", f"{indent}  ")


def _where(place: Place | None) -> str:
    if place is None or place.span is None:
        return ""
    return f"  {printable(place.source.file.path)}:{place.span.line}:{place.span.column}"


def _value(value: Any) -> str:
    is_plain = isinstance(value, str) and value.isprintable() and value
    text = value if is_plain else json.dumps(value, ensure_ascii=False)
    shown = printable(text)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."


def _tree(fields: Fields, body: Any, pointer: Pointer) -> Iterator[str]:
    lines = [line for line in numbered(body) if line.pointer[: len(pointer)] == pointer]
    noted = [
        (line, _note(fields.field(line.pointer)) if is_leaf(body, line.pointer) and not line.continues else None)
        for line in lines
    ]
    texts = [printable(line.text) for line, _ in noted]
    notes = abbreviated([note for _, note in noted])
    yield from beside(list(zip(texts, notes, strict=True)), _WIDTH, columns)


def _note(field: Field) -> Note:
    newest = field.history[0]
    words = [word] if (word := in_short(_maker(newest))) else []
    replaced = next((write for write in field.history[1:] if write.value != newest.value), None)
    if replaced is not None and replaced.how != "absent":
        words.append(f"was {_value(replaced.value)}{_where(replaced.place)}")
    place, rest = newest.place, ", ".join(words)
    if place is None or place.span is None:
        return Note("", 0, rest)
    return Note(printable(place.source.file.path), place.span.line, rest)


def _maker(write: Write) -> str:
    """The step that made a value what it is, where it was only copied since; "" where a person wrote it so."""
    while write.how == "copied" and write.made_of and write.made_of[0].history:
        write = write.made_of[0].history[0]
    return "" if write.how in ("copied", "written") else write.step
