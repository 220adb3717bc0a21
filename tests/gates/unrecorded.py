"""The same work by a program that cannot record: `python -m tests.gates.unrecorded N`.

`Draft` loses everything but its data, and the passes' calls lose the arguments that only a recorder reads. What this
saves is what a switched-off recorder costs.
"""

import ast
import json
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType
from typing import Any

from kubectl_trainjob.draft import Draft, draft
from tests.gates.work import measure

_ONLY_FOR_RECORDERS = {"copied", "because"}


class _Forgetful(ast.NodeTransformer):
    """Drops causes from calls that write."""

    dropped = 0

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in ("put", "Write"):
            kept = [keyword for keyword in node.keywords if keyword.arg not in _ONLY_FOR_RECORDERS]
            _Forgetful.dropped += len(node.keywords) - len(kept)
            node.keywords = kept
        return node


class _Loader(SourceFileLoader):
    def get_code(self, _name: str) -> CodeType:
        tree = _Forgetful().visit(ast.parse(self.get_data(self.path)))
        return compile(ast.fix_missing_locations(tree), self.path, "exec")


class _Finder:
    def find_spec(self, name: str, path: Sequence[str] | None, _target: Any = None) -> ModuleSpec | None:
        if not name.startswith("kubectl_trainjob.expand."):
            return None
        spec = PathFinder.find_spec(name, path)
        if spec and spec.origin and spec.submodule_search_locations is None:
            spec.loader = _Loader(name, spec.origin)
        return spec


def _new(value: Any) -> Draft:
    new = Draft.__new__(Draft)
    new.value = value
    return new


def _init(self: Draft, value: Any, _inputs: Any = None) -> None:
    self.value = value


def _put(self: Draft, pointer: Any, value: Any) -> Draft:
    return _new(draft._put(self.value, pointer, value))


def _put_all(self: Draft, pointer: Any, entries: Any) -> Draft:
    changed = draft._copy(self.get(*pointer), entries[0][0])
    for key, value, _, _ in entries:
        draft._assign(changed, key, value)
    return _new(draft._put(self.value, pointer, changed))


def _drop(self: Draft, pointer: Any) -> Draft:
    parent = self.get(*pointer[:-1])
    if not isinstance(parent, dict) or pointer[-1] not in parent:
        return self
    rest = {key: value for key, value in parent.items() if key != pointer[-1]}
    return _new(draft._put(self.value, pointer[:-1], rest))


def _arrange(self: Draft, pointer: Any, order: Any) -> Draft:
    items = self.get(*pointer)
    return _new(draft._put(self.value, pointer, [items[old] for old in order]))


def take_out() -> None:
    """From here on nothing can record; called before the passes are imported."""
    for name in [name for name in sys.modules if name.startswith("kubectl_trainjob.expand")]:
        del sys.modules[name]
    sys.meta_path.insert(0, _Finder())  # type: ignore[arg-type]
    methods = {"__init__": _init, "put": _put, "put_all": _put_all, "drop": _drop, "arrange": _arrange, "reshape": _put}
    for name, method in methods.items():
        setattr(Draft, name, method)
    Draft.step = lambda self, _name: self  # type: ignore[method-assign]


if __name__ == "__main__":
    take_out()
    print(json.dumps(measure(["stages"], int(sys.argv[1])) | {"dropped": _Forgetful.dropped}))
