"""Messages keep our words and the users' data apart from the start: each output makes the data safe in its own way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from kubectl_trainjob.model.secret_texts import without_secrets

_MOST_LISTED = 12


@dataclass(frozen=True, slots=True)
class Data:
    """A piece of a message that comes from the users' files, unchanged. Plain text shows a quoted one in quotes."""

    text: str
    is_quoted: bool = False

    def __str__(self) -> str:
        return f'"{self.text}"' if self.is_quoted else self.text


class Message(str):
    """A text for users, not yet safe to print, that keeps its `pieces`: words and data. `say` makes it."""

    __slots__ = ("pieces",)
    pieces: tuple[str | Data, ...]

    def __new__(cls, *pieces: str | Data) -> Message:
        """The message of these pieces; plain text in them is words."""
        self = super().__new__(cls, "".join(map(str, pieces)))
        self.pieces = pieces
        return self

    def __getnewargs__(self) -> tuple[str | Data, ...]:  # type: ignore[override]  # for pickle
        return self.pieces

    def written(self, data: Callable[[str], str], words: Callable[[str], str] = str) -> str:
        """The message with data and words as the functions write them; quotes mark data in plain text only."""
        return "".join(data(piece.text) if isinstance(piece, Data) else words(piece) for piece in self.pieces)


def say(template: str, *values: object) -> Message:
    """The message that a literal template makes with values in place of `{}`.

    A `str` is data, in plain text with quotes if the template has `"{}"`. An `int` or a `Message` joins the words. Any
    other value is shown as JSON, as data. The middle of long data is omitted, and secrets are masked.
    """
    first, *others = template.split("{}")
    pieces: list[str | Data] = [first]
    for value, after in zip(values, others, strict=True):
        before = pieces.pop()
        if isinstance(value, Message):
            pieces += (before, *value.pieces, after)
        elif type(value) is int:
            pieces += (before, str(value), after)
        elif isinstance(before, str) and before.endswith('"') and after.startswith('"'):
            pieces += (before[:-1], Data(truncate(_text(value)), is_quoted=True), after[1:])
        else:
            pieces += (before, Data(truncate(_text(value))), after)
    return Message(*(piece for piece in pieces if piece))


def _text(value: object) -> str:
    if isinstance(value, str):
        return without_secrets(value)
    import json  # only for the messages that need it: completion is fast

    return without_secrets(json.dumps(value, ensure_ascii=False))


def truncate(text: str, most: int = 300) -> str:
    """The text, or both ends of one with more than `most` characters; names of objects have up to 253."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2) :]}"


def plural(count: int, one: str, many: str = "") -> Message:
    """`1 Pod`, `2 Pods`, `2 processes`."""
    return Message(f"{count} {one if count == 1 else many or one + ('es' if one.endswith('s') else 's')}")


def listed(names: Iterable[str], last: str = "and", template: str = '"{}"') -> Message:
    """`"a"`, `"a" and "b"`, `"a", "b" and "c"`; of many names the first ones, and how many more there are."""
    every = list(names)
    parts = [say(template, name) for name in every[:_MOST_LISTED]]
    if len(every) > _MOST_LISTED:
        parts.append(say("{} more", len(every) - _MOST_LISTED))
    return joined(parts, last=f" {last} ")


def joined(parts: Iterable[Message], between: str = ", ", last: str = "") -> Message:
    """The parts, one after the other, with `between` or, before the last one, `last`."""
    every = list(parts)
    betweens = ["", *[between] * (len(every) - 2), last or between][: len(every)]
    return Message(
        *(piece for words, part in zip(betweens, every, strict=True) for piece in (words, *part.pieces) if piece)
    )


def describe(value: Any) -> Message:
    """Plain data in a message: its type and, of a scalar, its value."""
    if isinstance(value, (dict, list)):
        return say("a mapping") if isinstance(value, dict) else say("a list")
    if isinstance(value, str):
        return say('the string "{}"', value)
    if value is None:
        return say("null")
    return say("the boolean {}", value) if isinstance(value, bool) else say("the number {}", value)
