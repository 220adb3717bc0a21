"""Finds values that may not be shown: the content of Secrets, and the tokens of users."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator
from typing import Any

_SHORTEST_WORD = 24  # characters of a word of a value: shorter ones are names and types of keys
_SHORTEST = 12  # characters of a whole value


class Canary:
    """The values that it has learned."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self.values = set(values)

    def learn(self, secret: Any) -> None:
        """Learn the content of a Secret, as it is and in base64."""
        for value in _values(secret.get("data")):
            self.values |= set(_parts(value))
        for value in _values(secret.get("stringData")):
            self.values |= set(_parts(base64.b64encode(value.encode()).decode()))

    def found(self, texts: Iterable[str]) -> list[str]:
        """The texts that have one of the values, cut to what is before it."""
        places = ((text, min((text.find(each) for each in self.values if each in text), default=-1)) for text in texts)
        return [f"{text[max(at - 80, 0) : at]}…" for text, at in places if at >= 0]


def _values(content: Any) -> list[str]:
    """The texts of a Secret, also of one that the server rejects."""
    return [each for each in content.values() if isinstance(each, str)] if isinstance(content, dict) else []


def _parts(encoded: str) -> Iterator[str]:
    if len(encoded) >= _SHORTEST:
        yield encoded
    try:
        text = base64.b64decode(encoded, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return
    if len(text) >= _SHORTEST:
        yield text
    yield from (word.strip('"') for word in text.split() if len(word) > _SHORTEST_WORD)
