"""All checks: every file of `lint.rules`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from kubectl_trainjob.lint import rules
from kubectl_trainjob.lint.check import ChangeCheck, Check, JobCheck, OutputCheck, RuntimeCheck, TreeCheck
from kubectl_trainjob.model.rule import Rule


class Checks:
    """The checks by what they look at, each in the order of their ids."""

    def __init__(self, checks: list[Check]) -> None:
        self.of_runtimes = [check for check in checks if isinstance(check, RuntimeCheck)]
        self.of_jobs = [check for check in checks if isinstance(check, JobCheck)]
        self.of_trees = [check for check in checks if isinstance(check, TreeCheck)]
        self.of_changes = [check for check in checks if isinstance(check, ChangeCheck)]
        self.of_outputs = [check for check in checks if isinstance(check, OutputCheck)]
        self.rules: list[Rule] = list(dict.fromkeys(check.rule for check in checks))


@cache
def checks() -> Checks:
    """Every check there is. A file of `rules` has one `CHECK`, or several of its rule."""
    names = sorted(info.name for info in pkgutil.iter_modules(rules.__path__))
    found: list[Check] = []
    for name in names:
        check = importlib.import_module(f"{rules.__name__}.{name}").CHECK
        found += check if isinstance(check, tuple) else (check,)
    return Checks(sorted(found, key=lambda check: check.rule.id))
