"""Markdown as GitHub, GitLab and CommonMark render it, in which data stays text.

Data is in code: only there no renderer looks for mentions, issues, links, HTML, images, emoji or formulas. A workflow
may print the text, too: no line begins with data, and commands for a CI system are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Literal

from kubectl_trainjob.model.message import Data, Message
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.report.phrases import coded, without_command_at_start, without_commands

# Words with a character that means something, addresses, and words that may be shown as an emoji.
_INTERPRETED = re.compile(r"[<>&@#$*_~|\\\[\]]|://|www\.")
_EMOJI = re.compile(r":[\w+-]+:")


def safe(text: str) -> str:
    r"""One line of data for code, without invisible characters and commands to a CI system (`#\x23[`)."""
    return without_commands(printable(text))


def code(text: str) -> str:
    """Data in a line of text. It may be in a table, too: a `|` is written as `\\x7c` there and here."""
    shown = safe(text).replace("|", "\\x7c") or "''"
    fence = "`" * (_longest_run(shown) + 1)
    is_padded = shown[0] == "`" or shown[-1] == "`" or (shown[0] == shown[-1] == " " and shown.strip(" "))
    pad = " " if is_padded else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def sentence(message: Message) -> str:
    """Our words as they are, data in code, as well as words that Markdown, HTML or a forge could interpret."""
    return "".join(code(each.text) if isinstance(each, Data) else _words(each) for each in coded(message))


def _words(text: str) -> str:
    return re.sub(r"\S+", lambda word: _word(word[0]), text)


def _word(text: str) -> str:
    return code(text) if _INTERPRETED.search(text) else _EMOJI.sub(lambda emoji: code(emoji[0]), text)


def html_code(text: str) -> str:
    """Data in code inside of an HTML block, where Markdown has no meaning."""
    return f"<code>{escape(safe(text))}</code>"


def html_sentence(message: Message) -> str:
    """A message inside of an HTML block."""
    return "".join(html_code(each.text) if isinstance(each, Data) else escape(each) for each in coded(message))


def fenced(lines: Iterable[tuple[str, str]], info: Literal["diff", "yaml", ""] = "diff", indent: str = "") -> list[str]:
    """A block of code: each line is our sign and data."""
    shown = [sign + _block_line(text, sign) for sign, text in lines]
    fence = "`" * max(3, max(map(_longest_run, shown), default=0) + 1)
    return [f"{indent}{line}" for line in (fence + info, *shown, fence)]


def _block_line(text: str, sign: str) -> str:
    shown = "\t".join(map(safe, text.split("\t")))
    return shown if sign.strip() else without_command_at_start(shown)


def folded(summary: str, lines: Sequence[str], *, is_open: bool = False) -> list[str]:
    """What a reader can open; `summary` is HTML in one line (`html_sentence`), `lines` are Markdown."""
    head = f"<details{' open' if is_open else ''}><summary>{summary}</summary>"
    body = lines[:-1] if lines and not lines[-1] else lines
    return [head, "", *body, "", "</details>"] if body else [head, "</details>"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], names: int = 1) -> list[str]:
    """A table of cells that are Markdown in one line already; numbers follow the first `names` columns."""
    dashes = ["---:" if number >= names else "---" for number in range(len(head))]
    return [_row(head), _row(dashes), *map(_row, rows)]


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def length(text: str) -> int:
    """Characters as forges count them against their limits: those beyond U+FFFF count twice."""
    return len(text) + sum(char > "\uffff" for char in text)
