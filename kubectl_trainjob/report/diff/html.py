"""A difference as one HTML file: no script, nothing from outside, and no markup that comes from data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kubectl_trainjob.report.diff.headline import headline, only_new_runs
from kubectl_trainjob.report.diff.html_objects import ARROW, names_of, objects
from kubectl_trainjob.report.diff.numbers import Grouped, Number, by_group, numbers, unchanged
from kubectl_trainjob.report.diff.words import Jobs, caused, new_runs, problem, unread
from kubectl_trainjob.report.html_syntax import Markup, code, element, folded, joined, sentence
from kubectl_trainjob.report.sentence import Sentence, in_short, plural, written
from kubectl_trainjob.review.diff.changes import Group
from kubectl_trainjob.review.diff.view import CauseView, Report


def as_html(report: Report) -> str:
    """The whole page, UTF-8 text."""
    told, jobs = headline(report), Jobs(report)
    title = f"{in_short(report.old)} → {in_short(report.new)}: {written(told.in_line(), str)}"
    return page(title, _header(report), (*unknown(report, jobs), *sections(report, jobs)), footer("diff"))


def page(title: str, header: Markup, main: Iterable[Markup], footer: Markup) -> str:
    """A whole page of these parts."""
    from kubectl_trainjob.report.html_style import STYLE

    head = (
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(STYLE)),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        Markup(f"<style>{STYLE}</style>"),
    )
    body = (header, element("main", *main), footer)
    whole = element("html", element("head", *head), element("body", *body), lang="en")
    return f"<!DOCTYPE html>\n{whole}\n"


def _policy(style: str) -> str:
    """Nothing is loaded, run or sent, and the only style is ours, by its hash."""
    from base64 import b64encode
    from hashlib import sha256

    digest = b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _header(report: Report) -> Markup:
    told = headline(report)
    unknown = (element("p", sentence(told.unknown), class_="unknown"),) if told.unknown else ()
    title = element("h1", sentence(told.first))
    return element("header", sides(report), *unknown, title, points(told.bad, told.others))


def sides(report: Report) -> Markup:
    """What is compared with what."""
    return element("p", code(in_short(report.old)), " ", ARROW, " ", code(in_short(report.new)), class_="sides")


def points(bad: Iterable[Sentence], others: Iterable[Sentence]) -> Markup:
    """What a page says below its title; what is bad stands out."""
    marked = (element("li", element("span", "✕ ", aria_hidden="true"), sentence(part), class_="bad") for part in bad)
    return element("ul", *marked, *(element("li", sentence(part)) for part in others), class_="points")


def footer(command: str) -> Markup:
    """Who made the page, and what it cannot know."""
    words = f"Made by kubectl trainjob {command}. Compiled offline: what a cluster adds by itself is not compared."
    return element("footer", words)


def sections(report: Report, jobs: Jobs) -> Iterator[Markup]:
    """The numbers, what causes the changes, and the objects that change."""
    summary = report.difference.summary
    told = numbers(summary.before, summary.after)
    if told:
        same = unchanged(told)
        shown = element("p", sentence(same), ".", class_="same") if same else _totals(told)
        yield section("All TrainJobs together", shown, *_groups(by_group(summary)))
    if report.causes:
        causes = (_cause(each, jobs) for each in report.causes)
        yield section("What causes it", element("ul", *causes, class_="card causes"))
    found = only_new_runs(report)
    if found:
        yield section("What new runs become", element("p", new_runs(len(found))), names_of(jobs.told(found)))
    if report.objects:
        yield section("What changes", *objects(report))


def unknown(report: Report, jobs: Jobs) -> Iterator[Markup]:
    """What is not known, and why."""
    if report.difference.unbuilt:
        yield section("Cannot be built, so not compared", names_of(jobs.told(report.difference.unbuilt)))
    if report.difference.incomplete:
        yield section("Cannot be read in full", names_of(unread(report)))
    if report.problems:
        problems = (element("li", sentence(problem(each, report))) for each in report.problems)
        yield section("Errors in the files", element("ul", *problems, class_="card causes"))


def section(title: str, *children: str) -> Markup:
    """A part of the page below its own title."""
    return element("section", element("h2", title), *children)


def _totals(told: Sequence[Number]) -> Markup:
    head = element("tr", *(element("th", text, scope="col") for text in ("", "before", "after", "difference")))
    rows = [
        element(
            "tr",
            element("th", sentence(number.name), scope="row"),
            element("td", number.before),
            element("td", number.after),
            element("td", number.difference or "none", class_="difference" if number.difference else ""),
            class_="" if number.difference else "same",
        )
        for number in told
    ]
    return table(head, rows)


def _groups(grouped: Grouped | None) -> Iterator[Markup]:
    if grouped is None:
        return
    first = ("namespace", "queue") if grouped.has_queues else ("namespace",)
    names = [element("th", name, scope="col", class_="name") for name in first]
    head = element("tr", *names, *(element("th", sentence(name), scope="col") for name in grouped.names))
    rows = (_group(*row, has_queue=grouped.has_queues) for row in grouped.rows)
    yield table(head, rows, f"By {' and '.join(first)}")


def _group(group: Group, cells: Sequence[str], *, has_queue: bool) -> Markup:
    namespace = element("th", code(in_short(group.namespace)) if group.namespace else "none stated", scope="row")
    queue = (
        element("th", code(in_short(group.queue)) if group.queue else "none", scope="row") if has_queue else Markup("")
    )
    return element("tr", namespace, queue, *(element("td", cell) for cell in cells))


def table(head: Markup, rows: Iterable[Markup], caption: str = "") -> Markup:
    """A table that scrolls where it is too wide."""
    title = (element("caption", caption),) if caption else ()
    return element(
        "div", element("table", *title, element("thead", head), element("tbody", *rows)), class_="scroll", tabindex="0"
    )


def _cause(told: CauseView, jobs: Jobs) -> Markup:
    of = told.cause.jobs
    what = sentence(caused(told))
    if not of:
        return element("li", what, " → no TrainJob")
    count = element("span", plural(len(of), "TrainJob"), class_="many")
    return element("li", folded(joined((what, " → ", count)), names_of(jobs.told(of))))
