"""Every recorded case of each Trainer: equal objects where upstream accepts, else a rejection at the right line."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache

import pytest

from tests.conformance.cases import LATEST, VERSIONS, Case, load
from tests.conformance.generate import inputs, released
from tests.conformance.harness import run_build
from tests.conformance.judge import judge
from tests.loops import report

# How many cases each group holds: a case that gets lost fails the test of its group.
CASES = {
    "2.0": {
        "gang": 12,
        "invalid": 47,
        "many": 3,
        "mixed": 160,
        "mpi": 20,
        "nproc": 132,
        "patches": 20,
        "plain": 10,
        "torch": 25,
        "torchtune": 12,
        "yaml": 2,
    },
    "2.1": {
        "gang": 12,
        "invalid": 47,
        "many": 3,
        "mixed": 160,
        "mpi": 20,
        "nproc": 132,
        "patches": 20,
        "plain": 10,
        "torch": 25,
        "torchtune": 12,
        "yaml": 2,
    },
    "2.2": {
        "flux": 6,
        "gang": 12,
        "invalid": 58,
        "jax": 5,
        "many": 3,
        "mixed": 160,
        "mpi": 20,
        "nproc": 60,
        "patches": 20,
        "plain": 10,
        "torch": 25,
        "torchtune": 12,
        "xgboost": 6,
        "yaml": 2,
    },
    "2.3": {
        "edge": 20,
        "flux": 20,
        "gang": 30,
        "invalid": 58,
        "jax": 15,
        "many": 10,
        "mixed": 160,
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
    },
}
GROUPS = CASES[LATEST]
_SHOWN_LINES = 40
_EVERY = 8  # of the cases of older versions and of large groups, in the default run
_LARGE = ("own", "mixed", "typed")  # the groups whose other cases only the slow run has
Tally = Callable[[str, str, Counter[str]], None]


@cache
def _by_group(version: str) -> dict[str, list[Case]]:
    groups = defaultdict(list)
    for case in load(version):
        groups[case.group].append(case)
    return groups


@pytest.mark.parametrize("version", VERSIONS)
def test_every_group_is_known(version: str) -> None:
    assert {group: len(cases) for group, cases in _by_group(version).items()} == CASES[version]


@pytest.mark.slow
def test_the_stored_inputs_are_the_generated_ones() -> None:
    stored = {case.name: case.input for case in _by_group(LATEST)["own"]}
    assert stored == inputs()
    for version in VERSIONS:
        assert {case.name: case.input for case in _by_group(version)["mixed"]} == released(version)


@pytest.mark.parametrize(
    ("version", "group"),
    [
        pytest.param(version, group, marks=() if version == LATEST and group not in _LARGE else pytest.mark.slow)
        for version in VERSIONS
        for group in CASES[version]
    ],
)
def test_build_does_what_upstream_does(version: str, group: str, tally: Tally) -> None:
    failures = []
    results: Counter[str] = Counter()
    for case in _by_group(version)[group]:
        judgement = judge(case)
        results["failed" if judgement.complaints else judgement.kind] += 1
        if judgement.complaints:
            failures.append("\n".join([f"== {case.id}", *judgement.complaints[:_SHOWN_LINES]]))
    tally(version, group, results)
    assert results.total() == CASES[version][group]
    report(failures, results.total())


@pytest.mark.parametrize("version", VERSIONS)
def test_two_builds_of_an_input_are_equal(version: str) -> None:
    for case in load(version)[::20]:
        assert run_build(case.input) == run_build(case.input), case.id


@pytest.mark.parametrize("version", VERSIONS)
def test_a_sample_of_builds_does_what_upstream_does(version: str) -> None:
    """A sample of every group of an older version, and of the large groups of the latest one, for the default run."""
    groups = {name: cases for name, cases in _by_group(version).items() if version != LATEST or name in _LARGE}
    chosen = [case for group in groups.values() for case in group[::_EVERY]]
    failures = [f"== {case.id}\n" + "\n".join(found) for case in chosen if (found := judge(case).complaints)]
    assert len(chosen) >= 40
    report(failures, len(chosen))
