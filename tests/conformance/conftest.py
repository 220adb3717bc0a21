"""Counts the results of all cases and prints them by version and group at the end of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

_KINDS = ("equal", "refused", "failed")


@pytest.fixture
def tally(record_property: Callable[[str, Any], None]) -> Callable[[str, str, Counter[str]], None]:
    """Adds the results of a version's group, counted by kind; workers send them with the test's report."""
    return lambda version, group, results: record_property("tally", (version, group, [results[k] for k in _KINDS]))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """A table for each version, by group."""
    reports = [each for state in ("passed", "failed") for each in terminalreporter.stats.get(state, ())]
    tallies = [
        tuple(value)
        for each in reports
        if each.when == "call"
        for name, value in each.user_properties
        if name == "tally"
    ]
    row = "{:12} {:>6} {:>8} {:>15} {:>7}".format
    for version in sorted({version for version, _, _ in tallies}):
        terminalreporter.section(f"conformance with Trainer {version}")
        terminalreporter.write_line(row("group", "cases", "equal", "refused rightly", "failed"))
        rows = sorted((group, counts) for of, group, counts in tallies if of == version)
        rows.append(("all", [sum(column) for column in zip(*(counts for _, counts in rows), strict=True)]))
        for group, counts in rows:
            terminalreporter.write_line(row(group, sum(counts), *counts))
