"""Runs our build on a stream, in process, as the command line does."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any

from tests.commands import call

_PROBLEM = re.compile(
    r"^(?P<path>.*?):(?P<line>\d+):(?P<column>\d+): error (?P<rule>KTJ\d+) (?P<text>.*)$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Problem:
    """One error as printed; `line` from 1."""

    line: int
    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run of `build` left behind."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        """What was printed."""
        listed = json.loads(self.stdout)
        assert listed["kind"] == "List"
        return list(listed["items"])

    @property
    def problems(self) -> list[Problem]:
        """The errors on stderr."""
        return [Problem(int(m["line"]), m["rule"], m["text"]) for m in _PROBLEM.finditer(self.stderr)]


def run_build(text: str, *options: str) -> Outcome:
    """`kubectl-trainjob build - -o json` with `text` as standard input; a bug in the product raises.

    It runs in an empty directory: in this repository, each build would also read the runtimes of the catalogue.
    """
    with TemporaryDirectory() as directory:
        return Outcome(*call(directory, "build", "-", "-o", "json", *options, stdin=text))
