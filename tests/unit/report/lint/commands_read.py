"""What GitHub's runner makes of a log (src/Runner.Common/ActionCommand.cs of actions/runner, TryParseV2)."""

from __future__ import annotations

import re
from typing import NamedTuple

_KNOWN = """
add-mask add-matcher remove-matcher add-path debug echo endgroup error group internal-set-repo-path notice save-state
set-env set-output stop-commands warning
"""
KNOWN = frozenset(_KNOWN.split())
_DATA = {"%0D": "\r", "%0A": "\n", "%25": "%"}
_PROPERTY = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}


class Command(NamedTuple):
    """A line that the runner carries out."""

    name: str
    properties: dict[str, str]
    data: str


def commands(log: str) -> list[Command]:
    """The commands of a log; one of the older form, which may stand anywhere in a line, has the name `##[`."""
    return [command for line in re.split("\r\n|\r|\n", log) if (command := _command(line))]


def _command(line: str) -> Command | None:
    line = line.lstrip()
    end = line.find("::", 2)
    if line.startswith("::") and end >= 0:
        name, _, properties = line[2:end].partition(" ")
        if name in KNOWN:
            pairs = (each.split("=", 1) for each in properties.strip().split(",") if each)
            read = {pair[0]: _unescaped(pair[1], _PROPERTY) for pair in pairs if len(pair) == 2 and pair[1]}
            return Command(name, read, _unescaped(line[end + 2 :], _DATA))
    return Command("##[", {}, line) if re.search(r"##\w*\[", line) else None


def _unescaped(text: str, mapping: dict[str, str]) -> str:
    for token, char in mapping.items():
        text = text.replace(token, char)
    return text
