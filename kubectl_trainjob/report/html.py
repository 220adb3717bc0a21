"""Documents as one HTML file: no script, nothing from outside, and no markup that comes from data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import singledispatch

from kubectl_trainjob.report.blocks import (
    Badge,
    Block,
    Cards,
    Column,
    Document,
    Effect,
    Effects,
    Errors,
    FindingDetails,
    Headline,
    Names,
    Number,
    Numbers,
    Statements,
    Table,
    Unverified,
)
from kubectl_trainjob.report.html_cards import ARROW, cards, finding_card, names_of
from kubectl_trainjob.report.html_syntax import Markup, code, element, folded, joined, sentence
from kubectl_trainjob.report.sentence import Sentence, more, plural, written


def render(document: Document) -> str:
    """The whole page, UTF-8 text."""
    from kubectl_trainjob.report.html_style import STYLE

    headline = document.headline
    assert headline is not None
    title = f"{' → '.join(headline.sides or ())}: {written(headline.in_line(), str)}"
    head = (
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(STYLE)),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        Markup(f"<style>{STYLE}</style>"),
    )
    main = (part for block in document.blocks for part in _block(block))
    body = (_header(headline), element("main", *main), _footer(document.command.split()[0]))
    whole = element("html", element("head", *head), element("body", *body), lang="en")
    return f"<!DOCTYPE html>\n{whole}\n"


def _policy(style: str) -> str:
    """Nothing is loaded, run or sent, and the only style is ours, by its hash."""
    from base64 import b64encode
    from hashlib import sha256

    digest = b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _header(of: Headline) -> Markup:
    """What is compared, the verdict, and what else there is to say; what is bad stands out."""
    assert of.sides is not None
    sides = element("p", code(of.sides[0]), " ", ARROW, " ", code(of.sides[1]), class_="sides")
    unknown = (element("p", sentence(of.unknown), class_="unknown"),) if of.unknown else ()
    verdict = element("h1", sentence(of.first), class_="bad" if of.weight == "bad" else "")
    bad = (element("li", element("span", "✕ ", aria_hidden="true"), sentence(each), class_="bad") for each in of.bad)
    points = element("ul", *bad, *(element("li", sentence(each)) for each in of.others), class_="points")
    return element("header", sides, *unknown, verdict, points)


def _footer(command: str) -> Markup:
    """Who made the page, and what it cannot know."""
    words = f"Made by kubectl trainjob {command}. Compiled offline: what a cluster adds by itself is not compared."
    return element("footer", words)


def _section(title: str, *children: str) -> Markup:
    """A part of the page below its own title."""
    return element("section", element("h2", title), *children)


@singledispatch
def _block(_of: Block) -> Iterator[Markup]:
    """The parts of a block; none of one that is for other formats."""
    yield from ()


@_block.register
def _(of: Statements) -> Iterator[Markup]:
    yield from (element("p", sentence(each), class_="faint") for each in of.sentences)


@_block.register
def _(of: Names) -> Iterator[Markup]:
    lead = (element("p", of.lead),) if of.lead else ()
    yield _section(of.title, *lead, names_of(of.names))


@_block.register
def _(of: Errors) -> Iterator[Markup]:
    errors = (element("li", sentence(each)) for each in of.items)
    yield _section("Errors in the files", element("ul", *errors, class_="card causes"))


@_block.register
def _(of: Effects) -> Iterator[Markup]:
    yield _section("What causes it", element("ul", *map(_effect, of.effects), class_="card causes"))


def _effect(of: Effect) -> Markup:
    if not of.jobs:
        return element("li", sentence(of.cause), " → no TrainJob")
    count = element("span", plural(of.jobs, "TrainJob"), class_="many")
    return element("li", folded(joined((sentence(of.cause), " → ", count)), names_of(of.names)))


@_block.register
def _(of: Numbers) -> Iterator[Markup]:
    if of.numbers:
        same = element("p", sentence(of.unchanged), ".", class_="same")
        groups = (_table(of.groups, of.groups.title),) if of.groups else ()
        yield _section("All TrainJobs together", same if of.unchanged else _totals(of.numbers), *groups)


def _totals(numbers: Iterable[Number]) -> Markup:
    head = (element("th", text, scope="col") for text in ("", "before", "after", "difference"))
    return _scrolling(element("tr", *head), map(_total, numbers))


def _total(of: Number) -> Markup:
    return element(
        "tr",
        element("th", sentence(of.name), scope="row"),
        element("td", of.before),
        element("td", of.after),
        element("td", of.difference or "none", class_="difference" if of.difference else ""),
        class_="" if of.difference else "same",
    )


@_block.register
def _(of: Table) -> Iterator[Markup]:
    yield _section(of.title, _table(of))


def _table(of: Table, caption: str = "") -> Markup:
    names = ("name", "words")
    head = (
        element("th", sentence(each.name), scope="col", class_="name" if each.kind in names else "")
        for each in of.columns
    )
    rows = (element("tr", *map(_cell, of.columns, row)) for row in of.rows)
    return _scrolling(element("tr", *head), rows, caption)


def _cell(column: Column, cell: Sentence | Badge) -> Markup:
    if isinstance(cell, Badge):
        return element("td", cell.words, class_=f"words {cell.weight}")
    if column.kind == "name":
        return element("th", sentence(cell), scope="row")
    return element("td", sentence(cell), class_={"words": "words", "wide": "gpus"}.get(column.kind, ""))


def _scrolling(head: Markup, rows: Iterable[Markup], caption: str = "") -> Markup:
    """A table that scrolls where it is too wide."""
    title = (element("caption", caption),) if caption else ()
    table = element("table", *title, element("thead", head), element("tbody", *rows))
    return element("div", table, class_="scroll", tabindex="0")


@_block.register
def _(of: Cards) -> Iterator[Markup]:
    yield _section("What changes", *cards(of.cards))


@_block.register
def _(of: FindingDetails) -> Iterator[Markup]:
    rest = (element("p", sentence(each), class_="faint") for each in more(of.more, "finding"))
    yield _section(of.title, *map(finding_card, of.findings), *rest)


@_block.register
def _(of: Unverified) -> Iterator[Markup]:
    yield from (element("p", sentence(each), class_="faint") for each in of.causes)
