"""Blocks for a terminal: one line for each thing, safe for the log of a CI system; colour only adds to the words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import singledispatchmethod

from kubectl_trainjob.model.printable import columns, printable
from kubectl_trainjob.report.blocks import (
    Badge,
    Block,
    Card,
    Cards,
    Document,
    Effects,
    Errors,
    FindingDetails,
    Headline,
    Names,
    Numbers,
    Statements,
    Table,
    Unverified,
    Value,
)
from kubectl_trainjob.report.finding_lines import as_lines, finding_lines, note_line
from kubectl_trainjob.report.sentence import Sentence, begun, more, plural, written
from kubectl_trainjob.report.values import DiffLine, has_lines, line_diff, pair

_WIDEST = 150  # columns of a value's line, beyond which old and new get a line each
_NAMED = 8  # TrainJobs of a cause
_MOST_NAMES = 40
_MOST_ROWS = 200
_MOST_ERRORS = 40
_SIGNS = {"bad": "✗", "doubtful": "!", "good": "✓"}
_CODES = {
    "bad": "1;31",
    "doubtful": "1;33",
    "good": "32",
    "bold": "1",
    "old": "31",
    "new": "32",
    "dim": "2",
    "error": "1;31",
    "warning": "1;35",
    "info": "1;36",
    "note": "1;36",
    "caret": "1;32",
}
_STYLES = {"-": "old", "+": "new", "…": "dim"}


def render(document: Document, *, has_colour: bool = False) -> str:
    """The whole text."""
    return as_lines(_lines(document, _Writer(has_colour)))


def _lines(document: Document, writer: _Writer) -> Iterator[str]:
    """The headline, then the blocks with blank lines between them, except where one continues another."""
    previous: Block | None = None
    if document.headline:
        yield from writer.headline(document.headline)
    for block in document.blocks:
        lines = list(writer.block(block))
        continues = isinstance(previous, Names | Errors) and isinstance(block, Names | Errors)
        continues |= isinstance(previous, FindingDetails | Unverified) and isinstance(block, Unverified | Statements)
        if lines and lines[0] and not continues and (previous or document.headline):
            yield ""
        yield from lines
        previous = block if lines else previous


def _shown(sentence: Sentence) -> str:
    return written(sentence, printable)


class _Writer:
    """Writes lines, with colour or without."""

    def __init__(self, has_colour: bool) -> None:
        self._has_colour = has_colour

    def headline(self, of: Headline) -> Iterator[str]:
        """The verdict in one line, and what is compared."""
        first = begun(_shown(of.first)) if of.weight else _shown(of.first)
        parts = [self._paint("bad", _shown(of.unknown))] if of.unknown else []
        parts += [self._paint(of.weight or "bold", first), *(self._paint("bad", _shown(each)) for each in of.bad)]
        yield "; ".join([*parts, *map(_shown, of.others)])
        if of.sides:
            yield " → ".join(map(printable, of.sides))

    @singledispatchmethod
    def block(self, _of: Block) -> Iterator[str]:
        """The lines of a block; none of one that is for other formats."""
        yield from ()

    @block.register
    def _(self, of: Statements) -> Iterator[str]:
        yield from map(_shown, of.sentences)

    @block.register
    def _(self, of: Names) -> Iterator[str]:
        yield f"{of.lead or f'{of.title[:1].lower()}{of.title[1:]}:'} {_listed(of.names)}"

    @block.register
    def _(self, of: Errors) -> Iterator[str]:
        yield from (f"error: {_shown(each)}" for each in of.items[:_MOST_ERRORS])
        yield from map(_shown, more(len(of.items) - _MOST_ERRORS, "error"))

    @block.register
    def _(self, of: Effects) -> Iterator[str]:
        for each in of.effects:
            names = f"{plural(each.jobs, 'TrainJob')}: {_listed(each.names, _NAMED)}" if each.jobs else "no TrainJob"
            yield f"{_shown(each.cause)} → {names}"

    @block.register
    def _(self, of: Unverified) -> Iterator[str]:
        yield from (note_line(written(each, str), self._paint) for each in of.causes)

    @block.register
    def _(self, of: FindingDetails) -> Iterator[str]:
        for finding in of.findings:
            yield from finding_lines(finding, self._paint)
        yield from map(_shown, more(of.more, "finding"))

    def _paint(self, style: str, text: str) -> str:
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self._has_colour else text

    @block.register
    def _(self, of: Table) -> Iterator[str]:
        rows = [[_cell(cell) for cell in row] for row in of.rows[:_MOST_ROWS]]
        head = [_shown(column.name).upper() for column in of.columns]
        widths = [max(map(columns, cells)) for cells in zip(head, *rows, strict=True)]
        styles = [[cell.weight if isinstance(cell, Badge) else "" for cell in row] for row in of.rows[:_MOST_ROWS]]
        for row, style in zip([head, *rows], [[""] * len(head), *styles], strict=True):
            cells = zip(row, widths, style, strict=True)
            yield "   ".join(self._padded(*each) for each in cells).rstrip()
        yield from map(_shown, more(len(of.rows) - _MOST_ROWS, "job"))

    def _padded(self, cell: str, width: int, style: str) -> str:
        padded = cell + " " * (width - columns(cell))
        return self._paint(style, padded) if style else padded

    @block.register
    def _(self, of: Numbers) -> Iterator[str]:
        if of.unchanged:
            yield _shown(of.unchanged)
            return
        names = [_shown(number.name) for number in of.numbers]
        width = max(map(columns, names), default=0)
        for name, number in zip(names, of.numbers, strict=True):
            line = f"{name}{' ' * (width - columns(name))}  {number.in_line()}"
            yield line if number.difference else self._paint("dim", line)
        if of.groups:
            yield from _groups(of.groups)

    @block.register
    def _(self, of: Cards) -> Iterator[str]:
        for card in of.cards:
            yield from ("", *self._card(card))

    def _card(self, card: Card) -> Iterator[str]:
        about = ",".join(f" {_shown(each)}" for each in card.about)
        renamed = f", {_shown(card.renamed)}" if card.renamed else ""
        yield self._paint("bad" if card.is_urgent else "bold", f"{_shown(card.name)}{about}: {card.change}{renamed}")
        if card.effect:
            yield f"  {_shown(card.effect)}"
        for value in card.values:
            yield from self._value(value)
        for reason in card.reasons:
            yield f"{self._paint('bad', _SIGNS['bad'])} {printable(reason.path)} {_shown(reason.words)}"
        yield from (f"  {_shown(note)}" for note in card.notes)
        if card.members:
            yield f"  in {_listed(card.members)}"

    def _value(self, of: Value) -> Iterator[str]:
        """A value, in one line if it is short; marked where a cluster rejects it."""
        place = _shown(of.place)
        about = f"  {self._paint('dim', f'({place})')}" if place else ""
        path = f"{self._mark(of)}{printable(of.path)}"
        if has_lines(of.old, of.new):
            yield f"{path}:{about}"
            yield from (f"    {self._line(line)}" for line in line_diff(of.old, of.new))
            return
        old, new = map(_shown, pair(of.old, of.new))
        if columns(f"{path}{old}{new}{place}") <= _WIDEST:
            yield f"{path}: {self._paint('old', old)} → {self._paint('new', new)}{about}"
            return
        yield f"{path}:{about}"
        yield f"    {self._paint('old', f'- {old}')}"
        yield f"    {self._paint('new', f'+ {new}')}"

    def _mark(self, of: Value) -> str:
        if of.rejected is None:
            return "  "
        return f"{self._paint('bad', _SIGNS['bad'])} {f'(refused {of.rejected}) ' if of.rejected else ''}"

    def _line(self, line: DiffLine) -> str:
        text = f"{line.sign} {printable(line.text)}".rstrip()
        return self._paint(_STYLES[line.sign], text) if line.sign in _STYLES else text


def _cell(cell: Sentence | Badge) -> str:
    return f"{_SIGNS[cell.weight]} {cell.words}" if isinstance(cell, Badge) else _shown(cell)


def _groups(of: Table) -> Iterator[str]:
    """`  ml, queue gpu: Pods 8 → 9 (+1)`."""
    columns = [_shown(column.name) for column in of.columns]
    kinds = [column.kind for column in of.columns]
    for row in of.rows:
        cells = [f"{name} {_cell(cell)}" for name, cell in zip(columns, row, strict=True)]
        names = [_cell(row[0]), *(cell for cell, kind in zip(cells[1:], kinds[1:], strict=True) if kind == "name")]
        numbers = (cell for cell, kind in zip(cells, kinds, strict=True) if kind != "name")
        yield f"  {', '.join(names)}: {', '.join(numbers)}"


def _listed(names: Sequence[Sentence], most: int = _MOST_NAMES) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(_shown, names[:most])) + rest
