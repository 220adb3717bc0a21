"""The environment of the Pods that the controllers create is what `env` reports.

TrainJobs of every kind, not suspended, with Trainer, JobSet and Kubernetes' Job controller. Each container of each Pod
is compared whole in what `env` speaks of: env, envFrom, command, args, image, ports; and the Pod's host name and
subdomain. Nothing runs the Pods; initializers are said to have succeeded, so that what depends on them is created.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster.ownership import Object
from tests.cluster.plane.client import Client
from tests.cluster.plane.plane import Plane

pytestmark = pytest.mark.cluster

NAMESPACE = "team-a"
TRAINER = "trainer.kubeflow.org/v1alpha1"
STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
GPUS = {"limits": {"nvidia.com/gpu": 4}, "requests": {"nvidia.com/gpu": 4}}
SOURCES = [
    {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "hub", "key": "token", "optional": True}}},
    {"name": "RATE", "valueFrom": {"configMapKeyRef": {"name": "rates", "key": "base"}}},
    {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
    {"name": "CPUS", "valueFrom": {"resourceFieldRef": {"containerName": "node", "resource": "limits.cpu"}}},
    {"name": "EMPTY", "value": ""},
    {"name": "TEXT", "value": "two\nlines, $(RATE) and ünïcode"},
]


def _container(name: str = "node", **fields: Any) -> Object:
    return {"name": name, "image": f"acme/{name}:1", **fields}


def _role(name: str, *containers: Object, step: str = "", depends_on: str = "", **job: Any) -> Object:
    """A replicatedJob; `job` may have `replicas`, `spec` (of the Job) and `pod` (its Pods' spec)."""
    pod = {"containers": list(containers) or [_container()], **job.pop("pod", {})}
    template: Object = {"spec": {"template": {"spec": pod}, **job.pop("spec", {})}}
    if step:
        template["metadata"] = {"labels": {STEP: step}}
    waits = {"dependsOn": [{"name": depends_on, "status": "Complete"}]} if depends_on else {}
    return {"name": name, "template": template, **waits, **job}


def _runtime(policy: Object, *roles: Object, **jobset: Any) -> Object:
    return {"mlPolicy": policy, "template": {"spec": {"replicatedJobs": list(roles), **jobset}}}


NODE = _role("node", step="trainer")
SSHD = _container(command=["/usr/sbin/sshd", "-De"], resources=GPUS)


def _initializer(name: str) -> Object:
    mount = {"name": "initializer", "mountPath": "/workspace"}
    volume = {"name": "initializer", "emptyDir": {}}
    return _role(name, _container(name, volumeMounts=[mount]), step=name, pod={"volumes": [volume]})


# The runtime's spec and the TrainJob's, by the name of both.
JOBS: dict[str, tuple[Object, Object]] = {
    "torch-cpu": (
        _runtime(
            {"numNodes": 2, "torch": {}},
            _role(
                "node",
                _container(env=[{"name": "PET_NNODES", "value": "7"}, {"name": "MODE", "value": "runtime"}]),
                step="trainer",
                pod={"initContainers": [_container("fetch", command=["sh", "-c"], args=["echo $(RANK)"])]},
            ),
        ),
        {
            "trainer": {
                "env": [*SOURCES, {"name": "MODE", "value": "job"}],
                "resourcesPerNode": {"limits": {"cpu": 3}, "requests": {"cpu": 3}},
                "command": ["torchrun", "train.py"],
                "args": ["--epochs", "3"],
            }
        },
    ),
    "torch-gpu": (
        _runtime({"torch": {}}, _role("node", _container(resources=GPUS, command=["torchrun"]), step="trainer")),
        {"trainer": {"numNodes": 3, "image": "acme/other:2", "resourcesPerNode": {"requests": {"memory": "1Gi"}}}},
    ),
    "torchtune-llama3.2-1b": (
        _runtime({"torch": {}}, NODE),
        {
            "trainer": {
                "command": ["tune", "run"],
                "args": ["dtype=bf16", "epochs=1"],
                "resourcesPerNode": GPUS,
            }
        },
    ),
    "mpi": (
        _runtime(
            {"numNodes": 2, "mpi": {"numProcPerNode": 4, "mpiImplementation": "OpenMPI", "runLauncherAsNode": False}},
            _role("launcher", _container(env=[{"name": "OMPI_MCA_plm_rsh_args", "value": "-v"}]), step="trainer"),
            _role("node", SSHD),
        ),
        {"trainer": {"numNodes": 3, "command": ["mpirun", "python", "train.py"], "env": SOURCES[:1]}},
    ),
    "mpi-launcher-as-node": (
        _runtime(
            {"mpi": {"mpiImplementation": "OpenMPI", "runLauncherAsNode": True, "sshAuthMountPath": "/home/mpi/.ssh"}},
            _role("launcher", _container(resources=GPUS), step="trainer"),
            _role("node", SSHD),
            network={"subdomain": "hosts", "publishNotReadyAddresses": True},
        ),
        {"trainer": {"numNodes": 3, "env": [{"name": "NCCL_DEBUG", "value": "INFO"}]}},
    ),
    "jax": (
        _runtime({"numNodes": 2, "jax": {}}, NODE),
        {"trainer": {"command": ["python", "-m", "train"], "resourcesPerNode": GPUS}},
    ),
    "xgboost": (
        _runtime(
            {"numNodes": 2, "xgboost": {}},
            _role("node", _container(ports=[{"containerPort": 8080, "name": "http"}]), step="trainer"),
        ),
        {"trainer": {"resourcesPerNode": GPUS}},
    ),
    "flux": (
        _runtime({"flux": {"numProcPerNode": 2}}, NODE),
        {"trainer": {"numNodes": 2, "command": ["lmp"], "env": [{"name": "FLUX_VIEW_IMAGE", "value": "acme/view:1"}]}},
    ),
    "plain": (
        _runtime(
            {"numNodes": 2},
            _role("node", _container(envFrom=[{"prefix": "P_", "configMapRef": {"name": "rates"}}]), step="trainer"),
            _role("store", _container("store"), replicas=2, spec={"completionMode": "NonIndexed"}),
            network={"enableDNSHostnames": False},
        ),
        {"trainer": {"env": SOURCES[3:]}},
    ),
    "initializers": (
        _runtime(
            {"torch": {}},
            _initializer("dataset-initializer"),
            _initializer("model-initializer"),
            _role("node", step="trainer", depends_on="model-initializer"),
        ),
        {
            "initializer": {
                "dataset": {"storageUri": "hf://acme/data", "secretRef": {"name": "hub"}, "env": SOURCES[:2]},
                "model": {"storageUri": "hf://acme/model"},
            },
            "trainer": {"numNodes": 2},
        },
    ),
    "patched": (
        _runtime(
            {"torch": {}},
            _role(
                "node",
                _container(),
                _container("sidecar", env=[{"name": "A", "value": "runtime"}, {"name": "B", "value": "runtime"}]),
                step="trainer",
                pod={"initContainers": [_container("fetch")], "hostname": "ignored", "subdomain": "ignored"},
            ),
        ),
        {
            "trainer": {"numProcPerNode": 2},
            "runtimePatches": [
                {
                    "manager": "acme.example/defaults",
                    "trainingRuntimeSpec": {
                        "template": {
                            "spec": {
                                "replicatedJobs": [
                                    {
                                        "name": "node",
                                        "template": {
                                            "spec": {
                                                "template": {
                                                    "spec": {
                                                        "initContainers": [
                                                            {"name": "fetch", "env": SOURCES[:2]},
                                                        ],
                                                        "containers": [
                                                            {"name": "sidecar", "env": [{"name": "A", "value": "job"}]},
                                                        ],
                                                    }
                                                }
                                            }
                                        },
                                    }
                                ]
                            }
                        }
                    },
                }
            ],
        },
    ),
    "injected": (
        _runtime(
            {
                "numNodes": 2,
                "torch": {"envInjection": {"targets": [{"jobName": "checks", "containerNames": ["probe", "fetch"]}]}},
            },
            NODE,
            _role(
                "checks",
                _container("probe", env=[{"name": "JOB_COMPLETION_INDEX", "value": "mine"}]),
                replicas=2,
                spec={"parallelism": 2, "completions": 2},
                pod={"initContainers": [_container("fetch")]},
            ),
        ),
        {},
    ),
}


def _documents(name: str) -> list[Object]:
    runtime, job = JOBS[name]
    ref = {"runtimeRef": {"name": name, "kind": "TrainingRuntime"}}
    metadata = {"name": name, "namespace": NAMESPACE}
    job_metadata = {**metadata, "name": _job_name(name)}
    return [
        {"apiVersion": TRAINER, "kind": "TrainingRuntime", "metadata": metadata, "spec": runtime},
        {"apiVersion": TRAINER, "kind": "TrainJob", "metadata": job_metadata, "spec": {**ref, **job}},
    ]


def _job_name(name: str) -> str:
    return name.replace(".", "-")


@pytest.fixture(scope="module")
def reported_by_us(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Object]:
    """What `env` reports of each job."""
    return {name: _env(tmp_path_factory.mktemp("env"), name) for name in JOBS}


def _env(folder: Path, name: str) -> Object:
    (folder / "job.yaml").write_text(yaml.safe_dump_all(_documents(name)))
    command = [sys.executable, "-m", "kubectl_trainjob", "env", "-f", str(folder), f"TrainJob/{_job_name(name)}"]
    done = subprocess.run([*command, "-o", "json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    reported: Object = json.loads(done.stdout)
    return reported


@pytest.fixture(scope="module")
def client(control_plane: type[Plane]) -> Iterator[Client]:
    """A plane with the TrainJobs of all."""
    with control_plane("jobset-manager", "trainer-manager") as plane:
        plane.client.create_namespace(NAMESPACE)
        documents = [_documents(name) for name in JOBS]
        for runtime, _ in documents:
            plane.client.create(runtime)
        for _, job in documents:  # Trainer's webhook looks runtimes up in a cache, which is behind
            plane.client.wait(job["metadata"]["name"], lambda job=job: plane.client.create(job))
        yield plane.client


@pytest.fixture(scope="module")
def pods(client: Client, reported_by_us: dict[str, Object]) -> dict[str, list[Object]]:
    """The Pods of each job, once there are as many as `env` reports."""
    wanted = {
        _job_name(name): sum(role["pods"] for role in reported["roles"]) for name, reported in reported_by_us.items()
    }
    deadline = time.monotonic() + 120
    while True:
        found: defaultdict[str, list[Object]] = defaultdict(list)
        for pod in client.items("v1", "Pod"):
            found[pod["metadata"]["labels"]["jobset.sigs.k8s.io/jobset-name"]].append(pod)
            _let_initializer_succeed(client, pod)
        if {name: len(each) for name, each in found.items()} == wanted or time.monotonic() > deadline:
            return found
        time.sleep(0.5)


def _let_initializer_succeed(client: Client, pod: Object) -> None:
    is_initializer = _role_of(pod).endswith("-initializer")
    if is_initializer and pod["status"]["phase"] == "Pending":
        patch = {"status": {"phase": "Succeeded"}}
        client.request("PATCH", f"{client.path(pod)}/status", patch, "application/merge-patch+json")


def _role_of(pod: Object) -> str:
    return str(pod["metadata"]["labels"]["jobset.sigs.k8s.io/replicatedjob-name"])


@pytest.mark.parametrize("name", JOBS)
def test_pods_have_the_environment_that_env_reports(
    name: str, pods: dict[str, list[Object]], reported_by_us: dict[str, Object]
) -> None:
    created = pods[_job_name(name)]
    roles = {role["name"]: role for role in reported_by_us[name]["roles"]}
    assert len(created) == sum(role["pods"] for role in roles.values()) > 0
    for pod in created:
        role = roles[_role_of(pod)]
        assert _of_pod(pod) == {(each["init"], each["name"]): _of_ours(each) for each in role["containers"]}


@pytest.mark.parametrize("name", JOBS)
def test_pods_have_the_names_that_env_reports(
    name: str, pods: dict[str, list[Object]], reported_by_us: dict[str, Object]
) -> None:
    for role in reported_by_us[name]["roles"]:
        own = [pod["spec"] for pod in pods[_job_name(name)] if _role_of(pod) == role["name"]]
        assert sorted(spec["hostname"] for spec in own if "hostname" in spec) == sorted(role["hostnames"])
        assert {spec.get("subdomain") for spec in own} == {role["subdomain"]}
        names = [f"{spec['hostname']}.{spec['subdomain']}" for spec in own if {"hostname", "subdomain"} <= spec.keys()]
        assert sorted(names) == sorted(role["dns"])


def test_services_have_the_subdomains_that_env_reports(client: Client, reported_by_us: dict[str, Object]) -> None:
    services = {
        one["metadata"]["name"] for one in client.items("v1", "Service") if one["metadata"]["name"] != "kubernetes"
    }
    assert services == {
        role["subdomain"] for reported in reported_by_us.values() for role in reported["roles"] if role["dns"]
    }


def test_what_is_generated_is_there(
    client: Client, pods: dict[str, list[Object]], reported_by_us: dict[str, Object]
) -> None:
    del pods  # once they are there, Trainer has made all
    made = {
        (kind, need["name"])
        for reported in reported_by_us.values()
        for key, kind in (("secrets", "Secret"), ("configMaps", "ConfigMap"))
        for need in reported["needs"][key]
        if need["from"] in ("build", "controller")
    }
    there = {
        (kind, one["metadata"]["name"])
        for kind in ("Secret", "ConfigMap")
        for one in client.items("v1", kind)
        if one["metadata"]["namespace"] == NAMESPACE and not one["metadata"]["name"].endswith("-runtime-snapshot")
    }
    assert made == there - {("ConfigMap", "kube-root-ca.crt")}


def test_enough_was_compared(pods: dict[str, list[Object]], note_figure: Callable[[str], None]) -> None:
    every = [pod for each in pods.values() for pod in each]
    containers = [one for pod in every for one in _containers(pod)]
    variables = sum(len(container.get("env", [])) for _, container in containers)
    note_figure(
        f"TrainJobs whose Pods' environment is what env tells: {len(pods)}, with {len(every)} Pods, "
        f"{len(containers)} containers, {variables} variables"
    )
    assert len(pods) == len(JOBS) >= 10


def _containers(pod: Object) -> Iterator[tuple[bool, Object]]:
    for field, is_init in (("initContainers", True), ("containers", False)):
        for container in pod["spec"].get(field, []):
            yield is_init, container


def _of_pod(pod: Object) -> dict[tuple[bool, str], Object]:
    return {(is_init, container["name"]): _environment(container) for is_init, container in _containers(pod)}


def _of_ours(container: Object) -> Object:
    lists = {
        field: [{key: value for key, value in one.items() if key not in ("by", "source")} for one in container[field]]
        for field in ("env", "envFrom", "ports")
    }
    return _environment({**container, **lists})


def _environment(container: Object) -> Object:
    """What is compared, without the API server's defaults; the order of env is random upstream for some frameworks."""
    env = {one["name"]: _without_defaults(one) for one in container.get("env", [])}
    assert len(env) == len(container.get("env", []))
    return {
        "env": env,
        "envFrom": container.get("envFrom", []),
        "image": container["image"],
        "command": container.get("command", []),
        "args": container.get("args", []),
        "ports": [{"protocol": "TCP", **port} for port in container.get("ports", [])],
    }


def _without_defaults(variable: Object) -> Object:
    if "valueFrom" not in variable:
        return {"value": variable.get("value", "")}
    [(kind, reference)] = variable["valueFrom"].items()
    defaults = {"fieldRef": {"apiVersion": "v1"}, "resourceFieldRef": {"divisor": "0"}}.get(kind, {})
    return {kind: {**defaults, **reference}}
