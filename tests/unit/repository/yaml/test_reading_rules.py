"""The manuals of the reading rules: Bad gives exactly its rule, Good none."""

import pytest

from kubectl_trainjob.model.rules import RULES, Rule
from kubectl_trainjob.report.lint.manual import page, section
from tests.reading import read

_RULES = [rule for rule in RULES.values() if rule.id < "KTJ040"]


def _examples(rule: Rule) -> tuple[str, str]:
    return section(page(rule.id), "Bad"), section(page(rule.id), "Good")


def _found(text: str) -> list[str]:
    return [found.rule.id for found in read(["-"], lambda _most: text.encode()).diagnostics]


@pytest.mark.parametrize("rule", [rule for rule in _RULES if _examples(rule)[0]], ids=lambda rule: rule.name)
def test_examples(rule: Rule) -> None:
    bad, good = _examples(rule)
    assert _found(bad) == [rule.id]
    assert _found(good) == []


def test_ids_and_names_are_unique() -> None:
    assert len({rule.id for rule in _RULES}) == len({rule.name for rule in _RULES}) == len(_RULES)
