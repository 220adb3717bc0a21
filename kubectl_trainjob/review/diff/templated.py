"""Why two renderings of a template differ: its text, the values that it was rendered with, or what it knows of their
overlay.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from kubectl_trainjob.model.source import Place, Pointer, Source, SourceFile, Span, Written, show_pointer
from kubectl_trainjob.repository.yaml.stream import LINE_END
from kubectl_trainjob.review.diff.contents import Contents, difference

_VALUES = "values"
_FACTS = ("namespace", "nameSuffix")
_OPENED, _CLOSED = "{#", "#}"
_WORD = re.compile(r"\w+")
_MOST_VALUES = 20  # that are told one by one


class Reason(NamedTuple):
    """What differs, in a word or as the setting of an overlay, and where it stands on the new side, on the old one if
    it `is_gone`.
    """

    what: str
    place: Place
    is_gone: bool = False


def reasons(old: Written | None, new: Written, contents: Contents) -> Iterator[Reason]:
    """Each reason why a text that was made of a template is not the same any more; at least one.

    A comment is none, as long as there is another reason. Of the values those count that the template names.
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
    """The first line of a new text that is another one than in the old, counted from 1; the last, if it has fewer."""
    before, after = LINE_END.split(old), LINE_END.split(new)
    same = next((i for i, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
    return min(len(before), len(after) - 1) + 1 if same is None else same + 1


def _meaning(text: str) -> list[str]:
    """The lines of a template without comments, be they YAML's or the template's own."""
    lines = (line.rstrip() for line in LINE_END.split(_without_comments(text)))
    return [line for line in lines if line and not line.lstrip().startswith("#")]


def _without_comments(text: str) -> str:
    parts, start = [], 0
    while (opened := text.find(_OPENED, start)) >= 0 and (closed := text.find(_CLOSED, opened)) >= 0:
        parts.append(text[start:opened])
        start = closed + len(_CLOSED)
    return "".join((*parts, text[start:]))
