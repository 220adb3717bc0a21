"""How far a long build is, on a terminal's stderr: one line that is written over and goes away in the end."""

from __future__ import annotations

import os
import sys
import time

from kubectl_trainjob.cli.streams import tell

_QUIET = 1.0  # seconds: what takes less time needs no report
_PAUSE = 0.1  # seconds between two reports
_CLEAR = "\r\x1b[K"


class Progress:
    """Told the stage and how much of how much is through ("reading" files; `total` 0 where it is not known)."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _QUIET
        self._is_shown = False
        self._is_wanted = sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show the line, if it is time."""
        if not self._is_wanted or (now := time.monotonic()) < self._next:
            return
        self._next = now + _PAUSE
        self._is_shown = True
        tell(f"{_CLEAR}{stage} {min(done, total)}/{total} ..." if total else f"{_CLEAR}{stage} {done} ...")

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_error: object) -> None:
        """Remove the line."""
        if self._is_shown:
            tell(_CLEAR)
            self._is_shown = False
