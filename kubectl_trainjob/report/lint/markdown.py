"""A lint report as Markdown for a pull request, cut to what a forge takes, with every piece of data in code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from kubectl_trainjob.model.finding import LintReport, Position
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.report.finding_lines import counted
from kubectl_trainjob.report.grouped import Merged, merged, named
from kubectl_trainjob.report.lint.words import headline, not_judged, set_aside
from kubectl_trainjob.report.markdown_syntax import code, fenced, folded, html_code, sentence, table
from kubectl_trainjob.report.page import Page, fitting, size
from kubectl_trainjob.report.sentence import apart, in_short, plural

_MOST_ROWS = 50  # of the table; all findings have their details
_LONGEST = 1000  # characters of a message
_MOST_NOTES = 20  # of one finding
_MOST_CAUSES = 20
_HEAD = ("Severity", "Rule", "Where", "Message")

Files = dict[str, list[Merged]]


def as_markdown(report: LintReport, limit: int = 65_536) -> str:
    """The whole text, of at most `limit` characters as forges count them, for which 1000 are always enough.

    First a table of the worst findings, then what there is to say of each, file by file and folded. What does not fit
    is counted; no finding is there while a worse one is not.
    """
    findings = merged(report.results)
    told = headline(report, (each.severity for each in findings))
    page = Page(limit, [f"### {told[0].upper()}{told[1:]}"])
    aside = set_aside(report)
    fits = page.add(["", f"Not told: {aside}."]) if aside else True
    rows = add_table(page, findings, page.room)
    fits &= page.add(unverifiable(report))
    full = add_details(page, findings, page.room)
    return page.text(*_left_out(len(findings) - max(rows, full), fits=fits and full == len(findings)))


def _left_out(hidden: int, *, fits: bool) -> tuple[str, ...]:
    if hidden:
        return "", f"Left out for want of room: {plural(hidden, 'finding')}, and details of others."
    return () if fits else ("", "Details are left out for want of room.")


def _by_file(findings: Iterable[Merged]) -> Files:
    """The file of the worst finding first, and in each the worst finding first."""
    files: Files = defaultdict(list)
    for finding in findings:
        files[finding.first.position.path].append(finding)
    return files


def add_table(page: Page, findings: Sequence[Merged], room: int, place: int = 0) -> int:
    """Add as many rows of the worst findings as there is room for, file by file; how many."""
    head, dashes, *rows = table(_HEAD, map(_row, findings[:_MOST_ROWS]), len(_HEAD))
    count = fitting(([row] for row in rows), min(room, page.room) - size(["", head, dashes]))
    row_of = {id(finding): row for finding, row in zip(findings, rows, strict=False)}
    shown = [row_of[id(finding)] for found in _by_file(findings[:count]).values() for finding in found]
    return count if shown and page.add(["", head, dashes, *shown], place) else 0


def _row(finding: Merged) -> tuple[str, ...]:
    first = finding.first
    return finding.severity.value, _rule(first.rule), _where(first.position), _message(finding)


def _rule(rule: Rule) -> str:
    return code(in_short(f"{rule.id} {rule.name}"))


def _where(at: Position) -> str:
    return code(f"{in_short(at.path)}:{at.span.line}")


def _message(finding: Merged) -> str:
    return sentence(apart(in_short(finding.first.message, _LONGEST)))


def add_details(page: Page, findings: Sequence[Merged], room: int, place: int = 0) -> int:
    """Add what there is to say of the worst findings, file by file and folded; of how many there was room for."""
    told: dict[int, list[str]] = {}
    count = fitting(_details(findings, _by_file(findings), told), min(room, page.room))
    for path, found in _by_file(findings[:count]).items():
        page.add(["", *_folded(path, found, [line for each in found for line in told[id(each)]])], place)
    return count


def _details(findings: Iterable[Merged], files: Files, told: dict[int, list[str]]) -> Iterator[list[str]]:
    """The lines of each finding, which are kept in `told`, and of the fold of a file before its first one.

    The summary of that has no more characters when not all of the file's findings are there.
    """
    begun: set[str] = set()
    for finding in findings:
        path, lines = finding.first.position.path, [*_finding(finding), ""]
        told[id(finding)] = lines
        yield lines if path in begun else ["", *_folded(path, files[path], []), "", *lines]
        begun.add(path)


def _folded(path: str, findings: Sequence[Merged], lines: list[str]) -> list[str]:
    return folded(f"{html_code(in_short(path))}: {counted(each.severity for each in findings)}", lines)


def _finding(finding: Merged) -> Iterator[str]:
    first = finding.first
    yield f"**{finding.severity}** {_rule(first.rule)} at line {first.position.span.line}: {_message(finding)}"
    if first.excerpt and first.excerpt.line:
        lines = (first.excerpt.line, first.excerpt.carets)
        yield from ("", *fenced([("  ", printable(in_short(line))) for line in lines], ""))
    notes = list(_notes(finding))
    more = len(notes) - _MOST_NOTES
    yield from ("", *notes[:_MOST_NOTES]) if notes else ()
    yield from (f"- {more} more notes of this kind",) if more > 0 else ()


def _notes(finding: Merged) -> Iterator[str]:
    objects = named(finding)
    if objects:
        yield f"- in {code(in_short(objects))}"
    for note in finding.related:
        yield f"- {_where(note.position)}: {sentence(apart(in_short(note.message)))}"


def unverifiable(report: LintReport) -> list[str]:
    """What could not be judged, folded; nothing where all could."""
    causes = report.unverifiable
    if not causes:
        return []
    lines = [f"- {sentence(not_judged(each))}" for each in causes[:_MOST_CAUSES]]
    more = len(causes) - _MOST_CAUSES
    lines += [f"- {more} more"] if more > 0 else []
    return ["", *folded(f"{plural(len(causes), 'cause')} of what could not be judged", lines)]
