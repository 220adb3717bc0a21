"""What a CI system takes for a command where it stands in a log, written so that it takes it for none."""

from __future__ import annotations

import re

# GitHub takes `::command` behind blanks and `##[command` anywhere in a line, Azure `##vso[`, TeamCity `##teamcity[`.
_COMMAND = re.compile(r"(?<=#)#(?=\w*\[)")
_COMMAND_LINE = re.compile(r"\A(\s*):(?=:)")


def inside(text: str) -> str:
    r"""A piece of a line without commands (`#\x23[`)."""
    return _COMMAND.sub(r"\\x23", text) if "##" in text else text


def at_start(line: str) -> str:
    r"""A line that begins with no command (`\x3a:`)."""
    return _COMMAND_LINE.sub(r"\1\\x3a", line)
