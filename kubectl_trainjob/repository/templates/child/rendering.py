"""Renders one template: first unchanged, then again with marks, which show the line of each rendered line.

The line of a problem is the first that is known of:

the error itself            from the parser, `generator.check`, `Sandbox._check_tokens` and `_text`
the traceback               the innermost frame of the template's code, by Jinja2's table (`_line`)
`Sandbox.compiling_line`    how far the template was compiled when Python failed (memory, recursion)
none                        the build uses the first line

If this process crashes, the build reads the table (`protocol.TABLE`) and the lines of code in Python's report.
"""

from __future__ import annotations

import json
import re
import sys
from array import array
from collections.abc import Callable, Iterator, Mapping
from types import CodeType
from typing import Any

from jinja2 import Template, TemplateSyntaxError, UndefinedError
from jinja2.exceptions import SecurityError
from jinja2.parser import Parser

from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.repository.templates import protocol
from kubectl_trainjob.repository.templates.child.confine import release_reserve
from kubectl_trainjob.repository.templates.child.generator import check, names
from kubectl_trainjob.repository.templates.child.marks import can_be_marked, line_map, unmarked
from kubectl_trainjob.repository.templates.child.sandbox import Sandbox, foreign
from kubectl_trainjob.repository.templates.child.text import show
from kubectl_trainjob.repository.yaml.stream import Lines

CODE = "<template>"  # what tracebacks call the file of a template's code
_TABLE = 1 << 20  # characters; a template with a longer one rarely crashes so late
_DEBUG_INFO = re.compile(r"^debug_info = '([0-9=&]*)'$", re.MULTILINE)

# Where Jinja2 counts offsets, each line end is one character.
_AT_OFFSET = re.compile(r"(unexpected char .*) at ([0-9]+)", re.DOTALL)

Send = Callable[[bytes, bytes], None]


def render(source: str, context: bytes, most: int, send: Send) -> None:
    """Send TABLE, TEXT (at most `most` bytes) and LINES, or PROBLEM, as `protocol` describes them."""
    sandbox: Sandbox | None = None
    has_marks = can_be_marked(source) and can_be_marked(context.decode("utf-8", "surrogatepass"))
    try:
        values = json.loads(context)
        sandbox = Sandbox(values, has_marks)
        code, table = _compile(sandbox, source)
        send(protocol.TABLE, table.encode() if len(table) <= _TABLE else b"")
        text = _text(sandbox, _without_marks(code), values, most)
    except Exception as error:
        release_reserve()
        send(protocol.PROBLEM, _problem(error, source, sandbox.compiling_line if sandbox else 0).encode())
        return
    send(protocol.TEXT, text.encode())
    if has_marks and Lines(text).count <= protocol.MOST_LINES:
        send(protocol.LINES, _lines(sandbox, code, values, text).tobytes())


def _compile(sandbox: Sandbox, source: str) -> tuple[CodeType, str]:
    """A template's code, and the table from its lines to the template's."""
    tree = Parser(sandbox, source).parse()
    check(tree)
    sandbox.know(names(tree))
    generated = sandbox.compile(tree, raw=True)
    found = _DEBUG_INFO.search(generated[generated.rfind("\ndebug_info") :])
    table = found[1] if found else ""
    try:
        return compile(generated, CODE, "exec", dont_inherit=True), table
    except SyntaxError as error:  # errors that only Python finds: blocks nested too deeply, duplicate names
        line = protocol.code_line(table, error.lineno or 0)
        raise protocol.RenderingError("syntax", say("{}; simplify the template", foreign(error.msg)), line) from None


def _without_marks(constant: Any) -> Any:
    """Code without the marks in its strings; marks are in no string of the template itself (`can_be_marked`)."""
    if isinstance(constant, str):
        return unmarked(constant)
    if isinstance(constant, tuple):
        return tuple(map(_without_marks, constant))
    if isinstance(constant, CodeType):
        return constant.replace(co_consts=_without_marks(constant.co_consts))
    return constant


def _text(sandbox: Sandbox, code: CodeType, values: Mapping[str, Any], most: int) -> str:
    """The rendered text; raises RenderingError for one of more than `most` bytes."""
    parts: list[str] = []
    size = 0
    template = Template.from_code(sandbox, code, sandbox.globals)
    pieces: Iterator[Any] = template.root_render_func(template.new_context(dict(values)))
    for piece in pieces:
        text = show(piece)
        try:
            size += len(text.encode())
        except UnicodeEncodeError:
            line = _reached_line(template, pieces)
            raise protocol.RenderingError(
                "failed", say("the text has half a character (a lone surrogate); write it whole"), line
            ) from None
        if size > most:
            raise protocol.RenderingError("output", line=_reached_line(template, pieces))
        parts.append(text)
    return "".join(parts)


def _reached_line(template: Template, pieces: Any) -> int:
    """The template's line that a rendering has come to."""
    frame = pieces.gi_frame
    return template.get_corresponding_lineno(frame.f_lineno) if frame else 0


def _lines(sandbox: Sandbox, code: CodeType, values: Mapping[str, Any], text: str) -> array[int]:
    """The template's line of each rendered line; 1 for all where the rendering with marks fails."""
    try:
        return line_map(_text(sandbox, code, values, sys.maxsize), text)
    except Exception:  # the template depends on its marked text
        return line_map("", text)


def _problem(error: Exception, source: str, line: int) -> protocol.RenderingError:
    """The problem of an exception; `line` is used if its traceback has none."""
    if isinstance(error, TemplateSyntaxError):
        problem = _syntax(error, source)
    else:
        problem = error if isinstance(error, protocol.RenderingError) else _name_error(error)
    problem.line = problem.line or _line(error) or line
    return problem


def _syntax(error: TemplateSyntaxError, source: str) -> protocol.RenderingError:
    message, column = error.message or "", 0
    if (found := _AT_OFFSET.fullmatch(message)) is not None:
        message, offset = found[1], int(found[2])
        column = offset - protocol.TEMPLATE_LINE_END.sub("\n", source).rfind("\n", 0, offset)
    return protocol.RenderingError("syntax", say("{}; correct the template", foreign(message)), error.lineno, column)


def _name_error(error: Exception) -> protocol.RenderingError:
    if isinstance(error, MemoryError | SystemError):  # C code without memory may return no exception
        return protocol.RenderingError("memory")
    if isinstance(error, RecursionError):
        return protocol.RenderingError("depth")
    kinds: tuple[tuple[type[Exception], protocol.Kind], ...] = (
        (UndefinedError, "undefined"),
        (SecurityError, "unsafe"),
    )
    kind = next((kind for of, kind in kinds if isinstance(error, of)), None)
    if kind is not None:
        ours = error.args[0] if error.args else None
        return protocol.RenderingError(kind, ours if isinstance(ours, Message) else foreign(str(error)))
    said = foreign(str(error)) or say("{}", type(error).__name__)
    return protocol.RenderingError("failed", say("{}; correct the expression", said))


def _line(error: BaseException) -> int:
    """The innermost line of the template in an exception's traceback."""
    line, trace = 0, error.__traceback__
    while trace is not None:
        template = trace.tb_frame.f_globals.get("__jinja_template__")
        if template is not None and trace.tb_frame.f_code.co_filename == CODE:
            line = template.get_corresponding_lineno(trace.tb_lineno)
        trace = trace.tb_next
    return line
