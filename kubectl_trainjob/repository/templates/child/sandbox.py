"""The environment in which templates run: Jinja2's immutable sandbox, narrowed to plain data.

An attribute is an entry of a mapping, a field of `loop` or of a namespace, and nothing else. A method can only be
called, never be had as a value, and only if `filters.METHODS` lists it. So no expression has a Python object in its
hands whose attributes could lead anywhere. A value that is missing is an error.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import FunctionType
from typing import Any

from jinja2 import StrictUndefined, Undefined, pass_context
from jinja2.exceptions import SecurityError
from jinja2.lexer import TokenStream
from jinja2.runtime import Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from kubectl_trainjob.repository.templates.child.filters import FILTERS, FUNCTIONS, METHODS, TESTS, format_text
from kubectl_trainjob.repository.templates.child.generator import Generator, not_offered
from kubectl_trainjob.repository.templates.child.marks import mark, marked_lines, unmarked, yaml_lines
from kubectl_trainjob.repository.templates.child.missing import missing_in
from kubectl_trainjob.repository.templates.child.problem import ProblemError
from kubectl_trainjob.repository.templates.child.text import show

_LOOP = frozenset(
    ("depth", "depth0", "first", "index", "index0", "last", "length", "nextitem", "previtem", "revindex", "revindex0")
)
_DIGITS = 400  # of a number; Python itself gives up at 4300


@pass_context  # which also keeps Jinja2 from computing constants while it compiles
def _finalize(_context: Context, value: Any) -> str:
    return show(value)


class Sandbox(ImmutableSandboxedEnvironment):
    """What one rendering of one template runs in; with `has_marks` its text is led by marks (see `marks`).

    `compiling_line` is how far the template was compiled, for errors that do not tell their line: the line up to which
    tokens were read (`_checked`), later the one whose code was begun (`Generator.newline`).

    Blocks are trimmed on both sides: a line with nothing but `{% … %}` or `{# … #}` leaves nothing behind. The file's
    last line end stays, line ends are written as line feeds.
    """

    code_generator_class = Generator
    intercepted_binops = frozenset("%")

    def __init__(self, values: Mapping[str, Any], has_marks: bool = False) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            optimized=False,
            undefined=missing_in(values, {*values, *FUNCTIONS}),
            finalize=_finalize,
            cache_size=0,
        )
        self.filters: dict[str, Any] = FILTERS
        self.tests: dict[str, Any] = TESTS
        self.globals: dict[str, Any] = dict(FUNCTIONS)
        self.compiling_line = 0
        self._values = values
        self._has_marks = has_marks

    def know(self, names: Collection[str]) -> None:
        """From now on hints for undefined names have also those that the template itself gives."""
        self.undefined = missing_in(self._values, {*self._values, *FUNCTIONS, *names})

    def joined(self, parts: Iterable[Any]) -> str:
        """The texts of all parts in a row."""
        return "".join([part if type(part) is str else show(part) for part in parts])

    def concat(self, parts: Iterable[Any]) -> str:
        """What a macro or a captured block gives; without any text it is empty, marks or not."""
        text = self.joined(parts)
        return text if unmarked(text) else ""

    @staticmethod
    def bare(value: Any) -> Any:
        """A value as it is compared; one that is missing says so."""
        if isinstance(value, StrictUndefined):
            str(value)
        return unmarked(value) if type(value) is str else value

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:  # noqa: ARG002
        """None is: what may be read, `getattr` and `getitem` read themselves."""
        return False

    def is_safe_callable(self, obj: Any) -> bool:
        """Macros, a recursive loop and the functions that are offered; an undefined value complains itself."""
        if isinstance(obj, Macro | LoopContext | Undefined):
            return True
        return isinstance(obj, FunctionType) and obj in FUNCTIONS.values()

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`obj.attribute`: an entry of a mapping, or a field of a loop or a namespace."""
        kind = type(obj)
        if kind is LoopContext and attribute in _LOOP:
            return getattr(obj, attribute)
        if kind is Namespace and not attribute.startswith("_"):
            try:
                return getattr(obj, attribute)
            except AttributeError:
                return self.undefined(obj=obj, name=attribute)
        return self.getitem(obj, attribute) if kind is dict else self._missing(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """`obj[argument]` of a mapping, a list or a text; of anything else as `obj.argument`."""
        argument = self.bare(argument)
        if type(obj) not in (dict, list, tuple, str):
            return self.getattr(obj, argument) if type(argument) is str else self._missing(obj, argument)
        try:
            return self.bare(obj)[argument] if type(obj) is str else obj[argument]
        except (TypeError, LookupError):
            return self._missing(obj, argument)

    def _missing(self, obj: Any, name: Any) -> Undefined:
        if isinstance(obj, Undefined):
            str(obj)  # raises what is wrong with it
        if isinstance(name, str) and name.startswith("__"):
            message = f'"{name}" is not offered to templates, which see plain data only; remove it'
            return self.undefined(message, obj=obj, name=name, exc=SecurityError)
        return self.undefined(obj=obj, name=name)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """`obj(…)`."""
        if not self.is_safe_callable(obj):
            raise ProblemError(
                "unsafe", "only macros and the functions range, dict and namespace can be called; call one"
            )
        return context.call(obj, *args, **kwargs)

    def call_method(self, context: Context, obj: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """`obj.name(…)`."""
        method = METHODS.get(type(obj), {}).get(name)
        if method is not None:
            return method(self.bare(obj), *args, **kwargs)
        value = self.getattr(obj, name)
        if isinstance(value, Macro):
            return self.call(context, value, *args, **kwargs)
        if isinstance(value, Undefined) and (isinstance(obj, Undefined) or name.startswith("__")):
            str(value)
        offered = ", ".join(sorted(METHODS.get(type(obj), ()))) or "none"
        raise ProblemError("unsafe", f'"{name}" cannot be called here; what can be called of this value: {offered}')

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:  # noqa: ARG002
        """`left % right`, which formats where `left` is text."""
        if type(left) is not str:
            return left % right
        if type(right) is dict:
            return format_text(self.bare(left), **right)
        return format_text(self.bare(left), *(right if type(right) is tuple else (right,)))

    def call_filter(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """What `map("name")` calls."""
        if (problem := not_offered("filter", name)) is not None:
            raise problem
        return super().call_filter(name, *args, **kwargs)

    def call_test(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """What `select("name")` calls."""
        if (problem := not_offered("test", name)) is not None:
            raise problem
        return super().call_test(name, *args, **kwargs)

    def _tokenize(
        self, source: str, name: str | None, filename: str | None = None, state: str | None = None
    ) -> TokenStream:
        tokens = self._checked(self.lexer.tokeniter(source, name, filename, state))
        if self._has_marks:
            tokens = _marked(tokens, yaml_lines(source))
        return TokenStream(self.lexer.wrap(tokens, name, filename), name, filename)

    def _checked(self, tokens: Iterator[tuple[int, str, str]]) -> Iterator[tuple[int, str, str]]:
        """The tokens, none a number that Python would choke on."""
        for line, token, value in tokens:
            self.compiling_line = line
            is_endless = token == "float" and math.isinf(float(value.replace("_", "")))
            if is_endless or (token == "integer" and len(value) > _DIGITS):
                raise ProblemError("syntax", "a number is too large; write a smaller one", line)
            yield line, token, value


def _marked(tokens: Iterator[tuple[int, str, str]], lines: list[int]) -> Iterator[tuple[int, str, str]]:
    for line, token, value in tokens:
        if token == "data":
            yield line, token, marked_lines(value, lines[line - 1])
            continue
        if token == "variable_begin":
            yield line, "data", mark(lines[line - 1])
        yield line, token, value
