"""Blocks as lines of Markdown that are shown all or not at all, with every piece of data in code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubectl_trainjob.model.finding import Position
from kubectl_trainjob.model.message import Data, Message, plural, truncate
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.report import blocks
from kubectl_trainjob.report.findings import GroupedFinding
from kubectl_trainjob.report.markdown_syntax import code, fenced, folded, html_code, html_sentence, length, sentence
from kubectl_trainjob.report.markdown_syntax import table as table_lines
from kubectl_trainjob.report.phrases import capitalize, coded, first_of, located, more
from kubectl_trainjob.report.values import has_lines, line_diff, pair

SIGNS = {"bad": "❌", "doubtful": "⚠️", "good": "✅"}
FINDING_HEAD = ("Severity", "Rule", "Where", "Message")

_MOST_VALUES = 40  # of one object
_MOST_LINES = 80  # of one value
_LONGEST_VALUES = 10_000  # characters of the values of one object
_MOST_NOTES = 20  # of one finding
_MOST_CAUSES = 20  # of what could not be checked
_MOST_NAMES = 100
_FEW_NAMES = 3  # TrainJobs that a cause names in its line
_MOST_ROWS = 40  # of a list, or a table of numbers


def block_lines(block: blocks.Block) -> Iterator[str]:
    """A block that is not a table."""
    match block:
        case blocks.Statements(sentences):
            for number, each in enumerate(sentences):
                yield from ("", capitalize(sentence(each))) if number else (capitalize(sentence(each)),)
        case blocks.Names():
            yield f"{sentence(block.lead) or f'**{block.title}:**'} {sentence(first_of(block.names, _MOST_NAMES))}"
        case blocks.Errors(items):
            yield from ("**Errors in the files:**", "")
            yield from (f"- {sentence(each)}" for each in items[:_MOST_ROWS])
            yield from _more(len(items) - _MOST_ROWS, "error")
        case blocks.Effects():
            yield from _effects(block)
        case blocks.NotChecked(causes):
            lines = [f"- {sentence(each)}" for each in causes[:_MOST_CAUSES]]
            lines += [f"- {len(causes) - _MOST_CAUSES} more"] if len(causes) > _MOST_CAUSES else []
            yield from folded(f"{plural(len(causes), 'cause')} of what could not be checked", lines)
        case _:
            yield from _traced_lines(block)


def _traced_lines(block: blocks.Block) -> Iterator[str]:
    match block:
        case blocks.Heading(title, rest, level):
            yield f"{'#' * (level + 4)} {sentence(title)}{sentence(rest)}"
        case blocks.NamedValues(entries):
            yield from table_lines(("Name", "Value", "Origin"), map(_entry, entries), 3)
        case blocks.Outline(lines):
            yield from (f"{' ' * (indent - lines[0][0])}- {sentence(text)}" for indent, text in lines)
        case blocks.AnnotatedYaml():
            yield from fenced([("", each) for each in block.shown()], "yaml")


def _entry(block: blocks.NamedValue) -> tuple[str, ...]:
    return code(block.name), "<br>".join(map(code, block.value.split("\n"))), sentence(block.note)


def _more(count: int, noun: str) -> Iterator[str]:
    for each in more(count, noun):
        yield from ("", f"{sentence(each)}.")


def _effects(block: blocks.Effects) -> Iterator[str]:
    yield "#### What causes it"
    for each in block.effects[:_MOST_ROWS]:
        yield ""
        if len(each.names) > _FEW_NAMES:
            summary = f"{html_sentence(each.cause)} → {plural(each.jobs, 'TrainJob')}"
            yield from folded(summary, [sentence(first_of(each.names, _MOST_NAMES))])
        else:
            yield f"{sentence(each.cause)} → {sentence(first_of(each.names, _MOST_NAMES)) or 'no TrainJob'}"
    yield from _more(len(block.effects) - _MOST_ROWS, "cause")


def number_lines(block: blocks.Numbers) -> Iterator[list[str]]:
    """The numbers of all TrainJobs, then those by namespace and queue, folded."""
    if block.unchanged:
        yield [f"{capitalize(sentence(block.unchanged))}."]
    elif block.numbers:
        head = ("all TrainJobs together", "before", "after", "difference")
        lines = table_lines(head, map(_number, block.numbers[:_MOST_ROWS]))
        yield [*lines, *_more(len(block.numbers) - _MOST_ROWS, "row")]
    if block.groups:
        lines = row_lines(block.groups, 0, _MOST_ROWS)
        yield folded(block.groups.title, [*lines, *_more(len(block.groups.rows) - _MOST_ROWS, "row")])


def _number(block: blocks.Figure) -> tuple[str, ...]:
    return sentence(block.name), block.before, block.after, f"**{block.difference}**" if block.difference else ""


def row_lines(table: blocks.Table, start: int, end: int | None = None) -> list[str]:
    """The head of a table, and those of its rows."""
    head = [sentence(column.name) for column in table.columns]
    words = sum(column.kind in ("name", "words") for column in table.columns)
    return table_lines(head, ([*map(_cell, row)] for row in table.rows[start:end]), words)


def _cell(cell: Message | blocks.Badge) -> str:
    return f"{SIGNS[cell.weight]} {sentence(cell.words)}" if isinstance(cell, blocks.Badge) else sentence(cell)


def card_lines(card: blocks.Card) -> list[str]:
    """An object that differs, folded."""
    body = list(_card_body(card))
    return folded("".join(_card_title(card)), body if not body or body[0] else body[1:], is_open=card.is_urgent)


def _card_title(card: blocks.Card) -> Iterator[str]:
    yield from (f"<b>{html_code(each.text)}</b>" if isinstance(each, Data) else each for each in coded(card.name))
    yield from (f", {html_sentence(each)}" for each in card.about)
    yield f": {card.change}"
    yield f", {html_sentence(card.renamed)}" if card.renamed else ""
    if card.effect:
        yield f"<br>{f'{SIGNS[card.weight]} ' if card.weight else ''}{html_sentence(card.effect)}"


def _card_body(card: blocks.Card) -> Iterator[str]:
    yield from _values(card.values)
    for reason in card.reasons:
        yield f"- {SIGNS['bad']} {code(reason.path)} {sentence(reason.words)}"
    for note in card.notes:
        yield from ("", sentence(note))
    if card.members:
        yield from ("", "; ".join(map(sentence, card.members[:_MOST_NAMES])))
        yield from _more(len(card.members) - _MOST_NAMES, "object")


def _values(values: Sequence[blocks.DifferingValue]) -> Iterator[str]:
    """The values; one at least, others as long as the object stays short."""
    shown = size = 0
    for value in values[:_MOST_VALUES]:
        lines = list(_value(value))
        size += length("\n".join(lines))
        if shown and size > _LONGEST_VALUES:
            break
        shown += 1
        yield from lines
    yield from _more(len(values) - shown, "value")


def _value(block: blocks.DifferingValue) -> Iterator[str]:
    place = f" ({sentence(block.place)})" if block.place else ""
    mark = (
        "" if block.rejected is None else f"{SIGNS['bad']} {f'(rejected {block.rejected}) ' if block.rejected else ''}"
    )
    path = f"{mark}{code(block.path)}"
    if not has_lines(block.old, block.new):
        old, new = pair(block.old, block.new)
        yield f"- {path}: {sentence(old)} → {sentence(new)}{place}"
        return
    yield f"- {path}{place}:"
    lines = line_diff(block.old, block.new, _MOST_LINES)
    yield from fenced(((f"{line.sign} " if line.sign == "…" else line.sign, line.text) for line in lines), indent="  ")


def finding_row(finding: GroupedFinding) -> tuple[str, ...]:
    """The cells of a finding."""
    first = finding.first
    return finding.severity.value, _rule(finding), _where(first.position), sentence(first.message)


def finding_lines(finding: GroupedFinding) -> Iterator[str]:
    """All about a finding."""
    first = finding.first
    yield f"**{finding.severity}** {_rule(finding)} at line {first.position.span.line}: {sentence(first.message)}"
    if first.excerpt and first.excerpt.line:
        lines = (first.excerpt.line, first.excerpt.carets)
        yield from ("", *fenced([("  ", printable(truncate(line))) for line in lines], ""))
    notes = [f"- in {sentence(finding.objects)}"] if finding.objects else []
    notes += (f"- {_where(each.position)}: {sentence(each.message)}" for each in finding.related)
    yield from ("", *notes[:_MOST_NOTES]) if notes else ()
    if len(notes) > _MOST_NOTES:
        yield f"- {len(notes) - _MOST_NOTES} more notes of this kind"


def _rule(block: GroupedFinding) -> str:
    return code(f"{block.first.rule.id} {block.first.rule.name}")


def _where(at: Position) -> str:
    return sentence(located(at.path, at.span.line))
