"""`python -m tests.rules_page` writes the index of the manuals, kubectl_trainjob/lint/manual/README.md."""

from __future__ import annotations

from pathlib import Path

from kubectl_trainjob.lint.registry import is_build_error
from kubectl_trainjob.model.rules import RULES, Rule

PAGE = Path(__file__).parents[1] / "kubectl_trainjob" / "lint" / "manual" / "README.md"
_HEAD = """\
# Rules

All rules of `kubectl trainjob lint`, one page each. `kubectl trainjob lint explain ID` prints a page.

The class of a rule says what happens to a file that breaks it:

- *rejected*: the API server, a webhook or the controller rejects the object
- *late*: accepted, then rejected when Jobs or Pods are created
- *misbehaves*: runs, but hangs or does something else
- *policy*: works, but a team does not want it
- *tool*: a limit or convention of this tool

✗ marks build errors. They cannot be suppressed, and their severity cannot be lower.

| rule | name | severity | class |
| --- | --- | --- | --- |
"""


def page() -> str:
    """The index."""
    return _HEAD + "".join(map(_row, RULES.values()))


def _row(rule: Rule) -> str:
    severity = f"{rule.severity} ✗" if is_build_error(rule) else str(rule.severity)
    return f"| [{rule.id}]({rule.id}.md) | {rule.name} | {severity} | {rule.category} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
