"""What is counted of the code: modules, functions, their lines and arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "kubectl_trainjob").rglob("*.py"))

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a module: the module itself, then those nearer to it first."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def module(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    tree = nodes(path)[0]
    assert isinstance(tree, ast.Module)
    return tree


def functions(path: Path) -> Iterator[Function]:
    """Every function and method of a module."""
    return (node for node in nodes(path) if isinstance(node, Function))


def lines(function: Function) -> int:
    """Lines from `def` to the end, as a reader counts them (the docstring included, decorators not)."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def arguments(function: Function) -> int:
    """How many arguments it takes, besides self."""
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")])
