"""Documents as Markdown for a pull request, cut to what a forge takes.

The verdict has room in any case. Then the most important blocks get room first. Omitted items are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.message import joined, plural, truncate
from kubectl_trainjob.report import blocks
from kubectl_trainjob.report.findings import GroupedFinding, counted
from kubectl_trainjob.report.markdown_blocks import (
    FINDING_HEAD,
    SIGNS,
    block_lines,
    card_lines,
    finding_lines,
    finding_row,
    number_lines,
    row_lines,
)
from kubectl_trainjob.report.markdown_syntax import code, folded, html_code, length, sentence, table
from kubectl_trainjob.report.phrases import capitalize

_MOST_JOBS = 20  # rows of a table that is open from the start
_MOST_FINDINGS = 50  # rows of theirs; all findings have their details
_SHORTEST = 60  # characters of a card: where there is room for less, none is written to see whether it fits
_RESERVED = 400  # characters for the words about what is not shown
_ORDER = (
    *(blocks.Statements, blocks.Names, blocks.Errors, blocks.Table, blocks.FindingTable),
    *(blocks.NotChecked, blocks.Effects, blocks.Numbers, blocks.Cards, blocks.FindingDetails),
)
"""The blocks that get room first, in this order."""


def render(document: blocks.Document, limit: int = 65_536) -> str:
    """The whole text, of at most `limit` characters as forges count them, unless the summary line is already longer."""
    return _Composer(document, limit).text()


class _Composer:
    """A document on a page; what is cut is counted."""

    def __init__(self, document: blocks.Document, limit: int) -> None:
        self._document = document
        self._page = _Page(limit, _head(document.summary_line) if document.summary_line else [])
        self._cut: list[_FittingRows | _FittingFindings | _FittingCards] = []
        self._parts = 0  # that have no room

    def text(self) -> str:
        """The whole text."""
        summary_line, parts = self._document.summary_line, enumerate(self._document.blocks, 1)
        self._add_part(0, _points(summary_line) if summary_line and summary_line.weight else ())
        for place, block in sorted(parts, key=lambda each: [*_ORDER, type(each[1])].index(type(each[1]))):
            self._add(place, block)
        for share in (2, 1) if len(self._cut) > 1 else (1,):
            for each in self._cut:
                each.add_more(self._page.room // share)
        return self._page.text(*self._left_out())

    def _add(self, place: int, block: blocks.Block) -> None:
        """Add what is shown first of a block."""
        match block:
            case blocks.Table():
                self._cut.append(_FittingRows(self._page, place, block))
            case blocks.FindingTable():
                others = any(isinstance(each, blocks.Table | blocks.Cards) for each in self._document.blocks)
                if block.title and block.findings:
                    self._add_part(place, [f"#### {block.title}"])
                self._cut.append(
                    _FittingFindings(self._page, place, block.findings, self._page.room // (2 if others else 1))
                )
            case blocks.FindingDetails():
                for each in self._cut:
                    if isinstance(each, _FittingFindings):
                        each.place = place
            case blocks.Cards():
                self._cut.append(_FittingCards(self._page, place, block.cards))
            case blocks.Numbers():
                for lines in number_lines(block):
                    self._add_part(place, lines)
            case _:
                self._add_part(place, list(block_lines(block)))

    def _add_part(self, place: int, lines: Sequence[str]) -> None:
        if lines and not self._page.add(["", *lines], place):
            self._parts += 1

    def _left_out(self) -> Iterator[str]:
        counts = [count for each in self._cut for count in each.hidden()]
        counts.append((self._parts, "part of the summary", "parts of the summary"))
        hidden = ", ".join(plural(count, one, many) for count, one, many in counts if count)
        if hidden:
            yield from (
                "",
                f"**Not shown for lack of room: {hidden}**; `kubectl trainjob {self._document.command}` shows more.",
            )


def _head(block: blocks.SummaryLine) -> list[str]:
    parts = (block.first,) if block.weight else filter(None, (block.unknown, block.first, *block.bad, *block.others))
    sign = f"{SIGNS[block.weight]} " if block.weight else ""
    title = f"### {sign}{capitalize(sentence(joined(parts, '; ')))}"
    return [title, "", " → ".join(map(code, block.compared))] if block.compared else [title]


def _points(block: blocks.SummaryLine) -> list[str]:
    """The other statements in one line; problems are bold."""
    parts = [sentence(each) for each in (*block.bad, *block.others)]
    parts[:1] = map(capitalize, parts[:1])
    parts[: len(block.bad)] = (f"**{part}**" for part in parts[: len(block.bad)])
    return [f"{'; '.join(parts)}."] if parts else []


class _FittingRows:
    """A table with visible first rows; others are folded, as many as there is room for."""

    def __init__(self, page: _Page, place: int, table: blocks.Table) -> None:
        self._page, self._place, self._table = page, place, table
        head, dashes, *rows = row_lines(table, 0, _MOST_JOBS)
        title = ["", f"#### {table.title}", "", head, dashes]
        self._shown = _fitting(([row] for row in rows), page.room - _size(title))
        if self._shown:
            page.add([*title, *rows[: self._shown]], place)

    def add_more(self, room: int) -> None:
        """Add rows, folded, in that room at most."""
        head, dashes, *rows = row_lines(self._table, self._shown)
        frame = ["", *folded(plural(len(rows), "more job"), [head, dashes])]
        count = _fitting(([row] for row in rows), room - _size(frame))
        if count:
            lines = [head, dashes, *rows[:count]]
            self._page.add(["", *folded(plural(count, "more job"), lines)], self._place)
        self._shown += count

    def hidden(self) -> list[tuple[int, str, str]]:
        """What there was no room for."""
        return [(len(self._table.rows) - self._shown, "job", "")]


class _FittingCards:
    """Cards below one title: those of rejected updates first, then the others.

    If one of the former has no room, none of the latter is added: the report would look fine.
    """

    def __init__(self, page: _Page, place: int, cards: Sequence[blocks.Card]) -> None:
        self._page, self._place = page, place
        self._title = ["", "#### What changes"]
        self._others = [card for card in cards if card.weight != "bad"]
        self._hidden = self._add_cards(card for card in cards if card.weight == "bad")
        self._is_cut = bool(self._hidden)

    def add_more(self, _room: int) -> None:
        """Add the other cards."""
        others, self._others = self._others, []
        self._hidden += sum(card.objects for card in others) if self._is_cut else self._add_cards(others)

    def _add_cards(self, cards: Iterable[blocks.Card]) -> int:
        """Add what there is room for; how many objects have no room."""
        hidden = 0
        for card in cards:
            if self._page.room >= _SHORTEST and self._page.add([*self._title, "", *card_lines(card)], self._place):
                self._title = []
            else:
                hidden += card.objects
        return hidden

    def hidden(self) -> list[tuple[int, str, str]]:
        """What there was no room for."""
        return [(self._hidden, "object", "")]


class _FittingFindings:
    """A table of the first findings, then the details of each, file by file and folded.

    No finding is shown while one of a higher severity is not.
    """

    def __init__(self, page: _Page, place: int, findings: Sequence[GroupedFinding], room: int) -> None:
        self.place = place  # of the details
        self._page, self._findings = page, findings
        self._detailed = 0
        head, dashes, *rows = table(FINDING_HEAD, map(finding_row, findings[:_MOST_FINDINGS]), len(FINDING_HEAD))
        self._listed = _fitting(([row] for row in rows), room - _size(["", head, dashes]))
        by_file = _by_file(range(self._listed), findings)
        if self._listed:
            page.add(["", head, dashes, *(rows[number] for numbers in by_file.values() for number in numbers)], place)

    def add_more(self, room: int) -> None:
        """Add details, as many as there is room for."""
        findings = self._findings[self._detailed :]
        details: list[list[str]] = []
        count = _fitting(self._details(findings, details), room)
        for path, numbers in _by_file(range(count), findings).items():
            lines = [line for number in numbers for line in details[number]]
            self._page.add(["", *_file(path, [findings[number] for number in numbers], lines)], self.place)
        self._detailed += count

    def _details(self, findings: Sequence[GroupedFinding], details: list[list[str]]) -> Iterator[list[str]]:
        """The lines of each finding, kept in `details`, and those of the fold of its file before the first one.

        The summary of that has no more characters when not all of the file's findings are shown.
        """
        by_file = _by_file(range(len(findings)), findings)
        for number, finding in enumerate(findings):
            path, lines = finding.first.position.path, [*finding_lines(finding), ""]
            details.append(lines)
            in_file = by_file[path]
            frame = ["", *_file(path, [findings[each] for each in in_file], []), ""] if in_file[0] == number else []
            yield [*frame, *lines]

    def hidden(self) -> list[tuple[int, str, str]]:
        """What there was no room for."""
        count = len(self._findings)
        hidden = count - max(self._listed, self._detailed)
        return [(hidden, "finding", ""), (count - self._detailed - hidden, "finding's details", "findings' details")]


def _by_file(numbers: Iterable[int], findings: Sequence[GroupedFinding]) -> dict[str, list[int]]:
    """The numbers of findings by file: first the file of the first finding."""
    return group((findings[number].first.position.path, number) for number in numbers)


def _file(path: str, findings: Sequence[GroupedFinding], lines: list[str]) -> list[str]:
    return folded(f"{html_code(truncate(path))}: {counted(each.severity for each in findings)}", lines)


def _size(lines: Sequence[str]) -> int:
    """The characters of the lines and of their ends, as forges count them."""
    return sum(length(line) + 1 for line in lines)


class _Page:
    """Lines of Markdown, of at most `most` characters as forges count them; `_RESERVED` of them are for its end.

    The head is always there. Lower places are before higher ones: parts can get their room in an order of priority.
    """

    def __init__(self, most: int, head: Sequence[str]) -> None:
        self._places: dict[int, list[str]] = {0: list(head)}
        self._room = most - _RESERVED - _size(head)

    @property
    def room(self) -> int:
        """How many characters there is room for."""
        return self._room

    def add(self, lines: Sequence[str], place: int = 0) -> bool:
        """Add the lines, all or none; whether there was room."""
        taken = _size(lines)
        if taken > self._room:
            return False
        self._room -= taken
        self._places.setdefault(place, []).extend(lines)
        return True

    def text(self, *closing: str) -> str:
        """The whole, with the lines of its end."""
        lines = [line for place in sorted(self._places) for line in self._places[place]]
        return "\n".join([*lines, *closing]) + "\n"


def _fitting(parts: Iterable[Sequence[str]], room: int) -> int:
    """How many of the first parts there is room for, together. Only one part after these is read."""
    count = 0
    for lines in parts:
        room -= _size(lines)
        if room < 0:
            break
        count += 1
    return count
