"""Blocks for a terminal: one line for each thing, safe for the log of a CI system; colour only adds to the words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import singledispatchmethod

from kubectl_trainjob.model.message import Message, plural, say
from kubectl_trainjob.model.printable import columns, printable
from kubectl_trainjob.report import blocks
from kubectl_trainjob.report.findings import finding_lines, note_line
from kubectl_trainjob.report.phrases import as_lines, capitalize, first_of, more
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

    def summary_line(self, block: blocks.SummaryLine) -> Iterator[str]:
        """The verdict in one line, and what is compared."""
        first = capitalize(printable(block.first)) if block.weight else printable(block.first)
        parts = [self._paint("bad", printable(block.unknown))] if block.unknown else []
        parts += [
            self._paint(block.weight or "bold", first),
            *(self._paint("bad", printable(each)) for each in block.bad),
        ]
        yield "; ".join([*parts, *map(printable, block.others)])
        if block.compared:
            yield " → ".join(map(printable, block.compared))

    @singledispatchmethod
    def block(self, _block: blocks.Block) -> Iterator[str]:
        """The lines of a block; none of one that is for other formats."""
        yield from ()

    @block.register
    def _(self, block: blocks.Statements) -> Iterator[str]:
        yield from map(printable, block.sentences)

    @block.register
    def _(self, block: blocks.Names) -> Iterator[str]:
        lead = block.lead or f"{block.title[:1].lower()}{block.title[1:]}:"
        yield f"{lead} {printable(first_of(block.names, _MOST_NAMES))}"

    @block.register
    def _(self, block: blocks.Errors) -> Iterator[str]:
        yield from (f"error: {printable(each)}" for each in block.items[:_MOST_ERRORS])
        yield from map(printable, more(len(block.items) - _MOST_ERRORS, "error"))

    @block.register
    def _(self, block: blocks.Effects) -> Iterator[str]:
        for each in block.effects:
            names = say("{}: {}", plural(each.jobs, "TrainJob"), first_of(each.names, _NAMED))
            yield printable(say("{} → {}", each.cause, names if each.jobs else say("no TrainJob")))

    @block.register
    def _(self, block: blocks.NotChecked) -> Iterator[str]:
        yield from (note_line(each, self._paint) for each in block.causes)

    @block.register
    def _(self, block: blocks.FindingDetails) -> Iterator[str]:
        for finding in block.findings:
            yield from finding_lines(finding, self._paint)
        yield from map(printable, more(block.more, "finding"))

    @block.register
    def _(self, block: blocks.Heading) -> Iterator[str]:
        title = printable(block.title)
        yield f"{'  ' * block.level}{title if block.level else self._paint(block.style, title)}{printable(block.rest)}"

    @block.register
    def _(self, block: blocks.NamedValues) -> Iterator[str]:
        """A value of several lines is below its name."""
        indent, names = "  " * block.level, [printable(entry.name) for entry in block.entries]
        values = [[printable(line) for line in entry.value.split("\n")] for entry in block.entries]
        firsts = [lines[0] if len(lines) == 1 else "|" for lines in values]
        name_width, value_width = _common_width(names), _common_width(firsts)
        for entry, name, first, lines in zip(block.entries, names, firsts, values, strict=True):
            line = f"{indent}{_pad(name, name_width)}  {_pad(first, value_width)}"
            note = f"  {self._paint('dim', f'# {printable(entry.note)}')}" if entry.note else ""
            yield f"{line}{note}" if note else line.rstrip(" ")
            yield from (f"{indent}  | {each}" for each in lines if len(lines) > 1)

    @block.register
    def _(self, block: blocks.Outline) -> Iterator[str]:
        yield from (f"{' ' * indent}{printable(text)}" for indent, text in block.lines)

    @block.register
    def _(self, block: blocks.AnnotatedYaml) -> Iterator[str]:
        if block.title:
            yield printable(f"# {block.title}")
        yield from block.shown()

    def _paint(self, style: str, text: str) -> str:
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self._has_colour else text

    @block.register
    def _(self, block: blocks.Table) -> Iterator[str]:
        rows = [[_cell(cell) for cell in row] for row in block.rows[:_MOST_ROWS]]
        head = [printable(column.name).upper() for column in block.columns]
        widths = [max(map(columns, cells)) for cells in zip(head, *rows, strict=True)]
        styles = [
            [cell.weight if isinstance(cell, blocks.Badge) else "" for cell in row] for row in block.rows[:_MOST_ROWS]
        ]
        for row, style in zip([head, *rows], [("",) * len(head), *styles], strict=True):
            cells = zip(row, widths, style, strict=True)
            padded = ((_pad(cell, width), weight) for cell, width, weight in cells)
            yield "   ".join(self._paint(weight, cell) if weight else cell for cell, weight in padded).rstrip()
        yield from map(printable, more(len(block.rows) - _MOST_ROWS, "job"))

    @block.register
    def _(self, block: blocks.Numbers) -> Iterator[str]:
        if block.unchanged:
            yield printable(block.unchanged)
            return
        names = [printable(number.name) for number in block.numbers]
        width = max(map(columns, names), default=0)
        for name, number in zip(names, block.numbers, strict=True):
            line = f"{_pad(name, width)}  {number.in_line()}"
            yield line if number.difference else self._paint("dim", line)
        if block.groups:
            yield from _groups(block.groups)

    @block.register
    def _(self, block: blocks.Cards) -> Iterator[str]:
        for card in block.cards:
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

    def _value(self, block: blocks.DifferingValue) -> Iterator[str]:
        """A value, in one line if it is short; marked where a cluster rejects it."""
        place = printable(block.place)
        about = f"  {self._paint('dim', f'({place})')}" if place else ""
        path = f"{self._mark(block)}{printable(block.path)}"
        if has_lines(block.old, block.new):
            yield f"{path}:{about}"
            yield from (f"    {self._line(line)}" for line in line_diff(block.old, block.new))
            return
        old, new = map(printable, pair(block.old, block.new))
        if columns(f"{path}{old}{new}{place}") <= _WIDEST:
            yield f"{path}: {self._paint('old', old)} → {self._paint('new', new)}{about}"
            return
        yield f"{path}:{about}"
        yield f"    {self._paint('old', f'- {old}')}"
        yield f"    {self._paint('new', f'+ {new}')}"

    def _mark(self, block: blocks.DifferingValue) -> str:
        if block.rejected is None:
            return "  "
        return f"{self._paint('bad', _SIGNS['bad'])} {f'(rejected {block.rejected}) ' if block.rejected else ''}"

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


def _groups(block: blocks.Table) -> Iterator[str]:
    """`  ml, queue gpu: Pods 8 → 9 (+1)`."""
    columns = [printable(column.name) for column in block.columns]
    kinds = [column.kind for column in block.columns]
    for row in block.rows:
        cells = [f"{name} {_cell(cell)}" for name, cell in zip(columns, row, strict=True)]
        names = [_cell(row[0]), *(cell for cell, kind in zip(cells[1:], kinds[1:], strict=True) if kind == "name")]
        numbers = (cell for cell, kind in zip(cells, kinds, strict=True) if kind != "name")
        yield f"  {', '.join(names)}: {', '.join(numbers)}"
