"""Text to YAML nodes: libyaml's composer where PyYAML has it, PyYAML's own otherwise, with one set of hooks.

PyYAML resolves and constructs in Python, which costs more than libyaml's parsing. Here a node only knows whether its
text is plain; `fast`, `strict` and `scalars` make plain data from it by the rules of kubectl.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from typing import Any, Literal

from yaml import error, nodes
from yaml.composer import Composer
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

try:
    from yaml._yaml import CParser
except ImportError:  # PyYAML without its C part
    _HAS_LIBYAML = False
else:
    _HAS_LIBYAML = True

YAMLError = error.YAMLError
Node = nodes.Node
MappingNode = nodes.MappingNode
ScalarNode = nodes.ScalarNode
SequenceNode = nodes.SequenceNode

Backend = Literal["libyaml", "python"]
BACKEND: Backend = "libyaml" if _HAS_LIBYAML else "python"

# The `node.tag` of a node without an explicit tag.
PLAIN = "plain"
QUOTED = "quoted"
COLLECTION = "collection"

_SAFE_BRACKETS = 500  # so many nested nodes fit any thread's C stack
_LONG_INDENT = re.compile(r"\n[ \t?:-]{250}")


class TooDeepError(Exception):
    """Mappings and lists are nested deeper than allowed; `node` is the first one too deep."""

    def __init__(self, node: Node) -> None:
        super().__init__("nested too deeply")
        self.node = node


class _UntypedComposer:
    """The hooks of a composer: no tag is resolved, no path is followed."""

    def resolve(self, kind: type, _value: str | None, implicit: Any) -> str:
        if kind is ScalarNode:
            return PLAIN if implicit[0] else QUOTED
        return COLLECTION

    # Called for every node: functions written in C that do nothing cost less than Python's.
    descend_resolver = staticmethod(operator.is_)
    ascend_resolver = staticmethod(bool)


class _LimitedComposer(_UntypedComposer):
    """The same, with at most `limit` nested collections: composing is recursive in C."""

    limit = 0
    _depth = 0

    def descend_resolver(self, parent: Any, _index: Any) -> None:  # type: ignore[override]
        self._depth += 1
        if self._depth > self.limit + 1 and parent is not None:
            raise TooDeepError(parent)

    def ascend_resolver(self) -> None:  # type: ignore[override]
        self._depth -= 1


class _PurePython(_LimitedComposer, Reader, Scanner, Parser, Composer):
    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)


if _HAS_LIBYAML:

    class _Libyaml(_UntypedComposer, CParser):
        pass

    class _GuardedLibyaml(_LimitedComposer, CParser):
        pass


def roots(text: str, depth: int | None, backend: Backend = BACKEND) -> Iterator[Node]:
    """The root node of each document; `depth` None leaves depth unchecked, for text that cannot nest deeply.

    Raises YAMLError for syntax and characters that YAML rejects, TooDeepError for more than `depth` levels.
    """
    parser = _parser(text, depth, backend)
    while parser.check_node():
        yield parser.get_node()


def events(text: str, backend: Backend = BACKEND) -> Iterator[Any]:
    """The parser's events (PyYAML's classes), which have the places of aliases, unlike nodes."""
    parser = _parser(text, None, backend)
    while parser.check_event():
        yield parser.get_event()


def _parser(text: str, depth: int | None, backend: Backend) -> Any:
    if backend == "libyaml" and depth is None:
        return _Libyaml(text)
    parser = _GuardedLibyaml(text) if backend == "libyaml" else _PurePython(text)
    parser.limit = 1000 if depth is None else depth
    return parser


def may_nest_deeply(text: str) -> bool:
    """Whether composing the text might exhaust the C stack; fast, and sometimes True without need."""
    if _LONG_INDENT.match("\n" + text[:250]) is not None or _LONG_INDENT.search(text) is not None:
        return True
    return _brackets(text) > _SAFE_BRACKETS and max(map(_brackets, text.split("\n---"))) > _SAFE_BRACKETS


def _brackets(text: str) -> int:
    return text.count("[") + text.count("{")
