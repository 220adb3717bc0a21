"""The provenance of a value, or an object with the origin of each line, as blocks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from kubectl_trainjob.explain.columns import LineNote
from kubectl_trainjob.explain.field import TracedField, TracedFields, is_leaf
from kubectl_trainjob.explain.history import TracedInput, Write
from kubectl_trainjob.explain.steps import step_label, step_phrase
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.report.blocks import AnnotatedYaml, Document, Outline, SummaryLine
from kubectl_trainjob.report.phrases import whole
from kubectl_trainjob.repository.positions import Location
from kubectl_trainjob.repository.yaml.spans import numbered

_MOST_INPUTS = 20  # values that one value was computed from

_Line = tuple[int, Message]
"""An indent, and the text."""


def document(fields: TracedFields, pointer: Pointer, form: str) -> Document:
    """The provenance of the value at `pointer`, or the values there with their origins beside them.

    As text, values below `pointer` are only YAML: their title is a comment.
    """
    name = str(fields.identity)
    title = say("{} {}", name, whole(fields.path(pointer))) if pointer else say("{}", name)
    if is_leaf(fields.body, pointer):
        return Document(SummaryLine(title), [Outline([*_history(fields.field(pointer).history, 2)])], "explain")
    if form == "text":
        return Document(None, [_tree(fields, pointer, title if pointer else Message())])
    return Document(SummaryLine(title), [_tree(fields, pointer, Message())], "explain")


def _history(history: Sequence[Write], indent: int) -> Iterator[_Line]:
    """The writes, the newest first, without those that only repeat an older one."""
    pairs = zip(history, [*history[1:], None], strict=True)
    for number, write in enumerate(write for write, older in pairs if not _repeats(write, older)):
        yield from _write(write, say("was" if number else "is "), indent)


def _repeats(write: Write, older: Write | None) -> bool:
    return older is not None and write.how == "copied" and write._replace(step=older.step) == older


def _write(write: Write, word: Message, indent: int) -> Iterator[_Line]:
    yield indent, say("{} {}", word, _in_line(write))
    if not _is_complete(write):
        for each in write.made_of[:_MOST_INPUTS]:
            yield from _input(each, indent + 4)
        if len(write.made_of) > _MOST_INPUTS:
            yield indent + 4, say("and {} more", len(write.made_of) - _MOST_INPUTS)


def _in_line(write: Write) -> Message:
    """A write in one line, or the words before the values that it was computed from."""
    step, where = Message(step_phrase(write.step)), _where(write.place)
    if write.how in ("absent", "removed"):
        return say("not set{}", where) if write.how == "absent" else say("removed by {}{}", step, where)
    words = say("{}  {}", _value(write.value), step)
    if write.how == "mentions":
        return say("{}{}, which mentions", words, where)
    if not write.made_of:
        return say("{}, independent of the files", words) if write.how == "fixed" else say("{}{}", words, where)
    if not _is_complete(write):
        return say("{}, copied from" if write.how == "copied" else "{}, computed from", words)
    (only,) = write.made_of
    return say("{}, copied from {}{}", words, _input_name(only), where) if only.name else say("{}{}", words, where)


def _is_complete(write: Write) -> bool:
    """Whether one line is enough: only a line of a file, or of an overlay, decides the value."""
    if len(write.made_of) != 1 or write.how not in ("copied", "computed"):
        return not write.made_of or write.how == "removed"
    (only,) = write.made_of
    steps = [each.step for each in only.history]
    return not only.name or (write.how == "copied" and steps == ["file"])


def _input(made_of: TracedInput, indent: int) -> Iterator[_Line]:
    what = _input_name(made_of)
    steps = [write.step for write in made_of.history]
    if steps and steps != ["file"]:
        yield indent, what
        yield from _history(made_of.history, indent + 2)
    elif made_of.value is not None:
        yield indent, say("{}: {}{}", what, _value(made_of.value), _where(made_of.place))
    else:
        yield indent, say("{}: not set{}" if steps else "{}{}", what, _where(made_of.place))


def _input_name(made_of: TracedInput) -> Message:
    path = whole(made_of.path)
    return say("{} of {}", path, made_of.name) if made_of.name else path


def _where(location: Location | None) -> Message:
    return (
        say("  {}:{}:{}", whole(location.file.path), location.span.line, location.span.column)
        if location
        else Message()
    )


def _value(value: Any) -> Message:
    is_plain = isinstance(value, str) and value.isprintable() and value
    return say("{}", value if is_plain else json.dumps(value, ensure_ascii=False))


def _tree(fields: TracedFields, pointer: Pointer, title: Message) -> AnnotatedYaml:
    lines = [line for line in numbered(fields.body) if line.pointer[: len(pointer)] == pointer]
    noted = (not line.continues and is_leaf(fields.body, line.pointer) for line in lines)
    notes = [
        _note(fields.field(line.pointer)) if has_note else None for line, has_note in zip(lines, noted, strict=True)
    ]
    return AnnotatedYaml(title, [line.text for line in lines], notes)


def _note(field: TracedField) -> LineNote:
    newest = field.history[0]
    words = [Message(label)] if (label := step_label(_origin(newest))) else []
    older = (write for write in _older(field.history) if write.how not in ("absent", "removed"))
    replaced = next((write for write in older if write.value != newest.value), None)
    if replaced is not None:
        where = _where(replaced.place) if replaced.how in ("copied", "written") else Message()
        words.append(say("was {}{}", _value(replaced.value), where))
    location, rest = newest.place, ", ".join(words)
    return LineNote(location.file.path, location.span.line, rest) if location else LineNote("", 0, rest)


def _older(history: Sequence[Write]) -> Iterator[Write]:
    """The previous values, in the inputs that it was copied from and then in the object."""
    for number, write in enumerate(history):
        if number:
            yield write
        if write.how == "copied" and not write.made_of[0].name.startswith("the "):  # not from elsewhere in the object
            yield from _older(write.made_of[0].history)


def _origin(write: Write) -> str:
    """The step that set the value, before any copy; "" if a user wrote it."""
    while write.how == "copied" and write.made_of and write.made_of[0].history:
        write = write.made_of[0].history[0]
    return "" if write.how in ("copied", "written") else write.step
