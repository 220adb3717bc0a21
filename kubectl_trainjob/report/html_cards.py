"""Objects and findings as cards of an HTML page: the update result, and each value before and after."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from kubectl_trainjob.model.finding import Position
from kubectl_trainjob.model.message import Data, Message, plural, say, truncate
from kubectl_trainjob.report.blocks import Card, DifferingValue
from kubectl_trainjob.report.findings import GroupedFinding
from kubectl_trainjob.report.html_syntax import Markup, code, element, folded, joined, line, sentence
from kubectl_trainjob.report.phrases import located
from kubectl_trainjob.report.values import DiffLine, common_start, has_lines, line_diff, pair

_OPEN = 40  # values in the objects that are open from the start
_MOST_VALUES = 500  # of one object
_MOST_NOTES = 20  # of one finding
_MARKS = {"bad": ("✕ ", " no"), "good": ("✓ ", " yes")}
ARROW = joined((element("span", "→", aria_hidden="true"), element("span", " changes to ", class_="hidden")))


def cards(changes: Sequence[Card]) -> Iterator[Markup]:
    """All cards; the first ones are open."""
    values = 0
    for card in changes:
        values += max(len(card.values), 1)
        yield _card(card, is_open=values <= _OPEN)
        yield Markup("\n")


def _card(card: Card, *, is_open: bool) -> Markup:
    body = tuple(_body(card))
    classes = "card object rejected" if card.is_urgent else "card object"
    if not body:
        return element("div", element("div", *_title(card), class_="title"), class_=classes)
    return folded(joined(_title(card)), element("div", *body, class_="body"), class_=classes, is_open=is_open)


def _title(card: Card) -> Iterator[Markup]:
    yield element("span", card.change, class_=f"badge {card.change}")
    yield element("h3", sentence(card.name))
    about = filter(None, (card.renamed, *card.about))
    yield from (element("span", ", ", sentence(each), class_="faint") for each in about)
    if card.effect:
        sign, kind = _MARKS.get(card.weight or "", ("", ""))
        mark = (element("span", sign, aria_hidden="true"),) if sign else ()
        yield element("span", *mark, sentence(card.effect), class_=f"verdict{kind}")


def _body(card: Card) -> Iterator[Markup]:
    if card.values:
        yield element("ul", *map(_value, card.values[:_MOST_VALUES]), class_="values")
    if len(card.values) > _MOST_VALUES:
        yield element("p", f"{len(card.values) - _MOST_VALUES} more values are in -o json.", class_="faint")
    if card.reasons:
        reasons = (element("li", _path(each.path, is_name=False), " ", sentence(each.words)) for each in card.reasons)
        yield element("ul", *reasons, class_="reasons")
    yield from (element("p", sentence(each), class_="faint") for each in card.notes)
    if card.members:
        count = element("span", plural(card.objects, "object"), class_="many")
        yield folded(count, names_of(card.members), class_="members")


def names_of(names: Iterable[Message]) -> Markup:
    """A list of names."""
    return element("ul", *(element("li", sentence(name)) for name in names), class_="names")


def _value(value: DifferingValue) -> Markup:
    place = element("span", sentence(value.place), class_="at") if value.place else Markup("")
    head = element("div", element("span", *_mark(value), _path(value.path)), place, class_="head")
    shown = (
        _lines(line_diff(value.old, value.new))
        if has_lines(value.old, value.new)
        else _pair(*pair(value.old, value.new))
    )
    return element("li", head, shown, class_="value")


def _mark(value: DifferingValue) -> Iterator[Markup]:
    if value.rejected is not None:
        words = say("rejected {}", value.rejected) if value.rejected else say("rejected")
        shown = element("span", sentence(words), class_="" if value.rejected else "hidden")
        yield element("span", element("span", "✕ ", aria_hidden="true"), shown, class_="cross")


def _path(path: str, *, is_name: bool = True) -> Markup:
    """The path, with places where a line may break; the last step of a value's name is bold."""
    *steps, last = re.findall(r"\[[^\]]*\]?|\.?[^.\[]+|\.", path) or [path]
    parts = [part for step in steps for part in (step, element("wbr"))]
    return element("code", *parts, element("b", last) if is_name else last, class_="path" if is_name else "")


def _pair(old: Message, new: Message) -> Markup:
    before = element("del", _mark_difference(old, new), class_="" if _has_data(old) else "none")
    after = element("ins", _mark_difference(new, old), class_="" if _has_data(new) else "none")
    return element("div", before, ARROW, after, class_="pair")


def _has_data(message: Message) -> bool:
    return any(isinstance(piece, Data) for piece in message.pieces)


def _mark_difference(message: Message, other: Message) -> Markup:
    """A message in which the part that the other one does not have is underlined."""
    texts = [piece.text for piece in (*message.pieces, *other.pieces) if isinstance(piece, Data)]
    if len(texts) != 2:
        return sentence(message)
    start, end = _common(*texts)
    return joined(_underline(piece.text, start, end) if isinstance(piece, Data) else piece for piece in message.pieces)


def _underline(text: str, start: int, end: int) -> Markup:
    if not any(map(str.isalnum, text[:start] + text[len(text) - end :])):
        start, end = len(text), 0  # too little is the same for a mark to help
    return element("code", text[:start], element("mark", text[start : len(text) - end]), text[len(text) - end :])


def _common(one: str, other: str) -> tuple[int, int]:
    """How many characters at the start and the end are the same, in whole words; 0 if too few."""
    start = _whole_words(one, other, common_start(one, other))
    most = min(len(one), len(other)) - common_start(one, other)
    end, other_end = one[::-1], other[::-1]
    return start, _whole_words(end, other_end, min(common_start(end, other_end), most))


def _whole_words(one: str, other: str, count: int) -> int:
    """So many characters, less those of a word that goes on in one of the texts."""
    in_word = any(text[count : count + 1].isalnum() for text in (one, other))
    while in_word and count and one[count - 1].isalnum():
        count -= 1
    return count


def _lines(lines: Iterable[DiffLine]) -> Markup:
    classes = {"-": "old", "+": "new", " ": "", "…": "words"}
    shown = (element("span", f"{each.sign} ", line(each.text), class_=classes[each.sign]) for each in lines)
    return element("pre", *shown, class_="lines", tabindex="0")


def finding_card(finding: GroupedFinding) -> Markup:
    """All about a finding."""
    first, severity = finding.first, finding.severity.value
    title = element(
        "p",
        element("span", severity, class_="badge removed" if severity == "error" else "badge"),
        element("b", code(truncate(f"{first.rule.id} {first.rule.name}"))),
        " ",
        element("span", _where(first.position), class_="at"),
    )
    message = element("p", sentence(first.message))
    return element("div", title, message, *_excerpt(finding), *_notes(finding), class_=f"card finding {severity}")


def _excerpt(finding: GroupedFinding) -> Iterator[Markup]:
    excerpt = finding.first.excerpt
    if excerpt and excerpt.line:
        lines = (element("span", line(truncate(each))) for each in (excerpt.line, excerpt.carets))
        yield element("pre", *lines, class_="lines", tabindex="0")


def _notes(finding: GroupedFinding) -> Iterator[Markup]:
    notes = [element("li", "in ", sentence(finding.objects))] if finding.objects else []
    notes += [
        element("li", _where(note.position), ": ", sentence(note.message)) for note in finding.related[:_MOST_NOTES]
    ]
    if notes:
        yield element("ul", *notes)


def _where(at: Position) -> Markup:
    return sentence(located(at.path, at.span.line))
