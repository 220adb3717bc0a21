"""What is installed once for all tests of a run: the tool, as the action installs it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.delivery.ci.machine import Machine
from tests.tools import require


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A runner that keeps between its runs what the action installed, once, from the package index."""
    require("git")
    directory = tmp_path_factory.mktemp("machine")
    yield Machine(directory, sys.executable, {})
    shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where a test's repositories lie; a path with what shells read wrongly."""
    directory = tmp_path / "it's $(touch canary) here"
    directory.mkdir()
    return directory
