"""Sizes and names: how large a module or function may be, and what none may be called or do."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "kubectl_trainjob").rglob("*.py"))
EACH_MODULE = pytest.mark.parametrize("path", [pytest.param(p, id=str(p.relative_to(ROOT))) for p in MODULES])

MODULE_LINES = 300
FUNCTION_LINES = 50
ARGUMENTS = 6
PASS_LINES = 150
MEDIAN_LINES = 10
VAGUE = {"base", "common", "core", "helper", "helpers", "lib", "manager", "misc", "models", "tools", "util", "utils"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(path: Path) -> Iterator[Function]:
    return (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, Function))


def lines(function: Function) -> int:
    """Lines from `def` to the end, as a reader counts them (the docstring included, decorators not)."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def arguments(function: Function) -> int:
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")])


@EACH_MODULE
def test_module(path: Path) -> None:
    text = path.read_text()
    limit = PASS_LINES if path.parent.name == "passes" else MODULE_LINES
    assert text.count("\n") <= limit, "split it"
    assert ast.get_docstring(ast.parse(text)), "a module says what it is for"
    assert path.stem not in VAGUE, "name it after what it does"
    assert path.parent.name not in VAGUE


@EACH_MODULE
def test_functions(path: Path) -> None:
    assert [f.name for f in functions(path) if lines(f) > FUNCTION_LINES] == []
    assert [f.name for f in functions(path) if arguments(f) > ARGUMENTS] == []


@EACH_MODULE
def test_public_functions_have_a_docstring(path: Path) -> None:
    tree = ast.parse(path.read_text())
    public = [n for n in tree.body if isinstance(n, Function | ast.ClassDef) and not n.name.startswith("_")]
    assert [n.name for n in public if not ast.get_docstring(n)] == []


@EACH_MODULE
def test_bodies_are_shared_never_copied_deep(path: Path) -> None:
    assert "deepcopy" not in path.read_text()


def test_functions_are_small_in_the_middle(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = [lines(function) for path in MODULES for function in functions(path)]
    median = statistics.median(sizes)
    with capsys.disabled():
        print(f"\n{len(MODULES)} modules, {len(sizes)} functions, median {median:g} lines, largest {max(sizes)}")
    assert median <= MEDIAN_LINES
