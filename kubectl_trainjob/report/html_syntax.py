"""HTML in which only this module writes markup: data is always text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from kubectl_trainjob.model.message import Data, Message
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.report.phrases import coded

_EMPTY = frozenset(("br", "meta", "wbr"))
_COMMAND = re.compile(r":(?=:)|#(?=#\w*\[)")  # a page may be printed into a log that knows commands


class Markup(str):
    """HTML that is safe; only the functions here make it, and our constants."""

    __slots__ = ()


def safe(text: str) -> Markup:
    r"""A text as HTML; invisible characters are written as `\xNN`."""
    return Markup(_COMMAND.sub(lambda match: f"&#{ord(match[0])};", escape(printable(text))))


def line(text: str) -> Markup:
    """A line of a text of several lines: tabs stay."""
    return Markup("\t".join(map(safe, text.split("\t"))))


def joined(parts: Iterable[str], between: str = "") -> Markup:
    """The parts in order: markup unchanged, other values as text."""
    return Markup(_text(between).join(map(_text, parts)))


def _text(part: str) -> str:
    return part if isinstance(part, Markup) else safe(part)


def element(tag: str, /, *children: str, **attributes: str) -> Markup:
    """`<tag name="...">children</tag>` without empty attributes; `class_` means class, `http_equiv` http-equiv."""
    shown = "".join(f' {_name(key)}="{safe(value)}"' for key, value in attributes.items() if value)
    return Markup(f"<{tag}{shown}>" if tag in _EMPTY else f"<{tag}{shown}>{joined(children)}</{tag}>")


def _name(keyword: str) -> str:
    return keyword.rstrip("_").replace("_", "-")


def code(text: str) -> Markup:
    """Data."""
    return element("code", text)


def sentence(message: Message) -> Markup:
    """Words as text, data as code."""
    return joined(code(each.text) if isinstance(each, Data) else each for each in coded(message))


def folded(summary: str, *children: str, class_: str = "", is_open: bool = False) -> Markup:
    """What a reader can open."""
    return element("details", element("summary", summary), *children, class_=class_, open="open" if is_open else "")
