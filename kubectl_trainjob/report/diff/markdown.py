"""A difference as Markdown for a pull request, cut to what a forge takes, with every piece of data in code."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.report.diff.alike import alike
from kubectl_trainjob.report.diff.headline import headline
from kubectl_trainjob.report.diff.markdown_blocks import Objects, summary, unknown
from kubectl_trainjob.report.diff.words import Jobs
from kubectl_trainjob.report.markdown_syntax import code, sentence
from kubectl_trainjob.report.page import Page
from kubectl_trainjob.report.sentence import begun, in_short, plural
from kubectl_trainjob.review.diff.view import Report


def as_markdown(report: Report, most: int = 60_000) -> str:
    """The whole text, of at most `most` characters, unless the headline and the sides' names alone are longer.

    What does not fit is counted.
    """
    sides = f"{code(in_short(report.old))} → {code(in_short(report.new))}"
    page = Page(most, [f"### {begun(sentence(headline(report).in_line()))}", "", sides])
    jobs = Jobs(report)
    parts = 0
    for lines in filter(None, (unknown(report, jobs), *summary(report, jobs))):
        parts += not page.add(["", *lines])
    objects = Objects(page)
    objects.add(alike(report))
    return page.text(*_left_out(objects.hidden, parts))


def _left_out(objects: int, parts: int) -> Iterator[str]:
    if objects or parts:
        hidden = [plural(parts, "part") + " of the summary"] if parts else []
        hidden += [plural(objects, "more object")] if objects else []
        verb = "is" if objects + parts == 1 else "are"
        yield ""
        yield f"**{' and '.join(hidden)} {verb} not shown**; `kubectl trainjob diff -o html` shows everything."
