"""Blocks as lines of Markdown that are shown all or not at all, with every piece of data in code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubectl_trainjob.model.finding import Position
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.report.blocks import (
    Badge,
    Block,
    Card,
    Effects,
    Errors,
    Names,
    Number,
    Numbers,
    Statements,
    Table,
    Unverified,
    Value,
)
from kubectl_trainjob.report.grouped import GroupedFinding
from kubectl_trainjob.report.markdown_syntax import code, fenced, folded, html_code, html_sentence, length, sentence
from kubectl_trainjob.report.markdown_syntax import table as table_lines
from kubectl_trainjob.report.sentence import Data, Sentence, apart, begun, in_short, more, plural
from kubectl_trainjob.report.values import has_lines, line_diff, pair

SIGNS = {"bad": "❌", "doubtful": "⚠️", "good": "✅"}
FINDING_HEAD = ("Severity", "Rule", "Where", "Message")

_MOST_VALUES = 40  # of one object
_MOST_LINES = 80  # of one value
_LONGEST_VALUES = 10_000  # characters of the values of one object
_LONGEST_MESSAGE = 1000  # characters
_MOST_NOTES = 20  # of one finding
_MOST_CAUSES = 20  # of what could not be checked
_MOST_NAMES = 100
_FEW_NAMES = 3  # TrainJobs that a cause names in its line
_MOST_ROWS = 40  # of a list, or a table of numbers


def block_lines(block: Block) -> Iterator[str]:
    """A block that is no table of its own."""
    match block:
        case Statements(sentences):
            for number, each in enumerate(sentences):
                yield from ("", begun(sentence(each))) if number else (begun(sentence(each)),)
        case Names():
            yield f"{block.lead or f'**{block.title}:**'} {_listed(block.names)}"
        case Errors(items):
            yield from ("**Errors in the files:**", "")
            yield from (f"- {sentence(each)}" for each in items[:_MOST_ROWS])
            yield from _more(len(items) - _MOST_ROWS, "error")
        case Effects():
            yield from _effects(block)
        case Unverified(causes):
            lines = [f"- {sentence(each)}" for each in causes[:_MOST_CAUSES]]
            lines += [f"- {len(causes) - _MOST_CAUSES} more"] if len(causes) > _MOST_CAUSES else []
            yield from folded(f"{plural(len(causes), 'cause')} of what could not be judged", lines)


def _listed(names: Sequence[Sentence]) -> str:
    rest = len(names) - _MOST_NAMES
    return ", ".join(map(sentence, names[:_MOST_NAMES])) + (f" and {rest} more" if rest > 0 else "")


def _more(count: int, noun: str) -> Iterator[str]:
    for each in more(count, noun):
        yield from ("", f"{sentence(each)}.")


def _effects(of: Effects) -> Iterator[str]:
    yield "#### What causes it"
    for each in of.effects[:_MOST_ROWS]:
        yield ""
        if len(each.names) > _FEW_NAMES:
            summary = f"{html_sentence(each.cause)} → {plural(each.jobs, 'TrainJob')}"
            yield from folded(summary, [_listed(each.names)])
        else:
            yield f"{sentence(each.cause)} → {_listed(each.names) or 'no TrainJob'}"
    yield from _more(len(of.effects) - _MOST_ROWS, "cause")


def number_lines(of: Numbers) -> Iterator[list[str]]:
    """The numbers of all TrainJobs, then those by namespace and queue, folded."""
    if of.unchanged:
        yield [f"{begun(sentence(of.unchanged))}."]
    elif of.numbers:
        head = ("all TrainJobs together", "before", "after", "difference")
        lines = table_lines(head, map(_number, of.numbers[:_MOST_ROWS]))
        yield [*lines, *_more(len(of.numbers) - _MOST_ROWS, "row")]
    if of.groups:
        lines = row_lines(of.groups, 0, _MOST_ROWS)
        yield folded(of.groups.title, [*lines, *_more(len(of.groups.rows) - _MOST_ROWS, "row")])


def _number(of: Number) -> tuple[str, ...]:
    return sentence(of.name), of.before, of.after, f"**{of.difference}**" if of.difference else ""


def row_lines(table: Table, start: int, end: int | None = None) -> list[str]:
    """The head of a table, and those of its rows."""
    head = [sentence(column.name) for column in table.columns]
    words = sum(column.kind in ("name", "words") for column in table.columns)
    return table_lines(head, ([*map(_cell, row)] for row in table.rows[start:end]), words)


def _cell(cell: Sentence | Badge) -> str:
    return f"{SIGNS[cell.weight]} {cell.words}" if isinstance(cell, Badge) else sentence(cell)


def card_lines(card: Card) -> list[str]:
    """An object that differs, folded."""
    body = list(_card_body(card))
    return folded("".join(_card_title(card)), body if not body or body[0] else body[1:], is_open=card.is_urgent)


def _card_title(card: Card) -> Iterator[str]:
    yield from (f"<b>{html_code(each.text)}</b>" if isinstance(each, Data) else each for each in card.name)
    yield from (f", {html_sentence(each)}" for each in card.about)
    yield f": {card.change}"
    yield f", {html_sentence(card.renamed)}" if card.renamed else ""
    if card.effect:
        yield f"<br>{f'{SIGNS[card.weight]} ' if card.weight else ''}{html_sentence(card.effect)}"


def _card_body(card: Card) -> Iterator[str]:
    yield from _values(card.values)
    for reason in card.reasons:
        yield f"- {SIGNS['bad']} {code(reason.path)} {sentence(reason.words)}"
    for note in card.notes:
        yield from ("", sentence(note))
    if card.members:
        yield from ("", "; ".join(map(sentence, card.members[:_MOST_NAMES])))
        yield from _more(len(card.members) - _MOST_NAMES, "object")


def _values(values: Sequence[Value]) -> Iterator[str]:
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


def _value(of: Value) -> Iterator[str]:
    place = f" ({sentence(of.place)})" if of.place else ""
    mark = "" if of.rejected is None else f"{SIGNS['bad']} {f'(refused {of.rejected}) ' if of.rejected else ''}"
    path = f"{mark}{code(of.path)}"
    if not has_lines(of.old, of.new):
        old, new = pair(of.old, of.new)
        yield f"- {path}: {sentence(old)} → {sentence(new)}{place}"
        return
    yield f"- {path}{place}:"
    lines = line_diff(of.old, of.new, _MOST_LINES)
    yield from fenced(((f"{line.sign} " if line.sign == "…" else line.sign, line.text) for line in lines), indent="  ")


def finding_row(finding: GroupedFinding) -> tuple[str, ...]:
    """The cells of a finding."""
    first = finding.first
    return finding.severity.value, _rule(finding), _where(first.position), _message(finding)


def finding_lines(finding: GroupedFinding) -> Iterator[str]:
    """All about a finding."""
    first = finding.first
    yield f"**{finding.severity}** {_rule(finding)} at line {first.position.span.line}: {_message(finding)}"
    if first.excerpt and first.excerpt.line:
        lines = (first.excerpt.line, first.excerpt.carets)
        yield from ("", *fenced([("  ", printable(in_short(line))) for line in lines], ""))
    notes = [f"- in {code(in_short(finding.objects))}"] if finding.objects else []
    notes += (f"- {_where(each.position)}: {sentence(apart(in_short(each.message)))}" for each in finding.related)
    yield from ("", *notes[:_MOST_NOTES]) if notes else ()
    if len(notes) > _MOST_NOTES:
        yield f"- {len(notes) - _MOST_NOTES} more notes of this kind"


def _rule(of: GroupedFinding) -> str:
    return code(in_short(f"{of.first.rule.id} {of.first.rule.name}"))


def _where(at: Position) -> str:
    return code(f"{in_short(at.path)}:{at.span.line}")


def _message(of: GroupedFinding) -> str:
    return sentence(apart(in_short(of.first.message, _LONGEST_MESSAGE)))
