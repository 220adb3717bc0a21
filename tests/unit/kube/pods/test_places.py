"""The place that reports show for a rejected field: the existing key, not the missing one."""

from __future__ import annotations

import pytest

from kubectl_trainjob.kube.pods.jobset import job_problems
from kubectl_trainjob.model.source import show_pointer
from tests.unit.kube.pods.building import (
    INIT,
    MAIN,
    POD,
    Body,
    container,
    init,
    job,
    main,
    mounted,
    pod,
    resources,
    volume,
)


@pytest.mark.parametrize(
    ("body", "shown", "on"),
    [
        pytest.param(resources({"a.io/x": 1}), f"{MAIN}.resources.requests[a.io/x]", "key", id="limit missing"),
        pytest.param(
            resources({"a.io/x": 1}, {"a.io/x": 2}), f"{MAIN}.resources.requests[a.io/x]", "key", id="mismatch"
        ),
        pytest.param(resources({"cpu": 2}, {"cpu": 1}), f"{MAIN}.resources.requests.cpu", "key", id="above the limit"),
        pytest.param(resources(None, {"a.io/x": "1m"}), f"{MAIN}.resources.limits[a.io/x]", "value", id="fraction"),
        pytest.param(job(labels={"labels": {"a": "b/c"}}), "spec.template.metadata.labels.a", "value", id="label"),
        pytest.param(pod(nodeSelector={"a.io/b": "c d"}), f"{POD}.nodeSelector[a.io/b]", "value", id="node label"),
        pytest.param(pod(serviceAccount="A"), f"{POD}.serviceAccount", "value", id="old name of a field"),
        pytest.param(main(image=""), f"{MAIN}.image", "value", id="missing field"),
        pytest.param(mounted({"name": "x", "mountPath": "/a"}), f"{MAIN}.volumeMounts[0].name", "value", id="mount"),
        pytest.param(main(envFrom=[{}]), f"{MAIN}.envFrom[0]", "value", id="item"),
        pytest.param(
            volume(emptyDir={}, nfs={"server": "a", "path": "/"}), f"{POD}.volumes[0].nfs", "key", id="second source"
        ),
        pytest.param(init(livenessProbe={}), f"{INIT}.livenessProbe", "key", id="probe of an init container"),
        pytest.param(job(maxFailedIndexes=1), "spec.maxFailedIndexes", "key", id="needs another number"),
        pytest.param(
            pod(tolerations=[{"key": "a", "operator": "Exists", "value": "b"}]),
            f"{POD}.tolerations[0].value",
            "key",
            id="value that has to go",
        ),
    ],
)
def test_the_place_is_what_one_would_edit(body: Body, shown: str, on: str) -> None:
    [problem] = job_problems(body)
    assert (show_pointer((problem.shown or problem.pointer)[4:]), problem.on) == (shown, on)


def test_what_follows_from_the_name_is_shown_at_the_name() -> None:
    body = {**pod(), "metadata": {"name": "j" * 57}}
    assert {problem.shown or problem.pointer for problem in job_problems(body)} == {("metadata", "name")}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(
            mounted({"name": "clam", "mountPath": "/a"}),
            'volume "clam" does not exist; did you mean "claim"?',
            id="a name alike",
        ),
        pytest.param(
            pod(containers=[container(volumeMounts=[{"name": "x", "mountPath": "/a"}])]),
            'volume "x" does not exist (the Pod has none); add it to volumes',
            id="no volumes",
        ),
        pytest.param(
            resources({"nvidia.com/gpu": "2"}),
            "nvidia.com/gpu is requested without a limit; add limits.nvidia.com/gpu: 2",
            id="device without limit",
        ),
        pytest.param(
            resources({"cpu": "2"}, {"cpu": "1500m"}),
            'requests.cpu "2" exceeds the limit "1500m"; lower it or raise the limit',
            id="above the limit",
        ),
        pytest.param(
            pod(restartPolicy="Always"),
            'restartPolicy is "Always", but a Job allows only Never and OnFailure; use one of them',
            id="restart policy",
        ),
    ],
)
def test_a_message_says_what_to_do(body: Body, message: str) -> None:
    assert [problem.message for problem in job_problems(body)] == [message]
