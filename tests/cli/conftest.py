"""A repository of real files, and the command `build` run on it in this process."""

from __future__ import annotations

import io
import re
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_trainjob.cli.app import run
from tests.cli.manifests import Body, stream

_FINDING = re.compile(r"^(.*?):(\d+):\d+: (?:error|warning) (KTJ\d+) ", re.MULTILINE)


@dataclass(frozen=True)
class Built:
    """What a run of `build` left behind."""

    exit_code: int
    out: str
    err: str

    @property
    def objects(self) -> list[Any]:
        """What was printed, as PyYAML reads it."""
        return list(yaml.safe_load_all(self.out))

    @property
    def names(self) -> list[str]:
        """Kind and name of what was printed, in its order."""
        return [f"{body['kind']}/{body['metadata']['name']}" for body in self.objects]

    @property
    def findings(self) -> list[tuple[str, str, int]]:
        """Rule, file and line of each finding on stderr."""
        return [(rule, path, int(line)) for path, line, rule in _FINDING.findall(self.err)]


class Repository:
    """A directory with `.git`, which is the current one."""

    def __init__(self, directory: Path, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]) -> None:
        self.directory = directory
        self._patch = patch
        self._capture = capture

    def write(self, files: Mapping[str, str | Iterable[Body]]) -> None:
        """Write files: text as it is, bodies as a stream of documents."""
        for path, content in files.items():
            file = self.directory / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content if isinstance(content, str) else stream(*content), encoding="utf-8")

    def enter(self, directory: str) -> None:
        """Make another directory the current one."""
        self._patch.chdir(self.directory / directory)

    def build(self, *arguments: str, stdin: bytes = b"") -> Built:
        """`kubectl trainjob build`."""
        return self.run("build", *arguments, stdin=stdin)

    def run(self, *arguments: str, stdin: bytes = b"") -> Built:
        """Any command."""
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        self._capture.readouterr()
        exit_code = run("/usr/bin/kubectl-trainjob", list(arguments))
        return Built(exit_code, *self._capture.readouterr())


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Repository:
    """An empty repository."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return Repository(tmp_path, monkeypatch, capfd)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Programs started from here heed SIGINT, even where the tests themselves run in a shell's background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
