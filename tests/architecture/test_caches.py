"""Caches of a module live as long as a controller: they are bounded, or hold facts of the program."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.sizes import MODULES, ROOT

_FACTS = {
    "cli/app.py:_load_command": "commands of the program",
    "compiler/versions.py:extended": "versions of Trainer, with two settings",
    "kube/facts/kinds.py:_usual_kinds": "one value",
    "kube/facts/merge_keys.py:_facts": "one value",
    "kube/facts/merge_keys.py:_fields": "packaged Go types",
    "kube/facts/types.py:_facts": "one value",
    "kube/facts/types.py:_struct": "packaged Go types",
    "kube/facts/types.py:_empty": "packaged Go types",
    "kube/schemas/descriptions.py:_descriptions": "one value",
    "kube/schemas/load.py:_product": "packaged schemas",
    "kube/schemas/load.py:schema_for": "kinds of packaged schemas; others raise",
}
"""The functions with a cache without a bound, and what its keys are."""

_TABLES = {
    "kube/facts/quantity.py:_canonical": "at most 4096 quantities",
    "review/diff/list_keys.py:_roots": "kinds with packaged facts",
}
"""The tables that functions fill, and what they hold."""

_MOST = 4096
_TEXTS = {"str", "int", "str | int", "bytes", "Form"}
"""The types of what a bounded cache may keep; a Form is a function of this program."""

Caches = tuple[list[str], list[str], list[str]]


def _caches(path: Path) -> Caches:
    """What a module has: caches without a bound, caches that are too large or keep more than texts, and tables."""
    tree = ast.parse(path.read_text())
    own = [each for node in tree.body for each in (node.body if isinstance(node, ast.ClassDef) else [node])]
    unbounded, others = [], []
    for function in (each for each in own if isinstance(each, ast.FunctionDef)):
        for text in map(ast.unparse, function.decorator_list):
            if bound := re.fullmatch(r"(?:functools\.)?lru_cache\((?:maxsize=)?(\w+)\)", text):
                if not (_number(tree, bound[1]) <= _MOST and _keeps_texts(function)):
                    others.append(function.name)
            elif "cache" in re.findall(r"\w+", text.replace("lru_cache", "cache")):
                unbounded.append(function.name)
    assigned = [each for each in own if isinstance(each, ast.Assign | ast.AnnAssign)]
    others += [text for text in map(ast.unparse, assigned) if re.search(r"= .*\b(?:lru_)?cache\b\(", text)]
    return unbounded, others, [target for each in assigned for target in _empty_table(each)]


def _number(tree: ast.Module, text: str) -> int:
    """The number that a literal or a constant of the module is."""
    values = {
        ast.unparse(each.targets[0]): ast.unparse(each.value) for each in tree.body if isinstance(each, ast.Assign)
    }
    number = values.get(text, text)
    return int(number) if number.isdecimal() else _MOST + 1


def _keeps_texts(function: ast.FunctionDef) -> bool:
    return all(each.annotation is not None and ast.unparse(each.annotation) in _TEXTS for each in function.args.args)


def _empty_table(node: ast.Assign | ast.AnnAssign) -> list[str]:
    """The name that a module gives to an empty table, list or set, which is of use only if a function fills it."""
    target, kind = (
        (node.target, ast.unparse(node.annotation)) if isinstance(node, ast.AnnAssign) else (node.targets[0], "")
    )
    is_empty = node.value is not None and ast.unparse(node.value) in ("{}", "[]", "set()", "dict()", "list()")
    return [ast.unparse(target)] if is_empty and not kind.startswith("Mapping[") else []


def test_each_cache_of_a_module_is_bounded_or_holds_facts() -> None:
    found: Caches = ([], [], [])
    for path in MODULES:
        for names, of_module in zip(found, _caches(path), strict=True):
            names += [f"{path.relative_to(ROOT / 'kubectl_trainjob')}:{name}" for name in of_module]
    assert tuple(map(sorted, found)) == (sorted(_FACTS), [], sorted(_TABLES))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("@cache\ndef f(): ...", (["f"], [], [])),
        ("@functools.cache\ndef f(): ...", (["f"], [], [])),
        ("@lru_cache(None)\ndef f(): ...", ([], ["f"], [])),
        ("@lru_cache(maxsize=5000)\ndef f(): ...", ([], ["f"], [])),
        ("_N = 4096\n@lru_cache(_N)\ndef f(a: str, b: int): ...", ([], [], [])),
        ("_N = 5000\n@lru_cache(_N)\ndef f(): ...", ([], ["f"], [])),
        ("@lru_cache\ndef f(a: str): ...", (["f"], [], [])),
        ("@lru_cache(4)\ndef f(a: Body): ...", ([], ["f"], [])),
        ("class C:\n @cache\n def f(self): ...", (["f"], [], [])),
        ("class C:\n @lru_cache(4)\n def f(self): ...", ([], ["f"], [])),
        ("def f():\n @cache\n def g(): ...", ([], [], [])),
        ("f = lru_cache(4)(C)", ([], ["f = lru_cache(4)(C)"], [])),
        ("a: dict[str, str] = {}\nb = []\nc: Mapping[str, str] = {}\nd = {1: 2}", ([], [], ["a", "b"])),
    ],
)
def test_caches_are_found(tmp_path: Path, source: str, expected: Caches) -> None:
    path = tmp_path / "a.py"
    path.write_text(source)
    assert _caches(path) == expected
