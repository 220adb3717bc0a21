"""Every recorded case of Trainer 2.3: equal objects where upstream accepts, a refusal at the right line where not."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache

import pytest

from tests.conformance.cases import Case, load
from tests.conformance.generate import inputs
from tests.conformance.judge import judge

VERSION = "2.3"

# How many cases each group holds: a case that gets lost fails the test of its group.
GROUPS = {
    "flux": 20,
    "gang": 30,
    "invalid": 58,
    "jax": 15,
    "many": 10,
    "mpi": 50,
    "nproc": 60,
    "own": 415,
    "patches": 60,
    "plain": 40,
    "torch": 70,
    "torchtune": 30,
    "typed": 120,
    "xgboost": 20,
    "yaml": 2,
}
_SHOWN = 5
_SHOWN_LINES = 40


@cache
def _by_group() -> dict[str, list[Case]]:
    groups = defaultdict(list)
    for case in load(VERSION):
        groups[case.group].append(case)
    return groups


def test_every_group_is_known() -> None:
    assert {group: len(cases) for group, cases in _by_group().items()} == GROUPS


def test_the_stored_inputs_are_the_generated_ones() -> None:
    stored = {case.name: case.input for case in _by_group()["own"]}
    assert stored == inputs()


@pytest.mark.parametrize("group", GROUPS)
def test_build_does_what_upstream_does(group: str, tally: Counter[tuple[str, str]]) -> None:
    failures = []
    for case in _by_group()[group]:
        judgement = judge(case)
        tally[group, "failed" if judgement.complaints else judgement.kind] += 1
        if judgement.complaints:
            failures.append("\n".join([f"== {case.id}", *judgement.complaints[:_SHOWN_LINES]]))
    judged = sum(count for (of, _), count in tally.items() if of == group)
    assert judged == GROUPS[group]
    assert not failures, f"{len(failures)} of {judged} cases:\n" + "\n".join(failures[:_SHOWN])
