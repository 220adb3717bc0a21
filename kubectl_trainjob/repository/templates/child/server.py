"""Waits for requests on standard input; a copy of this process renders each, therefore Jinja2 is loaded once.

`templates.protocol` describes requests and answers. The copy can only write to two pipes; the server does not read what
it passes on.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import time
from io import RawIOBase
from typing import NoReturn

import jinja2.debug  # noqa: F401  # what Jinja2 itself loads only at its first syntax error

from kubectl_trainjob.repository.templates import protocol
from kubectl_trainjob.repository.templates.child.confine import confine
from kubectl_trainjob.repository.templates.child.rendering import render

_REQUEST = 1 << 30  # bytes; the sender has its own limits
_REPORT = 1 << 16  # bytes, what a pipe holds

# All modules that Python loads late: a copy cannot open files.
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
        answers.write(protocol.frame(protocol.READY))
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 2)  # standard error is no longer read
        os.close(nothing)
        answer = _fork if hasattr(os, "fork") else _here
        with contextlib.suppress(protocol.ProtocolError, OSError):  # the build has ended
            while (request := _next(requests)) is not None:
                for part in answer(request):
                    _write(answers, protocol.frame(part))


def _next(stream: RawIOBase) -> protocol.TemplateRequest | None:
    limits = protocol.read_frame(stream, _REQUEST)
    if limits is None:
        return None
    source, context = protocol.read_frame(stream, _REQUEST), protocol.read_frame(stream, _REQUEST)
    if source is None or context is None:
        raise protocol.ProtocolError
    return protocol.TemplateRequest.decode(limits, source, context)


def _write(stream: RawIOBase, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[stream.write(view) or 0 :]


def _here(request: protocol.TemplateRequest) -> tuple[bytes, bytes, bytes]:
    sent: list[bytes] = []
    start = time.process_time()
    render(request.source, request.context, request.text, lambda kind, body: sent.append(protocol.frame(kind + body)))
    return protocol.Ending(0, False, time.process_time() - start).encode(), b"".join(sent), b""


def _fork(request: protocol.TemplateRequest) -> tuple[bytes, bytes, bytes]:
    sent, write_sent = os.pipe()
    report, write_report = os.pipe()
    child = os.fork()
    if child == 0:
        _copy(request, write_sent, write_report, (0, 1, sent, report))
    os.close(write_sent)
    os.close(write_report)
    try:
        data = _collect(sent, request.most, child)
        _, status, usage = os.wait4(child, 0)
        seconds = usage.ru_utime + usage.ru_stime
        ending = protocol.Ending(os.waitstatus_to_exitcode(status), len(data) > request.most, seconds)
        return ending.encode(), data, os.read(report, _REPORT)
    finally:
        os.close(sent)
        os.close(report)


def _collect(sent: int, most: int, child: int) -> bytes:
    """The output of a copy, which is killed if that is too long or the build has ended."""
    parts: list[bytes] = []
    size = 0
    while size <= most:
        ready, _, _ = select.select([sent, 0], [], [])
        if 0 in ready:  # no request comes before the answer: the build has ended
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise protocol.ProtocolError
        part = os.read(sent, _REPORT)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
    os.kill(child, signal.SIGKILL)
    return b"".join(parts)


def _copy(request: protocol.TemplateRequest, sent: int, report: int, closed: tuple[int, ...]) -> NoReturn:
    """Render in this copy of the server, and end it."""
    code = 1
    try:
        for each in closed:
            os.close(each)
        confine(request.seconds, request.wall, request.memory, report)

        def send(kind: bytes, body: bytes) -> None:
            view = memoryview(protocol.frame(kind + body))
            while view:
                view = view[os.write(sent, view) :]

        render(request.source, request.context, request.text, send)
        code = 0
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
