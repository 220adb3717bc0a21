"""Values in YAML's flow style, for the lines that messages say to write."""

from __future__ import annotations

import json
from typing import Any

_SIGNS = str.maketrans("", "", "-/.")
_NO_STRINGS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"})
"""What YAML reads as another type, without signs."""


def flow(value: Any) -> str:
    """A value in YAML's flow style, without a brace around the whole."""
    text = _text(value)
    return text[1:-1] if isinstance(value, dict) else text


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_text, value)) + "]"
    letters = value.translate(_SIGNS) if isinstance(value, str) else ""
    is_plain = letters.isalpha() and letters.lower() not in _NO_STRINGS
    return value if is_plain or value == "…" else json.dumps(value, ensure_ascii=False)
