"""Collects what became of every case and prints it by version and group at the end of a run."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

TALLY: Counter[tuple[str, str, str]] = Counter()  # (version, group, "equal" | "refused" | "failed")


@pytest.fixture
def tally() -> Counter[tuple[str, str, str]]:
    """Where the tests count the cases that they judged."""
    return TALLY


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """A table for each version, by group."""
    row = "{:12} {:>6} {:>8} {:>15} {:>7}".format
    for version in sorted({version for version, _, _ in TALLY}):
        terminalreporter.section(f"conformance with Trainer {version}")
        terminalreporter.write_line(row("group", "cases", "equal", "refused rightly", "failed"))
        groups = sorted({group for of, group, _ in TALLY if of == version})
        kinds = ("equal", "refused", "failed")
        rows = [(group, [TALLY[version, group, kind] for kind in kinds]) for group in groups]
        rows.append(("all", [sum(column) for column in zip(*(counts for _, counts in rows), strict=True)]))
        for group, counts in rows:
            terminalreporter.write_line(row(group, sum(counts), *counts))
