"""Makes a comment of an untrusted report: only the Markdown of reports is shown as Markdown."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from github import PostingError
from subset import NotAReportError, safe_ends

MARKER = "<!-- kubectl-trainjob review -->"
_FILE = "review.md"
_MOST_BYTES = 512 * 1024  # twice as much as a report of 65 536 characters may take
_LIMIT = 65_536  # of a comment, as GitHub counts: in UTF-16 units
_MOST_TICKS = "`" * 20  # next to each other inside of a block of code
_RUN = re.compile(f"{_MOST_TICKS}`+")
_RESERVED = 400  # units for words about what is not shown


def read(directory: Path) -> str | None:
    """The report's text, or None if there is none. Raises PostingError if it is not a file, too large or not UTF-8."""
    try:
        content = _content(directory / _FILE)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PostingError(f"{_FILE} of the artifact cannot be read: {error.strerror}") from None
    if len(content) > _MOST_BYTES:
        raise PostingError(f"{_FILE} of the artifact has more than {_MOST_BYTES} bytes")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise PostingError(f"{_FILE} of the artifact is not valid UTF-8") from None


def _content(path: Path) -> bytes:
    """One byte more than is allowed at most; a link is not followed, and a pipe not waited for."""
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(file, "rb") as opened:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise PostingError(f"{_FILE} of the artifact is not a regular file")
        return opened.read(_MOST_BYTES + 1)


def comment(report: str | None, head: str, run: str) -> str:
    """The whole comment: the marker, the report and where it comes from; it fits GitHub's limit."""
    end = f"\n---\nReview of {head} by [this run]({run}), with the workflow of the pull request.\n"
    room = _LIMIT - _units(f"{MARKER}\n\n{end}")
    return f"{MARKER}\n\n{_shown(report, room)}{end}"


def _shown(report: str | None, room: int) -> str:
    if report is None:
        return "**There is no review of this commit.** See the log of its run.\n"
    text = report.rstrip("\n") + "\n"
    try:
        ends = safe_ends(text)
    except NotAReportError as reason:
        words = (
            f"The output of the run is not a report of `kubectl trainjob review`: {reason}. It is shown as text.\n\n"
        )
        return words + _as_code(text, room - _RESERVED - _units(words))
    return text if _units(text) <= room else _cut(text, ends, room - _RESERVED)


def _cut(text: str, ends: list[tuple[int, int]], room: int) -> str:
    """As much of the text as there is room for, up to a line where it may end."""
    lines = text.split("\n")
    best, used, position = (0, 0), 0, 0
    for line, is_open in ends:
        used += sum(_units(each) + 1 for each in lines[position:line])
        position = line
        if used + is_open * len("</details>\n\n") > room:
            break
        best = (line, is_open)
    shown, is_open = best
    closed = "</details>\n\n" * is_open
    return "\n".join(lines[:shown]) + "\n\n" + closed + _not_shown(len(lines) - 1 - shown)


def _as_code(text: str, room: int) -> str:
    """The text inside of one fence that nothing in it closes, with all that cannot be seen made visible."""
    shortened = _RUN.sub(lambda run: f"{_MOST_TICKS} … {len(run[0])}", text)
    lines = [f"│ {_visible(line)}" for line in shortened.split("\n")[:-1]]  # no line begins with a bot's command
    fence = "`" * max(3, 1 + max(len(run) for run in re.findall("`*", shortened)))
    left, shown = room - 2 * len(fence) - 2, []
    for line in lines:
        left -= _units(line) + 1
        if left < 0:
            break
        shown.append(line)
    block = "\n".join([fence, *shown, fence]) + "\n"
    return block if len(shown) == len(lines) else f"{block}\n{_not_shown(len(lines) - len(shown))}"


def _visible(line: str) -> str:
    return "".join(char if char.isprintable() or char == "\t" else f"\\u{ord(char):04x}" for char in line)


def _not_shown(lines: int) -> str:
    return f"**{lines} more line{' is' if lines == 1 else 's are'} not shown**; see the artifact of the run.\n"


def _units(text: str) -> int:
    return len(text) + sum(char > "\uffff" for char in text)
