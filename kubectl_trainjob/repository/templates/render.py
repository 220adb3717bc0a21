"""Templates to text: the one way in.

    with Renderer(limits) as renderer:
        made = renderer.render(template, {"values": {...}, "overlay": {...}})

The first template starts a child process (see `process`), which renders each in a limited copy of itself (see
`child.confine` for what is limited where). Where a system cannot copy processes, the limit of time is kept here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any
from weakref import finalize

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import LIMITS, Limits
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.templates.answer import (
    Answer,
    most_sent,
    out_of_time,
    sizes,
    too_much,
    unanswered,
    understand,
)
from kubectl_trainjob.repository.templates.process import Process
from kubectl_trainjob.repository.templates.wire import Request

_PATIENCE = 10  # seconds of waiting for each second that a template may compute: the machine may be busy


class Renderer:
    """Renders templates, all in the limits of one build; the child is gone when it is left, dropped or interrupted."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits
        self._sent = 0
        self._process: Process | None = None
        self._end: finalize[[Process], Renderer] | None = None

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child process, if there is one."""
        if self._end is not None:
            self._end()
        self._process = None

    def render(self, template: SourceFile, context: Mapping[str, Any]) -> SourceFile | Diagnostic:
        """A template's text, which knows its template's lines, or what is wrong with the template.

        `context` is plain JSON data, by name. Raises EnvironmentFault when no child process can be started.
        """
        limits, seconds = self._limits, self._seconds()
        request = _request(template, _encoded(context), limits)
        self._sent += len(request.context)
        if self._sent > limits.build_bytes:
            return too_much(template, limits)
        process = self._started()
        answer = None
        try:
            answer = process.exchange(request.encode(), sizes(limits), seconds)
        finally:
            if answer is None:  # it failed, or an interrupt left it in the midst of a message
                self.close()
        if answer is not None:
            return understand(template, Answer(*answer), limits)
        return out_of_time(template, seconds) if process.is_late else unanswered(template)

    def _started(self) -> Process:
        if self._process is None:
            self._process = Process()
            self._end = finalize(self, Process.end, self._process)
        return self._process

    def _seconds(self) -> float:
        return self._limits.template_seconds * (_PATIENCE if hasattr(os, "fork") else 1)


def _request(template: SourceFile, context: bytes, limits: Limits) -> Request:
    return Request(
        seconds=limits.template_seconds,
        memory=limits.template_memory,
        text=limits.template_bytes,
        most=most_sent(limits),
        source=template.text,
        context=context,
    )


def _encoded(context: Mapping[str, Any]) -> bytes:
    return json.dumps(context, ensure_ascii=False).encode("utf-8", "surrogatepass")
