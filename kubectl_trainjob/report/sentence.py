"""Sentences for people in which the users' data stays apart from our words, so that each output can make it safe."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

# What a text may hold that is no data: words and numbers that no renderer takes for anything else.
_PLAIN = re.compile(r"(?:[A-Za-z]*(?:['’][a-z]+|s['’])?|[a-z]+(?:-[a-z]+)+|[0-9]{1,6})")
_COMMIT = re.compile(r"[0-9a-f]{7,}")
# What quotes or backticks enclose is one word, blanks and all; a quote that closes nothing is a character like others.
_WORDS = re.compile(r"""(?:\A|[ ])((?:(?<![\w`"])(?:`[^`]+`|"[^"]+")(?!\w)|[^ ])*+)""")
_WORD = re.compile(r"([(]?)(.*?)([)]?[.,;:!?]?)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Data:
    """A piece of a sentence that comes from the users' files, as it stands there."""

    text: str


Sentence = tuple[str | Data, ...]
"""Our words, which no output interprets, and data."""


def written(sentence: Sentence, data: Callable[[str], str], words: Callable[[str], str] = str) -> str:
    """The sentence as one text: data and words as the functions write them."""
    return "".join(data(piece.text) if isinstance(piece, Data) else words(piece) for piece in sentence)


def apart(text: str) -> Sentence:
    """A text that mixes words and data, such as an API server's message: all but plain words is data.

    It begins with neither a blank nor a number. What stands around data, as brackets do, is no part of it. What is
    quoted, `a: b` or "a: b", stays in one piece with its quotes, and apart from other data.
    """
    told: list[str | Data] = []
    for word in _WORDS.findall(text):
        before, what, behind = _inner(word)
        is_item = not told and word[:1].isdigit()  # `1.` would begin a list
        is_plain = _PLAIN.fullmatch(what) and not _COMMIT.fullmatch(what) and not is_item
        _add(told, (" " if told else "") + before, what if is_plain else Data(what), behind)
    return tuple(told)


def _inner(word: str) -> tuple[str, str, str]:
    """A word, and the bracket and the punctuation around it; a bracket that the word itself opens is part of it."""
    match = _WORD.fullmatch(word)
    assert match is not None
    before, what, behind = match.groups()
    if behind[:1] == ")" and what.count("(") > what.count(")"):
        return before, f"{what})", behind[1:]
    return before, what, behind


def _add(told: list[str | Data], before: str, what: str | Data, behind: str) -> None:
    """Put the next word behind the others: words in one piece, and data next to data, too."""
    if isinstance(what, str):
        _join(told, before + what + behind)
        return
    if before == " " and told and isinstance(last := told[-1], Data) and not (_is_quoted(last) or _is_quoted(what)):
        told[-1] = Data(f"{last.text} {what.text}")
    else:
        _join(told, before)
        told.append(what)
    _join(told, behind)


def _is_quoted(data: Data) -> bool:
    return data.text[:1] in ("`", '"') and data.text[-1] == data.text[0]


def _join(told: list[str | Data], words: str) -> None:
    if told and isinstance(told[-1], str):
        told[-1] += words
    elif words:
        told.append(words)


def in_short(text: str, most: int = 300) -> str:
    """A name or path of at most `most` characters: of a longer one both ends."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2) :]}"


def begun(text: str) -> str:
    """The text with a capital letter."""
    return text[:1].upper() + text[1:]


def plural(count: int, one: str, many: str = "") -> str:
    """`1 Pod`, `2 Pods`."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def listed(words: list[str], conjunction: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    return f" {conjunction} ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""


def more(count: int, noun: str) -> list[Sentence]:
    """What is said of so many that are not shown; nothing for none."""
    return [(f"{plural(count, f'more {noun}')} {'is' if count == 1 else 'are'} not shown",)] if count > 0 else []


def joined(parts: Sequence[Sentence], between: str = ", ") -> Sentence:
    """The parts, one after the other."""
    return tuple(piece for number, part in enumerate(parts) for piece in ((between, *part) if number else part))
