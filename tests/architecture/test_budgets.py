"""Sizes and names: how large a module or function may be, and what none may be called or do."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Callable
from pathlib import Path

from tests.architecture.sizes import MODULES, ROOT, Function, arguments, functions, lines, module
from tests.loops import for_each

EACH_MODULE = for_each("path", {str(path.relative_to(ROOT)): path for path in MODULES}, at_least=300)

MODULE_LINES = 300
FUNCTION_LINES = 50
ARGUMENTS = 6
PASS_LINES = 150
MEDIAN_LINES = 10
VAGUE = {"base", "common", "core", "helper", "helpers", "lib", "manager", "misc", "models", "tools", "util", "utils"}


@EACH_MODULE
def test_module(path: Path) -> None:
    text = path.read_text()
    limit = PASS_LINES if path.parent.name == "passes" else MODULE_LINES
    assert text.count("\n") <= limit, "split it"
    assert ast.get_docstring(module(path)), "a module says what it is for"
    assert path.stem not in VAGUE, "name it after what it does"
    assert path.parent.name not in VAGUE


@EACH_MODULE
def test_functions(path: Path) -> None:
    assert [f.name for f in functions(path) if lines(f) > FUNCTION_LINES] == []
    assert [f.name for f in functions(path) if arguments(f) > ARGUMENTS] == []


@EACH_MODULE
def test_public_functions_have_a_docstring(path: Path) -> None:
    public = [n for n in module(path).body if isinstance(n, Function | ast.ClassDef) and not n.name.startswith("_")]
    assert [n.name for n in public if not ast.get_docstring(n)] == []


@EACH_MODULE
def test_bodies_are_shared_never_copied_deep(path: Path) -> None:
    assert "deepcopy" not in path.read_text()


def test_functions_are_small_in_the_middle(note_figure: Callable[[str], None]) -> None:
    sizes = [lines(function) for path in MODULES for function in functions(path)]
    median = statistics.median(sizes)
    note_figure(f"{len(MODULES)} modules, {len(sizes)} functions, median {median:g} lines, largest {max(sizes)}")
    assert median <= MEDIAN_LINES
