"""What one command runs with: the workspace that it reads, worker processes, and the progress on stderr."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from kubectl_trainjob.cli.streams import is_quiet, standard_input, write_stderr
from kubectl_trainjob.cli.workers import ForkedExecutor
from kubectl_trainjob.compiler.executor import BuildContext
from kubectl_trainjob.repository.files.filesystem import Disk, Workspace
from kubectl_trainjob.repository.files.find_root import CurrentDirectory

if TYPE_CHECKING:
    from kubectl_trainjob.repository.templates.render import Renderer

_QUIET = 1.0  # seconds: what takes less time needs no report
_PAUSE = 0.1  # seconds between two reports
_CLEAR = "\r\x1b[K"


class ProgressLine:
    """One line on a terminal: the stage ("reading" files), what is done, and the total (0 if unknown)."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _QUIET
        self._is_shown = False
        is_terminal = sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._is_wanted = is_terminal and not is_quiet()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show the line, if it is time."""
        if not self._is_wanted or (now := time.monotonic()) < self._next:
            return
        self._next = now + _PAUSE
        self._is_shown = True
        write_stderr(f"{_CLEAR}{stage} {min(done, total)}/{total} ..." if total else f"{_CLEAR}{stage} {done} ...")

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_error: object) -> None:
        """Remove the line."""
        if self._is_shown:
            write_stderr(_CLEAR)
            self._is_shown = False


class Session(NamedTuple):
    """What a command may use to read and to compile."""

    workspace: Workspace
    context: BuildContext


@contextmanager
def open_session(directory: str = "") -> Iterator[Session]:
    """The session of one command; its end clears the progress and ends the process that renders templates.

    Relative paths begin in `directory`, an absolute path, "" for the current directory.
    """
    with ExitStack() as stack:

        @cache
        def renderer() -> Renderer:
            from kubectl_trainjob.repository.templates.render import Renderer  # most repositories have no template

            return stack.enter_context(Renderer())

        progress = stack.enter_context(ProgressLine())
        workspace = Workspace(Disk(CurrentDirectory(directory or os.getcwd())), standard_input, renderer, progress)
        yield Session(workspace, BuildContext(ForkedExecutor(), progress))
