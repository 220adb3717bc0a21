"""Blocks for a terminal: one line for each thing, safe for the log of a CI system; colour only adds to the words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import singledispatchmethod

from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.printable import columns, printable
from kubectl_trainjob.report import blocks
from kubectl_trainjob.report.findings import as_lines, finding_lines, note_line
from kubectl_trainjob.report.phrases import capitalize, first_of, more, plural
from kubectl_trainjob.report.values import DiffLine, has_lines, line_diff, pair

_WIDEST = 150  # columns of a value's line, beyond which old and new get a line each
_WIDEST_NAME = 40  # columns of a name or value that is aligned with its neighbours
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
_LISTS = blocks.Names | blocks.Errors
_FINDINGS = blocks.FindingDetails | blocks.NotChecked
_AFTER_FINDINGS = blocks.NotChecked | blocks.Statements
_PARTS = blocks.NamedValues | blocks.Outline | blocks.AnnotatedYaml
_STYLES = {"-": "old", "+": "new", "…": "dim"}


def render(document: blocks.Document, *, has_colour: bool = False) -> str:
    """The whole text."""
    return as_lines(_lines(document, _TextRenderer(has_colour)))


def _lines(document: blocks.Document, writer: _TextRenderer) -> Iterator[str]:
    """The summary line, then the blocks with blank lines between them, except where one continues another."""
    previous: blocks.Block | None = None
    if document.summary_line:
        yield from writer.summary_line(document.summary_line)
    for block in document.blocks:
        lines = list(writer.block(block))
        continues = isinstance(previous, _LISTS) and isinstance(block, _LISTS)
        continues |= isinstance(block, _PARTS) or (isinstance(block, blocks.Heading) and block.level > 0)
        continues |= isinstance(previous, _FINDINGS) and isinstance(block, _AFTER_FINDINGS)
        if lines and lines[0] and not continues and (previous or document.summary_line):
            yield ""
        yield from lines
        previous = block if lines else previous


class _TextRenderer:
    """Writes lines, with colour or without."""

    def __init__(self, has_colour: bool) -> None:
        self._has_colour = has_colour

    def summary_line(self, of: blocks.SummaryLine) -> Iterator[str]:
        """The verdict in one line, and what is compared."""
        first = capitalize(printable(of.first)) if of.weight else printable(of.first)
        parts = [self._paint("bad", printable(of.unknown))] if of.unknown else []
        parts += [self._paint(of.weight or "bold", first), *(self._paint("bad", printable(each)) for each in of.bad)]
        yield "; ".join([*parts, *map(printable, of.others)])
        if of.compared:
            yield " → ".join(map(printable, of.compared))

    @singledispatchmethod
    def block(self, _of: blocks.Block) -> Iterator[str]:
        """The lines of a block; none of one that is for other formats."""
        yield from ()

    @block.register
    def _(self, of: blocks.Statements) -> Iterator[str]:
        yield from map(printable, of.sentences)

    @block.register
    def _(self, of: blocks.Names) -> Iterator[str]:
        yield f"{of.lead or f'{of.title[:1].lower()}{of.title[1:]}:'} {printable(first_of(of.names, _MOST_NAMES))}"

    @block.register
    def _(self, of: blocks.Errors) -> Iterator[str]:
        yield from (f"error: {printable(each)}" for each in of.items[:_MOST_ERRORS])
        yield from map(printable, more(len(of.items) - _MOST_ERRORS, "error"))

    @block.register
    def _(self, of: blocks.Effects) -> Iterator[str]:
        for each in of.effects:
            names = say("{}: {}", plural(each.jobs, "TrainJob"), first_of(each.names, _NAMED))
            yield printable(say("{} → {}", each.cause, names if each.jobs else say("no TrainJob")))

    @block.register
    def _(self, of: blocks.NotChecked) -> Iterator[str]:
        yield from (note_line(each, self._paint) for each in of.causes)

    @block.register
    def _(self, of: blocks.FindingDetails) -> Iterator[str]:
        for finding in of.findings:
            yield from finding_lines(finding, self._paint)
        yield from map(printable, more(of.more, "finding"))

    @block.register
    def _(self, of: blocks.Heading) -> Iterator[str]:
        title = printable(of.title)
        yield f"{'  ' * of.level}{title if of.level else self._paint(of.style, title)}{printable(of.rest)}"

    @block.register
    def _(self, of: blocks.NamedValues) -> Iterator[str]:
        """A value of several lines is below its name."""
        indent, names = "  " * of.level, [printable(entry.name) for entry in of.entries]
        values = [[printable(line) for line in entry.value.split("\n")] for entry in of.entries]
        firsts = [lines[0] if len(lines) == 1 else "|" for lines in values]
        name_width, value_width = _common_width(names), _common_width(firsts)
        for entry, name, first, lines in zip(of.entries, names, firsts, values, strict=True):
            line = f"{indent}{_pad(name, name_width)}  {_pad(first, value_width)}"
            note = f"  {self._paint('dim', f'# {printable(entry.note)}')}" if entry.note else ""
            yield f"{line}{note}" if note else line.rstrip(" ")
            yield from (f"{indent}  | {each}" for each in lines if len(lines) > 1)

    @block.register
    def _(self, of: blocks.Outline) -> Iterator[str]:
        yield from (f"{' ' * indent}{printable(text)}" for indent, text in of.lines)

    @block.register
    def _(self, of: blocks.AnnotatedYaml) -> Iterator[str]:
        if of.title:
            yield printable(f"# {of.title}")
        yield from of.shown()

    def _paint(self, style: str, text: str) -> str:
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self._has_colour else text

    @block.register
    def _(self, of: blocks.Table) -> Iterator[str]:
        rows = [[_cell(cell) for cell in row] for row in of.rows[:_MOST_ROWS]]
        head = [printable(column.name).upper() for column in of.columns]
        widths = [max(map(columns, cells)) for cells in zip(head, *rows, strict=True)]
        styles = [
            [cell.weight if isinstance(cell, blocks.Badge) else "" for cell in row] for row in of.rows[:_MOST_ROWS]
        ]
        for row, style in zip([head, *rows], [("",) * len(head), *styles], strict=True):
            cells = zip(row, widths, style, strict=True)
            padded = ((_pad(cell, width), weight) for cell, width, weight in cells)
            yield "   ".join(self._paint(weight, cell) if weight else cell for cell, weight in padded).rstrip()
        yield from map(printable, more(len(of.rows) - _MOST_ROWS, "job"))

    @block.register
    def _(self, of: blocks.Numbers) -> Iterator[str]:
        if of.unchanged:
            yield printable(of.unchanged)
            return
        names = [printable(number.name) for number in of.numbers]
        width = max(map(columns, names), default=0)
        for name, number in zip(names, of.numbers, strict=True):
            line = f"{_pad(name, width)}  {number.in_line()}"
            yield line if number.difference else self._paint("dim", line)
        if of.groups:
            yield from _groups(of.groups)

    @block.register
    def _(self, of: blocks.Cards) -> Iterator[str]:
        for card in of.cards:
            yield from ("", *self._card(card))

    def _card(self, card: blocks.Card) -> Iterator[str]:
        about = ",".join(f" {printable(each)}" for each in card.about)
        renamed = f", {printable(card.renamed)}" if card.renamed else ""
        yield self._paint("bad" if card.is_urgent else "bold", f"{printable(card.name)}{about}: {card.change}{renamed}")
        if card.effect:
            yield f"  {printable(card.effect)}"
        for value in card.values:
            yield from self._value(value)
        for reason in card.reasons:
            yield f"{self._paint('bad', _SIGNS['bad'])} {printable(reason.path)} {printable(reason.words)}"
        yield from (f"  {printable(note)}" for note in card.notes)
        if card.members:
            yield f"  in {printable(first_of(card.members, _MOST_NAMES))}"

    def _value(self, of: blocks.DifferingValue) -> Iterator[str]:
        """A value, in one line if it is short; marked where a cluster rejects it."""
        place = printable(of.place)
        about = f"  {self._paint('dim', f'({place})')}" if place else ""
        path = f"{self._mark(of)}{printable(of.path)}"
        if has_lines(of.old, of.new):
            yield f"{path}:{about}"
            yield from (f"    {self._line(line)}" for line in line_diff(of.old, of.new))
            return
        old, new = map(printable, pair(of.old, of.new))
        if columns(f"{path}{old}{new}{place}") <= _WIDEST:
            yield f"{path}: {self._paint('old', old)} → {self._paint('new', new)}{about}"
            return
        yield f"{path}:{about}"
        yield f"    {self._paint('old', f'- {old}')}"
        yield f"    {self._paint('new', f'+ {new}')}"

    def _mark(self, of: blocks.DifferingValue) -> str:
        if of.rejected is None:
            return "  "
        return f"{self._paint('bad', _SIGNS['bad'])} {f'(rejected {of.rejected}) ' if of.rejected else ''}"

    def _line(self, line: DiffLine) -> str:
        text = f"{line.sign} {printable(line.text)}".rstrip()
        return self._paint(_STYLES[line.sign], text) if line.sign in _STYLES else text


def _cell(cell: Message | blocks.Badge) -> str:
    return f"{_SIGNS[cell.weight]} {cell.words}" if isinstance(cell, blocks.Badge) else printable(cell)


def _common_width(cells: Iterable[str]) -> int:
    """The columns that most cells need: a longer one does not move its neighbours' right sides."""
    return max((width for width in map(columns, cells) if width <= _WIDEST_NAME), default=0)


def _pad(cell: str, width: int) -> str:
    return cell + " " * (width - columns(cell))


def _groups(of: blocks.Table) -> Iterator[str]:
    """`  ml, queue gpu: Pods 8 → 9 (+1)`."""
    columns = [printable(column.name) for column in of.columns]
    kinds = [column.kind for column in of.columns]
    for row in of.rows:
        cells = [f"{name} {_cell(cell)}" for name, cell in zip(columns, row, strict=True)]
        names = [_cell(row[0]), *(cell for cell, kind in zip(cells[1:], kinds[1:], strict=True) if kind == "name")]
        numbers = (cell for cell, kind in zip(cells, kinds, strict=True) if kind != "name")
        yield f"  {', '.join(names)}: {', '.join(numbers)}"
