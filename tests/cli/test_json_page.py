"""The page `json` names every field of the reports."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands import call
from tests.readme import MANUAL, prepared

JOB = "overlays/fashion-mnist/job.yaml"
COMMANDS = {
    "lint": ["lint", "tests/examples/lint"],
    "diff": ["diff", "old", "new"],
    "review": ["review", "old", "new"],
    "env": ["env", "-f", "runtimes", "-f", "overlays/fashion-mnist", "TrainJob/fashion-mnist"],
    "explain": ["explain", "-f", "runtimes", "-f", "overlays/fashion-mnist", "JobSet/fashion-mnist"],
}
DATA = {"value", "old", "new", "valueFrom", "resources"}
"""Fields whose values have keys of the user."""


def keys(report: Any) -> Iterator[str]:
    if isinstance(report, dict):
        for key, value in report.items():
            yield key
            if key not in DATA:
                yield from keys(value)
    elif isinstance(report, list):
        for each in report:
            yield from keys(each)


def sections() -> dict[str, set[str]]:
    """The fields of each report on the page."""
    page = (MANUAL / "json.md").read_text(encoding="utf-8")
    found = {
        name: set(re.findall(r'"(\w+)"', text))
        for name, text in re.findall(r"^## (\w+)\n.*?```\n(.*?)```", page, re.M | re.S)
    }
    found["review"] |= found["diff"] | found["lint"]
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples, and a job before and after a change."""
    top = prepared(tmp_path_factory.mktemp("examples"))
    for side, nodes in (("old", 2), ("new", 3)):
        (top / side).mkdir()
        text = (top / JOB).read_text() + "---\n" + (top / "runtimes/torch-distributed.yaml").read_text()
        (top / side / "job.yaml").write_text(re.sub(r"numNodes: \d", f"numNodes: {nodes}", text))
    return top


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_names_every_field(name: str, folder: Path) -> None:
    found = set(keys(json.loads(call(folder, *COMMANDS[name], "-o", "json").stdout)))
    assert len(found) > 10
    assert found - sections()[name] == set()
