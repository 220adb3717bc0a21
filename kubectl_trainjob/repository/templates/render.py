"""Templates to text: the one way in.

    with Renderer() as renderer:
        made = renderer.render(template, encode_context({"values": {...}, "overlay": {...}}), limits)

One renderer serves a whole run. The first template starts a child process (see `process`), which renders each in a
limited copy of itself (see `child.confine` for what is limited where). Where a system cannot copy processes, the limit
of time is kept here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from weakref import finalize

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.source import SourceFile, Written
from kubectl_trainjob.repository.templates.answer import Answer, most_sent, out_of_time, sizes, unanswered, understand
from kubectl_trainjob.repository.templates.process import Process
from kubectl_trainjob.repository.templates.wire import Request

_PATIENCE = 10  # seconds of waiting for each second that a template may compute: the machine may be busy


class Renderer:
    """Renders templates, equal ones with equal values once; the child ends when it is left, dropped or interrupted."""

    def __init__(self) -> None:
        self._rendered: dict[tuple[str, bytes, Limits], SourceFile] = {}
        self._process: Process | None = None
        self._end: finalize[[Process], Renderer] | None = None

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child process, if there is one, and forget what it rendered."""
        if self._end is not None:
            self._end()
        self._process = None
        self._rendered.clear()

    def render(self, template: SourceFile, context: bytes, limits: Limits) -> SourceFile | Diagnostic:
        """A template's text, which knows its template's lines, or the problem of the template.

        `context` is from `encode_context`. Raises EnvironmentFault when no child process can be started.
        """
        key = (template.text, context, limits)
        known = self._rendered.get(key)
        if known is not None and known.written is not None:
            return replace(known, path=template.path, written=Written(template, known.written.lines))
        rendered = self._render(template, context, limits)
        if isinstance(rendered, SourceFile):
            self._rendered[key] = rendered
        return rendered

    def _render(self, template: SourceFile, context: bytes, limits: Limits) -> SourceFile | Diagnostic:
        request, seconds = _request(template, context, limits), _seconds(limits)
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


def encode_context(context: Mapping[str, Any]) -> bytes:
    """What a template may use, by name: plain JSON data."""
    return json.dumps(context, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _seconds(limits: Limits) -> float:
    return limits.template_seconds * (_PATIENCE if hasattr(os, "fork") else 1)


def _request(template: SourceFile, context: bytes, limits: Limits) -> Request:
    return Request(
        seconds=limits.template_seconds,
        memory=limits.template_memory,
        text=limits.template_bytes,
        most=most_sent(limits),
        source=template.text,
        context=context,
    )
