"""What a command hands to a reading of files, for tests that read without a command."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Any

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import LIMITS, Limits
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.model.units import Documents
from kubectl_trainjob.repository.files import read as product
from kubectl_trainjob.repository.files.filesystem import Disk, FileSystem, Workspace
from kubectl_trainjob.repository.files.find_root import CurrentDirectory
from kubectl_trainjob.repository.git.commits import Repository
from kubectl_trainjob.repository.templates import render


def no_input(_most: int) -> bytes:
    """A standard input that no test expects to be read."""
    raise AssertionError("standard input is read")


def disk() -> FileSystem:
    """The files as they are, seen from the current directory."""
    return Disk(current())


def current() -> CurrentDirectory:
    """The current directory of the tests' process."""
    return CurrentDirectory(os.getcwd())


class NoProgress:
    """Shows nothing."""

    def __call__(self, stage: str, done: int, total: int, /) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, *_error: object) -> None: ...


def open_repository(directory: str = ".") -> Repository:
    """The repository of a directory, whose paths begin there."""
    return Repository(CurrentDirectory(os.path.abspath(directory)))


def workspace(stdin: Callable[[int], bytes] = no_input, **fields: Any) -> Workspace:
    """The disk, with a renderer of its own, which ends when the workspace is dropped."""
    return Workspace(
        **{"files": disk(), "stdin": stdin, "renderer": cache(render.Renderer), "progress": NoProgress(), **fields}
    )


def read(
    paths: Sequence[str],
    stdin: Callable[[int], bytes] = no_input,
    limits: Limits = LIMITS,
    names: Collection[str] | None = None,
    **fields: Any,
) -> Documents:
    """The documents of paths; `fields` are those of the workspace."""
    return product.read(paths, workspace(stdin, **fields), limits, names)


class Renderer(render.Renderer):
    """Renders within the same limits, with values that are not encoded yet."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        super().__init__()
        self._limits = limits

    def render(self, template: SourceFile, context: Mapping[str, Any]) -> SourceFile | Diagnostic:
        """A template's text, or the problem of the template."""
        return super().render(template, render.encode_context(context), self._limits)
