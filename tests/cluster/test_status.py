"""`status`, `suspend` and `resume` on a real control plane: the API server, the controllers of JobSet and Trainer."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_trainjob.cli.completion import complete
from tests.cluster.apply.proxy import FaultProxy, answer
from tests.cluster.commands import Program, Ran, add_nodes, jobset, pods_of
from tests.cluster.plane.plane import Plane
from tests.tools import require

pytestmark = pytest.mark.cluster

FILES = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: large}
spec:
  mlPolicy: {numNodes: 1}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: acme/train:1
                  resources:
                    limits:
                      nvidia.com/gpu: 9
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: large}
spec: {runtimeRef: {name: large, kind: TrainingRuntime}, trainer: {numNodes: 2}}
"""


@pytest.fixture(scope="module")
def plane(control_plane: type[Plane]) -> Iterator[Plane]:
    with control_plane("kube-scheduler", "kwok", "jobset-manager", "trainer-manager") as plane:
        add_nodes(plane, 2)
        yield plane


def job(program: Program, namespace: str, *arguments: str) -> dict[str, Any]:
    """The only job of a namespace."""
    ran = program("status", *arguments, "-n", namespace, "-o", "json")
    assert (ran.code, ran.data["kind"]) == (0, "StatusList"), ran.err
    (found,) = ran.data["jobs"]
    assert None not in found.values()
    return dict(found)


def wait(program: Program, namespace: str, state: str, reason: str = "") -> dict[str, Any]:
    """The job, once it has a state and a reason."""
    deadline = time.monotonic() + 40
    while True:
        found = job(program, namespace)
        if (found["state"], found.get("reason", "")) == (state, reason):
            return found
        assert time.monotonic() < deadline, found
        time.sleep(0.3)


STATES: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "running": ({"pods": 2, "resources": {"limits": {"nvidia.com/gpu": "1"}}}, "Running", "", ""),
    "succeeded": ({"outcome": ""}, "Succeeded", "", ""),
    "failed": ({"outcome": "fail"}, "Failed", "FailedJobs", "exited with 3"),
    "suspended": ({"suspend": True}, "Suspended", "", ""),
    "too-large": (
        {"resources": {"limits": {"nvidia.com/gpu": "9"}}},
        "Pending",
        "Unschedulable",
        "0/2 nodes are available: 2 Insufficient nvidia.com/gpu",
    ),
    "no-limit": (
        {"resources": {"requests": {"nvidia.com/gpu": "1"}}},
        "Pending",
        "JobCreationFailed",
        "spec.template.spec.containers[0].resources.limits: Required value",
    ),
    "no-class": ({"priorityClassName": "ghost"}, "Pending", "PodCreationFailed", "no PriorityClass with name ghost"),
    "no-secret": (
        {
            "schedulerName": "absent",
            "volumes": [{"name": "keys", "secret": {"secretName": "keys"}}],
            "container": {"volumeMounts": [{"name": "keys", "mountPath": "/keys"}]},
        },
        "Pending",
        "MissingSecret",
        'the Secret "keys" does not exist',
    ),
    "deadline": ({"job": {"activeDeadlineSeconds": 1}}, "Failed", "DeadlineExceeded", "deadline-node-0"),
}


@pytest.mark.parametrize("name", STATES)
def test_a_state_and_its_reason(plane: Plane, program: Program, namespace: str, name: str) -> None:
    changes, state, reason, message = STATES[name]
    plane.client.create(jobset(namespace, name, **changes))
    found = wait(program, namespace, state, reason)
    assert message in found.get("message", "")
    assert (found["kind"], found["name"], found["suspended"]) == ("JobSet", name, state == "Suspended")
    (role,) = found["roles"]
    pods = changes.get("pods", 1)
    assert (role["name"], role["pods"], role["restarts"]) == ("node", pods, 0)
    if state == "Running":
        assert (role["ready"], role["active"], found["gpus"]) == (pods, pods, {"nvidia.com/gpu": pods})
    assert ("finished" in found) == (state in ("Succeeded", "Failed"))
    live = plane.client.request("GET", _path(namespace, name))
    assert found["conditions"] == live.get("status", {}).get("conditions", [])


def _path(namespace: str, name: str) -> str:
    return f"/apis/jobset.x-k8s.io/v1alpha2/namespaces/{namespace}/jobsets/{name}"


@pytest.mark.parametrize(
    ("waiting", "event", "reason"),
    [
        # As a kubelet reports it; none runs here.
        ({"reason": "ImagePullBackOff", "message": 'Back-off pulling image "acme/train:1"'}, "", "ImagePull"),
        ({"reason": "CreateContainerConfigError", "message": 'secret "keys" not found'}, "", "MissingSecret"),
        (
            {"reason": "ContainerCreating"},
            'MountVolume.SetUp failed for volume "keys" : secret "keys" not found',
            "MissingSecret",
        ),
    ],
)
def test_what_a_kubelet_reports(
    plane: Plane, program: Program, namespace: str, waiting: Any, event: str, reason: str
) -> None:
    client = plane.client
    client.create(jobset(namespace, "a", schedulerName="absent"))
    client.wait("the Pod", lambda: pods_of(client, namespace, "a"))
    (pod,) = pods_of(client, namespace, "a")
    status = {"name": "node", "image": "acme/train:1", "imageID": "", "ready": False, "restartCount": 0}
    path = f"/api/v1/namespaces/{namespace}/pods/{pod['metadata']['name']}/status"
    patch = {"status": {"containerStatuses": [{**status, "state": {"waiting": waiting}}]}}
    client.request("PATCH", path, patch, "application/merge-patch+json")
    if event:
        about = {"kind": "Pod", "namespace": namespace, **{key: pod["metadata"][key] for key in ("name", "uid")}}
        body = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": namespace}}
        client.create({**body, "involvedObject": about, "type": "Warning", "reason": "FailedMount", "message": event})
    wait(program, namespace, "Pending", reason)


def test_no_controller_writes_a_status(plane: Plane, program: Program, namespace: str) -> None:
    plane.client.create(jobset(namespace, "a", spec={"managedBy": "example.com/nothing"}))
    assert "reason" not in job(program, namespace)
    assert "JobSet" in wait(program, namespace, "Pending", "NoStatus")["message"]


def test_a_run_that_no_longer_exists(plane: Plane, program: Program, namespace: str, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(FILES.replace("gpu: 9", "gpu: 1"))
    ran = program("apply", str(file), "-n", namespace, "--applyset", "prod")
    assert ran.code == 0, ran.err
    assert job(program, namespace)["trainJob"] == "large"
    plane.client.request("DELETE", _path(namespace, "large"))
    found = wait(program, namespace, "Gone")
    assert found == {**found, "kind": "JobSet", "name": "large"}
    assert found == job(program, namespace, "--applyset", "prod") == job(program, namespace, "large")
    plane.client.create(jobset(namespace, "other"))
    assert len(program("status", "-n", namespace, "-o", "json").data["jobs"]) == 2
    assert job(program, namespace, "--applyset", "prod")["name"] == "large"
    assert program("status", "-n", namespace, "--applyset", "absent").out == ""


def test_a_trainjob_and_its_jobset_are_one_job(program: Program, namespace: str, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(FILES)
    ran = program("apply", str(file), "-n", namespace, "--emit", "trainjob")
    assert ran.code == 0, ran.err
    found = wait(program, namespace, "Pending", "Unschedulable")
    assert (found["kind"], found["gpus"], found["roles"][0]["pods"]) == ("TrainJob", {"nvidia.com/gpu": 18}, 2)
    for name in ("large", "trainjob/large", "TrainJob.trainer.kubeflow.org/large", "jobset/large", "jobsets/large"):
        assert job(program, namespace, name)["uid"] == found["uid"]
    line = FILES.splitlines().index("                      nvidia.com/gpu: 9") + 1
    with_line = job(program, namespace, "-f", str(file))
    assert (with_line["file"], with_line["line"]) == (str(file), line)
    assert f"{file}:{line}: large: Unschedulable: 0/2 nodes" in program("status", "-n", namespace, "-f", str(file)).out
    ran = program("suspend", "jobset/large", "-n", namespace, "--wait")
    assert (ran.code, ran.out) == (0, "trainjob.trainer.kubeflow.org/large suspended\n"), ran.err
    assert job(program, namespace)["state"] == "Suspended"
    assert program("resume", "large", "-n", namespace).out == "trainjob.trainer.kubeflow.org/large resumed\n"
    wait(program, namespace, "Pending", "Unschedulable")


def test_completion(plane: Plane, namespace: str) -> None:
    for name in ("alpha", "beta"):
        plane.client.create(jobset(namespace, name, suspend=True))
    words = ["--kubeconfig", str(plane.kubeconfig), "-n", namespace]
    assert complete(["status", *words, ""]) == ["alpha", "beta", ":4"]
    assert complete(["logs", *words, "jobset/b"]) == ["jobset/beta", ":4"]
    assert complete(["suspend", *words, "a"]) == ["alpha", ":4"]


def test_names_and_labels(plane: Plane, program: Program, namespace: str) -> None:
    for name in ("a-0123456789", "b-0123456789", "b-abcdef0123", "c", "c-0123456789"):
        labels = {"team": name[0], **({"kubectl-trainjob.dev/trainjob": name} if name[0] == "a" else {})}
        plane.client.create(jobset(namespace, name, suspend=True, labels=labels))

    def names(*arguments: str) -> Ran:
        return program("status", *arguments, "-n", namespace, "-o", "name")

    assert names("a").out == "jobset.jobset.x-k8s.io/a-0123456789\n"
    assert names("trainjob/a").out == names("a").out  # built from a TrainJob
    assert names("c").out == "jobset.jobset.x-k8s.io/c\n"
    ran = names("a", "b", "d", "trainjob/c")
    assert (ran.code, ran.out) == (1, "jobset.jobset.x-k8s.io/a-0123456789\n")
    assert [each for each in ran.err.splitlines() if each.startswith("error: ")] == [
        "error: b matches several jobs; use one of: jobset/b-0123456789, jobset/b-abcdef0123",
        'error: job "d" does not exist; status -A lists all jobs',
        'error: job "trainjob/c" does not exist; status -A lists all jobs',
    ]
    assert len(names("-l", "team=b").out.splitlines()) == 2
    table = program("status", "-A", "-n", "default").out.splitlines()  # as in kubectl, -A wins
    assert table[0].split() == ["NAMESPACE", "NAME", "STATE", "PODS", "GPUS", "AGE", "REASON"]
    assert sum(line.startswith(f"{namespace} ") for line in table) == 5


def test_a_job_without_an_owner_is_shown_if_it_is_named(plane: Plane, program: Program, namespace: str) -> None:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "a"}]}}
    body = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a", "namespace": namespace}}
    plane.client.create({**body, "spec": {"template": template}})
    assert program("status", "-n", namespace, "-o", "json").data["jobs"] == []
    plane.client.wait("the end", lambda: job(program, namespace, "a")["state"] == "Succeeded")
    assert "no jobs found" in program("status", "-n", namespace).err


def test_suspend_and_resume(plane: Plane, program: Program, namespace: str) -> None:
    plane.client.create(jobset(namespace, "a", pods=2))
    wait(program, namespace, "Running")
    uids = {pod["metadata"]["uid"] for pod in pods_of(plane.client, namespace, "a")}
    name = "jobset.jobset.x-k8s.io/a"
    ran = program("suspend", "a", "-n", namespace, "--dry-run=server")
    assert (ran.code, ran.out) == (0, f"{name} suspended (server dry run)\n")
    assert job(program, namespace)["state"] == "Running"
    ran = program("suspend", "a", "-n", namespace, "--wait")
    assert (ran.code, ran.out) == (0, f"{name} suspended\n"), ran.err
    assert (job(program, namespace)["state"], pods_of(plane.client, namespace, "a")) == ("Suspended", [])
    assert program("suspend", "a", "-n", namespace).out == f"{name} unchanged\n"
    ran = program("resume", "a", "-n", namespace, "--wait")
    assert (ran.code, ran.out) == (0, f"{name} resumed\n"), ran.err
    assert job(program, namespace)["state"] == "Running"
    assert not uids & {pod["metadata"]["uid"] for pod in pods_of(plane.client, namespace, "a")}
    live = plane.client.request("GET", _path(namespace, "a"))
    assert "suspend" not in live["spec"]
    assert program("resume", "a", "-n", namespace).out == f"{name} unchanged\n"


def test_resume_waits_for_the_state_that_status_shows(plane: Plane, program: Program, namespace: str) -> None:
    """All Pods of a Job have to be ready, and what keeps them from it is in the error."""
    plane.client.create(jobset(namespace, "a", pods=3, resources={"requests": {"cpu": "40"}}))
    ran = program("resume", "a", "-n", namespace, "--wait", "--timeout", "8s")
    assert (ran.code, ran.out) == (1, "jobset.jobset.x-k8s.io/a unchanged\n")
    assert "Timeout: the run has not resumed in time; it is Pending: Unschedulable: 0/" in ran.err
    assert job(program, namespace)["roles"][0]["ready"] == 2


def test_resume_names_the_manager_that_suspends(plane: Plane, program: Program, namespace: str) -> None:
    plane.client.apply(jobset(namespace, "a", suspend=True), "gitops")
    ran = program("resume", "a", "-n", namespace)
    assert (ran.code, ran.out) == (1, "")
    assert "'gitops'" in ran.err.splitlines()[-1]
    plane.client.create(jobset(namespace, "over", outcome=""))
    plane.client.wait("the end", lambda: job(program, namespace, "over")["state"] == "Succeeded")
    ran = program("suspend", "over", "absent", "-n", namespace)
    assert (ran.code, ran.out) == (1, "")
    assert ["has ended" in ran.err, 'job "absent" does not exist' in ran.err] == [True, True]


@pytest.mark.parametrize("command", ["status", "status a", "logs a", "suspend a", "resume a"])
def test_no_rights(program: Program, namespace: str, command: str) -> None:
    ran = program(*command.split(), "-n", namespace, "--as", "nobody")
    assert (ran.code, ran.out) == (2, "")
    last = ran.err.splitlines()[-1]
    assert last.startswith("error: Forbidden: ")
    assert 'User "nobody" cannot list resource' in last


@pytest.mark.parametrize("command", ["status", "logs a", "suspend a", "doctor"])
def test_another_token(plane: Plane, tmp_path: Path, command: str) -> None:
    file = tmp_path / "kubeconfig"
    file.write_text(plane.kubeconfig.read_text().replace(plane.settings.tokens["admin"], "another"))
    ran = Program(file)(*command.split())
    assert (ran.code, ran.out) == (2, "")
    assert (
        ran.err
        == "error: the cluster rejects the credentials (401 Unauthorized); log in again, or use another --context\n"
    )


def test_some_rights(plane: Plane, program: Program, namespace: str) -> None:
    """A user who may only read JobSets and Jobs."""
    group = "rbac.authorization.k8s.io"
    metadata = {"name": "reader", "namespace": namespace}
    rules = [{"apiGroups": ["jobset.x-k8s.io", "batch"], "resources": ["jobsets", "jobs"], "verbs": ["get", "list"]}]
    plane.client.create({"apiVersion": f"{group}/v1", "kind": "Role", "metadata": metadata, "rules": rules})
    reference = {"apiGroup": group, "kind": "Role", "name": "reader"}
    subject = {"apiGroup": group, "kind": "User", "name": "reader"}
    binding = {"apiVersion": f"{group}/v1", "kind": "RoleBinding", "metadata": metadata}
    plane.client.create({**binding, "roleRef": reference, "subjects": [subject]})
    plane.client.create(jobset(namespace, "a", resources={"limits": {"nvidia.com/gpu": "9"}}))
    wait(program, namespace, "Pending", "Unschedulable")
    ran = program("status", "-n", namespace, "--as", "reader", "-o", "json")
    (found,) = ran.data["jobs"]
    assert (ran.code, found["state"], found["roles"][0]["active"]) == (0, "Pending", 1)
    notes = [line.split(" (")[0] for line in ran.err.splitlines()]
    assert notes == [
        "note: runs that no longer exist are not shown",
        "note: TrainJobs are not shown",
        f"note: Pods in {namespace} are not read",
        f"note: Events in {namespace} are not read",
    ]
    ran = program("suspend", "a", "-n", namespace, "--as", "reader")
    assert (ran.code, "Forbidden" in ran.err.splitlines()[-1]) == (1, True)


def test_watch(plane: Plane, program: Program, namespace: str) -> None:
    """The table, then what changes; a server that restarts is asked again."""
    plane.client.create(jobset(namespace, "a"))
    wait(program, namespace, "Running")
    command = [require("kubectl-trainjob"), "status", "-w", "-n", namespace, "--kubeconfig", str(plane.kubeconfig)]
    watch = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines: list[str] = []
    assert watch.stdout
    threading.Thread(target=lambda: lines.extend(watch.stdout or ()), daemon=True).start()
    try:
        plane.client.wait("the table", lambda: len(lines) >= 2)
        plane.stop("kube-apiserver")
        time.sleep(3)
        plane.start("kube-apiserver")
        plane.client.wait("the server", lambda: plane.client.create(jobset(namespace, "b")))
        assert program("suspend", "a", "-n", namespace).code == 0
        deadline = time.monotonic() + 300
        while not any(line.split()[:2] == ["a", "Suspended"] for line in lines) and time.monotonic() < deadline:
            time.sleep(0.5)
    finally:
        watch.send_signal(signal.SIGINT)
        code = watch.wait(300)
    shown = [line.split()[:2] for line in lines]
    assert (code, shown[:2]) == (130, [["NAME", "STATE"], ["a", "Running"]])
    assert ["a", "Suspended"] in shown
    assert "b" in [line[0] for line in shown if line]
    assert sum(line[0] == "NAME" for line in shown if line) == 1


@pytest.mark.parametrize("may_watch", [True, False])
def test_what_is_watched(plane: Plane, namespace: str, tmp_path: Path, may_watch: bool) -> None:
    """All kinds that jobs consist of; without the right to watch them, they are read again and again."""
    plane.client.create(jobset(namespace, "a", suspend=True))
    with FaultProxy(plane) as proxy:
        proxy.kubeconfig(tmp_path / "config", namespace)
        if not may_watch:
            proxy.on("GET", "watch=true", answer(403, "no"), times=1 << 30)
        with _watching("--kubeconfig", str(tmp_path / "config")) as lines:
            plane.client.wait("all watches", lambda: len(_watches(proxy)) >= len(_WATCHED))
            plane.client.create(jobset(namespace, "b", suspend=True))
            plane.client.wait("b", lambda: any(line.startswith("b ") for line in lines))
        assert sorted(_watches(proxy)) == [(namespace, kind) for kind in _WATCHED]


def test_a_set_in_several_namespaces_is_watched_in_each(
    plane: Plane, program: Program, namespace: str, tmp_path: Path
) -> None:
    other = f"{namespace}-other"
    plane.client.create_namespace(other)
    (tmp_path / "a.yaml").write_text(yaml.safe_dump_all([jobset(namespace, "a"), jobset(other, "b")]))
    assert program("apply", str(tmp_path / "a.yaml"), "--applyset", namespace).code == 0
    with FaultProxy(plane) as proxy:
        proxy.kubeconfig(tmp_path / "config", "default")
        with _watching("--applyset", namespace, "--kubeconfig", str(tmp_path / "config")) as lines:
            expected = sorted((space, kind) for space in ("default", namespace, other) for kind in _WATCHED)
            plane.client.wait("all watches", lambda: sorted(_watches(proxy)) == expected)
            assert program("suspend", "b", "-n", other).code == 0
            plane.client.wait("b", lambda: any(line.split()[:2] == ["b", "Suspended"] for line in lines))


@contextmanager
def _watching(*arguments: str) -> Iterator[list[str]]:
    """The lines of a `status -w` so far."""
    command = [require("kubectl-trainjob"), "status", "-w", *arguments]
    watch = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines: list[str] = []
    assert watch.stdout
    threading.Thread(target=lambda: lines.extend(watch.stdout or ()), daemon=True).start()
    try:
        yield lines
    finally:
        watch.terminate()
        watch.wait(300)


_WATCHED = ["events", "jobs", "jobsets", "pods", "trainjobs"]


def _watches(proxy: FaultProxy) -> list[tuple[str, str]]:
    """The namespace and the kind of each watch."""
    paths = (one.path.split("/") for one in proxy.requests if one.query.get("watch") == ["true"])
    return [(path[-2], path[-1]) for path in paths]


def test_formats(plane: Plane, program: Program, namespace: str) -> None:
    assert program("status", "-n", namespace, "-o", "json").data["jobs"] == []
    plane.client.create(jobset(namespace, "a", suspend=True, resources={"limits": {"nvidia.com/gpu": "2"}}))
    plane.client.wait("its status", lambda: job(program, namespace)["conditions"])
    document = program("status", "-n", namespace, "-o", "json").data
    assert yaml.safe_load(program("status", "-n", namespace, "-o", "yaml").out) == document
    assert document["apiVersion"] == "kubectl-trainjob.dev/v1alpha1"
    header, row = program("status", "-n", namespace, "-o", "wide").out.splitlines()
    assert header.split() == ["KIND", "NAME", "STATE", "PODS", "ROLES", "RESTARTS", "GPUS", "QUEUE", "AGE", "REASON"]
    assert row.split()[:8] == ["JobSet", "a", "Suspended", "0/1", "node=0/1", "0", "2", "-"]


def test_no_value_of_a_variable_is_shown(plane: Plane, program: Program, namespace: str) -> None:
    """The server repeats values that it rejects."""
    container = {"env": [{"name": "TOKEN", "value": "canary-4711"}], "args": ["--token=canary-4712"]}
    container |= {"imagePullPolicy": "canary-4711", "workingDir": "canary-4712:"}
    plane.client.create(jobset(namespace, "a", container=container))
    found = wait(program, namespace, "Pending", "JobCreationFailed")
    assert "imagePullPolicy" in found["message"]
    assert "canary-4711" not in str({key: value for key, value in found.items() if key != "conditions"})


def test_the_set_of_a_loop(plane: Plane, program: Program, namespace: str) -> None:
    """A TrainingSet has the inventory in its status."""
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    versions = [{"name": "v1alpha1", "served": True, "storage": True, "schema": schema}]
    names = {"kind": "TrainingSet", "plural": "trainingsets", "singular": "trainingset", "listKind": "TrainingSetList"}
    spec = {"group": "kubectl-trainjob.dev", "scope": "Namespaced", "names": names, "versions": versions}
    metadata = {"name": "trainingsets.kubectl-trainjob.dev"}
    assert program("status", "--applyset", "trainingset/s", "-n", namespace).code == 2
    version = "apiextensions.k8s.io/v1"
    plane.client.create({"apiVersion": version, "kind": "CustomResourceDefinition", "metadata": metadata, "spec": spec})
    plane.client.wait("the kind", lambda: plane.client.request("GET", "/apis/kubectl-trainjob.dev/v1alpha1"))
    entries = [
        {"id": f"{namespace}_{name}_jobset.x-k8s.io_JobSet", "v": "v1alpha2", "state": "started", **more}
        for name, more in (("over", {}), ("late", {"ended": "DeadlineExceeded"}), ("new", {"state": "starting"}))
    ]
    body = {"apiVersion": "kubectl-trainjob.dev/v1alpha1", "kind": "TrainingSet"}
    inventory = {"entries": [*entries, {"id": "broken"}]}
    metadata = {"name": "s", "namespace": namespace}
    plane.client.wait(
        "the TrainingSet",
        lambda: plane.client.create({**body, "metadata": metadata, "status": {"inventory": inventory}}),
    )
    plane.client.create(jobset(namespace, "other"))
    ran = program("status", "--applyset", "trainingset/s", "-n", namespace, "-o", "json")
    found = {each["name"]: (each["state"], each.get("reason")) for each in ran.data["jobs"]}
    assert (ran.code, found) == (0, {"late": ("Failed", "DeadlineExceeded"), "over": ("Gone", None)})
    assert len(program("status", "-n", namespace, "-o", "json").data["jobs"]) == 3
