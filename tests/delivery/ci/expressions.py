"""GitHub's expressions, as far as the actions here use them: names, texts, == != ! && || and parentheses.

A value is a text, a bool, None for what is not there, or a mapping. Texts compare without case, as on GitHub.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_TOKEN = re.compile(r"\s*('(?:[^']|'')*'|==|!=|&&|\|\||[!()]|[A-Za-z_][\w.-]*)")


def filled(text: str, contexts: Mapping[str, Any]) -> str:
    """A text with every `${{ }}` replaced by its value."""
    return re.sub(r"\$\{\{(.*?)\}\}", lambda match: _text(evaluated(match[1], contexts)), text, flags=re.DOTALL)


def evaluated(expression: str, contexts: Mapping[str, Any]) -> Any:
    """The value of one expression. Raises ValueError for what is not understood."""
    tokens, position, expression = [], 0, expression.strip()
    while position < len(expression):
        match = _TOKEN.match(expression, position)
        if not match:
            raise ValueError(f"not understood: {expression[position:]!r}")
        tokens.append(match[1])
        position = match.end()
    parser = _Parser(tokens, contexts)
    value = parser.either()
    if parser.tokens:
        raise ValueError(f"not understood: {parser.tokens}")
    return value


def _text(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


class _Parser:
    def __init__(self, tokens: list[str], contexts: Mapping[str, Any]) -> None:
        self.tokens = tokens
        self._contexts = contexts

    def either(self) -> Any:
        value = self._both()
        while self._takes("||"):
            other = self._both()
            value = value or other
        return value

    def _both(self) -> Any:
        value = self._compared()
        while self._takes("&&"):
            other = self._compared()
            value = value and other
        return value

    def _compared(self) -> Any:
        value = self._one()
        for sign in ("==", "!="):
            if self._takes(sign):
                return (_text(value).lower() == _text(self._one()).lower()) == (sign == "==")
        return value

    def _one(self) -> Any:
        if self._takes("!"):
            return not self._one()
        if self._takes("("):
            value = self.either()
            if not self._takes(")"):
                raise ValueError("a parenthesis is not closed")
            return value
        token = self.tokens.pop(0)
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        return {"true": True, "false": False}.get(token, self._named(token))

    def _named(self, name: str) -> Any:
        value: Any = self._contexts
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        return value

    def _takes(self, sign: str) -> bool:
        if not self.tokens or self.tokens[0] != sign:
            return False
        self.tokens.pop(0)
        return True
