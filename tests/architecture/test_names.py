"""A class name belongs to one module: a reader knows what it is without its import."""

from __future__ import annotations

import ast
import re
from collections import defaultdict

from tests.architecture.sizes import MODULES, ROOT, functions, nodes

_NOT_PARTICIPLES = {"supported"}


def test_no_class_name_is_in_two_modules() -> None:
    """A leading underscore does not make a name another one."""
    modules = defaultdict[str, set[str]](set)
    for path in MODULES:
        classes = (node for node in nodes(path) if isinstance(node, ast.ClassDef))
        for each in classes:
            modules[each.name.lstrip("_")].add(str(path.relative_to(ROOT)))
    assert {name: sorted(found) for name, found in modules.items() if len(found) > 1} == {}


def test_no_class_is_named_by_a_participle() -> None:
    """`Compiled` or `Seen` does not say of what; a noun follows a participle."""
    participle = re.compile(r"_?(?:[A-Z][a-z]+ed|Built|Found|Given|Held|Kept|Known|Left|Made|Seen|Shown|Taken|Written)")
    every = [node for path in MODULES for node in nodes(path)]
    names = [node.name for node in every if isinstance(node, ast.ClassDef)]
    names += [ast.unparse(node.targets[0]) for node in every if isinstance(node, ast.Assign)]
    assert [name for name in names if participle.fullmatch(name)] == []


def test_no_function_of_a_module_is_named_by_a_vague_participle() -> None:
    """`_found` or `_written` says neither what is found nor that the function finds it; a verb or a noun does."""
    vague = re.compile(r"_(?:chosen|done|found|given|kept|known|lost|made|named|sent|shown|specified|taken|written)")
    assert [(str(path), each.name) for path in MODULES for each in functions(path) if vague.fullmatch(each.name)] == []


def test_no_module_is_named_by_a_participle() -> None:
    """`changed` or `compared` says neither what the module does nor what it has; a noun follows a participle."""
    names = {path.stem for path in MODULES} | {path.parent.name for path in MODULES}
    assert sorted(name for name in names if re.fullmatch(r"[a-z]+ed", name) and name not in _NOT_PARTICIPLES) == []
