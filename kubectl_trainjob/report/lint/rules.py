"""The rules themselves, as lines for users and as JSON for programs.

    {"schemaVersion": 1, "rules": [{"id", "name", "severity", "class", "summary"}, ...]}

and of one rule, where the last four keys exist only if its manual has such a piece:

    {"schemaVersion": 1, "id", "name", "severity", "class", "summary", "manual", "bad", "good", "versions", "see"}

`summary` is the first sentence of the manual, and `manual` the whole text in Markdown. `bad` and `good` are YAML.
`versions` is a range of Trainer's (`2.0-2.3`), and `see` an address.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.report.json_syntax import as_json_text
from kubectl_trainjob.report.lint.manual import body, page, section, see, summary, versions

_LEAST = 30  # characters of a summary that are worth showing


def rule_lines(rules: Collection[Rule], width: int) -> Iterator[str]:
    """A line for each rule: id, severity, class, name, and of the summary what fits into `width` columns."""
    longest = max((len(rule.name) for rule in rules), default=0)
    for rule in rules:
        facts = f"{rule.id:<8} {rule.severity:<8} {rule.category:<10} "
        room = width - len(facts) - longest - 1
        if room >= _LEAST:
            yield f"{facts}{rule.name:<{longest}} {_cut(summary(page(rule.id)), room)}"
        else:
            yield facts + rule.name


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def rules_as_json(rules: Collection[Rule]) -> str:
    """All rules."""
    return as_json_text({"schemaVersion": 1, "rules": [_rule(each) for each in rules]})


def rule_as_json(rule: Rule) -> str:
    """One rule with its manual."""
    text = page(rule.id)
    pieces = {"bad": section(text, "Bad"), "good": section(text, "Good"), "versions": versions(text), "see": see(text)}
    found = {key: text for key, text in pieces.items() if text}
    return as_json_text({"schemaVersion": 1, **_rule(rule), "manual": body(text), **found})


def _rule(rule: Rule) -> dict[str, str]:
    return {
        "id": rule.id,
        "name": rule.name,
        "severity": rule.severity.value,
        "class": rule.category.value,
        "summary": summary(page(rule.id)),
    }
