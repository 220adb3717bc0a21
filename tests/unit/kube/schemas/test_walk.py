"""What the walk reports and completes, rule by rule from both sides."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest

from kubectl_trainjob.kube.schemas.composites import ListNode, MappingNode
from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.kube.schemas.other_versions import with_versions
from kubectl_trainjob.kube.schemas.scalars import Text
from kubectl_trainjob.kube.schemas.walk import PartCache, Walk
from kubectl_trainjob.model.source import show_pointer

TRAINER = "trainer.kubeflow.org/v1alpha1"


def job(**spec):
    return {
        "apiVersion": TRAINER,
        "kind": "TrainJob",
        "metadata": {"name": "mnist"},
        "spec": {"runtimeRef": {"name": "torch"}, **spec},
    }


def runtime(ml_policy=None, jobs=(), **template):
    policy = {"mlPolicy": ml_policy} if ml_policy is not None else {}
    spec = {**policy, "template": {"spec": {"replicatedJobs": list(jobs), **template}}}
    return {"apiVersion": TRAINER, "kind": "ClusterTrainingRuntime", "metadata": {"name": "torch"}, "spec": spec}


def container(**fields):
    return {
        "name": "node",
        "template": {"spec": {"template": {"spec": {"containers": [{"name": "node", **fields}]}}}},
    }


def check(body, cache=None):
    before = copy.deepcopy(body)
    schema = schema_for("trainer-2.3", body["apiVersion"], body["kind"])
    checked = schema.check(body, cache)
    assert body == before
    return replace(checked, problems=tuple(with_versions(problem, schema, body) for problem in checked.problems))


def reported(body):
    return [(p.rule.id, show_pointer(p.pointer), p.on, p.message) for p in check(body).problems]


REJECTED = [
    pytest.param(
        job(trainer={"numNode": 2}),
        [("KTJ101", "spec.trainer.numNode", "key", 'unknown field "numNode"; did you mean "numNodes"?')],
        id="unknown field with a near name",
    ),
    pytest.param(
        job(runtimeRef={"name": "torch", "x": 1}),
        [("KTJ101", "spec.runtimeRef.x", "key", 'unknown field "x"; remove it (allowed: apiGroup, kind, name)')],
        id="unknown field",
    ),
    pytest.param(
        {**job(), "metadata": {"name": "mnist", "label": {}}},
        [("KTJ101", "metadata.label", "key", 'unknown field "label"; did you mean "labels"?')],
        id="unknown metadata",
    ),
    pytest.param(
        job(podTemplateOverrides=[]),
        [
            (
                "KTJ102",
                "spec.podTemplateOverrides",
                "key",
                'field "podTemplateOverrides" exists only in Trainer 2.1; write spec.runtimePatches now '
                "(set target.trainer in trainjob.yaml, or run `kubectl trainjob migrate`)",
            )
        ],
        id="field of another version",
    ),
    pytest.param(
        job(trainer={"numNodes": "2"}),
        [
            (
                "KTJ103",
                "spec.trainer.numNodes",
                "value",
                'numNodes must be an integer, not the string "2"; remove the quotes: 2',
            )
        ],
        id="string for int32",
    ),
    pytest.param(
        job(trainer={"env": [{"name": "A", "value": 3}]}),
        [
            (
                "KTJ103",
                "spec.trainer.env[0].value",
                "value",
                "value must be a string, not the number 3; put the value in quotes",
            )
        ],
        id="number for string",
    ),
    pytest.param(
        job(suspend="true"),
        [
            (
                "KTJ103",
                "spec.suspend",
                "value",
                'suspend must be true or false, not the string "true"; remove the quotes: true',
            )
        ],
        id="string for boolean",
    ),
    pytest.param(
        job(trainer={"args": "--epochs 3"}),
        [
            (
                "KTJ103",
                "spec.trainer.args",
                "value",
                'args must be a list, not the string "--epochs 3"; write a list, one `- item` a line',
            )
        ],
        id="string for list",
    ),
    pytest.param(
        job(trainer={"args": ["a", None]}),
        [
            (
                "KTJ103",
                "spec.trainer.args[1]",
                "value",
                "args[1] must be a string, not null; remove the item or give it a value",
            )
        ],
        id="null in a list",
    ),
    pytest.param(
        job(trainer={"numNodes": 2**31}),
        [("KTJ103", "spec.trainer.numNodes", "value", "numNodes must be at most 2147483647, not 2147483648")],
        id="beyond int32",
    ),
    pytest.param(
        job(activeDeadlineSeconds=0),
        [("KTJ103", "spec.activeDeadlineSeconds", "value", "activeDeadlineSeconds must be at least 1, not 0")],
        id="below the minimum",
    ),
    pytest.param(
        job(trainer={"resourcesPerNode": {"limits": {"cpu": 0.5}}}),
        [
            (
                "KTJ103",
                "spec.trainer.resourcesPerNode.limits.cpu",
                "value",
                'cpu must be a quantity, that is an integer or a string such as "500m" or "4Gi", not the number 0.5; '
                "put the value in quotes",
            )
        ],
        id="fraction for a quantity",
    ),
    pytest.param(
        job(trainer={"resourcesPerNode": {"limits": {"nvidia.com/gpu": "two"}}}),
        [
            (
                "KTJ103",
                "spec.trainer.resourcesPerNode.limits[nvidia.com/gpu]",
                "value",
                'nvidia.com/gpu "two" is not a valid quantity; write one such as "500m", "8" or "4Gi"',
            )
        ],
        id="no quantity",
    ),
    pytest.param(
        runtime({"mpi": {"mpiImplementation": "OpenMPi"}}),
        [
            (
                "KTJ103",
                "spec.mlPolicy.mpi.mpiImplementation",
                "value",
                'mpiImplementation "OpenMPi" is not allowed; use "OpenMPI" or ""; did you mean "OpenMPI"?',
            )
        ],
        id="enum",
    ),
    pytest.param(
        job(trainer={"command": ["a"] * 129}),
        [("KTJ103", "spec.trainer.command", "value", "command has 129 items; at most 128 are allowed")],
        id="too many items",
    ),
    pytest.param(
        job(trainer={"image": "a" * 501}),
        [
            (
                "KTJ103",
                "spec.trainer.image",
                "value",
                f'image "{"a" * 150}…{"a" * 150}" has 501 characters; at most 500 are allowed',
            )
        ],
        id="too long",
    ),
    pytest.param(
        job(runtimePatches=[{"manager": "acme.io/a", "time": "yesterday"}]),
        [
            (
                "KTJ103",
                "spec.runtimePatches[0].time",
                "value",
                'time "yesterday" is not a valid time; write one such as 2026-03-01T08:00:00Z',
            )
        ],
        id="no time",
    ),
    pytest.param(
        runtime(jobs=[container(ports=[{"containerPort": 2**31}])]),
        [
            (
                "KTJ103",
                "spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].ports[0].containerPort",
                "value",
                "containerPort must be at most 2147483647, not 2147483648",
            )
        ],
        id="deep below",
    ),
    pytest.param(
        job(trainer={"env": [{"value": "a"}]}),
        [("KTJ111", "spec.trainer.env[0].name", "key", "env[0] has no name; add it")],
        id="missing in an item",
    ),
    pytest.param(
        {**job(), "spec": {}},
        [("KTJ111", "spec.runtimeRef", "key", "spec has no runtimeRef; add it")],
        id="missing in a mapping",
    ),
    pytest.param(
        {**job(), "metadata": {}},
        [("KTJ111", "metadata.name", "key", "name is missing; add it")],
        id="a CEL rule misses its key",
    ),
    pytest.param(
        job(trainer={"env": [{"name": "A"}, {"name": "B"}, {"name": "A"}, {"name": "A"}]}),
        [("KTJ107", "spec.trainer.env[2]", "value", 'env has two items with name "A"; remove one')],
        id="one key twice",
    ),
    pytest.param(
        runtime(jobs=[container(ports=[{"containerPort": 80}, {"containerPort": 80, "protocol": "TCP"}])]),
        [
            (
                "KTJ107",
                "spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].ports[1]",
                "value",
                'ports has two items with containerPort "80" and protocol "TCP"; remove one',
            )
        ],
        id="two keys, one from its default",
    ),
    pytest.param(
        runtime({"torch": {"envInjection": {"targets": [{"jobName": "a", "containerNames": ["b", "b"]}]}}}),
        [
            (
                "KTJ107",
                "spec.mlPolicy.torch.envInjection.targets[0].containerNames[1]",
                "value",
                'containerNames has the duplicate "b"; remove one',
            )
        ],
        id="a set",
    ),
    pytest.param(
        runtime({"torch": {}, "jax": {}}),
        [("KTJ104", "spec.mlPolicy.jax", "key", "only one ML policy is allowed, but torch and jax are set; keep one")],
        id="two policies",
    ),
    pytest.param(
        job(managedBy="acme.io/me"),
        [
            (
                "KTJ106",
                "spec.managedBy",
                "value",
                'managedBy "acme.io/me" is not allowed; use "trainer.kubeflow.org/trainjob-controller" or '
                '"kueue.x-k8s.io/multikueue"',
            )
        ],
        id="managedBy",
    ),
]

ACCEPTED = [
    pytest.param(job(), id="smallest"),
    pytest.param(job(trainer={"numNodes": 0, "numProcPerNode": 1}), id="minimum"),
    pytest.param(job(trainer={"numNodes": 2.0}), id="a float without fraction is an integer in JSON"),
    pytest.param(
        job(trainer={"resourcesPerNode": {"limits": {"cpu": 1, "memory": "1e3", "a": ".5", "b": "1E"}}}),
        id="quantities",
    ),
    pytest.param(job(trainer={"image": "a" * 500, "command": ["a"] * 128}), id="maximum lengths"),
    pytest.param(job(initializer={"dataset": {"storageUri": ""}}), id="no storage URI"),
    pytest.param(job(runtimePatches=[{"manager": "acme.io/a", "time": "2026-03-01T08:00:00.5+02:00"}]), id="time"),
    pytest.param(
        runtime(jobs=[container(ports=[{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}])]),
        id="ports by protocol",
    ),
    pytest.param(
        runtime(jobs=[container(livenessProbe={"httpGet": {"port": "http"}}, startupProbe={"httpGet": {"port": 80}})]),
        id="int or string",
    ),
    pytest.param({**job(), "status": {"jobsStatus": "dropped on creation"}}, id="status"),
]


@pytest.mark.parametrize(("body", "expected"), REJECTED)
def test_rejected(body, expected):
    assert reported(body) == expected


@pytest.mark.parametrize("body", ACCEPTED)
def test_accepted(body):
    assert reported(body) == []


@pytest.mark.parametrize(
    ("kind", "schema", "size", "message"),
    [
        pytest.param(ListNode, {"minItems": 2}, 1, "the object has 1 item; add more, at least 2", id="one item"),
        pytest.param(ListNode, {"maxItems": 1}, 2, "the object has 2 items; at most 1 is allowed", id="two items"),
        pytest.param(ListNode, {"maxItems": 0}, 1, "the object has 1 item; at most 0 are allowed", id="no items"),
        pytest.param(
            MappingNode, {"minProperties": 2}, 1, "the object has 1 entry; add more, at least 2", id="one entry"
        ),
        pytest.param(
            MappingNode, {"maxProperties": 1}, 2, "the object has 2 entries; at most 1 is allowed", id="two entries"
        ),
    ],
)
def test_sizes_are_singular_or_plural(kind, schema, size, message):
    walk, keys = Walk(), "ab"[:size]
    node = kind({"items": 0, "additionalProperties": 0, **schema}, (), lambda _: Text({}, ()))
    node.visit(list(keys) if kind is ListNode else dict.fromkeys(keys, ""), walk)
    assert [problem.message for problem in walk.problems] == [message]


@pytest.mark.parametrize(
    ("kind", "pointer"),
    [
        ("TrainJob", ("spec", "podSpecOverrides")),
        ("TrainJob", ("spec", "podTemplateOverrides")),
        ("TrainJob", ("spec", "labels")),
        ("TrainJob", ("spec", "annotations")),
        ("TrainingRuntime", ("spec", "mlPolicy", "torch", "numProcPerNode")),
        ("ClusterTrainingRuntime", ("spec", "mlPolicy", "torch", "elasticPolicy")),
    ],
)
def test_fields_of_other_versions(kind, pointer):
    body = job() if kind == "TrainJob" else {**runtime({"torch": {}}), "kind": kind}
    place = body
    for key in pointer[:-1]:
        place = place[key]
    place[pointer[-1]] = {}
    [problem] = check(body).problems
    assert (problem.rule.id, problem.pointer, problem.on) == ("KTJ102", pointer, "key")
    assert "Trainer 2." in problem.message


def test_duplicates_name_the_earlier_item():
    [problem] = check(job(trainer={"env": [{"name": "A"}, {"name": "A"}]})).problems
    assert problem.related == (("first one", ("spec", "trainer", "env", 0)),)


def test_defaults_are_written_on_a_copy_of_their_path_only():
    body = job(trainer={"env": [{"name": "A"}]})
    value = check(body).value
    assert value["spec"]["runtimeRef"] == {
        "name": "torch",
        "apiGroup": "trainer.kubeflow.org",
        "kind": "ClusterTrainingRuntime",
    }
    assert value["spec"]["managedBy"] == "trainer.kubeflow.org/trainjob-controller"
    assert value["spec"]["trainer"] is body["spec"]["trainer"]
    assert value["metadata"] is body["metadata"]


def test_nothing_to_default_returns_the_same_object():
    complete = check(job(trainer={"env": [{"name": "A"}]})).value
    assert check(complete).value is complete


def test_defaults_below_a_list():
    value = check(runtime({"mpi": {}}, [container(ports=[{"containerPort": 80}])])).value
    [replicated] = value["spec"]["template"]["spec"]["replicatedJobs"]
    assert (replicated["replicas"], replicated["groupName"]) == (1, "default")
    [only] = replicated["template"]["spec"]["template"]["spec"]["containers"]
    assert only["ports"] == [{"containerPort": 80, "protocol": "TCP"}]
    assert value["spec"]["mlPolicy"]["mpi"] == {
        "numProcPerNode": 1,
        "mpiImplementation": "OpenMPI",
        "sshAuthMountPath": "/root/.ssh",
        "runLauncherAsNode": False,
    }


def test_nulls_are_absent_and_reported():
    body = job(managedBy=None, trainer={"args": None, "numNodes": 1})
    checked = check(body)
    assert checked.problems == ()
    assert checked.nulls == (("spec", "managedBy"), ("spec", "trainer", "args"))
    assert checked.value["spec"]["trainer"] == {"numNodes": 1}
    assert checked.value["spec"]["managedBy"] == "trainer.kubeflow.org/trainjob-controller"


def test_a_null_of_a_required_field_is_a_missing_field():
    checked = check(job(runtimeRef={"name": None}))
    [problem] = checked.problems
    assert (problem.rule.id, problem.pointer, problem.on) == ("KTJ111", ("spec", "runtimeRef", "name"), "key")
    assert str(problem.message) == "name is null; set it"
    assert checked.nulls == ()


def test_an_unknown_null_is_unknown():
    assert [p.rule.id for p in check(job(trainer={"argz": None})).problems] == ["KTJ101"]


def test_cel_waits_for_what_is_below():
    ids = [p.rule.id for p in check(job(initializer={"dataset": {"storageUri": 3}}, managedBy="acme.io/me")).problems]
    assert sorted(ids) == ["KTJ103", "KTJ106"]


def test_a_cache_returns_accepted_parts_and_changes_no_result():
    cache = PartCache()
    cache.is_growing = True
    shared = {"name": "node", "image": "a", "env": [], "ports": [{"containerPort": 80}]}
    bodies = [
        runtime(jobs=[{"name": f"j{n}", "template": {"spec": {"template": {"spec": {"containers": [shared]}}}}}])
        for n in range(3)
    ]
    values = [check(body, cache).value for body in bodies]
    made = [
        v["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"][0]
        for v in values
    ]
    assert made[0] is made[1] is made[2]
    assert made[0]["ports"][0]["protocol"] == "TCP"
    wrong = {"name": "node", "image": 1, "env": [], "ports": []}
    bad = runtime(jobs=[{"name": "j", "template": {"spec": {"template": {"spec": {"containers": [wrong]}}}}}])
    assert [len(check(bad, cache).problems) for _ in range(2)] == [1, 1]


def test_a_cache_grows_only_on_request():
    cache, body = PartCache(), job(trainer={"image": "a"})
    check(body, cache)
    assert not cache.accepted
    cache.is_growing = True
    check(body, cache)
    assert cache.accepted[id(body["spec"]["trainer"])][0] is body["spec"]["trainer"]
