"""A lint report for a terminal: each finding with its line, then what could not be judged, then the counts.

jobs/mnist.yaml:14:11: error KTJ301 extended-resource-limit-missing: "nvidia.com/gpu" has no limit; add one
          nvidia.com/gpu: 1
          ^~~~~~~~~~~~~~
jobs/mnist.yaml:14:11: note: in TrainJob mnist, mnist-large and 37 more
1 error in 39 TrainJobs (2 suppressed)
1 can be mended with --fix
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubectl_trainjob.model.finding import LintReport
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.report.finding_lines import MOST_SHOWN, FindingLines, as_lines
from kubectl_trainjob.report.grouped import Merged, merged, named
from kubectl_trainjob.report.lint.words import closing, not_judged
from kubectl_trainjob.report.sentence import written


def as_human(report: LintReport, colour: bool = False) -> str:
    """The whole text; at most `MOST_SHOWN` findings, and how many more there are."""
    findings = merged(report.results)
    writer = FindingLines(colour)
    lines = [line for finding in findings[:MOST_SHOWN] for line in lines_of(finding, writer)]
    lines += [writer.note(None, written(not_judged(each), str)) for each in report.unverifiable]
    hidden = len(findings) - MOST_SHOWN
    more = f"; {hidden} more not shown" if hidden > 0 else ""
    lines.append(closing(report, (each.severity for each in findings)) + more)
    return as_lines([*lines, *_mendable(findings)])


def _mendable(findings: Iterable[Merged]) -> list[str]:
    """`3 can be mended with --fix, 2 more with --unsafe-fixes`; nothing where nothing can."""
    fixes = [each.fixes for each in findings if each.fixes]
    safe = sum(any(fix.is_safe for fix in each) for each in fixes)
    unsafe = len(fixes) - safe
    if not safe:
        return [f"{unsafe} can be mended with --unsafe-fixes"] if unsafe else []
    return [f"{safe} can be mended with --fix" + (f", {unsafe} more with --unsafe-fixes" if unsafe else "")]


def lines_of(finding: Merged, writer: FindingLines) -> Iterator[str]:
    """The finding, its source line, the objects that it is about where there are several, the related places."""
    first = finding.first
    yield writer.title(first.position, first.rule, first.message)
    if first.excerpt:
        yield from writer.excerpt(printable(first.excerpt.line), printable(first.excerpt.carets))
    objects = named(finding)
    related = [writer.note(note.position, note.message) for note in finding.related]
    said = [writer.note(first.position, f"in {objects}")] if objects else []
    yield from writer.notes(first.position, [*said, *related])
