"""Which fields of a Job are refused, under which rule."""

from __future__ import annotations

import copy

from kubectl_trainjob.kube.pods.jobset import late_problems, learn
from kubectl_trainjob.kube.pods.memo import LateMemo
from kubectl_trainjob.model.source import show_pointer
from tests.loops import for_each
from tests.unit.kube.pods.building import Case
from tests.unit.kube.pods.cases import CASES

EACH_CASE = for_each("case", {case.name: case for case in CASES}, at_least=len(CASES))


def told(case: Case, memo: LateMemo | None = None) -> list[str]:
    """What is refused, as the cases say it."""
    found = []
    for problem in late_problems(case.body, memo):
        of_job = problem.pointer[:2] == ("spec", "replicatedJobs")
        found.append(f"{problem.rule.id} {show_pointer(problem.pointer[4:] if of_job else problem.pointer)}")
    return sorted(found)


def test_cases_have_names_of_their_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES)


@EACH_CASE
def test_exactly_these_fields_are_refused(case: Case) -> None:
    before = copy.deepcopy(case.body)
    assert told(case) == sorted(case.refused)
    assert case.body == before


@EACH_CASE
def test_nothing_is_forgotten_of_what_was_learnt(case: Case) -> None:
    memo = LateMemo()
    learn(case.body["spec"], memo)
    assert told(case, memo) == sorted(case.refused)


@EACH_CASE
def test_a_message_is_one_sentence_for_people(case: Case) -> None:
    for problem in late_problems(case.body):
        assert problem.message[0].islower()
        assert not problem.message.endswith(".")
        assert "\n" not in problem.message
        assert "; " in problem.message or " must " in problem.message
