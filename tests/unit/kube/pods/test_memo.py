"""What a memo may pass by: the very same value in a Pod that gives it the same surroundings."""

from __future__ import annotations

import pytest

from kubectl_trainjob.kube.pods.jobset import late_problems, learn
from kubectl_trainjob.kube.pods.memo import LateMemo
from kubectl_trainjob.model.source import show_pointer
from tests.unit.kube.pods.building import POD, Body, container, pod


def spec_of(body: Body) -> Body:
    """The Pod's spec in a JobSet of one replicatedJob."""
    found: Body = body["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    return found


def learnt(body: Body) -> LateMemo:
    """A memo that knows a JobSet's parts."""
    memo = LateMemo()
    learn(body["spec"], memo)
    return memo


def fields(body: Body, memo: LateMemo) -> list[str]:
    """The refused fields."""
    return [show_pointer(problem.pointer[4:]) for problem in late_problems(body, memo)]


def test_what_is_known_is_not_judged_again() -> None:
    body = pod(volumes=[{"name": "v"}], containers=[container(volumeMounts=[{"name": "v", "mountPath": "/a"}])])
    memo = learnt(body)
    spec_of(body)["volumes"][0]["name"] = "changed"
    spec_of(body)["containers"][0]["volumeMounts"][0]["mountPath"] = ""
    assert fields(body, memo) == []
    assert len(fields(body, LateMemo())) == 2


MOUNTS = container(volumeMounts=[{"name": "v", "mountPath": "/a"}])
SLEEPS = container(lifecycle={"preStop": {"sleep": {"seconds": 20}}})
RESIZES = container(resizePolicy=[{"resourceName": "cpu", "restartPolicy": "RestartContainer"}])
CLAIMS = container(resources={"claims": [{"name": "a"}]})
UNMASKED = container(securityContext={"procMount": "Unmasked"})


@pytest.mark.parametrize(
    ("one", "before", "after"),
    [
        pytest.param(MOUNTS, {"volumes": [{"name": "v"}]}, {"volumes": [{"name": "w"}]}, id="volumes"),
        pytest.param(MOUNTS, {"volumes": [{"name": "v"}]}, {}, id="no volumes"),
        pytest.param(SLEEPS, {}, {"terminationGracePeriodSeconds": 10}, id="patience"),
        pytest.param(RESIZES, {}, {"restartPolicy": "Never"}, id="restartPolicy"),
        pytest.param(CLAIMS, {"resourceClaims": [{"name": "a", "resourceClaimName": "a"}]}, {}, id="claims"),
        pytest.param(UNMASKED, {"hostUsers": False}, {}, id="users"),
    ],
)
def test_a_known_container_is_judged_again_in_another_pod(one: Body, before: Body, after: Body) -> None:
    memo = learnt(pod(containers=[one], **before))
    assert fields(pod(containers=[one], **before), memo) == []
    assert len(fields(pod(containers=[one], **after), memo)) == 1


def test_what_is_wrong_is_not_learnt() -> None:
    body = pod(volumes=[{"name": "V"}], tolerations=[{"value": "a"}], containers=[container(env=[{"name": "="}])])
    assert fields(body, learnt(body)) == fields(body, LateMemo()) != []


def test_names_of_known_containers_still_have_to_differ() -> None:
    one = container()
    memo = learnt(pod(containers=[one]))
    assert fields(pod(containers=[one, one]), memo) == [f"{POD}.containers[1].name"]


def test_nothing_is_learnt_from_a_single_job() -> None:
    memo = learnt(pod())
    before = len(memo.containers), len(memo.values), len(memo.volumes)
    late_problems(pod(volumes=[{"name": "v"}], nodeSelector={"a": "b"}), memo)
    assert (len(memo.containers), len(memo.values), len(memo.volumes)) == before
