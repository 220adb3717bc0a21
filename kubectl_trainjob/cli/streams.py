"""Standard input, output and error of a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import TextIO

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.limits import size as in_words
from kubectl_trainjob.model.printable import printable


def standard_input(most: int) -> bytes:
    """What stands on standard input; one byte more than `most` where it is longer."""
    if sys.stdin is None:
        raise EnvironmentFault('standard input is closed, so "-" has nothing to read')
    return sys.stdin.buffer.read(most + 1)


def emit(chunks: Iterable[bytes], most: int = LIMITS.output_bytes) -> None:
    """Write the result, of at most `most` bytes, to stdout.

    Raises BrokenPipeError when nobody reads on.
    """
    parts = list(_bounded(chunks, most))  # all of them before the first byte: never half a result
    if not parts:
        return
    if sys.stdout is None:
        raise EnvironmentFault("standard output is closed, so the result has nowhere to go")
    try:
        sys.stdout.buffer.writelines(parts)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        forsake(sys.stdout)
        raise EnvironmentFault(f"the result could not be written: {error.strerror}") from error


def _bounded(chunks: Iterable[bytes], most: int) -> Iterator[bytes]:
    """The chunks; a few large runtimes that thousands of TrainJobs use could fill any memory."""
    size = 0
    for part in chunks:
        size += len(part)
        if size > most:
            limit = in_words(most)
            raise EnvironmentFault(
                f"the result is larger than {limit}, the limit (limits.outputBytes); build fewer TrainJobs"
            )
        yield part


def complain(line: str) -> None:
    """Write one line to stderr; whatever a terminal or a CI system's log would interpret in it is escaped."""
    from kubectl_trainjob.report import commands

    tell(commands.at_start(commands.inside(printable(line))) + "\n")


def tell(text: str) -> None:
    """Write text to stderr that is safe for a terminal already."""
    if sys.stderr is not None and text:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:  # nobody can be told
            forsake(sys.stderr)


def forsake(*streams: TextIO) -> None:
    """Point streams at nothing, so that the interpreter's last flush cannot fail and speak."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        try:
            os.dup2(nothing, stream.fileno())
        except (AttributeError, OSError, ValueError):  # closed, or replaced by something that is no file
            continue


def stderr_has_colour() -> bool:
    """Whether stderr is a terminal that wants colour."""
    return has_colour(sys.stderr)


def has_colour(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal that wants colour (NO_COLOR, TERM=dumb)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream is not None and stream.isatty()
