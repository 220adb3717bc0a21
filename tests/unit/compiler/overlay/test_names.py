"""`nameSuffix`, and references in Trainer's kinds and JobSets; the CRDs say where references can stand."""

import gzip
import json
from pathlib import Path

import pytest

import kubectl_trainjob.kube.schemas
from kubectl_trainjob.compiler.overlay.names import Rename, Renames, add_affix, follow_names
from kubectl_trainjob.compiler.overlay.references import Reference, fields_of
from kubectl_trainjob.kube.facts.kinds import group_of
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Place, Source, SourceFile
from kubectl_trainjob.model.stages import ObjectId

TRAINER, JOBSET = "trainer.kubeflow.org/v1alpha1", "jobset.x-k8s.io/v1alpha2"
RUNTIME, CLUSTER_RUNTIME = "TrainingRuntime", "ClusterTrainingRuntime"
CAUSE = ("overlay", "nameSuffix")
OVERLAY, OBJECT = Source(SourceFile("overlay.yaml", "")), Source(SourceFile("job.yaml", ""))


@pytest.mark.parametrize(
    ("kind", "api_version"),
    [
        ("Namespace", "v1"),
        ("CustomResourceDefinition", "apiextensions.k8s.io/v1"),
        ("APIService", "apiregistration.k8s.io/v1"),
    ],
)
def test_names_that_other_things_decide(kind, api_version):
    draft = Draft({"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}})
    assert add_affix(draft, kind, CAUSE, suffix="-x") is draft


@pytest.mark.parametrize("metadata", [{"generateName": "a-"}, {"name": ""}, {"name": 5}, {}, "text", None])
def test_no_name_to_add_to(metadata):
    draft = Draft({"metadata": metadata})
    assert add_affix(draft, "TrainJob", CAUSE, suffix="-x") is draft


def test_suffix():
    body = {"kind": "TrainJob", "metadata": {"name": "a"}}
    draft = Draft(None, {"overlay": OVERLAY, "object": OBJECT}).put((), body, copied=("object",))
    written = add_affix(draft, "TrainJob", CAUSE, suffix="-x")
    assert written.get("metadata", "name") == "a-x"
    origin = written.origin(("metadata", "name"))
    assert origin.causes == (Place(OBJECT, ("metadata", "name")), Place(OVERLAY, ("nameSuffix",)))
    assert origin.over.place == Place(OBJECT, ("metadata", "name"))
    assert add_affix(draft, "TrainJob", CAUSE) is draft


def rename(api_version, kind, name="r", namespace=""):
    old, now = (ObjectId(api_version, kind, namespace, each) for each in (name, f"{name}-x"))
    return Rename(group_of(api_version), kind, old, now, CAUSE)


ALL = Renames(
    [
        rename(TRAINER, RUNTIME, namespace="ns"),
        rename(TRAINER, CLUSTER_RUNTIME),
        rename("v1", "ConfigMap", "cm", "ns"),
        rename("v1", "Secret", "se", "ns"),
        rename("v1", "ServiceAccount", "sa", "ns"),
        rename("v1", "PersistentVolumeClaim", "pvc", "ns"),
        rename("scheduling.k8s.io/v1", "PriorityClass", "pc"),
        rename("storage.k8s.io/v1", "StorageClass", "sc"),
    ],
    {},
)


def followed(kind, spec, api_version=TRAINER, namespace="ns"):
    draft = Draft({"metadata": {"namespace": namespace, "name": "a"}, "spec": spec})
    return follow_names(draft, kind, api_version, ALL).value["spec"]


@pytest.mark.parametrize(
    ("ref", "namespace", "expected"),
    [
        pytest.param({"name": "r", "kind": RUNTIME}, "ns", "r-x", id="of the namespace"),
        pytest.param({"name": "r", "kind": RUNTIME}, "other", "r", id="of another namespace"),
        pytest.param({"name": "r", "kind": RUNTIME}, "", "r", id="of no namespace"),
        pytest.param({"name": "r", "kind": CLUSTER_RUNTIME}, "other", "r-x", id="of the cluster"),
        pytest.param({"name": "r"}, "other", "r-x", id="of the cluster unless it says so"),
        pytest.param({"name": "r", "apiGroup": group_of(TRAINER)}, "ns", "r-x", id="group"),
        pytest.param({"name": "r", "kind": RUNTIME, "apiGroup": "acme.io"}, "ns", "r", id="another group"),
        pytest.param({"name": "r", "kind": "Other"}, "ns", "r", id="another kind"),
        pytest.param({"name": "q", "kind": RUNTIME}, "ns", "q", id="another name"),
        pytest.param({"name": "r-x", "kind": RUNTIME}, "ns", "r-x", id="the new name"),
        pytest.param({"name": 5}, "ns", 5, id="no text"),
    ],
)
def test_runtime_ref(ref, namespace, expected):
    assert followed("TrainJob", {"runtimeRef": ref}, namespace=namespace) == {"runtimeRef": {**ref, "name": expected}}


def env(end=""):
    return [
        {"name": "a", "valueFrom": {"configMapKeyRef": {"name": f"cm{end}", "key": "k"}}},
        {"name": "b", "valueFrom": {"secretKeyRef": {"name": f"se{end}", "key": "k"}}},
        {"name": "cm", "value": "cm"},
    ]


def pod(end=""):
    container = {
        "name": "cm",
        "env": env(end),
        "envFrom": [{"configMapRef": {"name": f"cm{end}"}}, {"secretRef": {"name": f"se{end}"}}],
    }
    return {
        "serviceAccountName": f"sa{end}",
        "priorityClassName": f"pc{end}",
        "imagePullSecrets": [{"name": f"se{end}"}],
        "containers": [container],
        "initContainers": [container],
        "volumes": [
            {"name": "cm", "configMap": {"name": f"cm{end}"}},
            {"name": "se", "secret": {"secretName": f"se{end}"}},
            {"name": "pvc", "persistentVolumeClaim": {"claimName": f"pvc{end}"}},
            {"projected": {"sources": [{"configMap": {"name": f"cm{end}"}}, {"secret": {"name": f"se{end}"}}]}},
        ],
    }


def jobset(end=""):
    return {
        "replicatedJobs": [{"name": "cm", "template": {"spec": {"template": {"spec": pod(end)}}}}],
        "volumeClaimPolicies": [
            {"templates": [{"metadata": {"name": "pvc"}, "spec": {"storageClassName": f"sc{end}"}}]}
        ],
    }


PLACES = [
    pytest.param("JobSet", JOBSET, jobset, id="JobSet"),
    pytest.param(RUNTIME, TRAINER, lambda end="": {"template": {"spec": jobset(end)}}, id="runtime"),
    pytest.param(CLUSTER_RUNTIME, TRAINER, lambda end="": {"template": {"spec": jobset(end)}}, id="cluster's runtime"),
    pytest.param("TrainJob", TRAINER, lambda end="": {"podSpecOverrides": [pod(end)]}, id="TrainJob 2.0"),
    pytest.param("TrainJob", TRAINER, lambda end="": {"podTemplateOverrides": [{"spec": pod(end)}]}, id="TrainJob 2.1"),
    pytest.param(
        "TrainJob",
        TRAINER,
        lambda end="": {
            "runtimePatches": [
                {
                    "trainingRuntimeSpec": {
                        "template": {"spec": {"replicatedJobs": jobset(end)["replicatedJobs"], "name": "cm"}}
                    }
                }
            ]
        },
        id="TrainJob 2.2",
    ),
    pytest.param("TrainJob", TRAINER, lambda end="": {"trainer": {"env": env(end), "image": "cm"}}, id="trainer"),
    pytest.param(
        "TrainJob",
        TRAINER,
        lambda end="": {
            "initializer": {
                "dataset": {"env": env(end), "secretRef": {"name": f"se{end}"}, "storageUri": "cm"},
                "model": {"env": env(end), "secretRef": {"name": f"se{end}"}},
            }
        },
        id="initializers",
    ),
]


@pytest.mark.parametrize(("kind", "api_version", "spec"), PLACES)
def test_references(kind, api_version, spec):
    assert followed(kind, spec(), api_version) == spec("-x")


@pytest.mark.parametrize(("kind", "api_version", "spec"), PLACES)
def test_references_to_nothing_of_ours(kind, api_version, spec):
    draft = Draft({"metadata": {"namespace": "ns"}, "spec": spec("-y")})
    assert follow_names(draft, kind, api_version, ALL) is draft


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(spec, id=json.dumps(spec))
        for spec in (
            None,
            "r",
            ["r"],
            {"runtimeRef": "r"},
            {"runtimeRef": None},
            {"runtimeRef": {}},
            {"trainer": [None]},
        )
    ],
)
def test_bodies_that_are_no_train_job(spec):
    draft = Draft({"metadata": "text", "spec": spec})
    assert follow_names(draft, "TrainJob", TRAINER, ALL) is draft


def test_origin():
    body = {"metadata": {"namespace": "ns"}, "spec": {"runtimeRef": {"name": "r", "kind": RUNTIME}}}
    draft = Draft(None, {"overlay": OVERLAY, "object": OBJECT}).put((), body, copied=("object",))
    origin = follow_names(draft, "TrainJob", TRAINER, ALL).origin(("spec", "runtimeRef", "name"))
    assert origin.first_place() == Place(OVERLAY, ("nameSuffix",))
    assert origin.over.place == Place(OBJECT, ("spec", "runtimeRef", "name"))


PRODUCTS = ["jobset-0.12", *(f"trainer-{version}" for version in ("2.0", "2.1", "2.2", "2.3"))]
NOT_FOLLOWED = {
    "volumeAttributesClassName": "few name one, and it is seldom part of what a team deploys",
    "dataSourceRef": "of any kind",
}


def schema_paths(product):
    """Every path of every kind's schema, through lists: (group, kind, path)."""
    folder = Path(kubectl_trainjob.kube.schemas.__file__).parent / "data"
    data = json.loads(gzip.decompress((folder / f"{product}.json.gz").read_bytes()))

    def below(index, way):
        schema = data["nodes"][index]
        yield way
        for key, node in (schema.get("properties") or {}).items():
            yield from below(node, (*way, key))
        if schema["type"] == "array":
            yield from below(schema["items"], way)

    for name, kind in data["kinds"].items():
        api_version, _, kind_name = name.rpartition("/")
        for way in below(kind["root"], ()):
            yield group_of(api_version), kind_name, way


def names_an_object(way):
    *_, holder, last = ("", "", *way)
    if last in NOT_FOLLOWED or holder in NOT_FOLLOWED or "status" in way:
        return False
    if last == "name":
        return holder.endswith("Ref") or holder in ("configMap", "secret", "imagePullSecrets")
    return last.endswith(
        ("ClassName", "claimName", "ClaimName", "ClaimTemplateName", "secretName", "serviceAccountName")
    )


@pytest.mark.parametrize("product", PRODUCTS)
def test_every_reference_of_the_schemas_is_followed(product):
    wanted = {each for each in schema_paths(product) if names_an_object(each[2])}
    assert len(wanted) > 20
    assert {each for each in wanted if not is_followed(*each)} == set()


def is_followed(group, kind, way):
    fields = fields_of(group, kind)
    for key in way:
        fields = fields.get(key, {}) if isinstance(fields, dict) else {}
    return isinstance(fields, Reference)


def leaves(fields, way=()):
    for key, below in fields.items():
        yield from [(*way, key)] if isinstance(below, Reference) else leaves(below, (*way, key))


@pytest.mark.parametrize("kind", ["TrainJob", RUNTIME, CLUSTER_RUNTIME])
def test_every_followed_field_is_in_a_schema(kind):
    known = {way for product in PRODUCTS[1:] for _, each, way in schema_paths(product) if each == kind}
    of_patches = ("podSpecOverrides", "podTemplateOverrides", "runtimePatches")  # they have a part of Pods' fields
    strange = {way for way in leaves(fields_of(group_of(TRAINER), kind)) if way not in known}
    assert {way for way in strange if way[1] not in of_patches} == set()
