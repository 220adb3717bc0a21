"""Whole processes measured in turn, so that a machine that slows down slows down everybody."""

import functools
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_TIMED = Path(__file__).with_name("timed.py")


@dataclass(frozen=True, slots=True)
class Cost:
    """One run: seconds of wall and CPU time, peak resident MiB."""

    wall: float
    cpu: float
    peak: float


@dataclass(frozen=True, slots=True)
class Program:
    """A command under a short name; `peer` is whose it is, "" for ours."""

    name: str
    command: tuple[str, ...]
    peer: str = ""


@functools.cache
def _bytecode() -> tempfile.TemporaryDirectory[str]:
    """Where compiled modules are kept, as an installed package has them, whatever this environment says."""
    return tempfile.TemporaryDirectory(prefix="bytecode-")


def once(command: Sequence[str]) -> Cost:
    """Run a command; it has to succeed."""
    timed = [sys.executable, "-I", "-S", str(_TIMED), *command]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = _bytecode().name
    done = subprocess.run(timed, capture_output=True, text=True, check=True, env=environment)
    cost = json.loads(done.stdout)
    if cost.pop("code") != 0:
        raise RuntimeError(f"{' '.join(command)} failed")
    return Cost(**cost)


def in_turn(programs: Sequence[Program], runs: int, warm_up: int = 1) -> dict[Program, list[Cost]]:
    """A B C A B C …: the costs of `runs` rounds after `warm_up` that do not count."""
    costs: dict[Program, list[Cost]] = {program: [] for program in programs}
    for number in range(warm_up + runs):
        for program in programs:
            cost = once(program.command)
            if number >= warm_up:
                costs[program].append(cost)
    return costs


def ratio(ours: Sequence[Cost], theirs: Sequence[Cost]) -> float:
    """The median of the rounds' wall time ratios."""
    return statistics.median(a.wall / b.wall for a, b in zip(ours, theirs, strict=True))
