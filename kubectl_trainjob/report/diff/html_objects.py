"""The objects of a difference as cards of an HTML page: what a cluster says, and each value before and after."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kubectl_trainjob.report.diff.alike import Alike, alike
from kubectl_trainjob.report.diff.words import (
    Refused,
    consequence,
    counterpart,
    found_in,
    made_from,
    members,
    named_after,
    refusals,
    refused_when,
    where,
)
from kubectl_trainjob.report.html_syntax import Markup, code, element, folded, joined, line, sentence
from kubectl_trainjob.report.sentence import Data, Sentence, apart, in_short, plural
from kubectl_trainjob.report.values import DiffLine, common_start, has_lines, line_diff, pair
from kubectl_trainjob.review.diff.refused import is_refused, refused_in
from kubectl_trainjob.review.diff.view import ObjectView, Report, Row

_OPEN = 40  # values in the objects that are open from the start
_MOST_VALUES = 500  # of one object
ARROW = joined((element("span", "→", aria_hidden="true"), element("span", " becomes ", class_="hidden")))


def objects(report: Report) -> Iterator[Markup]:
    """All cards."""
    values = 0
    for group in alike(report):
        values += max(len(group.rows), 1)
        yield _object(group, is_open=values <= _OPEN)
        yield Markup("\n")


def _object(group: Alike, *, is_open: bool) -> Markup:
    change = group.change
    body = tuple(_body(group))
    classes = "card object refused" if is_refused(change) else "card object"
    if not body:
        return element("div", element("div", *_title(group), class_="title"), class_=classes)
    return folded(joined(_title(group)), element("div", *body, class_="body"), class_=classes, is_open=is_open)


def _title(group: Alike) -> Iterator[Markup]:
    change = group.change
    yield element("span", change.change, class_=f"badge {change.change}")
    if len(group.members) > 1:
        yield element("h3", f"{len(group.members)} × ", code(in_short(change.identity.kind)))
        about = [found_in(group.changes)]
    else:
        yield element("h3", code(in_short(f"{change.identity.kind}/{change.identity.name}")))
        about = [counterpart(change), found_in([change]), made_from(change)]
    yield from (element("span", ", ", sentence(part), class_="faint") for part in about if part)
    yield from _verdict(group)


def _verdict(group: Alike) -> Iterator[Markup]:
    words = consequence(group.changes)
    if not words:
        return
    change, sign, kind = group.change, "", ""
    if change.verdict is not None:
        sign, kind = ("✕ ", " no") if refused_in(change) else ("✓ ", " yes")
    mark = (element("span", sign, aria_hidden="true"),) if sign else ()
    yield element("span", *mark, sentence(words), class_=f"verdict{kind}")


def _body(group: Alike) -> Iterator[Markup]:
    change, first = group.change, group.members[0]
    if group.rows:
        yield element("ul", *(_value(row, first) for row in group.rows[:_MOST_VALUES]), class_="values")
    if len(group.rows) > _MOST_VALUES:
        yield element("p", f"{len(group.rows) - _MOST_VALUES} more values are in -o json.", class_="faint")
    reasons = [_reason(each) for each in refusals(first)]
    if reasons:
        yield element("ul", *reasons, class_="reasons")
    if group.has_names:
        yield element("p", sentence(named_after(change)), class_="faint")
    if group.carried:
        words = plural(group.carried, "more value only carries", "more values only carry")
        yield element("p", f"{words} the new name.", class_="faint")
    if len(group.members) > 1:
        count = element("span", plural(len(group.members), "object"), class_="many")
        yield folded(count, names_of(members(group)), class_="members")


def names_of(names: Iterable[Sentence]) -> Markup:
    """A list of names."""
    return element("ul", *(element("li", sentence(name)) for name in names), class_="names")


def _reason(refused: Refused) -> Markup:
    steps, last = _steps(refused.path)
    when = f" {refused.when}" if refused.when else ""
    return element("li", element("code", *steps, last), f" is refused{when}: ", sentence(apart(refused.reason)))


def _value(row: Row, told: ObjectView) -> Markup:
    place = where(row.sources)
    at_ = element("span", sentence(place), class_="at") if place else Markup("")
    head = element("div", element("span", *_mark(row, told), _path(in_short(row.path))), at_, class_="head")
    shown = _lines(line_diff(row.old, row.new)) if has_lines(row.old, row.new) else _pair(*pair(row.old, row.new))
    return element("li", head, shown, class_="value")


def _mark(row: Row, told: ObjectView) -> Iterator[Markup]:
    if row.refused:
        when = refused_when(told.change, row.refused)
        words = element("span", f"refused {when}" if when else "refused", class_="" if when else "hidden")
        yield element("span", element("span", "✕ ", aria_hidden="true"), words, class_="cross")


def _path(path: str) -> Markup:
    """The path with its last step made to stand out."""
    steps, last = _steps(path)
    return element("code", *steps, element("b", last), class_="path")


def _steps(path: str) -> tuple[list[str], str]:
    """The steps of a path with places between them where a line may break, and the last one."""
    *steps, last = re.findall(r"\[[^\]]*\]?|\.?[^.\[]+|\.", path) or [path]
    return [part for step in steps for part in (step, element("wbr"))], last


def _pair(old: Sentence, new: Sentence) -> Markup:
    before, after = _marked(old, new), _marked(new, old)
    return element(
        "div",
        element("del", before, class_="" if _has_data(old) else "none"),
        ARROW,
        element("ins", after, class_="" if _has_data(new) else "none"),
        class_="pair",
    )


def _has_data(of: Sentence) -> bool:
    return any(isinstance(piece, Data) for piece in of)


def _marked(of: Sentence, other: Sentence) -> Markup:
    """A value in which the part that the other one does not have is underlined."""
    texts = [piece.text for piece in (*of, *other) if isinstance(piece, Data)]
    if len(texts) != 2:
        return sentence(of)
    start, end = _common(*texts)
    return joined(_underlined(piece.text, start, end) if isinstance(piece, Data) else piece for piece in of)


def _underlined(text: str, start: int, end: int) -> Markup:
    if not any(map(str.isalnum, text[:start] + text[len(text) - end :])):
        start, end = len(text), 0  # too little is the same for a mark to help
    return element("code", text[:start], element("mark", text[start : len(text) - end]), text[len(text) - end :])


def _common(one: str, other: str) -> tuple[int, int]:
    """How many characters of the words at both ends are the same; none where too little is."""
    start = common_start(one, other)
    most = min(len(one), len(other)) - start
    end = min(common_start(one[::-1], other[::-1]), most)
    in_word = any(text[start : start + 1].isalnum() for text in (one, other))
    while in_word and start and one[start - 1].isalnum():
        start -= 1
    in_word = any(text[len(text) - end - 1 : len(text) - end].isalnum() for text in (one, other))
    while in_word and end and one[len(one) - end].isalnum():
        end -= 1
    return start, end


def _lines(lines: Iterable[DiffLine]) -> Markup:
    classes = {"-": "old", "+": "new", " ": "", "…": "words"}
    shown = (element("span", f"{each.sign} ", line(each.text), class_=classes[each.sign]) for each in lines)
    return element("pre", *shown, class_="lines", tabindex="0")
