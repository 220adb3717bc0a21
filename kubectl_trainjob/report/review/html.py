"""A review as one HTML file: the verdict, the jobs and what is new wrong, above the page of the difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubectl_trainjob.model.finding import Position
from kubectl_trainjob.report.diff.html import footer, page, points, section, sections, sides, table, unknown
from kubectl_trainjob.report.diff.words import Jobs
from kubectl_trainjob.report.grouped import Merged, merged, named
from kubectl_trainjob.report.html_syntax import Markup, code, element, line, sentence
from kubectl_trainjob.report.lint.words import not_judged, set_aside
from kubectl_trainjob.report.review import words
from kubectl_trainjob.report.review.headline import difference_of, headline_of, repeated
from kubectl_trainjob.report.sentence import apart, in_short, plural, written
from kubectl_trainjob.review.view import JobRow, Review

_MOST_FINDINGS = 1000
_MOST_NOTES = 20  # of one finding
_LONGEST = 1000  # characters of a message


def as_html(review: Review) -> str:
    """The whole page, UTF-8 text."""
    report = difference_of(review)
    jobs = Jobs(report)
    told = written(headline_of(review).in_line(), str)
    title = f"{in_short(report.old)} → {in_short(report.new)}: {told}"
    main = (*unknown(report, jobs), *_jobs(review, jobs), *_findings(review), *sections(report, jobs))
    return page(title, _header(review), main, footer("review"))


def _header(review: Review) -> Markup:
    told = headline_of(review)
    verdict = element("h1", sentence(told.first()), class_="bad" if told.weight == "bad" else "")
    return element("header", sides(review.report), verdict, points(told.bad, told.others))


def _jobs(review: Review, jobs: Jobs) -> Iterator[Markup]:
    if review.rows:
        left = ("name", "name", "name", "", "", "")
        head = (element("th", name, scope="col", class_=kind) for name, kind in zip(words.HEAD, left, strict=True))
        twice = repeated(review)
        note = (element("p", f"{twice}.", class_="faint"),) if twice else ()
        yield section("Jobs", table(element("tr", *head), (_row(row, jobs) for row in review.rows)), *note)


def _row(row: JobRow, jobs: Jobs) -> Markup:
    weight, verdict = words.verdict(row)
    return element(
        "tr",
        element("th", sentence(words.name(row, jobs)), scope="row"),
        element("td", sentence(words.change(row)), class_="words"),
        element("td", verdict, class_=f"words {weight}"),
        element("td", sentence(words.gpu_cell(row.sizes)), class_="gpus"),
        element("td", words.size_cell(row.sizes)),
        element("td", words.finding_cell(row)),
    )


def _findings(review: Review) -> Iterator[Markup]:
    findings = merged(review.results)
    aside = set_aside(review.lint)
    parts = [_finding(each) for each in findings[:_MOST_FINDINGS]]
    if len(findings) > _MOST_FINDINGS:
        hidden = plural(len(findings) - _MOST_FINDINGS, "more finding")
        parts.append(element("p", f"{hidden}: see -o json.", class_="faint"))
    parts += [element("p", sentence(not_judged(each)), class_="faint") for each in review.lint.unverifiable]
    if aside:
        parts.append(element("p", f"Not told: {aside}.", class_="faint"))
    if parts:
        yield section("New findings" if findings else "No new findings", *parts)


def _finding(finding: Merged) -> Markup:
    first = finding.first
    severity = finding.severity.value
    title = element(
        "p",
        element("span", severity, class_="badge removed" if severity == "error" else "badge"),
        element("b", code(in_short(f"{first.rule.id} {first.rule.name}"))),
        " ",
        element("span", code(_where(first.position)), class_="at"),
    )
    message = element("p", sentence(apart(in_short(first.message, _LONGEST))))
    return element("div", title, message, *_excerpt(finding), *_notes(finding), class_=f"card finding {severity}")


def _excerpt(finding: Merged) -> Iterator[Markup]:
    excerpt = finding.first.excerpt
    if excerpt and excerpt.line:
        lines: Sequence[str] = (excerpt.line, excerpt.carets)
        yield element("pre", *(element("span", line(in_short(each))) for each in lines), class_="lines", tabindex="0")


def _notes(finding: Merged) -> Iterator[Markup]:
    objects = named(finding)
    notes = [element("li", "in ", code(in_short(objects)))] if objects else []
    notes += [
        element("li", code(_where(note.position)), ": ", sentence(apart(in_short(note.message))))
        for note in finding.related[:_MOST_NOTES]
    ]
    if notes:
        yield element("ul", *notes)


def _where(at: Position) -> str:
    return f"{in_short(at.path)}:{at.span.line}"
