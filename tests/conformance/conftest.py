"""Collects what became of every case and prints it by group at the end of a run."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

TALLY: Counter[tuple[str, str]] = Counter()  # (group, "equal" | "refused" | "failed")


@pytest.fixture
def tally() -> Counter[tuple[str, str]]:
    """Where the tests count the cases that they judged."""
    return TALLY


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The table by group."""
    if not TALLY:
        return
    terminalreporter.section("conformance with Trainer 2.3")
    row = "{:12} {:>6} {:>8} {:>15} {:>7}".format
    terminalreporter.write_line(row("group", "cases", "equal", "refused rightly", "failed"))
    groups = sorted({group for group, _ in TALLY})
    rows = [(group, [TALLY[group, kind] for kind in ("equal", "refused", "failed")]) for group in groups]
    rows.append(("all", [sum(column) for column in zip(*(counts for _, counts in rows), strict=True)]))
    for group, counts in rows:
        terminalreporter.write_line(row(group, sum(counts), *counts))
