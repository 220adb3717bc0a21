"""Which fields of a Job are rejected, under which rule."""

from __future__ import annotations

import copy

from kubectl_trainjob.kube.pods.jobset import job_problems, prime_cache
from kubectl_trainjob.kube.pods.visit import PodCache
from kubectl_trainjob.model.source import show_pointer
from tests.loops import for_each
from tests.unit.kube.pods.building import Case
from tests.unit.kube.pods.cases import CASES

EACH_CASE = for_each("case", {case.name: case for case in CASES}, at_least=len(CASES))


def rejected_fields(case: Case, cache: PodCache | None = None) -> list[str]:
    """What is rejected, as the cases say it."""
    found = []
    for problem in job_problems(case.body, cache):
        of_job = problem.pointer[:2] == ("spec", "replicatedJobs")
        found.append(f"{problem.rule.id} {show_pointer(problem.pointer[4:] if of_job else problem.pointer)}")
    return sorted(found)


def test_cases_have_names_of_their_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES)


@EACH_CASE
def test_exactly_these_fields_are_rejected(case: Case) -> None:
    before = copy.deepcopy(case.body)
    assert rejected_fields(case) == sorted(case.rejected)
    assert case.body == before


@EACH_CASE
def test_a_primed_cache_hides_no_error(case: Case) -> None:
    cache = PodCache()
    prime_cache(case.body["spec"], cache)
    assert rejected_fields(case, cache) == sorted(case.rejected)


@EACH_CASE
def test_a_message_is_one_sentence(case: Case) -> None:
    for problem in job_problems(case.body):
        assert problem.message[0].islower()
        assert not problem.message.endswith(".")
        assert "\n" not in problem.message
        assert "; " in problem.message or " must " in problem.message
