"""What can be wrong with a template, on its way back to the build."""

from __future__ import annotations

import re

from kubectl_trainjob.repository.templates.wire import Kind, Problem

_MOST = 400  # characters of a message
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+|0x[0-9a-fA-F]{8,}")
_INNER_NAME = re.compile(r"\b(?:kubectl_trainjob|jinja2)(?:\.\w+)*\.|\bl_\d+_|\b(?:(?:sync_)?do_|_)(?=[a-z]\w*\(\))")


class ProblemError(Exception):
    """A reason why a template gives no text; `line` and `column` are those of `wire.Problem`."""

    def __init__(self, kind: Kind, message: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.line = line
        self.column = column

    def encode(self) -> bytes:
        """For the wire, with a message that is not too long."""
        message = self.message if len(self.message) <= _MOST else self.message[:_MOST] + " …"
        return Problem(self.kind, message, self.line, self.column).encode()


def told(message: str) -> str:
    """What Python or Jinja2 says, as our messages begin and end, without addresses and names of their insides."""
    plain = _INNER_NAME.sub("", _ADDRESS.sub("", message)).partition("; use sys.")[0].strip().rstrip(".")
    return plain[:1].lower() + plain[1:] if plain[1:2].islower() else plain
