"""Waits for requests on standard input and has each rendered by a copy of itself, so that Jinja2 is loaded once.

What is said on the wire stands in `templates.wire`. The copy can only write to two pipes of its own; what it writes is
passed on unread.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
from io import RawIOBase
from typing import NoReturn

import jinja2.debug  # noqa: F401  # what Jinja2 itself loads only at its first syntax error

from kubectl_trainjob.repository.templates.child.confine import confine
from kubectl_trainjob.repository.templates.child.rendering import render
from kubectl_trainjob.repository.templates.wire import READY, Ending, Request, WireError, frame, read_frame

_REQUEST = 1 << 30  # bytes; the sender has limits of its own
_REPORT = 1 << 16  # bytes, what a pipe holds

# One of everything that Python loads late: a copy can open no file.
_WARM_UP = (
    '{% macro m(x) %}{{ x|upper }}{% endmacro %}{{ m("\\N{DASH}é")|indent }}{% for x in [1.5] %}{{ x }}{% endfor %}'
)


def main() -> None:
    """Serve until standard input ends."""
    os.environ.clear()
    gc.disable()

    render(_WARM_UP, b"{}", _REPORT, lambda *_: None)
    gc.freeze()
    with open(0, "rb", buffering=0) as requests, open(1, "wb", buffering=0) as answers:
        answers.write(frame(READY))
        _hush()
        with contextlib.suppress(WireError, OSError):  # nobody is there any more
            _serve(requests, answers)


def _serve(requests: RawIOBase, answers: RawIOBase) -> None:
    answer = _forked if hasattr(os, "fork") else _here
    while (request := _next(requests)) is not None:
        for part in answer(request):
            _write(answers, frame(part))


def _hush() -> None:
    """From here on nobody reads standard error."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    os.close(nothing)


def _next(stream: RawIOBase) -> Request | None:
    limits = read_frame(stream, _REQUEST)
    if limits is None:
        return None
    source, context = read_frame(stream, _REQUEST), read_frame(stream, _REQUEST)
    if source is None or context is None:
        raise WireError
    return Request.decode(limits, source, context)


def _write(stream: RawIOBase, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[stream.write(view) or 0 :]


def _here(request: Request) -> tuple[bytes, bytes, bytes]:
    sent: list[bytes] = []
    render(request.source, request.context, request.text, lambda kind, body: sent.append(frame(kind + body)))
    return Ending(0, False).encode(), b"".join(sent), b""


def _forked(request: Request) -> tuple[bytes, bytes, bytes]:
    sent, write_sent = os.pipe()
    report, write_report = os.pipe()
    child = os.fork()
    if child == 0:
        _copy(request, write_sent, write_report, (0, 1, sent, report))
    os.close(write_sent)
    os.close(write_report)
    try:
        data = _collect(sent, request.most, child)
        _, status = os.waitpid(child, 0)
        ending = Ending(os.waitstatus_to_exitcode(status), len(data) > request.most)
        return ending.encode(), data, os.read(report, _REPORT)
    finally:
        os.close(sent)
        os.close(report)


def _collect(sent: int, most: int, child: int) -> bytes:
    """What a copy sends; it is killed when that is too much, or when whoever asked is gone."""
    parts: list[bytes] = []
    size = 0
    while size <= most:
        ready, _, _ = select.select([sent, 0], [], [])
        if 0 in ready:  # no request comes before the answer, so this is the end
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise WireError
        part = os.read(sent, _REPORT)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
    os.kill(child, signal.SIGKILL)
    return b"".join(parts)


def _copy(request: Request, sent: int, report: int, closed: tuple[int, ...]) -> NoReturn:
    """Render in this copy of the server, and end it."""
    code = 1
    try:
        for each in closed:
            os.close(each)
        confine(request.seconds, request.memory, report)

        def send(kind: bytes, body: bytes) -> None:
            view = memoryview(frame(kind + body))
            while view:
                view = view[os.write(sent, view) :]

        render(request.source, request.context, request.text, send)
        code = 0
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
