"""What becomes of objects that are no TrainJobs and no runtimes."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Repository
from tests.cli.manifests import PLAIN, Body, config_map, manifest, runtime, train_job

EMITS = ["jobset", "trainjob"]
OTHERS = [
    {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "creationTimestamp": None, "annotations": None},
        "spec": {
            "replicas": 0,
            "paused": False,
            "template": {
                "metadata": {"labels": {}},
                "spec": {"volumes": [{"name": "v", "emptyDir": {}}, {"name": "w", "emptyDir": None}], "containers": []},
            },
        },
        "status": {},
    },
    {"apiVersion": "acme.io/v1", "kind": "Thing", "metadata": {"name": "a"}, "list": [None, [], [None]], "half": 0.5},
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "", "b": "yes", "c": "0x1F"}},
    {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "own"}, "spec": None},
    {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a", "namespace": "b"}, "spec": {"suspend": None}},
]


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("body", [pytest.param(body, id=body["kind"]) for body in OTHERS])
def test_other_kinds_pass_through_unchanged(body: Body, emit: str, repository: Repository) -> None:
    repository.write({"a.yaml": [body]})
    built = repository.build("a.yaml", "--emit", emit)
    assert (built.exit_code, built.objects, built.err) == (0, [body], "")
    assert json.loads(repository.build("a.yaml", "--emit", emit, "-o", "json").out)["items"] == [body]


@pytest.mark.parametrize(
    ("kind", "api_version", "advice"),
    [
        pytest.param(
            "PyTorchJob",
            "kubeflow.org/v1",
            "run kubectl trainjob migrate a.yaml",
            id="PyTorchJob",
        ),
        pytest.param("MPIJob", "kubeflow.org/v1", "run kubectl trainjob migrate a.yaml", id="MPIJob"),
        pytest.param(
            "MPIJob",
            "kubeflow.org/v1alpha2",
            "write it for kubeflow.org/v1 or kubeflow.org/v2beta1, then run kubectl trainjob migrate a.yaml",
            id="older MPIJob",
        ),
        pytest.param("MPIJob", "kubeflow.org/v2beta1", "run kubectl trainjob migrate a.yaml", id="MPIJob v2"),
        pytest.param(
            "XGBoostJob",
            "kubeflow.org/v1",
            "run kubectl trainjob migrate a.yaml",
            id="XGBoostJob",
        ),
        pytest.param("TFJob", "kubeflow.org/v1", "run kubectl trainjob migrate a.yaml", id="TFJob"),
        pytest.param(
            "TrainJob", "trainer.kubeflow.org/v1", "write apiVersion: trainer.kubeflow.org/v1alpha1", id="other version"
        ),
    ],
)
@pytest.mark.parametrize("emit", EMITS)
def test_training_kinds_that_cannot_be_expanded_are_rejected(
    kind: str, api_version: str, advice: str, emit: str, repository: Repository
) -> None:
    bodies = [PLAIN, train_job("ok", "plain"), config_map("ok")]
    repository.write({"a.yaml": [manifest(kind, "a", api_version=api_version, spec={})], "b.yaml": bodies})
    built = repository.build(".", "--emit", emit)
    assert (built.exit_code, built.out) == (1, "")
    assert built.err == (
        f'a.yaml:1:13: error KTJ108 deprecated-api-version: {kind} of "{api_version}" cannot be expanded; {advice}\n'
        f"  apiVersion: {api_version}\n"
        f"              ^{'~' * (len(api_version) - 1)}\n"
    )


@pytest.mark.parametrize(
    ("kind", "group", "version"),
    [
        ("TrainJob", "trainer.kubeflow.org", "v1alpha1"),
        ("ClusterTrainingRuntime", "trainer.kubeflow.org", "v1alpha1"),
        ("JobSet", "jobset.x-k8s.io", "v1alpha2"),
        ("Role", "rbac.authorization.k8s.io", "VERSION"),
    ],
)
@pytest.mark.parametrize("emit", EMITS)
def test_an_api_version_without_version(kind: str, group: str, version: str, emit: str, repository: Repository) -> None:
    repository.write({"a.yaml": [manifest(kind, "a", api_version=group, spec={})]})
    built = repository.build("a.yaml", "--emit", emit)
    assert (built.exit_code, built.out) == (1, "")
    message = f'apiVersion "{group}" has no version; write apiVersion: {group}/{version}'
    assert f"a.yaml:1:13: error KTJ115 unknown-kind: {message}\n" in built.err


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (
            "apiVersion",
            "v1alpha1",
            'apiVersion "v1alpha1" has no group; write apiVersion: trainer.kubeflow.org/v1alpha1',
        ),
        ("apiversion", "trainer.kubeflow.org/v1alpha1", '"apiversion" is not a field of an object; write apiVersion'),
    ],
)
def test_an_api_version_that_the_api_server_does_not_find(
    key: str, value: str, message: str, repository: Repository
) -> None:
    repository.write({"a.yaml": f"{key}: {value}\nkind: TrainJob\nmetadata: {{name: a}}\nspec: {{}}\n"})
    built = repository.build("a.yaml")
    assert (built.exit_code, built.out) == (1, "")
    assert built.err.count(": error ") == 1
    assert message in built.err


def test_a_folder_of_runtimes_with_a_name_that_no_disk_has(repository: Repository) -> None:
    repository.write(
        {"trainjob.yaml": f"apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\nruntimes: [{'a' * 3000}]\n"}
    )
    repository.write({"b.yaml": [config_map("ok")]})
    built = repository.build(".")
    assert (built.exit_code, built.err.startswith("trainjob.yaml:3:12: error KTJ040")) == (1, True)


def test_a_kind_of_the_same_name_in_another_group_passes(repository: Repository) -> None:
    body = manifest("TrainingJob", "a", api_version="sagemaker.aws.com/v1", spec={})
    repository.write({"a.yaml": [body]})
    built = repository.build("a.yaml")
    assert (built.exit_code, built.objects, built.err) == (0, [body], "")


def test_an_object_that_a_train_job_would_overwrite_is_rejected(repository: Repository) -> None:
    own = manifest("JobSet", "a", api_version="jobset.x-k8s.io/v1alpha2", spec={})
    repository.write({"a.yaml": [own], "b.yaml": [PLAIN, train_job("a", "plain")]})
    built = repository.build(".")
    assert (built.exit_code, built.out, built.findings) == (1, "", [("KTJ806", "b.yaml", 24)])
    assert "\na.yaml:4:9: note: the other one\n" in built.err


def test_a_job_has_the_processes_of_an_older_runtime_in_another_folder(repository: Repository) -> None:
    older = {**runtime("torch", {"torch": {"numProcPerNode": 4}}), "apiVersion": "kubeflow.org/v2alpha1"}
    repository.write({"trainjob.yaml": {"apiVersion": "kubectl-trainjob.dev/v1alpha1", "kind": "Config"}})
    repository.write({"runtimes/r.yaml": [older], "jobs/a.yaml": [train_job("a", "torch", trainer={})]})
    [jobset] = repository.build("jobs").objects
    [container] = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"]
    assert {"name": "PET_NPROC_PER_NODE", "value": "4"} in container["env"]
