"""Strings in a form that every YAML reader reads back as the same string.

The readers are kubectl (go-yaml v2 and its YAML 1.1 words) and kustomize (go-yaml v3), PyYAML and ruamel.yaml (YAML 1.2
and 1.1). They disagree about `y`, `0o17`, `1e3`, `22:22` or `2024-01-01`: what one of them may read as another type is
quoted. Invisible characters are escaped, and commands to a CI system.
"""

from __future__ import annotations

import re

from kubectl_trainjob.model.printable import COMMAND

UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ud800-\udfff\ufeff"
    "\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e007f"
)
"""For a character class: control characters except tab and line feed, odd blanks, line separators, bidirectional and
zero-width marks, byte order marks, surrogates."""

# Signs may lead an option (`--lr=1e-5`), dots and slashes a path; every other indicator needs quotes.
_PLAIN = re.compile(rf"(?:[^\W\d]|[-+./$(<\\^;~0-9])[^\t\n{UNSEEN}]*(?<![ :])\Z")
_INDICATOR = re.compile(r": | #|\A-(?:\Z| )|\A---|\A\.\.\.|##\w*\[")
_NUMBER = re.compile(r"[-+]?\.?[0-9_][-+.,:_0-9a-fA-FxXoO]*\Z|[-+.]+\Z|[-+]?\.(?:inf|nan)\Z|[0-9]{4}-", re.IGNORECASE)
_WORDS = frozenset(("~", "<<", "null", "true", "false", "y", "yes", "n", "no", "on", "off"))

_HAS_UNSEEN = re.compile(f"[{UNSEEN}]|{COMMAND.pattern}")
ESCAPED = rf'["\\\t\n{UNSEEN}]|{COMMAND.pattern}'
"""The characters that double quotes escape; seldom needed, therefore not compiled at import."""
ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_NOT_IN_BLOCKS = re.compile(rf"{_HAS_UNSEEN.pattern}|^[^\S\n]*::", re.MULTILINE)
_LINE_START = re.compile(r"\n(?=[^\n])")


def scalar(text: str) -> str:
    """`text` on one line: plain where no reader could misread it, else in single, else in double quotes.

    Raises ValueError for a lone surrogate, which no file can hold.
    """
    if _PLAIN.match(text) and not (_INDICATOR.search(text) or _NUMBER.match(text) or text.lower() in _WORDS):
        return text
    if "\t" in text or "\n" in text or _HAS_UNSEEN.search(text):
        return '"' + re.sub(ESCAPED, escape, text) + '"'
    return "'" + text.replace("'", "''") + "'"


def literal(text: str, indent: str) -> str | None:
    """`text`, which has several lines, as a literal block whose lines start with `indent`; None where none is safe.

    Not safe are characters that need an escape, first lines that change the indentation, and blanks at the end. Neither
    are commands to a CI system.
    """
    body = text.rstrip("\n")
    if not body or body.lstrip("\n")[0] in " \t" or body[-1] in " \t" or _NOT_IN_BLOCKS.search(text):
        return None
    ends = len(text) - len(body)
    return ("|-", "|", "|+")[min(ends, 2)] + _LINE_START.sub("\n" + indent, "\n" + body) + "\n" * (ends - 1)


def escape(match: re.Match[str]) -> str:
    """A character as double quotes escape it. Raises ValueError for a lone surrogate."""
    character = match[0]
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        raise ValueError(f"a lone surrogate (U+{code:04X}) cannot be written")
    return ESCAPES.get(character) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
