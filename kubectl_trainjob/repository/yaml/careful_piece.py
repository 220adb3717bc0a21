"""One document read with care: what is odd about it is said with exact places, and its data is kept where possible."""

from __future__ import annotations

import re
from typing import Any

from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.yaml import syntax
from kubectl_trainjob.repository.yaml.careful import AbandonedError, Careful
from kubectl_trainjob.repository.yaml.compose import Backend, TooDeepError, YAMLError, roots
from kubectl_trainjob.repository.yaml.stream import Lines, Piece, is_dense, whole_surrogates_hidden

_SEPARATOR_LINE = re.compile(r"---[ \t]*(\S.*)")
_DIRECTIVE = re.compile(r"(?:[ \t]*+(?:#[^\n]*+|\r)?\n)*+(%[^\r\n]*)")
_DOCUMENT_END = re.compile(r"^\.\.\.(?=\s|\Z)", re.MULTILINE)
_BLANK_OR_COMMENT = re.compile(r"(?:\s|(?:^|(?<=\s))#.*$|^---)*+", re.MULTILINE)


class CarefulReader:
    """Reads one piece of a file; `diagnostics` then holds what is wrong with it."""

    def __init__(self, file: SourceFile, piece: Piece, lines: Lines, limits: Limits, backend: Backend) -> None:
        self._careful = Careful(file, piece, lines, limits, backend)
        self._piece = piece
        self._limits = limits
        self._backend = backend

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What is wrong with the document."""
        return self._careful.diagnostics

    def read(self, repeated: int) -> tuple[Any, int]:
        """The data, None where there is none, and the build's count of nodes repeated by aliases up to here."""
        careful = self._careful
        careful.repeated = repeated
        value = None
        try:
            value = self._value()
        except AbandonedError:
            pass
        except TooDeepError as error:
            careful.too_deep(error.node)
        except (YAMLError, ValueError, OverflowError) as error:
            careful.diagnostics.append(syntax.explain(error, self._piece, careful.place_at))
        return value, careful.repeated

    def _value(self) -> Any:
        careful, text = self._careful, self._piece.text
        if odd := _not_one_document(text) or self._too_dense():
            rule, message, start, end = odd
            careful.diagnostics.append(Diagnostic(rule, message, careful.place_at(start, end)))
            return None
        if self._piece.is_json:
            text = whole_surrogates_hidden(text)
        found = list(roots(text, self._limits.depth, self._backend))
        if len(found) > 1:
            at = found[1].start_mark.index
            message = "kubectl reads no second document here; put it behind a line that is ---"
            careful.diagnostics.append(Diagnostic(rules.DOCUMENT_SEPARATOR, message, careful.place_at(at, at + 1)))
        return careful.build(found[0]) if found else None

    def _too_dense(self) -> tuple[Rule, str, int, int] | None:
        if not is_dense(self._piece.text, self._limits):
            return None
        message = (
            f"the document has more than {self._limits.entries} lines and commas, the limit (limits.entries); split it"
        )
        return rules.TOO_DENSE, message, 0, 1


def _not_one_document(text: str) -> tuple[Rule, str, int, int] | None:
    """What keeps kubectl from reading a piece as one document: rule, message, offsets."""
    if (line := _SEPARATOR_LINE.match(text)) and not _is_comment_line(text, line.start(1)):
        message = f'"{line[1].rstrip()[:40]}" stands on the separator line; move it to the next line'
        return rules.DOCUMENT_SEPARATOR, message, line.start(1), line.end(1)
    if directive := _DIRECTIVE.match(text):
        message = f'the directive "{directive[1].rstrip()[:40]}" makes kubectl refuse the file; remove the line'
        return rules.YAML_DIRECTIVE, message, directive.start(1), directive.end(1)
    end = _DOCUMENT_END.search(text)
    if end and _BLANK_OR_COMMENT.fullmatch(text, end.end()) is None:
        message = 'what follows "..." is ignored by kubectl; separate documents by a line ---'
        return rules.DOCUMENT_SEPARATOR, message, end.start(), end.end()
    return None


def _is_comment_line(text: str, at: int) -> bool:
    return text[at] == "#" and text[at - 1] in " \t"
