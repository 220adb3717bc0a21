"""`python -m tests.rules_page` writes kubectl_trainjob/lint/RULES.md: every rule with its manual, from the code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

from kubectl_trainjob.lint.known_rules import every_rule, is_refusal
from kubectl_trainjob.model.rule import Rule

PAGE = Path(__file__).parents[1] / "kubectl_trainjob" / "lint" / "RULES.md"
_HEAD = """\
# Rules

What `kubectl trainjob lint` tells of. The class says what happens to who does not listen: *rejected* is refused by the
API server or the controller, *late* is accepted and refused when Pods are to be made, *misbehaves* runs and does
something else, *policy* works and is not wanted, *tool* concerns this tool. What is marked with ✗ a build refuses, too,
so that it can be neither ignored nor made less bad.

"""


def page() -> str:
    """The page."""
    rules = list(every_rule().values())
    rows = (
        f"| [{rule.id}](#{rule.id.lower()}) | {rule.name} | {_severity(rule)} | {rule.rule_class} |" for rule in rules
    )
    table = "\n".join(("| rule | name | severity | class |", "| --- | --- | --- | --- |", *rows))
    return _HEAD + table + "\n" + "".join(line for rule in rules for line in _manual(rule))


def _row(rule: Rule) -> str:
    return f"| [{rule.id}](#{rule.id.lower()}) | {rule.name} | {_severity(rule)} | {rule.rule_class} |"


def _severity(rule: Rule) -> str:
    return f"{rule.severity} ✗" if is_refusal(rule) else str(rule.severity)


def _manual(rule: Rule) -> Iterator[str]:
    """The manual as Markdown: its indented blocks are YAML."""
    yield f'\n<a id="{rule.id.lower()}"></a>\n## {rule.id} {rule.name}\n\n'
    text = re.sub(r"^(\w[^\n]*:)\n\n?((?:    [^\n]*\n|\n)+)", _block, cleandoc(rule.manual) + "\n", flags=re.MULTILINE)
    yield re.sub(r"\n{3,}", "\n\n", text)


def _block(found: re.Match[str]) -> str:
    lines = found[2].strip("\n").split("\n")
    return "\n".join((f"\n{found[1]}", "```yaml", *(line[4:] for line in lines), "```", ""))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
