"""A page of the manual, written in Markdown, as text for a terminal.

Pages use headings, paragraphs, lists with `-`, fenced code, tables, links and pictures, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap

_INDENT, _CODE = "  ", "    "
_BLOCK = re.compile(r"^```.*?\n(?P<code>.*?)^```$|^(?P<other>(?:(?!```)[^\n]+\n?)+)", re.MULTILINE | re.DOTALL)
_PICTURE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_STRONG = re.compile(r"\*\*(.+?)\*\*")
_CODE_SPAN = re.compile(r"`[^`]+`")
_COMMENT = re.compile(r"^<!--.*?-->\n", re.MULTILINE)


def as_text(page: str, width: int, *, colour: bool = False) -> str:
    """The page, at most `width` columns wide except for code; with colour, headings and code spans are bold."""
    lines = [line for block in _BLOCK.finditer(_COMMENT.sub("", page)) for line in _block(block, width, colour)]
    return "\n".join(lines).rstrip() + "\n"


def _block(block: re.Match[str], width: int, colour: bool) -> Iterator[str]:
    if (code := block["code"]) is not None:
        yield from (f"{_CODE}{line}".rstrip() for line in code.splitlines())
    elif block["other"].startswith("#"):
        yield _heading(block["other"], colour)
        return
    else:
        lines = _table(block["other"], width) if block["other"].startswith("|") else _prose(block["other"], width)
        yield from (_CODE_SPAN.sub("\x1b[1m\\g<0>\x1b[0m", line) if colour else line for line in lines)
    yield ""


def _heading(text: str, colour: bool) -> str:
    title = text.strip().lstrip("# ")
    return f"\x1b[1m{title}\x1b[0m" if colour else title


def _prose(text: str, width: int) -> Iterator[str]:
    """A paragraph, or the items of a list, filled again."""
    for item in re.split(r"\n(?=- )", _plain(text.strip())):
        hanging = _INDENT * 2 if item.startswith("- ") else _INDENT
        yield from _fill(item, width, _INDENT, hanging)


def _fill(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    form = {"initial_indent": first, "subsequent_indent": rest}
    return wrap(" ".join(text.split()), width, break_long_words=False, break_on_hyphens=False, **form) or [""]  # type: ignore[arg-type]


def _plain(text: str) -> str:
    """Text without the marks of links and pictures; a link to another page says how to print that page."""
    return _STRONG.sub(r"\1", _LINK.sub(_link, _PICTURE.sub(r"[picture: \1]", text)))


def _link(link: re.Match[str]) -> str:
    text, target = link[1], link[2]
    if "://" in target:
        return f"{text} ({target})"
    page = target.removesuffix(".md")
    is_page = page != target and "/" not in page
    return f"{text} (help {page})" if is_page and page != text.strip("`") else text


def _table(text: str, width: int) -> Iterator[str]:
    """The rows with aligned columns; a cell that is too wide has several lines."""
    head, _, *rows = [_cells(line) for line in text.strip().splitlines()]
    table = [head, *rows]
    columns = _widths(table, width - len(_INDENT))
    table.insert(1, ["-" * column for column in columns])
    for row in table:
        cells = [_fill(cell, column) for cell, column in zip(row, columns, strict=True)]
        for index in range(max(map(len, cells))):
            parts = (cell[index] if index < len(cell) else "" for cell in cells)
            padded = (f"{part:<{column}}" for part, column in zip(parts, columns, strict=True))
            yield (_INDENT + _INDENT.join(padded)).rstrip()


def _cells(line: str) -> list[str]:
    return [_plain(cell.strip()).replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def _widths(table: list[list[str]], most: int) -> list[int]:
    """The widths of the columns: the widest ones give way until all fit into `most`, but no word is split."""
    columns = list(zip(*table, strict=True))
    widths = [max(map(len, column)) for column in columns]
    least = [max(len(word) for cell in column for word in ("", *cell.split())) for column in columns]
    room = most - len(_INDENT) * (len(widths) - 1)
    while sum(widths) > room and widths != least:
        _, widest = max((width, index) for index, width in enumerate(widths) if width > least[index])
        widths[widest] -= 1
    return widths
