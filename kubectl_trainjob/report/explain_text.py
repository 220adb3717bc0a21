"""What `explain` says, as text for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from kubectl_trainjob.explain.columns import LineNote, abbreviated, beside
from kubectl_trainjob.explain.field import TracedField, TracedFields, is_leaf
from kubectl_trainjob.explain.history import TracedInput, Write
from kubectl_trainjob.explain.steps import in_short, in_words
from kubectl_trainjob.model.printable import columns, printable
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.repository.positions import Spot
from kubectl_trainjob.repository.yaml.lines import numbered

_WIDTH = 140  # columns of a screen
_LONGEST = 100  # characters of a value that is shown
_MOST_INPUTS = 20  # values that one value was computed from


def as_text(fields: TracedFields, pointer: Pointer) -> str:
    """The history of the value at `pointer`, or what stands there with the origins beside it."""
    lines = _leaf(fields, fields.field(pointer)) if is_leaf(fields.body, pointer) else _tree(fields, pointer)
    return "".join(f"{line}\n" for line in lines)


def _leaf(fields: TracedFields, field: TracedField) -> Iterator[str]:
    yield printable(f"{fields.identity} {fields.path(field.pointer)}")
    yield from _history(field.history, "  ")


def _history(history: Sequence[Write], indent: str) -> Iterator[str]:
    """The writes, the newest first; one that only says again what an older one said is left out."""
    told = [write for write, older in zip(history, [*history[1:], None], strict=True) if not _repeats(write, older)]
    for number, write in enumerate(told):
        yield from _write(write, "was" if number else "is ", indent)


def _repeats(write: Write, older: Write | None) -> bool:
    return older is not None and write.how == "copied" and write._replace(step=older.step) == older


def _write(write: Write, word: str, indent: str) -> Iterator[str]:
    yield f"{indent}{word} {_told(write)}"
    if not _is_told_whole(write):
        for each in write.made_of[:_MOST_INPUTS]:
            yield from _input(each, f"{indent}    ")
        if len(write.made_of) > _MOST_INPUTS:
            yield f"{indent}    and {len(write.made_of) - _MOST_INPUTS} more"


def _told(write: Write) -> str:
    """A write in one line, or what comes before the values that it was made of."""
    who, where = in_words(write.step), _where(write.place)
    if write.how in ("absent", "removed"):
        return f"not set{where}" if write.how == "absent" else f"removed by {who}{where}"
    told = f"{_value(write.value)}  {who}"
    if write.how == "mentions":
        return f"{told}{where}, which mentions"
    if not write.made_of:
        return f"{told}, whatever the files say" if write.how == "fixed" else told + where
    if not _is_told_whole(write):
        return f"{told}, {'copied' if write.how == 'copied' else 'computed'} from"
    (only,) = write.made_of
    return f"{told}, copied from {printable(only.path)} of {printable(only.name)}{where}" if only.name else told + where


def _is_told_whole(write: Write) -> bool:
    """Whether one line says all: nothing but a line of a file, or of an overlay, has to do with the value."""
    if len(write.made_of) != 1 or write.how not in ("copied", "computed"):
        return not write.made_of or write.how == "removed"
    (only,) = write.made_of
    steps = [each.step for each in only.history]
    return not only.name or (write.how == "copied" and steps == ["file"])


def _input(made_of: TracedInput, indent: str) -> Iterator[str]:
    name = f" of {printable(made_of.name)}" if made_of.name else ""
    told = f"{indent}{printable(made_of.path)}{name}"
    steps = [write.step for write in made_of.history]
    if not steps or steps == ["file"]:
        is_known = made_of.value is not None
        value = f": {_value(made_of.value)}" if is_known else ": not set" if steps else ""
        yield told + value + _where(made_of.place)
    else:
        yield told
        yield from _history(made_of.history, f"{indent}  ")


def _where(spot: Spot | None) -> str:
    return f"  {printable(spot.file.path)}:{spot.span.line}:{spot.span.column}" if spot else ""


def _value(value: Any) -> str:
    is_plain = isinstance(value, str) and value.isprintable() and value
    text = value if is_plain else json.dumps(value, ensure_ascii=False)
    shown = printable(text)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."


def _tree(fields: TracedFields, pointer: Pointer) -> Iterator[str]:
    if pointer:
        yield printable(f"# {fields.identity} {fields.path(pointer)}")
    lines = [line for line in numbered(fields.body) if line.pointer[: len(pointer)] == pointer]
    noted = [
        (line, _note(fields.field(line.pointer)) if is_leaf(fields.body, line.pointer) and not line.continues else None)
        for line in lines
    ]
    texts = [printable(line.text) for line, _ in noted]
    notes = abbreviated([note for _, note in noted])
    yield from beside(list(zip(texts, notes, strict=True)), _WIDTH, columns)


def _note(field: TracedField) -> LineNote:
    newest = field.history[0]
    words = [word] if (word := in_short(_maker(newest))) else []
    older = (write for write in _older(field.history) if write.how not in ("absent", "removed"))
    replaced = next((write for write in older if write.value != newest.value), None)
    if replaced is not None:
        stands = replaced.how in ("copied", "written")
        words.append(f"was {_value(replaced.value)}{_where(replaced.place) if stands else ''}")
    spot, rest = newest.place, ", ".join(words)
    return LineNote(printable(spot.file.path), spot.span.line, rest) if spot else LineNote("", 0, rest)


def _older(history: Sequence[Write]) -> Iterator[Write]:
    """What a value was before, in the inputs that it was copied from and then in the object."""
    for number, write in enumerate(history):
        if number:
            yield write
        if write.how == "copied" and not write.made_of[0].name.startswith("the "):  # not from elsewhere in the object
            yield from _older(write.made_of[0].history)


def _maker(write: Write) -> str:
    """The step that made a value what it is, where it was only copied since; "" where a person wrote it so."""
    while write.how == "copied" and write.made_of and write.made_of[0].history:
        write = write.made_of[0].history[0]
    return "" if write.how in ("copied", "written") else write.step
