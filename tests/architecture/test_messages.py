"""Messages keep words and data apart: words are literals of this program, and all else is an argument of `say`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.sizes import MODULES, ROOT, functions, module, nodes

_COMPUTED = (ast.JoinedStr, ast.BinOp, ast.Attribute, ast.comprehension, ast.Lambda)


_READ: dict[str, dict[str, int]] = {
    "say": {
        "explain/environment/cautions.py": 1,
        "report/env_document.py": 1,
        "repository/files/classify.py": 6,
        "repository/files/config.py": 4,
        "repository/files/decode.py": 1,
        "repository/files/directories.py": 1,
        "repository/files/input_reader.py": 1,
        "repository/files/overlay_file.py": 2,
        "repository/files/overlay_paths.py": 1,
        "repository/files/settings.py": 5,
        "repository/templates/child/generator.py": 3,
        "repository/yaml/strict.py": 1,
        "repository/yaml/strict_piece.py": 1,
    },
    "Message": {
        "compiler/expand/passes/initializer_checks.py": 1,
        "compiler/expand/run.py": 1,
        "compiler/overlay/apply.py": 3,
        "compiler/overlay/merge.py": 3,
        "compiler/overlay/patch.py": 1,
        "compiler/resolve/objects.py": 1,
        "compiler/resolve/runtime.py": 1,
        "kube/launch/values.py": 1,
        "kube/pods/containers.py": 2,
        "kube/pods/jobset.py": 2,
        "kube/pods/pod.py": 2,
        "kube/pods/ports.py": 4,
        "kube/pods/resources.py": 2,
        "kube/pods/security.py": 1,
        "kube/pods/selectors.py": 3,
        "kube/pods/visit.py": 7,
        "kube/pods/volume_sources.py": 1,
        "kube/pods/volumes.py": 1,
        "model/limits.py": 2,
        "report/diff/numbers.py": 3,
        "report/env_document.py": 1,
        "report/explain_document.py": 2,
        "report/phrases.py": 1,
        "report/review/document.py": 1,
        "report/review/summary_line.py": 2,
        "report/review/words.py": 3,
        "repository/templates/protocol.py": 1,
        "repository/templates/render.py": 1,
    },
}
"""The modules in which some calls have words from a parameter or a function, and how many: all are our own words."""


@pytest.mark.parametrize("function", ["say", "Message"])
def test_words_are_literals(function: str) -> None:
    """A template, or words, that are computed could have data in them: such a place is read, and then counted."""
    allowed = {"model/message.py": 99, **_READ[function]}
    found = {str(path.relative_to(ROOT / "kubectl_trainjob")): _computed(path, function) for path in MODULES}
    assert [place for path, places in found.items() if len(places) > allowed.get(path, 0) for place in places] == []


def test_computed_words_are_found(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        '_GOOD, _NAMES = "a {}", 1\n_BAD = f"{__name__}"\n_TABLE = {"a": ("b", "c")}\n_DATA = {"a": f"{_BAD}"}\n'
        'say("a"), say(x and "a"), say("a {}", x), say(_TABLE["a"][0])\n'
        '_A = "a"\nsay(_A if x else "b {}", 1), say(_TABLE.get(x, "a")), Message(_A)\n'
        'Message(), Message(Data(x), "a"), Message(*x.pieces), Message("a", *x.pieces)\n'
        "def f():\n t = 'a {}' if x else 'b {}'\n say(t, x)\n t = x\n"
        "def g():\n t = 'a {}' if x else 'b {}'\n say(t, x)\n"
        'say(f"{x}"), say("a" + x), say(_BAD), say(x), say("a".format(x)), say(_A if x else x), say(_DATA["a"])\n'
        "Message(x), Message(str(x)), Message(*x), Message(f'{x}')\n"
    )
    assert _computed(path, "say") == [f"{path}:{line}" for line in (5, 11, *[16] * 7)]
    assert _computed(path, "Message") == [f"{path}:17"] * 4


def _computed(path: Path, function: str) -> list[str]:
    """The calls with words that are not literals; of `say` only the first argument is words."""
    calls = (node for node in nodes(path) if isinstance(node, ast.Call))
    named = (call for call in calls if function in (getattr(call.func, "id", ""), getattr(call.func, "attr", "")))
    return [f"{path}:{call.lineno}" for call in named if not all(_are_words(path, each) for each in _words(call))]


def _words(call: ast.Call) -> Iterator[ast.expr]:
    """The arguments that are words."""
    if getattr(call.func, "id", "") != "Message":
        yield from call.args[:1]
        return
    for each in call.args:
        is_pieces = getattr(getattr(each, "value", None), "attr", "") == "pieces"
        is_data = isinstance(each, ast.Call) and getattr(each.func, "id", "") == "Data"
        if not (is_pieces or is_data):
            yield each


def _are_words(path: Path, node: ast.expr) -> bool:
    if isinstance(node, ast.IfExp):
        return _are_words(path, node.body) and _are_words(path, node.orelse)
    if isinstance(node, ast.Call):  # `get` of a table
        is_table = (
            isinstance(node.func, ast.Attribute) and node.func.attr == "get" and _are_words(path, node.func.value)
        )
        return is_table and all(_are_words(path, each) for each in node.args[1:])
    if isinstance(node, ast.Subscript):
        return _are_words(path, node.value)
    if isinstance(node, ast.Name):
        return node.id in _constants(path) or _is_local_text(path, node)
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_local_text(path: Path, name: ast.Name) -> bool:
    """Whether the function around a name assigns only texts to it."""
    around = [each for each in functions(path) if each.lineno <= name.lineno <= (each.end_lineno or 0)]
    values = [
        each.value
        for each in (ast.walk(around[-1]) if around else ())
        if isinstance(each, ast.Assign) and any(getattr(target, "id", "") == name.id for target in each.targets)
    ]
    return bool(values) and all(_are_words(path, value) for value in values)


@cache
def _constants(path: Path) -> frozenset[str]:
    """The names that a module gives to texts, and to tables of texts."""
    assigned = [node for node in module(path).body if isinstance(node, ast.Assign | ast.AnnAssign)]
    literal = [node for node in assigned if not any(isinstance(each, _COMPUTED) for each in ast.walk(node))]
    names = (each for node in literal for each in ast.walk(node) if isinstance(each, ast.Name))
    return frozenset(name.id for name in names if isinstance(name.ctx, ast.Store))
