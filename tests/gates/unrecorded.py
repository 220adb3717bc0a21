"""The same work by a program that cannot record: `python -m tests.gates.unrecorded N`.

While modules are imported, `Draft` loses everything but its data and every branch that asks whether it records; calls
that write lose the arguments that only a recorder reads. What this saves is what a switched-off recorder costs.
"""

import ast
import json
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType
from typing import Any

from tests.gates.work import measure

_WRITERS = ("kubectl_trainjob.compiler.expand.", "kubectl_trainjob.kube.admission.")
_DRAFT = "kubectl_trainjob.model.draft.draft"
_CAUSES = {"copied", "because"}
_STATE = {"_inputs", "_tree", "_step"}
dropped = {"causes": 0, "branches": 0}


class _WithoutCauses(ast.NodeTransformer):
    """`draft.put(pointer, value, because=…)` becomes `draft.put(pointer, value)`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in ("put_each", "put_all"):
            self._empty_tuples(node)
        if name in ("put", "Upsert"):
            kept = [keyword for keyword in node.keywords if keyword.arg not in _CAUSES]
            dropped["causes"] += len(node.keywords) - len(kept)
            node.keywords = kept
        return node

    def _empty_tuples(self, call: ast.Call) -> None:
        """(pointer, value, copied, because) becomes (pointer, value, None, ())."""
        for each in ast.walk(call):
            if isinstance(each, ast.Tuple) and len(each.elts) == 4:
                each.elts[2:] = [ast.Constant(None), ast.Tuple([], ast.Load())]
                dropped["causes"] += 2


class _WithoutOrigins(ast.NodeTransformer):
    """A Draft without origins: the branches for "records" go, those for "does not" stay."""

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        recording = _checks_for_origins(node.test)
        if recording is None:
            return node
        dropped["branches"] += 1
        return (node.orelse if recording else node.body) or ast.Pass()

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        recording = _checks_for_origins(node.test)
        if recording is None:
            return node
        dropped["branches"] += 1
        return node.orelse if recording else node.body

    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        if len(node.targets) > 1:
            return node
        target = node.targets[0]
        if isinstance(target, ast.Name) and target.id == "__slots__":
            return ast.parse("__slots__ = ('value',)\n_inputs = _tree = None\n_step = ''").body
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(target.elts, node.value.elts, strict=True))
            if any(_is_state(left) for left, _ in pairs):
                return [ast.Assign([left], right) for left, right in pairs if not _is_state(left)]
        return None if _is_state(target) else node


def _checks_for_origins(test: ast.expr) -> bool | None:
    """True for `tree is not None`, False for `tree is None`, None for other questions."""
    if not isinstance(test, ast.Compare) or ast.unparse(test.left) not in ("self._tree", "tree"):
        return None
    return isinstance(test.ops[0], ast.IsNot)


def _is_state(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute) and target.attr in _STATE


class _Loader(SourceFileLoader):
    def get_code(self, name: str) -> CodeType:
        tree = ast.parse(self.get_data(self.path))
        tree = (_WithoutOrigins() if name == _DRAFT else _WithoutCauses()).visit(tree)
        return compile(ast.fix_missing_locations(tree), self.path, "exec")


class _Finder:
    def find_spec(self, name: str, path: Sequence[str] | None, _target: Any = None) -> ModuleSpec | None:
        if name != _DRAFT and not name.startswith(_WRITERS):
            return None
        spec = PathFinder.find_spec(name, path)
        if spec and spec.origin and spec.submodule_search_locations is None:
            spec.loader = _Loader(name, spec.origin)
        return spec


if __name__ == "__main__":
    assert _DRAFT not in sys.modules
    sys.meta_path.insert(0, _Finder())  # type: ignore[arg-type]
    print(json.dumps(measure(["stages"], int(sys.argv[1])) | dropped))
