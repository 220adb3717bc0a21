"""The part of GitHub's Markdown that reports are written in, and nothing else.

Outside of code: words of plain characters, headings, tables, bold, lists and, each line by itself, the HTML of folded
parts. There is no way to write a link, an image, a mention, a reference to an issue or a commit, or other HTML. Where
GitHub's rules are subtle (what ends a block, which backticks pair), the text has to be so plain that it is all one:

- backticks pair within their line, and a `|` is never between them, so tables and paragraphs split no code;
- lines of HTML are separate, therefore no Markdown is in an HTML block, and none ends late;
- a fence is at the margin, or two blanks in with all that is inside of it.
"""

from __future__ import annotations

import re
import unicodedata

_FENCE = re.compile(r"((?:  )?)(`{3,})(?:diff)?")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(?:[^|]*?[^`|])\1(?!`)")
_PLAIN = re.compile(r"[ !\"%'()*+,\-./0-9:;=?A-Za-z|\x00]*")
_COMMAND = re.compile(r"[ >*+\-0-9.]*[/!](?!\[)")
_HEADING = re.compile(r"\A#{1,6} ")
_SYMBOLS = "…–—’“”·\ufe0f"
_TAG_LINE = re.compile(r"</details>|<details(?: open)?>|(?:<details(?: open)?>)?<summary>(.*)</summary>")
_HTML_CODE = re.compile(r"<code>[^<>]*</code>")
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|#x27|#39);")
_LINKED = {
    r"://|www\.": "an address",
    r"[A-Za-z]-\d": "a reference",
    r"\b(?=\w*[a-f])[0-9a-f]{7,}\b": "a commit",
}


class NotAReportError(Exception):
    """The text is not a report; the message has only words of this file."""


def safe_ends(text: str) -> list[tuple[int, int]]:
    """After how many lines the text may be cut, and how many `<details>` are open there."""
    reader = _Reader()
    for number, line in enumerate(text.split("\n"), 1):
        reason = reader.rejection(line)
        if reason:
            raise NotAReportError(f"line {number} has {reason}")
        if not line.strip(" ") and not reader.fence:
            reader.ends.append((number - 1, reader.open))
    if reader.fence or reader.open:
        raise NotAReportError("a block of code or a folded part is not closed")
    return reader.ends


class _Reader:
    """The open blocks after the lines that were read."""

    def __init__(self) -> None:
        self.fence = self.indent = ""
        self.open = 0
        self.ends: list[tuple[int, int]] = []
        self._before = ""  # the kind of the line before: blank, html or text

    def rejection(self, line: str) -> str:
        """Read a line; returns why it is rejected, or ""."""
        if not all(char.isprintable() or (char == "\t" and self.fence) for char in line):
            return "an invisible character"
        if self.fence:
            return self._inside(line)
        kind = "html" if line.startswith("<") else "text" if line.strip(" ") else ""
        if self._before and kind and (kind == "html") != (self._before == "html"):
            return "HTML next to text"
        self._before = kind
        if kind == "html":
            return self._html(line)
        fence = _FENCE.fullmatch(line)
        if fence:
            self.indent, self.fence = fence[1], fence[2]
            return ""
        return _text(line)

    def _inside(self, line: str) -> str:
        if line == self.indent + self.fence:
            self.fence = ""
            return ""
        if not line.startswith(self.indent):
            return "a line of code that is not indented"
        bare = line.strip(" \t")
        return "a second end of code" if bare and not bare.strip("`") and len(bare) >= len(self.fence) else ""

    def _html(self, line: str) -> str:
        tags = _TAG_LINE.fullmatch(line)
        if not tags:
            return "HTML"
        self.open += line.startswith("<details") - line.startswith("</details")
        if self.open < 0:
            return "the end of a folded part without its begin"
        words = _HTML_CODE.sub("\0", tags[1] or "").replace("<br>", " ")
        if words.count("<b>") != words.count("</b>"):
            return "bold words without an end"
        return _words(_ENTITY.sub("'", words.replace("<b>", "").replace("</b>", "")))


def _text(line: str) -> str:
    """A line of Markdown: everything outside of code is checked."""
    if _COMMAND.match(line):  # bots take lines for commands: /approve
        return "a command"
    return _words(_CODE.sub("\0", _HEADING.sub("", line)))


def _words(text: str) -> str:
    strange = next((char for char in text if not _is_plain(char)), "")
    if strange:
        return f"`{strange}` outside of code" if strange != "`" else "a backtick without its pair"
    return next((what for pattern, what in _LINKED.items() if re.search(pattern, text, re.IGNORECASE)), "")


def _is_plain(char: str) -> bool:
    if char.isascii():
        return _PLAIN.fullmatch(char) is not None
    return char in _SYMBOLS or unicodedata.category(char) in ("So", "Sm")
