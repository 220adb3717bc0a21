"""The manuals of the reading rules: Bad gives exactly its rule, Good none."""

import textwrap

import pytest

from kubectl_trainjob.model.rule import Rule
from kubectl_trainjob.model.rules import inputs, reading
from tests.reading import read

_RULES = [rule for module in (reading, inputs) for rule in vars(module).values() if isinstance(rule, Rule)]


def _examples(rule: Rule) -> tuple[str, str]:
    _, _, examples = textwrap.dedent(rule.manual).partition("\nBad:\n")
    bad, _, good = examples.partition("\nGood:\n")
    return textwrap.dedent(bad), textwrap.dedent(good)


def _found(text: str) -> list[str]:
    return [found.rule.id for found in read(["-"], lambda _most: text.encode()).diagnostics]


@pytest.mark.parametrize("rule", [rule for rule in _RULES if "Bad:" in rule.manual], ids=lambda rule: rule.name)
def test_examples(rule: Rule) -> None:
    bad, good = _examples(rule)
    assert _found(bad) == [rule.id]
    assert _found(good) == []


def test_ids_and_names_are_unique() -> None:
    assert len({rule.id for rule in _RULES}) == len({rule.name for rule in _RULES}) == len(_RULES)
