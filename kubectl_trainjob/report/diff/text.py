"""A difference for a terminal: the headline, the numbers, what causes it, then every object with its values.

    3 TrainJobs change; 2 updates are refused while running; +8 nvidia.com/gpu
    main (1a2b3c4) → the working tree

All data is made safe for a terminal and for the log of a CI system; colour only adds to what the words and signs say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubectl_trainjob.model.printable import columns, printable
from kubectl_trainjob.report import commands
from kubectl_trainjob.report.diff.alike import Alike, alike
from kubectl_trainjob.report.diff.headline import headline, only_new_runs
from kubectl_trainjob.report.diff.numbers import Grouped, by_group, numbers, unchanged
from kubectl_trainjob.report.diff.words import (
    Jobs,
    caused,
    consequence,
    counterpart,
    found_in,
    made_from,
    members,
    named_after,
    new_runs,
    refusals,
    refused_when,
    unread,
    where,
)
from kubectl_trainjob.report.sentence import Sentence, in_short, plural, written
from kubectl_trainjob.report.values import DiffLine, has_lines, line_diff, pair
from kubectl_trainjob.review.diff.refused import is_refused
from kubectl_trainjob.review.diff.view import CauseView, ObjectView, Report, Row

_WIDEST = 150  # columns of a value's line, beyond which old and new get a line each
_NAMED = 8  # TrainJobs of a cause
_MEMBERS = 40  # of a group
_CODES = {"bold": "1", "old": "31", "new": "32", "bad": "1;31", "dim": "2"}
_STYLES = {"-": "old", "+": "new", "…": "dim"}


def as_text(report: Report, *, has_colour: bool = False) -> str:
    """The whole text; one line where nothing differs."""
    writer = _Writer(has_colour)
    return "".join(f"{commands.at_start(commands.inside(line))}\n" for line in writer.lines(report))


def _shown(sentence: Sentence) -> str:
    return written(sentence, printable)


class _Writer:
    """Writes lines, with colour or without."""

    def __init__(self, has_colour: bool) -> None:
        self._has_colour = has_colour

    def lines(self, report: Report) -> Iterator[str]:
        """The report."""
        told = headline(report)
        first = [self._styled(_shown(told.unknown), "bad"), self._styled(_shown(told.first), "bold")]
        first += [self._styled(_shown(each), "bad") for each in told.bad]
        yield "; ".join(filter(None, [*first, *map(_shown, told.others)]))
        yield f"{printable(in_short(report.old))} → {printable(in_short(report.new))}"
        jobs = Jobs(report)
        for part in (
            unknown_lines(report, jobs),
            self._numbers(report),
            cause_lines(report.causes, jobs),
            _new(report, jobs),
        ):
            lines = list(part)
            yield from ("", *lines) if lines else ()
        for group in alike(report):
            yield ""
            yield from self._object(group)

    def _styled(self, text: str, style: str) -> str:
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self._has_colour and text else text

    def _numbers(self, report: Report) -> Iterator[str]:
        summary = report.difference.summary
        told = numbers(summary.before, summary.after)
        if same := unchanged(told):
            yield _shown(same)
            return
        rows = [(_shown(number.name), number.in_line()) for number in told]
        width = max((columns(name) for name, _ in rows), default=0)
        for (name, text), number in zip(rows, told, strict=True):
            line = f"{name}{' ' * (width - columns(name))}  {text}"
            yield line if number.difference else self._styled(line, "dim")
        grouped = by_group(summary)
        yield from _groups(grouped) if grouped else ()

    def _object(self, group: Alike) -> Iterator[str]:
        change = group.change
        yield self._styled(_title(group), "bad" if is_refused(change) else "bold")
        words = consequence(group.changes)
        if words:
            yield f"  {_shown(words)}"
        for row in group.rows:
            yield from self._row(row, group.members[0])
        for each in refusals(group.members[0]):
            when = f" {each.when}" if each.when else ""
            yield f"{self._styled('✗', 'bad')} {printable(each.path)} is refused{when}: {printable(each.reason)}"
        if group.has_names:
            yield f"  {_shown(named_after(change))}"
        if group.carried:
            yield f"  {plural(group.carried, 'more value only carries', 'more values only carry')} the new name"
        if len(group.members) > 1:
            yield f"  in {_listed(members(group), _MEMBERS)}"

    def _row(self, row: Row, told: ObjectView) -> Iterator[str]:
        """A value, in one line if it is short; marked where a cluster refuses it."""
        place = _shown(where(row.sources))
        about = f"  {self._styled(f'({place})', 'dim')}" if place else ""
        path = f"{self._mark(row, told)}{printable(in_short(row.path))}"
        if has_lines(row.old, row.new):
            yield f"{path}:{about}"
            yield from (f"    {self._line(line)}" for line in line_diff(row.old, row.new))
            return
        old, new = map(_shown, pair(row.old, row.new))
        short = f"{path}: {self._styled(old, 'old')} → {self._styled(new, 'new')}{about}"
        if columns(f"{path}{old}{new}{place}") <= _WIDEST:
            yield short
            return
        yield f"{path}:{about}"
        yield f"    {self._styled(f'- {old}', 'old')}"
        yield f"    {self._styled(f'+ {new}', 'new')}"

    def _mark(self, row: Row, told: ObjectView) -> str:
        if not row.refused:
            return "  "
        when = refused_when(told.change, row.refused)
        return f"{self._styled('✗', 'bad')} " + (f"(refused {when}) " if when else "")

    def _line(self, line: DiffLine) -> str:
        text = f"{line.sign} {printable(line.text)}".rstrip()
        return self._styled(text, _STYLES[line.sign]) if line.sign in _STYLES else text


def _groups(grouped: Grouped) -> Iterator[str]:
    for group, cells in grouped.rows:
        namespace = printable(in_short(group.namespace)) or "no namespace"
        queue = f", queue {printable(in_short(group.queue))}" if group.queue else ""
        told = (f"{_shown(name)} {cell}" for name, cell in zip(grouped.names, cells, strict=True))
        yield f"  {namespace}{queue}: {', '.join(told)}"


def unknown_lines(report: Report, jobs: Jobs) -> Iterator[str]:
    """What could not be built or read."""
    unbuilt = jobs.told(report.difference.unbuilt)
    if unbuilt:
        yield f"cannot be built, so not compared: {_listed(unbuilt, _MEMBERS)}"
    yield from (f"cannot be read in full: {_shown(each)}" for each in unread(report))


def cause_lines(causes: Sequence[CauseView], jobs: Jobs) -> Iterator[str]:
    """What changes which TrainJobs."""
    for told in causes:
        of = told.cause.jobs
        names = f"{plural(len(of), 'TrainJob')}: {_listed(jobs.told(of), _NAMED)}" if of else "no TrainJob"
        yield f"{_shown(caused(told))} → {names}"


def _new(report: Report, jobs: Jobs) -> Iterator[str]:
    found = only_new_runs(report)
    if found:
        yield f"{new_runs(len(found))} {_listed(jobs.told(found), _MEMBERS)}"


def _listed(names: Sequence[Sentence], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(_shown, names[:most])) + more


def _title(group: Alike) -> str:
    change, count = group.change, len(group.members)
    kind = printable(in_short(change.identity.kind))
    name = f"{count} × {kind}" if count > 1 else f"{kind}/{printable(in_short(change.identity.name))}"
    about = [found_in(group.changes), *([] if count > 1 else [made_from(change)])]
    told = ",".join(f" {_shown(part)}" for part in about if part)
    renamed = f", {_shown(counterpart(change))}" if count == 1 and change.counterpart else ""
    return f"{name}{told}: {change.change}{renamed}"
