"""What the API server and the runtimes' webhook say of objects as written."""

from __future__ import annotations

import copy

import pytest

from kubectl_trainjob.compiler.versions import VERSIONS
from kubectl_trainjob.kube.admission import objects
from kubectl_trainjob.kube.facts.supported import LATEST_TRAINER
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.source import Source, SourceFile, show_pointer
from kubectl_trainjob.model.stages import Manifest, ObjectId

TRAINER = "trainer.kubeflow.org/v1alpha1"
STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
SOURCE = Source(SourceFile("jobs.yaml", ""))


def manifest(body):
    metadata = body.get("metadata") or {}
    named = ObjectId(body["apiVersion"], body["kind"], metadata.get("namespace", ""), metadata.get("name", ""))
    return Manifest(named, body, SOURCE)


def admit(manifest):
    return objects.admit(manifest, VERSIONS[LATEST_TRAINER].admission)


def reported(body):
    before = copy.deepcopy(body)
    admitted, diagnostics = admit(manifest(body))
    assert body == before
    assert (admitted is None) == any(d.severity is Severity.ERROR for d in diagnostics)
    assert all(d.place.source is SOURCE for d in diagnostics)
    return [(d.rule.id, show_pointer(d.place.pointer), d.place.on) for d in diagnostics]


def job(metadata=None, **spec):
    return {
        "apiVersion": TRAINER,
        "kind": "TrainJob",
        "metadata": {"name": "mnist"} if metadata is None else metadata,
        "spec": {"runtimeRef": {"name": "torch"}, **spec},
    }


def replicated(step=None, *containers, **fields):
    labels = {"metadata": {"labels": {STEP: step}}} if step is not None else {}
    made = [{"name": name} for name in containers]
    return {"name": "x", "template": {**labels, "spec": {"template": {"spec": {"containers": made}}}}, **fields}


def runtime(*jobs, labels=None, kind="ClusterTrainingRuntime", name="torch"):
    metadata = {"name": name} if labels is None else {"name": name, "labels": labels}
    spec = {"template": {"spec": {"replicatedJobs": list(jobs)}}}
    return {"apiVersion": TRAINER, "kind": kind, "metadata": metadata, "spec": spec}


METADATA = [
    pytest.param({"name": "a" * 63}, [], id="longest name"),
    pytest.param({"name": "a" * 64}, [("KTJ701", "metadata.name", "value")], id="name too long"),
    pytest.param({"name": "1abc"}, [("KTJ701", "metadata.name", "value")], id="digit first"),
    pytest.param({"name": "a.b"}, [("KTJ701", "metadata.name", "value")], id="dot"),
    pytest.param({"name": ""}, [("KTJ701", "metadata.name", "value")], id="empty name"),
    pytest.param({}, [("KTJ111", "metadata.name", "key")], id="no name"),
    pytest.param({"generateName": "a-"}, [("KTJ805", "metadata.generateName", "key")], id="generateName"),
    pytest.param({"name": "a", "generateName": "a-"}, [], id="generateName is idle beside a name"),
    pytest.param({"name": "a", "namespace": "team-a"}, [], id="namespace"),
    pytest.param({"name": "a", "namespace": "team.a"}, [("KTJ112", "metadata.namespace", "value")], id="bad namespace"),
    pytest.param({"name": "a", "labels": {"acme.io/team": "a_b.c"}}, [], id="label"),
    pytest.param(
        {"name": "a", "labels": {"team": "a b"}}, [("KTJ112", "metadata.labels.team", "value")], id="label value"
    ),
    pytest.param(
        {"name": "a", "labels": {"team": "a" * 64}}, [("KTJ112", "metadata.labels.team", "value")], id="long label"
    ),
    pytest.param({"name": "a", "labels": {"-team": ""}}, [("KTJ112", "metadata.labels.-team", "key")], id="label key"),
    pytest.param(
        {"name": "a", "labels": {"A.io/x": ""}}, [("KTJ112", "metadata.labels[A.io/x]", "key")], id="label prefix"
    ),
    pytest.param({"name": "a", "labels": {"team": 1}}, [("KTJ103", "metadata.labels.team", "value")], id="label type"),
    pytest.param({"name": "a", "annotations": {"A.io/x": "any text\n"}}, [], id="annotation keys ignore case"),
    pytest.param(
        {"name": "a", "annotations": {"a b": ""}}, [("KTJ112", "metadata.annotations.a b", "key")], id="annotation key"
    ),
    pytest.param({"name": "a", "annotations": {"a": "b" * 262143}}, [], id="annotations as long as allowed"),
    pytest.param(
        {"name": "a", "annotations": {"a": "b" * 262144}}, [("KTJ112", "metadata.annotations", "key")], id="too long"
    ),
    pytest.param({"name": "a", "finalizers": ["acme.io/x"]}, [], id="finalizer"),
    pytest.param(
        {"name": "a", "finalizers": ["a b"]}, [("KTJ112", "metadata.finalizers[0]", "value")], id="bad finalizer"
    ),
    pytest.param(
        {"name": "a", "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}]}, [], id="owner"
    ),
    pytest.param(
        {"name": "a", "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p"}]},
        [("KTJ112", "metadata.ownerReferences[0]", "value")],
        id="owner without uid",
    ),
    pytest.param(
        {"name": "a", "creationTimestamp": "now"}, [("KTJ103", "metadata.creationTimestamp", "value")], id="time"
    ),
    pytest.param("mnist", [("KTJ103", "metadata", "value")], id="no mapping"),
]


@pytest.mark.parametrize(("metadata", "expected"), METADATA)
def test_metadata(metadata, expected):
    body = job(metadata)
    named = Manifest(ObjectId(TRAINER, "TrainJob", "", ""), body, SOURCE)
    diagnostics = admit(named)[1]
    assert [(d.rule.id, show_pointer(d.place.pointer), d.place.on) for d in diagnostics] == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("shared.v1", []),
        ("1.a", []),
        ("Shared", [("KTJ701", "metadata.name", "value")]),
        ("a" * 254, [("KTJ701", "metadata.name", "value")]),
    ],
)
def test_runtimes_are_named_as_subdomains(name, expected):
    assert reported(runtime(name=name)) == expected


def test_a_missing_metadata_is_a_missing_name():
    body = job()
    del body["metadata"]
    assert reported(body) == [("KTJ111", "metadata.name", "key")]


@pytest.mark.parametrize("written", [{}, {"spec": None}])
def test_a_runtime_without_a_spec_is_an_empty_one(written):
    body = {**runtime(), **written} if written else {k: v for k, v in runtime().items() if k != "spec"}
    admitted, _ = admit(manifest(body))
    assert admitted.body["spec"] == {}


@pytest.mark.parametrize("written", [{}, {"spec": None}])
def test_a_train_job_without_a_spec_lacks_its_runtime(written):
    body = {key: value for key, value in job().items() if key != "spec"}
    assert reported({**body, **written}) == [("KTJ111", "spec.runtimeRef", "key")]


REF = {"name": "torch"}
MISSPELT = {
    "letters": ({"runtimeref": REF}, "spec.runtimeref"),
    "an inner name": ({"runtimeRef": {"nmae": "torch"}}, "spec.runtimeRef.nmae"),
    "too deep": ({"trainer": {"runtimeRef": REF}}, "spec.trainer.runtimeRef"),
}


@pytest.mark.parametrize(("spec", "place"), MISSPELT.values(), ids=MISSPELT)
def test_a_misspelt_field_is_not_missing_too(spec, place):
    assert reported({**job(), "spec": spec}) == [("KTJ101", place, "key")]


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"runtimeRef": REF}, "runtimeRef"),
        ({"Spec": {"runtimeRef": REF}}, "Spec"),
        ({"metadata": {"name": "a", "runtimeRef": REF}}, "metadata.runtimeRef"),
    ],
)
def test_a_field_above_its_spec_is_not_missing_too(body, place):
    without = {key: value for key, value in job().items() if key != "spec"}
    assert reported({**without, **body}) == [("KTJ101", place, "key")]


def test_another_unknown_field_explains_nothing():
    spec = {"runtimeRefs": REF, "runtime": "torch", "trainer": {"name": "a"}}
    assert ("KTJ111", "spec.runtimeRef", "key") not in reported({**job(), "spec": spec})
    del spec["runtimeRefs"]
    assert ("KTJ111", "spec.runtimeRef", "key") in reported({**job(), "spec": spec})


def test_each_missing_field_of_an_item_is_reported():
    """kube-apiserver names both, too: mountPath and name are required."""
    one = replicated("trainer", "node")
    one["template"]["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] = [{"readOnly": True}]
    pointers = [pointer.rpartition(".")[2] for _, pointer, _ in reported(runtime(one))]
    assert pointers == ["mountPath", "name"]


@pytest.mark.parametrize("quantity", ["9" * 4101, "1e9999", "1E-0001000"])
def test_quantities_of_absurd_size(quantity):
    body = job(trainer={"resourcesPerNode": {"limits": {"cpu": quantity}}})
    assert reported(body) == [("KTJ103", "spec.trainer.resourcesPerNode.limits.cpu", "value")]


def test_a_null_is_a_warning_and_absent():
    admitted, [diagnostic] = admit(manifest(job(trainer={"args": None})))
    assert (diagnostic.rule.id, diagnostic.place.pointer, diagnostic.place.on) == (
        "KTJ113",
        ("spec", "trainer", "args"),
        "key",
    )
    assert admitted.body["spec"]["trainer"] == {}


def test_defaults_reach_the_body_and_not_the_manifest():
    given = manifest(job())
    admitted, [] = admit(given)
    assert admitted.manifest is given
    assert admitted.body["spec"]["runtimeRef"]["kind"] == "ClusterTrainingRuntime"
    assert given.body["spec"]["runtimeRef"] == {"name": "torch"}


def test_related_places_are_in_the_same_object():
    _, [diagnostic] = admit(manifest(job(trainer={"env": [{"name": "A"}, {"name": "A"}]})))
    [related] = diagnostic.related
    assert (related.place.source, related.place.pointer) == (SOURCE, ("spec", "trainer", "env", 0))


CONTAINERS = "spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers"
REPLICAS = "spec.template.spec.replicatedJobs[0].replicas"
RUNTIMES = [
    pytest.param(replicated("trainer", "node"), [], id="trainer"),
    pytest.param(replicated("trainer", "sidecar", "node"), [], id="any container may be the one"),
    pytest.param(replicated("dataset-initializer", "dataset-initializer"), [], id="dataset"),
    pytest.param(replicated("model-initializer", "model-initializer"), [], id="model"),
    pytest.param(
        replicated("trainer", "main"), [("KTJ210", f"{CONTAINERS}[0].name", "value")], id="trainer without node"
    ),
    pytest.param(
        replicated("dataset-initializer", "node"), [("KTJ210", f"{CONTAINERS}[0].name", "value")], id="dataset without"
    ),
    pytest.param(
        replicated("model-initializer", "a", "b"), [("KTJ210", f"{CONTAINERS}[0].name", "value")], id="model without"
    ),
    pytest.param(replicated("trainer"), [("KTJ210", CONTAINERS, "value")], id="no container at all"),
    pytest.param(replicated("trainer", "node", replicas=1), [], id="one replica"),
    pytest.param(replicated("trainer", "node", replicas=2), [("KTJ211", REPLICAS, "value")], id="two replicas"),
    pytest.param(replicated("trainer", "node", replicas=0), [("KTJ211", REPLICAS, "value")], id="no replica"),
    pytest.param(
        replicated("trainer", "main", replicas=2),
        [("KTJ211", REPLICAS, "value"), ("KTJ210", f"{CONTAINERS}[0].name", "value")],
        id="both",
    ),
    pytest.param(replicated("launcher", "main", replicas=2), [], id="another label value"),
    pytest.param(replicated(None, "main", replicas=2), [], id="no label"),
]


@pytest.mark.parametrize("kind", ["TrainingRuntime", "ClusterTrainingRuntime"])
@pytest.mark.parametrize(("job_template", "expected"), RUNTIMES)
def test_runtime_webhook(kind, job_template, expected):
    assert reported(runtime(job_template, kind=kind)) == expected


@pytest.mark.parametrize("version", VERSIONS)
def test_since_2_3_a_label_turns_the_runtime_webhook_off(version):
    """Only manifests/base/webhook/patch_validating.yaml of 2.3 and later has an objectSelector."""
    body = runtime(
        replicated("trainer", "main", replicas=2), labels={"trainer.kubeflow.org/webhook-validation": "disabled"}
    )
    admitted, _ = objects.admit(manifest(body), VERSIONS[version].admission)
    assert (admitted is not None) == (version in ("2.3", "next"))


@pytest.mark.parametrize(("value", "expected"), [("deprecated", ["KTJ205"]), ("supported", [])])
def test_deprecated_runtimes(value, expected):
    admitted, diagnostics = admit(manifest(runtime(labels={"trainer.kubeflow.org/support": value})))
    assert admitted is not None
    assert [d.rule.id for d in diagnostics] == expected
