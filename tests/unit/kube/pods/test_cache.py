"""What a cache may skip: the same value in a Pod with the same context."""

from __future__ import annotations

import pytest

from kubectl_trainjob.kube.pods.jobset import job_problems, prime_cache
from kubectl_trainjob.kube.pods.visit import PodCache
from kubectl_trainjob.model.source import show_pointer
from tests.unit.kube.pods.building import POD, Body, container, pod


def spec_of(body: Body) -> Body:
    """The Pod's spec in a JobSet of one replicatedJob."""
    found: Body = body["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    return found


def primed(body: Body) -> PodCache:
    """A cache with the valid parts of a JobSet."""
    cache = PodCache()
    prime_cache(body["spec"], cache)
    return cache


def fields(body: Body, cache: PodCache) -> list[str]:
    """The rejected fields."""
    return [show_pointer(problem.pointer[4:]) for problem in job_problems(body, cache)]


def test_cached_parts_are_not_checked_again() -> None:
    body = pod(volumes=[{"name": "v"}], containers=[container(volumeMounts=[{"name": "v", "mountPath": "/a"}])])
    cache = primed(body)
    spec_of(body)["volumes"][0]["name"] = "changed"
    spec_of(body)["containers"][0]["volumeMounts"][0]["mountPath"] = ""
    assert fields(body, cache) == []
    assert len(fields(body, PodCache())) == 2


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
        pytest.param(SLEEPS, {}, {"terminationGracePeriodSeconds": 10}, id="grace period"),
        pytest.param(RESIZES, {}, {"restartPolicy": "Never"}, id="restartPolicy"),
        pytest.param(CLAIMS, {"resourceClaims": [{"name": "a", "resourceClaimName": "a"}]}, {}, id="claims"),
        pytest.param(UNMASKED, {"hostUsers": False}, {}, id="users"),
    ],
)
def test_a_cached_container_is_checked_again_in_another_pod(one: Body, before: Body, after: Body) -> None:
    cache = primed(pod(containers=[one], **before))
    assert fields(pod(containers=[one], **before), cache) == []
    assert len(fields(pod(containers=[one], **after), cache)) == 1


def test_invalid_parts_are_not_cached() -> None:
    body = pod(volumes=[{"name": "V"}], tolerations=[{"value": "a"}], containers=[container(env=[{"name": "="}])])
    assert fields(body, primed(body)) == fields(body, PodCache()) != []


def test_names_of_cached_containers_still_have_to_differ() -> None:
    one = container()
    cache = primed(pod(containers=[one]))
    assert fields(pod(containers=[one, one]), cache) == [f"{POD}.containers[1].name"]


def test_parts_of_a_single_job_are_not_cached() -> None:
    cache = primed(pod())
    before = len(cache.containers), len(cache.values), len(cache.volumes)
    job_problems(pod(volumes=[{"name": "v"}], nodeSelector={"a": "b"}), cache)
    assert (len(cache.containers), len(cache.values), len(cache.volumes)) == before
