"""The action `review` on a machine where one run installs and the others find it installed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.delivery.ci.runner import ACTIONS, ROOT, Done, Given, Outputs, Runner

_INSTALLS = re.compile(r"^ +\S+ -I -m (?:venv|pip install) (?:.*\\\n)?.*\n", re.MULTILINE)


class Machine:
    """A runner with Python, a cache, a store for artifacts and code scanning."""

    def __init__(self, directory: Path, python: str, environment: Mapping[str, str]) -> None:
        self.directory = directory
        self.artifacts = directory / "artifacts"
        self._python = python
        self.environment = dict(environment)
        self._action: Path | None = None

    def review(
        self,
        repository: Path,
        event: Mapping[str, Any],
        inputs: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Done:
        """Run the action in a checkout."""
        shutil.rmtree(self.artifacts, ignore_errors=True)
        others = {
            "actions/setup-python": self._set_up,
            "actions/cache": lambda _given: {"cache-hit": "false"},
            "actions/upload-artifact": self._upload,
        }
        runner = Runner(self.directory, repository, others)
        given = {"GIT_ALLOW_PROTOCOL": "file", **self.environment, **(environment or {})}
        return runner.act(self._installed(), inputs or {}, given, event)

    def _installed(self) -> Path:
        """The action, as it is the first time; then one whose step `install` finds the work done."""
        if self._action is None:
            copy = self.directory / "project"
            self._action = copy / ".github" / "actions" / "review"
            shutil.copytree(ACTIONS / "review", self._action)
            shutil.copytree(ROOT / ".ci", copy / ".ci")
            _shorten(self._action / "action.yml")
            return ACTIONS / "review"
        return self._action

    def _set_up(self, given: Given) -> Outputs:
        assert given["update-environment"] == "false"
        return {"python-path": self._python, "python-version": "3.11.7"}

    def _upload(self, given: Given) -> Outputs:
        assert given["if-no-files-found"] == "error"
        shutil.copytree(given["path"], self.artifacts / given["name"])
        return {"artifact-id": "1", "artifact-url": "https://github.example/artifact"}


def _shorten(action: Path) -> None:
    """Take the three commands that install out of the action; all else stays as it is written."""
    text, commands = _INSTALLS.subn("", action.read_text())
    assert commands == 3
    action.write_text(text)
