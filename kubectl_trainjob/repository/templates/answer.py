"""What the child process answered, as a made file or as a diagnostic.

The process that renders is not trusted: all that it sends is checked, and an answer that is not valid becomes a
diagnostic.
"""

from __future__ import annotations

import os
import re
from array import array
from dataclasses import dataclass

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import Limits, size
from kubectl_trainjob.model.rules import (
    TEMPLATE_FAILED,
    TEMPLATE_LIMIT,
    TEMPLATE_SYNTAX,
    UNDEFINED_VALUE,
    UNSAFE_TEMPLATE,
    Rule,
)
from kubectl_trainjob.model.source import Place, Source, SourceFile, Written
from kubectl_trainjob.repository.templates.lines import code_line, line_span
from kubectl_trainjob.repository.templates.wire import (
    LINE,
    LINES,
    MOST_LINES,
    PROBLEM,
    TABLE,
    TEXT,
    Ending,
    Problem,
    WireError,
    split,
)
from kubectl_trainjob.repository.yaml.stream import Lines

_RULES: dict[str, Rule] = {
    "syntax": TEMPLATE_SYNTAX,
    "undefined": UNDEFINED_VALUE,
    "unsafe": UNSAFE_TEMPLATE,
    "failed": TEMPLATE_FAILED,
}
_TOLD = 1 << 16  # bytes of how the child ended, and of its last words
_ABOUT = 1 << 21  # bytes of what is sent in addition to a text and its lines
_FRAME = re.compile(rb'File "<template>", line ([0-9]{1,9}) in')


@dataclass(frozen=True, slots=True)
class Answer:
    """The three frames of the server: how the rendering process ended, what it sent, what it reported of its death."""

    ended: bytes
    sent: bytes
    report: bytes


def most_sent(limits: Limits) -> int:
    """The most bytes that may be sent for one template: its text, four for each line of it, and some about it."""
    return 5 * limits.template_bytes + _ABOUT


def sizes(limits: Limits) -> tuple[int, int, int]:
    """The most bytes of each frame of an answer."""
    return _TOLD, most_sent(limits) + _TOLD, _TOLD


def understand(template: SourceFile, answer: Answer, limits: Limits) -> SourceFile | Diagnostic:
    """The rendered file, or the problem of the template."""
    try:
        ending = Ending.decode(answer.ended)
        parts = {} if ending.is_flood else _parts(answer.sent)
        if PROBLEM in parts:
            return _refused(template, Problem.decode(parts[PROBLEM]), limits)
        if TEXT in parts:
            return _made(template, parts[TEXT], parts.get(LINES, b""), limits)
        return _died(template, ending.code, _last_line(answer.report, parts), limits)
    except (ValueError, TypeError, KeyError, RecursionError):
        return unanswered(template)


def out_of_time(template: SourceFile, seconds: float) -> Diagnostic:
    """For a template whose rendering was given up."""
    message = f"{_name(template)} was not rendered within {seconds:g} s; simplify it, or see what holds up the machine"
    return _at(template, TEMPLATE_LIMIT, message)


def too_much(template: SourceFile, limits: Limits) -> Diagnostic:
    """For a template whose values are too many, after those of the templates before it."""
    most = size(limits.build_bytes)
    message = (
        f"the values of all templates up to {_name(template)} are larger than {most}, the limit; state fewer values"
    )
    return _at(template, TEMPLATE_LIMIT, message)


def unanswered(template: SourceFile, reason: str = "gave no proper answer", line: int = 1) -> Diagnostic:
    """For a template whose rendering did not end as it should."""
    message = f"{_name(template)} could not be rendered: the process that did it {reason}; simplify the template"
    return _at(template, TEMPLATE_FAILED, message, line)


def _parts(sent: bytes) -> dict[bytes, bytes]:
    """What was sent, by its kind; the process may have ended in the midst of a frame."""
    parts: dict[bytes, bytes] = {}
    try:
        for body in split(sent):
            parts.setdefault(body[:1], body[1:])
    except WireError:
        pass
    return parts


def _made(template: SourceFile, body: bytes, lines: bytes, limits: Limits) -> SourceFile | Diagnostic:
    if len(body) > limits.template_bytes:
        return unanswered(template)
    text = body.decode()
    return SourceFile(template.path, text, Written(template, _mapped(template, lines, Lines(text).count)))


def _mapped(template: SourceFile, sent: bytes, count: int) -> tuple[int, ...]:
    """The template's line of each of `count` rendered lines; 1 for all where that was not sent."""
    lines = array(LINE)
    if count > MOST_LINES or len(sent) != count * lines.itemsize:
        return (1,) * count
    lines.frombytes(sent)
    last = Lines(template.text).count
    known: dict[int, int] = {}  # one object for each line, however often it is repeated
    return tuple([known.setdefault(line, line) if 0 < line <= last else 1 for line in lines])


def _refused(template: SourceFile, problem: Problem, limits: Limits) -> Diagnostic:
    if problem.kind in _RULES:
        return _at(template, _RULES[problem.kind], problem.message, problem.line, problem.column)
    return _at(template, TEMPLATE_LIMIT, f"{_name(template)} {_excess(problem.kind, limits)}", problem.line)


def _excess(kind: str, limits: Limits) -> str:
    """What a template has too much of, the limit, and how to go on."""
    return {
        "memory": f"takes more than {size(limits.template_memory)} of memory, the limit (limits.templateMemory); "
        "make shorter texts",
        "output": f"gives more than {size(limits.template_bytes)} of text, the limit (limits.templateBytes); "
        "split it into several",
        "seconds": f"takes more than {limits.template_seconds} s of processor time, the limit "
        "(limits.templateSeconds); make its loops shorter",
        "depth": "nests or calls itself too deeply; end the recursion, or split the expression",
        "range": "asks for a range of more than 100000 numbers, the limit; ask for fewer",
    }[kind]


def _died(template: SourceFile, code: int, line: int, limits: Limits) -> Diagnostic:
    import signal

    if code == -getattr(signal, "SIGXCPU", 0):
        return _at(template, TEMPLATE_LIMIT, f"{_name(template)} {_excess('seconds', limits)}", line)
    return unanswered(template, f"ended with {'signal' if code < 0 else 'code'} {abs(code)}", line)


def _last_line(report: bytes, parts: dict[bytes, bytes]) -> int:
    """The innermost line of the template that was running when the process ended."""
    frame = _FRAME.search(report)
    return code_line(parts.get(TABLE, b"").decode("ascii"), int(frame[1])) if frame else 1


def _at(template: SourceFile, rule: Rule, message: str, line: int = 1, column: int = 0) -> Diagnostic:
    return Diagnostic(rule, message, Place(Source(template), span=line_span(template.text, line, column)))


def _name(template: SourceFile) -> str:
    return f'"{os.path.basename(template.path)}"'
