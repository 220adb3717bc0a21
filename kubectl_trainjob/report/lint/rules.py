"""The rules themselves, as lines for people and as JSON for programs.

    {"schemaVersion": 1, "rules": [{"id", "name", "severity", "class", "summary"}, ...]}

and of one rule, where the last four keys are there only if its manual has such a piece:

    {"schemaVersion": 1, "id", "name", "severity", "class", "summary", "manual", "bad", "good", "versions", "see"}

`summary` is the first sentence of the manual, `manual` the whole text, `bad` and `good` are YAML, `versions` is a range
of Trainer's (`2.0-2.3`) and `see` an address.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from inspect import cleandoc

from kubectl_trainjob.model.rule import Rule
from kubectl_trainjob.report.json_syntax import as_json_text
from kubectl_trainjob.report.lint.manual import block, first_sentence, see, versions

_LEAST = 30  # characters of a summary that are worth showing


def rule_lines(rules: Collection[Rule], width: int) -> Iterator[str]:
    """A line for each rule: id, severity, class, name, and of the summary what fits into `width` columns."""
    longest = max((len(rule.name) for rule in rules), default=0)
    for rule in rules:
        told = f"{rule.id:<8} {rule.severity:<8} {rule.rule_class:<10} "
        room = width - len(told) - longest - 1
        yield f"{told}{rule.name:<{longest}} {_cut(_summary(rule), room)}" if room >= _LEAST else told + rule.name


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _summary(rule: Rule) -> str:
    return first_sentence(cleandoc(rule.manual))


def rules_as_json(rules: Collection[Rule]) -> str:
    """All rules."""
    return as_json_text({"schemaVersion": 1, "rules": [_rule(each) for each in rules]})


def rule_as_json(rule: Rule) -> str:
    """One rule with its manual."""
    manual = cleandoc(rule.manual)
    pieces = {
        "bad": block(manual, "Bad"),
        "good": block(manual, "Good"),
        "versions": versions(manual),
        "see": see(manual),
    }
    found = {key: text for key, text in pieces.items() if text}
    return as_json_text({"schemaVersion": 1, **_rule(rule), "manual": manual, **found})


def _rule(rule: Rule) -> dict[str, str]:
    return {
        "id": rule.id,
        "name": rule.name,
        "severity": rule.severity.value,
        "class": rule.rule_class.value,
        "summary": _summary(rule),
    }
