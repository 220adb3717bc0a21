"""One document, parsed strictly: errors have exact places, and the data is kept where possible."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic, RelatedPlace
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.repository.yaml.compose import TooDeepError, YAMLError, roots
from kubectl_trainjob.repository.yaml.mistakes import dashes, template_tag
from kubectl_trainjob.repository.yaml.stream import Piece, is_dense, whole_surrogates_hidden
from kubectl_trainjob.repository.yaml.strict import AbandonedError, StrictParser, control_character, lone_surrogate

_SEPARATOR_LINE = re.compile(r"---[ \t]*(\S.*)")
_DIRECTIVE = re.compile(r"(?:[ \t]*+(?:#[^\n]*+|\r)?\n)*+(%[^\r\n]*)")
_DOCUMENT_END = re.compile(r"^\.\.\.(?=\s|\Z)", re.MULTILINE)
_BLANK_OR_COMMENT = re.compile(r"(?:\s|(?:^|(?<=\s))#.*$|^---)*+", re.MULTILINE)
_TOO_DEEP = "maximum nesting depth"  # the words of libyaml from PyYAML 6.0.4 on, where a line has 1000 brackets


class StrictReader(StrictParser):
    """Reads one piece of a file; its errors are in `diagnostics`."""

    def read(self, repeated: int) -> tuple[Any, int]:
        """The data, None for none, and the build's count of nodes that aliases repeated up to here."""
        self.repeated = repeated
        value = None
        try:
            value = self._value()
        except AbandonedError:
            pass
        except TooDeepError as error:
            self.too_deep(self.start_of(error.node))
        except (YAMLError, ValueError, OverflowError) as error:
            found = explain(error, self._piece, self.place_at)
            if _TOO_DEEP in str(getattr(error, "problem", "")):
                self.too_deep(found.place)
            else:
                self.diagnostics.append(found)
        return value, self.repeated

    def _value(self) -> Any:
        text, most = self._piece.text, self._limits.entries
        if odd := _not_one_document(text):
            rule, message, start, end = odd
            self.diagnostics.append(Diagnostic(rule, message, self.place_at(start, end)))
            return None
        if is_dense(text, self._limits):
            message = say("the document has more than {} lines and commas, the limit (limits.entries); split it", most)
            self.diagnostics.append(Diagnostic(rules.TOO_DENSE, message, self.place_at(0, 1)))
            return None
        if self._piece.is_json:
            text = whole_surrogates_hidden(text)
        found = list(roots(text, self._limits.depth, self._backend))
        if len(found) > 1:
            at = found[1].start_mark.index
            message = say("kubectl reads only one document here; put a line --- before the second one")
            self.diagnostics.append(Diagnostic(rules.DOCUMENT_SEPARATOR, message, self.place_at(at, at + 1)))
        return self.build(found[0]) if found else None


def _not_one_document(text: str) -> tuple[Rule, Message, int, int] | None:
    """Why kubectl does not read a piece as one document: rule, message, offsets."""
    if (line := _SEPARATOR_LINE.match(text)) and not _is_comment_line(text, line.start(1)):
        message = say('"{}" is on the separator line; move it to the next line', line[1].rstrip())
        return rules.DOCUMENT_SEPARATOR, message, line.start(1), line.end(1)
    if directive := _DIRECTIVE.match(text):
        message = say('kubectl rejects the file because of the directive "{}"; remove the line', directive[1].rstrip())
        return rules.YAML_DIRECTIVE, message, directive.start(1), directive.end(1)
    end = _DOCUMENT_END.search(text)
    if end and _BLANK_OR_COMMENT.fullmatch(text, end.end()) is None:
        message = say('kubectl ignores what follows "..."; separate documents by a line ---')
        return rules.DOCUMENT_SEPARATOR, message, end.start(), end.end()
    return None


def _is_comment_line(text: str, at: int) -> bool:
    return text[at] == "#" and text[at - 1] in " \t"


PlaceAt = Callable[[int, int], Place]
"""A place in the file for two offsets inside a piece."""

FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# The words of the parser (libyaml's and PyYAML's), and our message; `{}` is the character.
_ADVICE = (
    (
        "mapping values are not allowed",
        'a ":" is in a value; quote a value that has ": " in it, or correct the indentation',
    ),
    ("alphabetic or numeric", 'a "*" or "&" begins an alias or an anchor; quote the value'),
    ("cannot start any token", "{} cannot begin a value; quote the value, and indent with spaces, never tabs"),
    ("tab character", "a tab is in the indentation; indent with spaces"),
    ("expected ':'", 'a line is not "key: value"; add a colon and a blank, or indent it to continue the line above'),
    ("while scanning a simple key", 'a line is not "key: value"; add a colon and a blank'),
    ("',' or '}'", "a {...} mapping is not continued correctly; separate entries by commas and close it with }"),
    ("',' or ']'", "a [...] list is not continued correctly; separate items by commas and close it with ]"),
    ("expected key", "a line is not indented as its mapping; give all keys of the mapping the same indentation"),
    ("block end", "a line is not indented as the lines above; give all keys or items the same indentation"),
    ("'-' indicator", "a line is not indented as its list; begin every item with - in one column"),
    ("block sequence entries are not allowed", "a list cannot begin here; begin it on the next line"),
    ("block mapping", "a mapping cannot begin here; begin it on the next line, or put it into braces"),
    ("unknown escape", "{} is not an escape in double quotes; use single quotes, or write the backslash twice"),
    ("undefined alias", "the anchor of an alias is not defined above it; define it with & in the same document"),
    ("document start", "text follows the end of the document; put a line --- before the next document"),
    ("node content", "a value is missing; write the value, or close the bracket"),
)
_PLACEHOLDER = re.compile(r"\.\.\.[ \t]*(?:#.*)?$", re.MULTILINE)
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
        return Diagnostic(rules.YAML_SYNTAX, say("this is not valid YAML: {}", problem), place_at(0, 1))
    if "Unicode character escape" in problem:
        escape = _ESCAPE.search(piece.text, max(piece.text.rfind("\\", 0, at + 1), 0))
        start, end = escape.span() if escape else (at, at + 1)
        return Diagnostic(rules.LONE_SURROGATE, lone_surrogate(piece.text[start:end]), place_at(start, end))
    if "duplicate anchor" in context and began is not None:
        message = say("two anchors of this document have the same name; rename one of them")
        first = RelatedPlace(say("the other anchor is here"), place_at(began, began + 1))
        return Diagnostic(rules.YAML_SYNTAX, message, place_at(at, at + 1), (first,))
    if "quoted scalar" in context and "end of stream" in problem + context and began is not None:
        message = say("a quoted text has no end; add the closing quote")
        return Diagnostic(rules.YAML_SYNTAX, message, place_at(began, began + 1))
    return _with_advice(problem, context, piece.text, (at, began), place_at)


def _with_advice(problem: str, context: str, text: str, marks: tuple[int, int | None], place_at: PlaceAt) -> Diagnostic:
    at, began = marks
    if "expected ':'" in problem and began is not None and _PLACEHOLDER.match(text, began):
        message = say('"..." is a placeholder; write what belongs here, or remove the line')
        return Diagnostic(rules.YAML_SYNTAX, message, place_at(began, began + 3))
    first = at if began is None else began
    if "expected ':'" in problem and (line := dashes(text, first)):
        message = say('"{}" does not separate documents; write --- at the start of the line', line)
        return Diagnostic(rules.YAML_SYNTAX, message, place_at(first, first + len(line)))
    if "expected ':'" in problem and text[first] == "-":
        message = say('a "-" has no blank after it; write a blank between it and the item')
        return Diagnostic(rules.YAML_SYNTAX, message, place_at(first, first + 1))
    if tag := template_tag(text, at) or template_tag(text, first):
        return Diagnostic(rules.YAML_SYNTAX, tag[2], place_at(*tag[:2]))
    is_word = "expected ':'" in problem and began is not None
    colon = (
        _missing_colon(text, text.find("\n", began) + 1 if is_word else at)
        if is_word or "values are" in problem
        else None
    )
    if colon is not None:
        message = say('a ":" is missing at the end of this line, or the next one is not indented correctly')
        return Diagnostic(rules.YAML_SYNTAX, message, place_at(*colon))
    if is_word:  # what follows is correct
        at = first
    related = (RelatedPlace(say("it begins here"), place_at(began, began + 1)),) if began not in (None, at) else ()
    is_open = began is not None and "',' or '" in problem and "\n" in text[began:at].rstrip()
    if began is not None and is_open and _indent(text, at) <= _indent(text, began):
        related = (RelatedPlace(say("what follows does not belong to it"), place_at(at, at + 1)),)
        at = began  # never closed
    if "document start" in problem and _indent(text, at) < _indent(text, len(text) - len(text.lstrip())):
        problem = "block end"  # of the first lines, which are indented
    template = next((ours for words, ours in _ADVICE if words in problem or words in context), None)
    message = say("this is not valid YAML: {}", problem)
    if template is not None:
        message = say(template, *[_show_char(text[at : at + 1])] * template.count("{}"))
    return Diagnostic(rules.YAML_SYNTAX, message, place_at(at, at + 1), related)


def _missing_colon(text: str, at: int) -> tuple[int, int] | None:
    """The word on the line above a key, if that word was probably meant as a key, too."""
    start = text.rfind("\n", 0, at) + 1
    above = text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : max(start - 1, 0)]
    is_deeper = _indent(text, at) > len(above) - len(above.lstrip(" "))
    word = re.fullmatch(r"\s*(?:- )?([A-Za-z][\w./-]*)\s*", above)
    return (
        (start - 1 - len(above) + word.start(1), start - 1 - len(above) + word.end(1)) if word and is_deeper else None
    )


def _indent(text: str, at: int) -> int:
    """The blanks at the start of the line of a position."""
    line = text[text.rfind("\n", 0, at) + 1 :]
    return len(line) - len(line.lstrip(" "))


def _show_char(char: str) -> Message:
    if not char:
        return say("the end of the file")
    return say("a tab") if char == "\t" else say('"{}"', char)


def _index(mark: Any) -> int | None:
    return None if mark is None else int(mark.index)
