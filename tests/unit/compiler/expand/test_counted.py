"""The lines that amounts and counts are said to come from, where the releases look at different ones.

The judge is the arithmetic: the named numbers are those whose product and sum the value is.
"""

import pytest
import yaml

from kubectl_trainjob.compiler import pipeline
from kubectl_trainjob.model.draft import DraftSnapshot
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import BuildOptions
from tests.reading import read

API = "trainer.kubeflow.org/v1alpha1"


def documents(pod, resources_per_node=None, ml_policy=None, gang="coscheduling"):
    """A runtime with this Pod spec, and a TrainJob of two nodes."""
    replicated = {
        "name": "node",
        "template": {
            "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
            "spec": {"template": {"spec": pod}},
        },
    }
    runtime = {
        "apiVersion": API,
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": "r", "labels": {"trainer.kubeflow.org/framework": "torch"}},
        "spec": {
            "mlPolicy": ml_policy or {"torch": {}},
            "podGroupPolicy": {gang: {}},
            "template": {"spec": {"replicatedJobs": [replicated]}},
        },
    }
    trainer = {"numNodes": 2} | ({"resourcesPerNode": resources_per_node} if resources_per_node else {})
    job = {"metadata": {"name": "j"}, "spec": {"runtimeRef": {"name": "r"}, "trainer": trainer}}
    return yaml.safe_dump_all([runtime, {"apiVersion": API, "kind": "TrainJob", **job}])


def container(name="node", **requests):
    return {"name": name, "image": "i", "resources": {"requests": requests}}


def named(origin):
    """The values that a value is said to come from, as they stand in the inputs, sorted."""
    for place in [origin.place] if origin.place else origin.causes:
        if isinstance(place.source.edits, DraftSnapshot):
            yield from named(place.source.edits.origin(place.pointer))
        else:
            yield place


def traced(text, version, kind):
    options = BuildOptions(trainer_version=version)
    (job,) = pipeline.trace(read(["-"], lambda _: text.encode()), options, lambda _: True).jobs
    assert not job.diagnostics
    bodies = {each.manifest.source: each.body for each in (job.resolved.job, job.resolved.runtime)}
    (made,) = (each for each in job.objects if each.identity.kind == kind)
    return made.draft, bodies


def amount(pod, version, resource, resources_per_node=None):
    """The PodGroup's amount, and the amounts that it is said to be made of."""
    group, bodies = traced(documents(pod, resources_per_node), version, "PodGroup")
    pointer = ("spec", "minResources", resource)
    values = [value_at(bodies[place.source], place.pointer) for place in named(group.origin(pointer))]
    return group.get(*pointer), sorted(map(str, values))


OVERRIDE = {"requests": {"cpu": "6"}}
WHOLE = {"resources": {"requests": {"cpu": "9", "hugepages-2Mi": "8Mi", "nvidia.com/gpu": "5"}}}


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        pytest.param("2.0", ("4", ["2", "2"]), id="2.0 does not see resourcesPerNode"),
        pytest.param("2.1", ("4", ["2", "2"]), id="2.1 does not see it"),
        pytest.param("2.2", ("12", ["2", "6"]), id="2.2 looks at it alone"),
        pytest.param("2.3", ("12", ["2", "6"]), id="2.3 has merged it"),
    ],
)
def test_a_pod_group_names_the_resources_that_its_release_counts(version, expected):
    assert amount({"containers": [container(cpu="2")]}, version, "cpu", OVERRIDE) == expected


@pytest.mark.parametrize(
    ("version", "expected"),
    [("2.1", ("6", ["1", "2", "2"])), ("2.2", ("14", ["1", "2", "6"])), ("2.3", ("14", ["1", "2", "6"]))],
)
def test_only_the_node_container_is_overridden(version, expected):
    pod = {"containers": [container("proxy", cpu="1"), container(cpu="2")]}
    assert amount(pod, version, "cpu", OVERRIDE) == expected


@pytest.mark.parametrize(
    ("pod", "resource", "expected"),
    [
        pytest.param({"overhead": {"cpu": "1"}}, "cpu", ("6", ["1", "2", "2"]), id="overhead on top"),
        pytest.param({"initContainers": [container("a", cpu="3")]}, "cpu", ("6", ["2", "2", "3"]), id="init container"),
        pytest.param(WHOLE, "cpu", ("18", ["2", "9"]), id="the whole Pod's instead of the containers'"),
        pytest.param(WHOLE, "nvidia.com/gpu", ("2", ["1", "2"]), id="no such amount of a whole Pod"),
        pytest.param({**WHOLE, "overhead": {"cpu": "1"}}, "cpu", ("20", ["1", "2", "9"]), id="and the overhead"),
    ],
)
@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", "2.3"])
def test_a_pod_group_names_what_kubernetes_counts(version, pod, resource, expected):
    spec = {"containers": [container(**{"cpu": "2", "nvidia.com/gpu": "1"})], **pod}
    assert amount(spec, version, resource) == expected


def test_the_first_release_does_not_know_huge_pages_of_a_whole_pod():
    pod = {"containers": [container(**{"hugepages-2Mi": "2Mi", "memory": "1Gi"})], **WHOLE}
    assert amount(pod, "2.0", "hugepages-2Mi") == ("4Mi", ["2", "2Mi"])
    assert amount(pod, "2.1", "hugepages-2Mi") == ("16Mi", ["2", "8Mi"])


@pytest.mark.parametrize(
    ("requests", "limits", "expected"),
    [
        pytest.param({"nvidia.com/gpu": 4}, {"nvidia.com/gpu": 8}, ["requests", "nvidia.com/gpu"], id="the request"),
        pytest.param({}, {"nvidia.com/gpu": 8}, ["limits", "nvidia.com/gpu"], id="the limit"),
        pytest.param({"gpu": 0}, {"nvidia.com/gpu": 8}, ["limits", "nvidia.com/gpu"], id="a request of nothing"),
        pytest.param({"b/gpu": 4, "a/gpu": 3}, {}, ["requests", "a/gpu"], id="the first name"),
    ],
)
def test_the_amount_that_decides_is_the_first_cause(requests, limits, expected):
    pod = {"containers": [{"name": "node", "image": "i", "resources": {"requests": requests, "limits": limits}}]}
    jobset, _ = traced(documents(pod), "2.3", "JobSet")
    base = ("spec", "replicatedJobs", 0, "template", "spec", "template", "spec", "containers", 0, "env")
    index = next(i for i, entry in enumerate(jobset.get(*base)) if entry["name"] == "PET_NPROC_PER_NODE")
    assert jobset.get(*base, index, "value") == "auto"
    assert list(next(named(jobset.origin((*base, index, "value")))).pointer[-2:]) == expected


def test_a_gpu_that_is_not_looked_at_is_no_cause():
    amounts = {"amd.com/gpu": 0, "nvidia.com/gpu": 4}
    pod = {"containers": [{"name": "node", "image": "i", "resources": {"requests": amounts, "limits": amounts}}]}
    jobset, bodies = traced(documents(pod, ml_policy={"xgboost": {}}), "2.3", "JobSet")
    base = ("spec", "replicatedJobs", 0, "template", "spec", "template", "spec", "containers", 0, "env")
    index = next(i for i, entry in enumerate(jobset.get(*base)) if entry["name"] == "DMLC_NUM_WORKER")
    places = list(named(jobset.origin((*base, index, "value"))))
    assert jobset.get(*base, index, "value") == "2"  # one a node: no GPU is counted
    assert [value_at(bodies[place.source], place.pointer) for place in places] == [2, 0, 0]
    assert {place.pointer[-1] for place in places} == {"numNodes", "amd.com/gpu"}
