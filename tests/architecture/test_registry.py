"""Every rule is told apart, documented, and its manual is true: `Bad:` gives exactly the rule, `Good:` nothing."""

from __future__ import annotations

import importlib
import pkgutil
import re
import textwrap
from collections import Counter
from inspect import cleandoc
from pathlib import Path

import pytest

import kubectl_trainjob.findings
from kubectl_trainjob.findings.rule import Rule

# Rules without an example, each with the reason: the manual cannot hold such a file.
WITHOUT_EXAMPLE: dict[str, str] = {}


def rules() -> list[Rule]:
    """Every rule that a module of `findings` defines."""
    modules = [info.name for info in pkgutil.iter_modules(kubectl_trainjob.findings.__path__)]
    contents = [vars(importlib.import_module(f"kubectl_trainjob.findings.{name}")) for name in modules]
    return [value for module in contents for value in module.values() if isinstance(value, Rule)]


RULES = {rule.id: rule for rule in rules()}
EACH_RULE = pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.id) for _, rule in sorted(RULES.items())])


def example(rule: Rule, title: str) -> str | None:
    """The indented block behind `Bad:` or `Good:` in a manual."""
    found = re.search(rf"^{title}:[^\n]*\n+((?:[ \t]+[^\n]*\n|\n)+)", cleandoc(rule.manual) + "\n", re.MULTILINE)
    return textwrap.dedent(found[1]).strip("\n") + "\n" if found else None


def test_ids_and_names_are_unique() -> None:
    assert [i for i, n in Counter(rule.id for rule in rules()).items() if n > 1] == []
    assert [i for i, n in Counter(rule.name for rule in rules()).items() if n > 1] == []


@EACH_RULE
def test_a_rule_is_named_and_has_a_manual(rule: Rule) -> None:
    assert re.fullmatch(r"KTJ\d{3,4}", rule.id)
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", rule.name)
    assert len(rule.manual.strip()) > 60
    if rule.id in WITHOUT_EXAMPLE:
        assert example(rule, "Bad") is None
    else:
        assert example(rule, "Bad")
        assert example(rule, "Good")


def test_the_exceptions_exist_and_say_why() -> None:
    assert set(WITHOUT_EXAMPLE) <= set(RULES)
    assert all(len(reason) > 10 for reason in WITHOUT_EXAMPLE.values())


def found_in(text: str, folder: Path) -> list[str]:
    """The ids that a build of `text` reports."""
    from kubectl_trainjob.pipeline import BuildOptions, build
    from kubectl_trainjob.repo.read import read

    path = folder / "example.yaml"
    path.write_text(text)
    built = build(read([str(path)], lambda: b""), BuildOptions())
    return sorted({diagnostic.rule.id for diagnostic in built.diagnostics})


@EACH_RULE
def test_the_manual_is_true(rule: Rule, tmp_path: Path) -> None:
    bad, good = example(rule, "Bad"), example(rule, "Good")
    if bad is None or good is None:
        return  # listed above with the reason
    assert found_in(bad, tmp_path) == [rule.id]
    assert found_in(good, tmp_path) == []
