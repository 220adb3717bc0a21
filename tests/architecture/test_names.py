"""A class name belongs to one module: a reader knows what it is without its import."""

from __future__ import annotations

import ast
import re
from collections import defaultdict

from tests.architecture.sizes import MODULES, ROOT

_NOT_PARTICIPLES = {"supported"}


def test_no_class_name_is_in_two_modules() -> None:
    """A leading underscore does not make a name another one."""
    modules = defaultdict[str, set[str]](set)
    for path in MODULES:
        classes = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef))
        for each in classes:
            modules[each.name.lstrip("_")].add(str(path.relative_to(ROOT)))
    assert {name: sorted(found) for name, found in modules.items() if len(found) > 1} == {}


def test_no_module_is_named_by_a_participle() -> None:
    """`changed` or `compared` says neither what the module does nor what it has; a noun follows a participle."""
    names = {path.stem for path in MODULES} | {path.parent.name for path in MODULES}
    assert sorted(name for name in names if re.fullmatch(r"[a-z]+ed", name) and name not in _NOT_PARTICIPLES) == []
