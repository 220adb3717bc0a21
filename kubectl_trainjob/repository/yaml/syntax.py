"""A parser's complaint as a diagnostic: where to look, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic, Related
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.repository.yaml.stream import Piece

PlaceAt = Callable[[int, int], Place]
"""A place in the file for two offsets inside a piece."""

FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# The parser's words (libyaml's and PyYAML's), what is wrong in a person's words, and what to do.
_ADVICE = (
    (
        "mapping values are not allowed",
        'a ":" where no key can stand',
        "quote a value that holds `: `, or indent evenly",
    ),
    ("cannot start any token", "{char} cannot begin a value", "quote the value, and indent with spaces, never tabs"),
    ("tab character", "a tab in the indentation", "indent with spaces"),
    ("expected ':'", 'a line that is no "key: value"', "add the colon, or indent the line so that it belongs above"),
    ("while scanning a simple key", 'a line that is no "key: value"', "add the colon"),
    ("',' or '}'", "a {{...}} mapping is not continued properly", "separate entries by commas and close it with }}"),
    ("',' or ']'", "a [...] list is not continued properly", "separate items by commas and close it with ]"),
    ("expected key", "a line does not line up with the mapping it stands in", "give all its keys the same indentation"),
    ("block end", "a line does not line up with what it stands in", "give all keys or items the same indentation"),
    ("'-' indicator", "a line does not line up with the list it stands in", "begin every item with - in one column"),
    ("block sequence entries are not allowed", "a - item where no list can begin", "begin the list on the next line"),
    ("block mapping", "a mapping where none can begin", "begin it on the next line, or put it into braces"),
    ("unknown escape", "{char} is no escape in double quotes", "use single quotes, or write the backslash twice"),
    ("undefined alias", "an alias whose anchor is not defined before it", "define it with & in the same document"),
    ("document start", "text behind the end of the document", "put a line --- before the next document"),
    ("node content", "a value is missing", "write the value, or close the bracket"),
)
_ESCAPE = re.compile(r"\\[xuU][0-9a-fA-F]*")


def explain(error: Exception, piece: Piece, place_at: PlaceAt) -> Diagnostic:
    """The diagnostic for what a parser raised on a piece."""
    forbidden = FORBIDDEN.search(piece.text)
    if forbidden is not None:
        place = place_at(forbidden.start(), forbidden.end())
        return Diagnostic(rules.CONTROL_CHARACTER, control_character(forbidden[0]), place)
    problem = str(getattr(error, "problem", None) or error).partition("\n")[0]
    context = str(getattr(error, "context", None) or "")
    at = _index(getattr(error, "problem_mark", None))
    began = _index(getattr(error, "context_mark", None))
    if at is None:
        return Diagnostic(rules.YAML_SYNTAX, f"this is not valid YAML: {problem}", place_at(0, 1))
    if "Unicode character escape" in problem:
        escape = _ESCAPE.search(piece.text, max(piece.text.rfind("\\", 0, at + 1), 0))
        start, end = escape.span() if escape else (at, at + 1)
        return Diagnostic(rules.LONE_SURROGATE, lone_surrogate(piece.text[start:end]), place_at(start, end))
    if "duplicate anchor" in context and began is not None:
        message = "an anchor has the name of another one in the same document; give it a name of its own"
        first = Related("the other anchor stands here", place_at(began, began + 1))
        return Diagnostic(rules.YAML_SYNTAX, message, place_at(at, at + 1), (first,))
    if "quoted scalar" in context and "end of stream" in problem + context and began is not None:
        return Diagnostic(
            rules.YAML_SYNTAX, "a quoted text has no end; add the closing quote", place_at(began, began + 1)
        )
    return _advised(problem, context, piece.text, (at, began), place_at)


def _advised(problem: str, context: str, text: str, marks: tuple[int, int | None], place_at: PlaceAt) -> Diagnostic:
    at, began = marks
    related = (Related("it begins here", place_at(began, began + 1)),) if began not in (None, at) else ()
    for words, wrong, advice in _ADVICE:
        if words in problem or words in context:
            message = f"{wrong.format(char=_shown(text[at : at + 1]))}; {advice.replace('}}', '}')}"
            break
    else:
        message = f"this is not valid YAML: {problem}"
    return Diagnostic(rules.YAML_SYNTAX, message, place_at(at, at + 1), related)


def _shown(char: str) -> str:
    return {"\t": "a tab", "": "the end of the file"}.get(char, f'"{char}"')


def _index(mark: Any) -> int | None:
    return None if mark is None else int(mark.index)


def control_character(char: str) -> str:
    """The message for a character that may not stand in a manifest."""
    name = "a NUL character" if char == "\0" else f"the control character U+{ord(char):04X}"
    return f"{name} is not allowed here; remove it, or write text without it"


def lone_surrogate(escape: str) -> str:
    """The message for an escape that names no character."""
    return f'the escape "{escape}" is no character; write the character itself'
