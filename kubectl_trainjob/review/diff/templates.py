"""Why two renderings of a template differ, and which edit changed a value that comes from a template."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from kubectl_trainjob.explain.values import mentioned_values, template_lines
from kubectl_trainjob.model.source import Place, Pointer, Source, SourceFile, Span, TextOrigin, show_pointer
from kubectl_trainjob.repository.positions import Location, ResolvePlace
from kubectl_trainjob.repository.yaml.stream import LINE_END
from kubectl_trainjob.review.diff.contents import Contents, difference

_VALUES = "values"
_FACTS = ("namespace", "namePrefix", "nameSuffix")
_OPENED, _CLOSED = "{#", "#}"
_WORD = re.compile(r"\w+")
_MOST_VALUES = 20  # reported one by one


class Reason(NamedTuple):
    """What differs, as a word or the setting of an overlay, and its place. That is in the head, or in the base if it
    `is_gone`.
    """

    what: str
    place: Place
    is_gone: bool = False


def reasons(old: TextOrigin | None, new: TextOrigin, contents: Contents) -> Iterator[Reason]:
    """Each reason why the text of a template differs; at least one.

    A changed comment counts only without other reasons. Only values that the template names count.
    """
    line = _first_line(old.file.text if old else "", new.file.text)
    if old is None or not (old.values and new.values):
        yield _template(new.file, line)
        return
    found = list(_of_overlay(old.values, new.values, new.file.text, contents))
    if _meaning(old.file.text) != _meaning(new.file.text) or not found:
        yield _template(new.file, line)
    yield from found


def _template(file: SourceFile, line: int) -> Reason:
    return Reason("template", Place(Source(file), span=Span(line, 1, line, 2)))


def _of_overlay(old: Source, new: Source, template: str, contents: Contents) -> Iterator[Reason]:
    before, after = (contents.at(Place(source, (_VALUES,))) or {} for source in (old, new))
    ways = {key: difference(before.get(key), after.get(key)) for key in {**before, **after}}
    differing = {key: way for key, way in ways.items() if way is not None}
    words = set(_WORD.findall(template))
    named = {key: way for key, way in differing.items() if words.issuperset(_WORD.findall(str(key)))} or differing
    if len(named) > _MOST_VALUES:
        yield _setting(old, new, (_VALUES,), contents)
    else:
        yield from (_setting(old, new, (_VALUES, key, *way), contents) for key, way in named.items())
    if "overlay" not in words:
        return
    for fact in _FACTS:
        if contents.at(Place(old, (fact,))) != contents.at(Place(new, (fact,))):
            yield _setting(old, new, (fact,), contents)
    if _directory(old) != _directory(new):
        yield Reason("overlay", Place(new))


def _setting(old: Source, new: Source, pointer: Pointer, contents: Contents) -> Reason:
    before, after = Place(old, pointer), Place(new, pointer)
    is_gone = contents.at(after) is None and contents.at(before) is not None
    return Reason(show_pointer(pointer), before if is_gone else after, is_gone)


def _directory(overlay: Source) -> str:
    return posixpath.basename(posixpath.dirname(overlay.file.path))


def _first_line(old: str, new: str) -> int:
    """The first line of the new text that differs from the old one, counted from 1; the last line if it has fewer."""
    before, after = LINE_END.split(old), LINE_END.split(new)
    same = next((i for i, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
    return min(len(before), len(after) - 1) + 1 if same is None else same + 1


def _meaning(text: str) -> list[str]:
    """The lines of a template without comments of YAML or of templates."""
    lines = (line.rstrip() for line in LINE_END.split(_without_comments(text)))
    return [line for line in lines if line and not line.lstrip().startswith("#")]


def _without_comments(text: str) -> str:
    parts, start = [], 0
    while (opened := text.find(_OPENED, start)) >= 0 and (closed := text.find(_CLOSED, opened)) >= 0:
        parts.append(text[start:opened])
        start = closed + len(_CLOSED)
    return "".join((*parts, text[start:]))


Places = tuple[Place | None, Place | None]


def edited_places(old: Place | None, new: Place | None, resolve: ResolvePlace, contents: Contents) -> Places:
    """The places of the edit that changed a value.

    If both values come from one line of a template, these are the first different overlay values that it names.
    """
    if old is None or new is None:
        return old, new
    before, after = resolve(old), resolve(new)
    values = _values(before), _values(after)
    if values[0] is None or values[1] is None or _line(before) != _line(after):
        return old, new
    for pointer in mentioned_values(after):
        places = Place(values[0], pointer), Place(values[1], pointer)
        way = contents.difference(*places)
        if way is not None:
            return places[0].child(*way), places[1].child(*way)
    return old, new


def _values(location: Location) -> Source | None:
    """The overlay whose values rendered the template at a location."""
    written = location.generated.file.written if location.generated else None
    return written.values if written else None


def _line(location: Location) -> str:
    lines = template_lines(location.file.text).lines
    return lines[min(location.span.line, len(lines)) - 1]
