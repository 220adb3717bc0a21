"""All filters, tests, functions and methods that a template may use, by name.

Each takes plain data and returns plain data, never a generator, a bound method or another object with attributes. Not
available is what is random (`random`, `lipsum`) or reads attributes (`attr`), and what depends on memory or HTML
(`pprint`, `xmlattr`, `urlize`, `escape`, `safe`). The same is true for what keeps state (`cycler`, `joiner`): use
`loop.cycle` and `loop.last`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any

from jinja2 import pass_environment
from jinja2.filters import FILTERS as STOCK_FILTERS
from jinja2.filters import make_attrgetter
from jinja2.runtime import LoopContext
from jinja2.tests import TESTS as STOCK_TESTS
from jinja2.utils import Namespace

from kubectl_trainjob.model.message import say
from kubectl_trainjob.repository.templates.child.marks import trimmed, unmarked
from kubectl_trainjob.repository.templates.child.text import quote, show, to_json, to_yaml
from kubectl_trainjob.repository.templates.protocol import RenderingError

Function = Callable[..., Any]

_RANGE = 100_000  # numbers

# Those of Jinja2, unchanged.
_STOCK_FILTERS = """
abs batch count d default dictsort first float int last length list map max min reject rejectattr reverse round
select selectattr slice sort sum unique
"""
_STOCK_TESTS = """
!= < <= == > >= boolean defined divisibleby eq equalto even false float ge greaterthan gt in integer iterable le
lessthan lower lt mapping ne none number odd sequence string true undefined upper
"""
_KEEP_MARKS = frozenset(("d", "default", "first", "last", "list", "map", "reject", "reverse", "select"))


def _plainly(function: Function, *, keeps_marks: bool = False) -> Function:
    """The function with arguments without marks, unless it keeps them, and a list instead of an iterator as result."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not keeps_marks:
            args = tuple([unmarked(arg) if type(arg) is str else arg for arg in args])
            kwargs = {name: unmarked(arg) if type(arg) is str else arg for name, arg in kwargs.items()}
        result = function(*args, **kwargs)
        return list(result) if isinstance(result, Iterator) and not isinstance(result, LoopContext) else result

    return call


def _items(mapping: Any) -> list[tuple[Any, Any]]:
    return list(mapping.items())


def _indent(text: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    """Text with its lines, except the first and empty ones, moved to the right."""
    space = width if isinstance(width, str) else " " * width
    lines = show(text).split("\n")
    moved = [space + line if blank or unmarked(line) else line for line in lines]
    return "\n".join(moved if first else [lines[0], *moved[1:]])


def _trim(text: Any, chars: str | None = None) -> str:
    """Text without blanks at its ends, or without the given characters."""
    return trimmed(show(text)) if chars is None else unmarked(show(text)).strip(chars)


@pass_environment
def _join(environment: Any, items: Iterable[Any], d: str = "", attribute: str | int | None = None) -> str:
    """The texts of all items, `d` between them."""
    found = items if attribute is None else map(make_attrgetter(environment, attribute), items)
    return d.join(map(show, found))


def _replace(text: Any, old: str, new: str, count: int = -1) -> str:
    return show(text).replace(show(old), show(new), count)


def _index(items: list[Any], value: Any) -> int:
    """The index of a value in a list; Python's own error would show any value."""
    if value not in items:
        raise RenderingError("failed", say('the value is not in the list; check with "{}" first', "in"))
    return items.index(value)


def _text(method: Function) -> Function:
    """A method of text as a filter."""
    return wraps(method)(lambda text: str(method(show(text))))


def format_text(text: str, /, *args: Any, **kwargs: Any) -> str:
    """`text % args` with only numbers and texts as values."""
    if args and kwargs:
        raise RenderingError("failed", say("format takes either a list of values or named ones; choose one"))
    values = {name: _number_or_text(value) for name, value in kwargs.items()} or tuple(map(_number_or_text, args))
    return show(text) % values


def _number_or_text(value: Any) -> Any:
    return value if type(value) in (int, float) else show(value)


def _groupby(stock: Function) -> Function:
    return wraps(stock)(lambda *args, **kwargs: [[key, list(items)] for key, items in stock(*args, **kwargs)])


def _range(*args: int) -> list[int]:
    numbers = range(*args)
    if numbers[_RANGE:]:
        raise RenderingError("range")
    return list(numbers)


def _dict(*args: Any, **kwargs: Any) -> dict[str, Any]:
    return dict(*args, **kwargs)


def _namespace(*args: Any, **kwargs: Any) -> Namespace:
    return Namespace(*args, **kwargs)


def _filters() -> dict[str, Function]:
    stock = {name: _plainly(STOCK_FILTERS[name], keeps_marks=name in _KEEP_MARKS) for name in _STOCK_FILTERS.split()}
    texts = {name: _plainly(_text(getattr(str, name))) for name in ("capitalize", "lower", "title", "upper")}
    written = {name: _plainly(function) for name, function in _WRITTEN.items()}
    return stock | texts | written | {"indent": _indent, "items": _items, "join": _join, "string": show, "trim": _trim}


def _tests() -> dict[str, Function]:
    stock: dict[str, Any] = {**STOCK_TESTS}
    return {name: _plainly(stock[name]) for name in _STOCK_TESTS.split()}


_WRITTEN: dict[str, Function] = {
    "format": format_text,
    "groupby": _groupby(STOCK_FILTERS["groupby"]),
    "quote": quote,
    "replace": _replace,
    "to_json": to_json,
    "to_yaml": to_yaml,
    "tojson": to_json,
}

FILTERS = _filters()
TESTS = _tests()
FUNCTIONS: dict[str, Function] = {"dict": _dict, "namespace": _namespace, "range": _range}

_TEXT_METHODS = """
capitalize count endswith find isalnum isalpha isdigit islower isupper join ljust lower lstrip partition removeprefix
removesuffix replace rfind rjust rpartition rsplit rstrip split splitlines startswith strip title upper zfill
"""
METHODS: dict[type, dict[str, Function]] = {
    str: {name: _plainly(getattr(str, name)) for name in _TEXT_METHODS.split()},
    list: {"count": _plainly(list.count), "index": _plainly(_index)},
    tuple: {"count": _plainly(tuple.count), "index": _plainly(_index)},
    dict: {"get": _plainly(dict.get), "items": _items, "keys": list, "values": lambda mapping: list(mapping.values())},
    LoopContext: {"changed": LoopContext.changed, "cycle": LoopContext.cycle},
}
"""What can be called on a value of exactly that type."""
