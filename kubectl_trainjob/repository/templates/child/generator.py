"""A syntax tree to code: what a template may contain, and how its code differs from that of Jinja2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame, operators
from jinja2.filters import FILTERS as STOCK_FILTERS
from jinja2.tests import TESTS as STOCK_TESTS

from kubectl_trainjob.model.message import Message, joined, say
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.repository.templates.child.filters import FILTERS, TESTS
from kubectl_trainjob.repository.templates.protocol import RenderingError

_KINDS = """
Add And Assign AssignBlock Call CallBlock Compare Concat CondExpr Const Dict Div Filter FilterBlock FloorDiv For
Getattr Getitem If Keyword List Macro Mod Mul NSRef Name Neg Not Operand Or Output Pair Pos Pow Slice Sub Template
Scope TemplateData Test Tuple With
"""
_ALLOWED = frozenset(_KINDS.split())
_FILES = frozenset(("Extends", "FromImport", "Import", "Include"))
_TAGS = {"ScopedEvalContextModifier": "autoescape"}  # the tags of nodes with another name


def check(tree: nodes.Template) -> None:
    """Raise the first RenderingError of the template, if any."""
    found = [problem for node in walk(tree) if (problem := _rejection(node)) is not None]
    if found:
        raise min(found, key=lambda problem: problem.line)


def walk(tree: nodes.Node) -> Iterator[nodes.Node]:
    """All nodes of a tree, however deep."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.iter_child_nodes())


def names(tree: nodes.Template) -> set[str]:
    """The names of values and macros that a template defines."""
    given = {node.name for node in walk(tree) if isinstance(node, nodes.Name) and node.ctx != "load"}
    return given | {node.name for node in walk(tree) if isinstance(node, nodes.Macro)}


def _rejection(node: nodes.Node) -> RenderingError | None:
    kind = type(node).__name__
    message = Message()
    if kind in _FILES:
        message = say("a template cannot include, import or extend another file; copy what it needs into this one")
    elif kind not in _ALLOWED:
        message = say(
            '"{}" is not available in templates; write the template without it', _TAGS.get(kind, kind.lower())
        )
    elif isinstance(node, nodes.Name) and node.name in ("self", "super"):
        message = say('"{}" is not available in templates, which have no blocks; rename the value', node.name)
    elif isinstance(node, nodes.Filter):
        return not_offered("filter", node.name, node.lineno)
    elif isinstance(node, nodes.Test):
        return not_offered("test", node.name, node.lineno)
    return RenderingError("unsafe", message, node.lineno) if message else None


def not_offered(what: str, name: Any, line: int = 0) -> RenderingError | None:
    """Why there is no such filter or test; None for an existing one."""
    offered, stock = (FILTERS, STOCK_FILTERS) if what == "filter" else (TESTS, STOCK_TESTS)
    if isinstance(name, str) and name in offered:
        return None
    if not isinstance(name, str):
        return RenderingError("failed", say("the name of a {} must be a string; put it in quotes", say(what)), line)
    if name in stock:
        message = say(
            'the {} "{}" is not available in templates, which see plain data only; remove it', say(what), name
        )
        return RenderingError("unsafe", message, line)
    near = nearest(name, offered)
    every = joined(say("{}", each) for each in sorted(offered))
    hint = say('did you mean "{}"?', near) if near else say("there are: {}", every)
    return RenderingError("syntax", say('{} "{}" does not exist; {}', say(what), name, hint), line)


class Generator(CodeGenerator):
    """Code in which only calls use methods, and which computes nothing before the template runs."""

    def newline(self, node: nodes.Node | None = None, extra: int = 0) -> None:
        """Begin a line of code, and store its line of the template."""
        if node is not None:
            self.environment.compiling_line = node.lineno  # type: ignore[attr-defined]
        super().newline(node, extra)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802
        """`a.b(…)` calls a method (of text, a list …); `a.b` without a call is always data."""
        called = node.node
        if not isinstance(called, nodes.Getattr):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.write("environment.call_method(context, ")
        self.visit(called.node, frame)
        self.write(f", {called.attr!r}")
        self.signature(node, frame, {"caller": "caller"} if forward_caller else None)
        self.write(")")

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802
        """`a ~ b`, each written as `{{ a }}` would be."""
        self.write("environment.joined((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def visit_Compare(self, node: nodes.Compare, frame: Frame) -> None:  # noqa: N802
        """`a == b`, of texts without marks."""
        self.write("(")
        self._bare(node.expr, frame)
        for operand in node.ops:
            self.write(f" {operators[operand.op]} ")
            self._bare(operand.expr, frame)
        self.write(")")

    def visit_With(self, node: nodes.With, frame: Frame) -> None:  # noqa: N802
        """`{% with %}`, whose values are on its own line."""
        self.newline(node)
        self.write("pass")
        super().visit_With(node, frame)

    def _bare(self, node: nodes.Expr, frame: Frame) -> None:
        self.write("environment.bare(")
        self.visit(node, frame)
        self.write(")")
