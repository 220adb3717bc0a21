r"""JSON in which data is inert wherever it is printed or read: only ASCII, no control character, no half character.

A terminal, or the log of a CI system, may get the text; and readers that are stricter than Python's take it, too: they
reject a lone surrogate, which a path that is not UTF-8 has. It is written as the six characters `\udc80`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from kubectl_trainjob.model.printable import COMMAND

_NOT_PLAIN = re.compile(rf"[^\n -~]|{COMMAND.pattern}")


def as_json_text(value: Any, indent: int = 2) -> str:
    """Plain data as JSON of several lines; it ends in a newline."""
    return _NOT_PLAIN.sub(_escape, json.dumps(value, ensure_ascii=False, indent=indent)) + "\n"


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xD800 <= code < 0xE000:
        return f"\\\\u{code:04x}"
    if code > 0xFFFF:
        high, low = divmod(code - 0x10000, 0x400)
        return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
    return f"\\u{code:04x}"
