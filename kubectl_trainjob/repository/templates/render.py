"""Templates to text.

    with Renderer() as renderer:
        made = renderer.render(template, encode_context({"values": {...}, "overlay": {...}}), limits)

One renderer serves a whole run. The first template starts a child process (`process`), which renders each in a limited
copy of itself (`child.confine`). On systems without fork, this module limits the time. The process is not trusted: an
invalid answer is a diagnostic.
"""

from __future__ import annotations

import json
import os
import re
from array import array
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple
from weakref import finalize

from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import Limits, size
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.model.source import Place, Source, SourceFile, TextOrigin
from kubectl_trainjob.repository.templates import protocol
from kubectl_trainjob.repository.templates.process import Process
from kubectl_trainjob.repository.yaml.stream import Lines

_PATIENCE = 10  # seconds of waiting for each second of processor time: the machine may be busy
_LATER = 1.2  # times as long, until the build ends a process that does not end itself
_RULES: dict[str, Rule] = {
    "syntax": rules.TEMPLATE_SYNTAX,
    "undefined": rules.UNDEFINED_VALUE,
    "unsafe": rules.UNSAFE_TEMPLATE,
    "failed": rules.TEMPLATE_FAILED,
}
_AROUND = 1 << 16  # bytes of the ending and of the report of a crash
_ABOUT = 1 << 21  # bytes that are sent in addition to a text and its lines
_EXCESS = {
    "memory": '"{}" takes more than {} of memory, the limit (limits.templateMemory); make shorter texts',
    "output": '"{}" has more than {} of text, the limit (limits.templateBytes); split it into several',
    "seconds": '"{}" takes more than {} s of processor time, the limit (limits.templateSeconds); shorten its loops',
    "all seconds": '"{}" and the templates before it take more than {} s of processor time, the limit '
    "(limits.templatesSeconds); shorten their loops, or use fewer templates",
    "all output": '"{}" and the templates before it have more than {} of text, the limit (limits.templatesBytes); '
    "use fewer templates",
    "depth": '"{}" nests or calls itself too deeply; end the recursion, or split the expression',
    "range": '"{}" has a range of more than 100000 numbers, the limit; use fewer',
}
_NO_ANSWER = say("sent no valid answer")
_LOOP = re.compile(r"\{%[-+]?\s*+(for|endfor)\b")
_FRAME = re.compile(rb'File "<template>", line ([0-9]{1,9}) in')


class Renderer:
    """Renders templates, equal ones with equal values once; the child ends with it.

    All of its templates together have limits of time and text. One is rendered at a time. Therefore they use the memory
    of one, and of the text of all.
    """

    def __init__(self) -> None:
        self._seconds, self._bytes = 0.0, 0
        self._rendered: dict[tuple[str, bytes, Limits], SourceFile] = {}
        self._process: Process | None = None
        self._end: finalize[[Process], Renderer] | None = None

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child process, if any, and clear the cache."""
        if self._end is not None:
            self._end()
        self._process = None
        self._rendered.clear()

    def render(self, template: SourceFile, context: bytes, limits: Limits) -> SourceFile | Diagnostic:
        """The text of a template, with the lines of the template, or its problem.

        `context` is from `encode_context`. Raises EnvironmentFault when no child process can be started.
        """
        key = (template.text, context, limits)
        known = self._rendered.get(key)
        if known is not None and known.written is not None:
            return replace(known, path=template.path, written=TextOrigin(template, known.written.lines))
        if self._seconds >= limits.templates_seconds:
            return _over_limit(template, "all seconds", limits)
        rendered = self._render(template, context, limits)
        if isinstance(rendered, SourceFile):
            self._bytes += len(rendered.text.encode())
            if self._bytes > limits.templates_bytes:
                return _over_limit(template, "all output", limits)
            self._rendered[key] = rendered
        return rendered

    def _render(self, template: SourceFile, context: bytes, limits: Limits) -> SourceFile | Diagnostic:
        most, seconds = _most_sent(limits), _wall(limits)
        of_template = limits.template_seconds, seconds, limits.template_memory, limits.template_bytes, most
        request = protocol.TemplateRequest(*of_template, template.text, context)
        process, answer = self._start(), None
        try:
            answer = process.exchange(request.encode(), (_AROUND, most + _AROUND, _AROUND), _LATER * seconds)
        finally:
            if answer is None:  # it failed, or was interrupted inside a message
                self.close()
        if answer is not None:
            self._seconds += _seconds_of(answer[0])
            return decode_answer(template, Answer(*answer), limits)
        self._seconds += limits.template_seconds
        return _out_of_time(template, limits) if process.is_late else unanswered(template)

    def _start(self) -> Process:
        if self._process is None:
            self._process = Process()
            self._end = finalize(self, Process.end, self._process)
        return self._process


def encode_context(context: Mapping[str, Any]) -> bytes:
    """What a template may use, by name: plain JSON data."""
    return json.dumps(context, ensure_ascii=False).encode("utf-8", "surrogatepass")


class Answer(NamedTuple):
    """The three frames of the server: how the rendering process ended, what it sent, its report of a crash."""

    ended: bytes
    sent: bytes
    report: bytes


def _most_sent(limits: Limits) -> int:
    """The most bytes that may be sent for one template: its text, four for each line of it, and some about it."""
    return 5 * limits.template_bytes + _ABOUT


def decode_answer(template: SourceFile, answer: Answer, limits: Limits) -> SourceFile | Diagnostic:
    """The rendered file, or the problem of the template."""
    try:
        ending = protocol.Ending.decode(answer.ended)
        parts = {} if ending.is_flood else _parts(answer.sent)
        if protocol.PROBLEM in parts:
            problem = protocol.RenderingError.decode(parts[protocol.PROBLEM])
            if problem.kind not in _RULES:
                return _over_limit(template, problem.kind, limits, problem.line)
            return _at(template, _RULES[problem.kind], problem.message, problem.line, problem.column)
        if protocol.TEXT not in parts:
            return _crash(template, ending.code, answer.report, parts.get(protocol.TABLE, b""), limits)
        if len(parts[protocol.TEXT]) > limits.template_bytes:
            return unanswered(template)
        text = parts[protocol.TEXT].decode()
        lines = _line_map(template, parts.get(protocol.LINES, b""), Lines(text).count)
        return SourceFile(template.path, text, TextOrigin(template, lines))
    except (ValueError, TypeError, KeyError, RecursionError):
        return unanswered(template)


def _seconds_of(ended: bytes) -> float:
    """The processor time of a rendering; 0 if the answer is invalid."""
    try:
        return protocol.Ending.decode(ended).seconds
    except (ValueError, TypeError, RecursionError):
        return 0


def _wall(limits: Limits) -> float:
    """The seconds that a template may take."""
    return limits.template_seconds * (_PATIENCE if hasattr(os, "fork") else 1)


def _out_of_time(template: SourceFile, limits: Limits, line: int = 1) -> Diagnostic:
    words = '"{}" was not rendered within {} s; simplify it, or check whether the machine is overloaded'
    return _at(template, rules.TEMPLATE_LIMIT, say(words, _name(template), Message(f"{_wall(limits):g}")), line)


def too_much(template: SourceFile, limits: Limits) -> Diagnostic:
    """For a template whose values, with those of earlier templates, are too large."""
    words = 'the values of all templates up to "{}" are larger than {}, the limit (limits.buildBytes); use fewer values'
    return _at(template, rules.TEMPLATE_LIMIT, say(words, _name(template), size(limits.build_bytes)))


def unanswered(template: SourceFile, reason: Message = _NO_ANSWER, line: int = 1) -> Diagnostic:
    """For a template whose process failed."""
    message = say('"{}" could not be rendered: its process {}; simplify the template', _name(template), reason)
    return _at(template, rules.TEMPLATE_FAILED, message, line)


def _parts(sent: bytes) -> dict[bytes, bytes]:
    """The parts that were sent, by kind; the last frame may be incomplete."""
    parts: dict[bytes, bytes] = {}
    try:
        for body in protocol.split(sent):
            parts.setdefault(body[:1], body[1:])
    except protocol.ProtocolError:
        pass
    return parts


def _line_map(template: SourceFile, sent: bytes, count: int) -> tuple[int, ...]:
    """The template's line of each of `count` rendered lines; 1 for all where that was not sent."""
    lines = array(protocol.LINE)
    if count > protocol.MOST_LINES or len(sent) != count * lines.itemsize:
        return (1,) * count
    lines.frombytes(sent)
    last = Lines(template.text).count
    known: dict[int, int] = {}  # one object for each line, however often it is repeated
    return tuple([known.setdefault(line, line) if 0 < line <= last else 1 for line in lines])


def _over_limit(template: SourceFile, kind: str, limits: Limits, line: int = 1) -> Diagnostic:
    amounts: dict[str, object] = {
        "memory": size(limits.template_memory),
        "output": size(limits.template_bytes),
        "seconds": limits.template_seconds,
        "all seconds": limits.templates_seconds,
        "all output": size(limits.templates_bytes),
    }
    amount = [amounts[kind]] if kind in amounts else []
    return _at(template, rules.TEMPLATE_LIMIT, say(_EXCESS[kind], _name(template), *amount), line)


def _crash(template: SourceFile, code: int, report: bytes, table: bytes, limits: Limits) -> Diagnostic:
    """The problem at the innermost line of the template that was running when the process ended."""
    import signal

    frame = _FRAME.search(report)
    line = protocol.code_line(table.decode("ascii"), int(frame[1])) if frame else 1
    if code == -getattr(signal, "SIGXCPU", 0):
        return _over_limit(template, "seconds", limits, _loop(template.text, line))
    if code == -getattr(signal, "SIGALRM", 0):
        return _out_of_time(template, limits, _loop(template.text, line))
    reason = say("ended with signal {}", -code) if code < 0 else say("ended with code {}", code)
    return unanswered(template, reason, line)


def _loop(template: str, line: int) -> int:
    """The line of the innermost loop around a line; that line itself outside of loops."""
    loops: list[int] = []
    starts = [0, *(found.end() for found in protocol.TEMPLATE_LINE_END.finditer(template))]
    for found in _LOOP.finditer(template):
        number = bisect_right(starts, found.start())
        if number > line:
            break
        if found[1] == "for":
            loops.append(number)
        elif loops and number < line:
            loops.pop()
    return loops[-1] if loops else line


def _at(template: SourceFile, rule: Rule, message: Message, line: int = 1, column: int = 0) -> Diagnostic:
    return Diagnostic(rule, message, Place(Source(template), span=protocol.line_span(template.text, line, column)))


def _name(template: SourceFile) -> str:
    return os.path.basename(template.path)
