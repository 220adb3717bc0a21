"""A class name belongs to one package, so that a reader needs no import to know what it is."""

from __future__ import annotations

import ast
from collections import defaultdict

from tests.architecture.sizes import MODULES, ROOT


def test_no_class_name_is_in_two_packages() -> None:
    """A leading underscore does not make a name another one."""
    packages = defaultdict[str, set[str]](set)
    for path in MODULES:
        classes = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef))
        for each in classes:
            packages[each.name.lstrip("_")].add(str(path.parent.relative_to(ROOT)))
    assert {name: sorted(found) for name, found in packages.items() if len(found) > 1} == {}
