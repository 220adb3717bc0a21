"""The environment of templates: Jinja2's immutable sandbox, restricted to plain data.

An attribute can only be an entry of a mapping, or a field of `loop` or of a namespace. A method of `filters.METHODS`
can be called, but is never a value. Therefore no expression has a Python object with usable attributes. A missing value
is an error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import FunctionType
from typing import Any

from jinja2 import StrictUndefined, Undefined, pass_context
from jinja2.exceptions import SecurityError
from jinja2.lexer import TokenStream
from jinja2.runtime import Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace, missing

from kubectl_trainjob.model.message import Data, Message, joined, say
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.repository.templates.child.filters import FILTERS, FUNCTIONS, METHODS, TESTS, format_text
from kubectl_trainjob.repository.templates.child.generator import Generator, not_offered
from kubectl_trainjob.repository.templates.child.marks import mark, marked_lines, unmarked, yaml_lines
from kubectl_trainjob.repository.templates.child.text import UNDEFINED, show
from kubectl_trainjob.repository.templates.protocol import RenderingError

_LISTED = 12  # names
_SEARCHED = 10_000  # mappings and lists
_WAY_OUT = "correct the name, define it in the values of the overlay, or add the filter default(…)"

_MOST = 400  # characters of another program's error
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+|0x[0-9a-fA-F]{8,}")
_INNER_NAME = re.compile(r"\b(?:kubectl_trainjob|jinja2)(?:\.\w+)*\.|\bl_\d+_|\b(?:(?:sync_)?do_|_)(?=[a-z]\w*\(\))")

_KINDS: dict[type, str] = {
    str: "the text",
    list: "the list",
    tuple: "the list",
    dict: "the mapping",
    LoopContext: "the loop",
    Namespace: "the namespace",
}


def missing_in(values: Mapping[str, Any], names: Collection[str]) -> type[StrictUndefined]:
    """The class of undefined values of one template; errors suggest similar names."""

    def message(value: Undefined) -> Message:
        hint, name, owner = value._undefined_hint, value._undefined_name, value._undefined_obj
        if hint:
            return hint if isinstance(hint, Message) else say("{}; {}", foreign(hint), say(_WAY_OUT))
        if owner is missing:
            return say('"{}" is not defined; {}', str(name), _hint(str(name), names))
        return _not_in(owner, name, _path(values, owner))

    return type(UNDEFINED, (StrictUndefined,), {"__slots__": (), "_undefined_message": property(message)})


def foreign(message: str) -> Message:
    """A message of Python or Jinja2 in our style, without addresses and internal names."""
    plain = _INNER_NAME.sub("", _ADDRESS.sub("", message)).partition("; use sys.")[0].strip().rstrip(".")[:_MOST]
    text = plain[:1].lower() + plain[1:] if plain[1:2].islower() else plain
    return Message(Data(text)) if text else Message()


def _not_in(owner: Any, name: Any, path: str) -> Message:
    where = say("{}", path) if path else say(_KINDS.get(type(owner), "the value"))
    if isinstance(owner, dict) and isinstance(name, str) and name not in METHODS[dict]:
        return say('{} has no "{}"; {}', where, name, _hint(name, [key for key in owner if isinstance(key, str)]))
    if isinstance(owner, list | tuple) and isinstance(name, int):
        return say("{} has no item {}, only {}; {}", where, name, len(owner), say(_WAY_OUT))
    if name in METHODS.get(type(owner), ()):
        return say('"{}" of {} must be called; write .{}(…)', name, where, name)
    if not isinstance(name, str | int | float):
        return say("{} has no such key; {}", where, say(_WAY_OUT))
    shown = say('"{}"', name) if isinstance(name, str) else say("{}", name)
    return say("{} has no {}; {}", where, shown, say(_WAY_OUT))


def _hint(name: str, candidates: Iterable[str]) -> Message:
    known = sorted(candidate for candidate in candidates if candidate != name)
    near = nearest(name, known)
    if near is not None:
        return say('did you mean "{}"?', near)
    more = [say("…")] if len(known) > _LISTED else []
    listed = joined([*(say("{}", each) for each in known[:_LISTED]), *more])
    return say("defined here: {}; {}", listed, say(_WAY_OUT)) if known else say(_WAY_OUT)


def _path(values: Mapping[str, Any], owner: Any) -> str:
    """The expression for a mapping or list of the template's values; "" for other values."""
    waiting: list[tuple[str, Any]] = [("", values)]
    for _ in range(_SEARCHED):
        if not waiting:
            break
        path, value = waiting.pop(0)
        if value is owner:
            return path
        entries: Iterable[tuple[Any, Any]] = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in entries:
            if isinstance(item, dict | list):
                step = f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{_step(key)}]"
                waiting.append((f"{path}{step}" if path else str(key), item))
    return ""


def _step(key: Any) -> str:
    return str(key) if isinstance(key, int) else f'"{key}"'


_LOOP = frozenset(
    ("depth", "depth0", "first", "index", "index0", "last", "length", "nextitem", "previtem", "revindex", "revindex0")
)
_DIGITS = 400  # of a number; Python itself gives up at 4300


@pass_context  # therefore Jinja2 computes no constants while it compiles
def _finalize(_context: Context, value: Any) -> str:
    return show(value)


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment of one rendering of one template; with `has_marks` its text has marks (see `marks`).

    `compiling_line` is how far the template was compiled, for errors without a line: the line of the last token
    (`_check_tokens`), later the line of the generated code (`Generator.newline`).

    Blocks are trimmed before and after: a line with only `{% … %}` or `{# … #}` is removed. The file's last line end
    stays, line ends are written as line feeds.
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
        """Add the names that the template defines to the hints for undefined names."""
        self.undefined = missing_in(self._values, {*self._values, *FUNCTIONS, *names})

    def joined(self, parts: Iterable[Any]) -> str:
        """The texts of all parts in a row."""
        return "".join([part if type(part) is str else show(part) for part in parts])

    def concat(self, parts: Iterable[Any]) -> str:
        """The result of a macro or a captured block, empty if it has only marks."""
        text = self.joined(parts)
        return text if unmarked(text) else ""

    @staticmethod
    def bare(value: Any) -> Any:
        """A value to compare; a missing one raises its error."""
        if isinstance(value, StrictUndefined):
            str(value)
        return unmarked(value) if type(value) is str else value

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:  # noqa: ARG002
        """No attribute is safe: `getattr` and `getitem` read what is allowed."""
        return False

    def is_safe_callable(self, obj: Any) -> bool:
        """Macros, a recursive loop and the available functions; an undefined value raises its own error."""
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
            str(obj)  # raises its error
        if isinstance(name, str) and name.startswith("__"):
            message = say('"{}" is not available in templates, which see plain data only; remove it', name)
            return self.undefined(message, obj=obj, name=name, exc=SecurityError)
        return self.undefined(obj=obj, name=name)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """`obj(…)`."""
        if not self.is_safe_callable(obj):
            message = say("only macros and the functions range, dict and namespace can be called; call one of them")
            raise RenderingError("unsafe", message)
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
        offered = joined(map(say, sorted(METHODS.get(type(obj), ())) or ["none"]))
        raise RenderingError("unsafe", say('"{}" cannot be called here; methods of this value: {}', name, offered))

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
        tokens = self._check_tokens(self.lexer.tokeniter(source, name, filename, state))
        if self._has_marks:
            tokens = _mark_tokens(tokens, yaml_lines(source))
        return TokenStream(self.lexer.wrap(tokens, name, filename), name, filename)

    def _check_tokens(self, tokens: Iterator[tuple[int, str, str]]) -> Iterator[tuple[int, str, str]]:
        """The tokens; numbers that are too large for Python raise an error."""
        for line, token, value in tokens:
            self.compiling_line = line
            is_endless = token == "float" and math.isinf(float(value.replace("_", "")))
            if is_endless or (token == "integer" and len(value) > _DIGITS):
                raise RenderingError("syntax", say("a number is too large; write a smaller one"), line)
            yield line, token, value


def _mark_tokens(tokens: Iterator[tuple[int, str, str]], lines: list[int]) -> Iterator[tuple[int, str, str]]:
    for line, token, value in tokens:
        if token == "data":
            yield line, token, marked_lines(value, lines[line - 1])
            continue
        if token == "variable_begin":
            yield line, "data", mark(lines[line - 1])
        yield line, token, value
