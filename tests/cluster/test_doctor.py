"""`doctor` on a real API server: a cluster that is in order, and one broken thing after the other."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.apply.test_rights import role
from tests.cluster.commands import Program, Ran
from tests.cluster.plane.client import ApiError, Client
from tests.cluster.plane.plane import Plane
from tests.tools import require

pytestmark = pytest.mark.cluster

_HOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
_CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_JOBSETS = f"{_CRDS}/jobsets.jobset.x-k8s.io"
_MERGE = "application/merge-patch+json"

FILES = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: small}
spec:
  mlPolicy: {numNodes: 1}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {containers: [{name: node, image: a}]}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: small, labels: {kueue.x-k8s.io/queue-name: main}}
spec: {runtimeRef: {name: small}}
"""


@pytest.fixture(scope="module")
def plane(control_plane: type[Plane]) -> Iterator[Plane]:
    with control_plane("jobset-manager") as plane:
        plane.client.create_namespace("jobset-system")
        plane.client.create_namespace("kubeflow-system")
        yield plane


def checks(program: Program, *arguments: str) -> tuple[int, dict[str, dict[str, str]], list[str]]:
    """The exit code, by id the worst of the checks, and the emits."""
    ran = program("doctor", *arguments, "-o", "json")
    assert (ran.data["apiVersion"], ran.data["kind"]) == ("kubectl-trainjob.dev/v1alpha1", "DoctorReport"), ran.err
    order = ["ok", "note", "warning", "error"]
    found = {each["id"]: each for each in sorted(ran.data["checks"], key=lambda each: order.index(each["level"]))}
    assert all(set(each) <= {"id", "level", "message", "advice"} for each in ran.data["checks"])
    assert all(each.get("advice") for each in ran.data["checks"] if each["level"] == "error")
    assert ran.code == int(any(each["level"] == "error" for each in found.values()))
    return ran.code, found, ran.data["emit"]


def errors(found: dict[str, dict[str, str]]) -> set[str]:
    """The ids of errors."""
    return {id_ for id_, each in found.items() if each["level"] == "error"}


@contextmanager
def changed(client: Client, path: str, patch: Any) -> Iterator[None]:
    """Change an object for a while."""
    before = client.request("GET", path)
    client.request("PATCH", path, patch, _MERGE)
    try:
        yield
    finally:
        now = client.request("GET", path)
        before["metadata"] = now["metadata"]
        client.request("PUT", path, before)


@contextmanager
def lease(client: Client) -> Iterator[None]:
    """A Trainer that renews its Lease."""
    now = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    spec = {"holderIdentity": "a", "leaseDurationSeconds": 3600, "renewTime": now}
    metadata = {"name": "trainer.kubeflow.org", "namespace": "kubeflow-system"}
    body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec}
    client.create(body)
    try:
        yield
    finally:
        client.request("DELETE", client.path(body))


def until(program: Program, is_so: Callable[[dict[str, dict[str, str]]], bool]) -> dict[str, dict[str, str]]:
    """The checks, once the server has noticed a change of webhooks."""
    for _ in range(300):
        _, found, _ = checks(program)
        if is_so(found):
            break
    return found


def test_a_cluster_that_is_in_order(program: Program) -> None:
    def levels(found: dict[str, dict[str, str]]) -> dict[str, str]:
        return {name: found[name]["level"] for name in names}

    names = ("kubernetes", "jobset", "trainer", "webhooks", "webhook-jobset", "permissions", "emit", "gang")
    # A new server publishes the fields of a CRD with a delay.
    until(program, lambda found: set(levels(found).values()) == {"ok"} and "that of" in found["jobset"]["message"])
    code, found, emit = checks(program)
    assert (code, errors(found), emit) == (0, set(), ["jobset"])
    assert levels(found) == dict.fromkeys(names, "ok")
    assert "that of jobset 0.12" in found["jobset"]["message"]
    text = program("doctor")
    assert (text.code, text.out.splitlines()[-1].split()) == (0, ["emit", "jobset"])


def test_a_namespace_that_does_not_exist(plane: Plane, program: Program) -> None:
    with lease(plane.client):
        code, found, emit = checks(program, "-n", "nowhere")
    assert (code, errors(found)) == (1, {"namespace"})
    assert (found["webhook-jobset"]["level"], emit) == ("ok", ["trainjob"])


def test_the_definition_is_missing(plane: Plane, program: Program) -> None:
    kept = plane.client.request("GET", _JOBSETS)
    plane.client.request("DELETE", _JOBSETS)

    def is_gone() -> bool:
        try:
            plane.client.request("GET", "/apis/jobset.x-k8s.io/v1alpha2")
        except ApiError as error:
            return error.status == 404
        return False

    plane.client.wait("the end of the kind", is_gone)
    try:
        _, found, emit = checks(program)
        assert ("jobset" in errors(found), emit) == (True, [])
        assert "install JobSet 0.12" in found["jobset"]["advice"]
    finally:
        metadata = {"name": kept["metadata"]["name"], "annotations": kept["metadata"]["annotations"]}
        body = {"apiVersion": kept["apiVersion"], "kind": kept["kind"], "metadata": metadata, "spec": kept["spec"]}
        plane.client.create(body)
        plane.client.wait("the kind", lambda: plane.client.request("GET", "/apis/jobset.x-k8s.io/v1alpha2/jobsets"))
        plane.client.wait("the webhooks", lambda: "webhook-jobset" not in errors(checks(program)[1]))


def test_the_definition_is_older(plane: Plane, program: Program) -> None:
    spec = plane.client.request("GET", _JOBSETS)["spec"]
    properties = spec["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    del properties["volumeClaimPolicies"]
    with changed(plane.client, _JOBSETS, {"spec": {"versions": spec["versions"]}}):
        found = until(program, lambda found: found["jobset"]["level"] == "error")
        assert "spec.volumeClaimPolicies" in found["jobset"]["message"]
    until(program, lambda found: found["jobset"]["level"] == "ok")


def test_a_webhook_is_down(plane: Plane, program: Program) -> None:
    plane.stop("jobset-manager")
    try:
        _, found, _ = checks(program)
        assert errors(found) == {"webhook-jobset"}
        assert "connection refused" in found["webhook-jobset"]["message"]
        assert "start the controller of JobSet" in found["webhook-jobset"]["advice"]
    finally:
        plane.start("jobset-manager")


def _other_certificate(folder: Path) -> str:
    files = ("-keyout", str(folder / "key"), "-out", str(folder / "crt"), "-subj", "/CN=other")
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    command = [require("openssl"), "req", "-x509", *curve, "-days", "1", *files]
    subprocess.run(command, check=True, capture_output=True)
    return base64.b64encode((folder / "crt").read_bytes()).decode()


def test_a_webhook_has_another_authority(plane: Plane, program: Program, tmp_path: Path) -> None:
    (path,) = (f"{_HOOKS}/{each['metadata']['name']}" for each in plane.client.request("GET", _HOOKS)["items"])
    hooks = plane.client.request("GET", path)["webhooks"]
    for hook in hooks:
        hook["clientConfig"]["caBundle"] = _other_certificate(tmp_path)
    with changed(plane.client, path, {"webhooks": hooks}):
        found = until(program, lambda found: found["webhook-jobset"]["level"] == "error")
        assert "caBundle" in found["webhook-jobset"]["advice"]
    until(program, lambda found: found["webhook-jobset"]["level"] == "ok")


def test_a_webhook_has_a_service_without_pods(plane: Plane, program: Program) -> None:
    hook = {
        "name": "vjobset.example.com",
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Ignore",
        "clientConfig": {"service": {"namespace": "jobset-system", "name": "webhook"}},
        "rules": [{"apiGroups": ["jobset.x-k8s.io"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}],
    }
    version, kind = "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"
    body = {"apiVersion": version, "kind": kind, "metadata": {"name": "empty"}, "webhooks": [hook]}
    plane.client.create(body)
    try:
        ran = program("doctor")
        assert (ran.code, "has no ready address: Service jobset-system/webhook" in ran.out) == (1, True)
        assert 'the webhook "vjobset.example.com" of empty has no caBundle' in ran.out
    finally:
        plane.client.request("DELETE", plane.client.path(body))


def test_no_webhook_sets_defaults(plane: Plane, program: Program) -> None:
    (live,) = plane.client.request("GET", _HOOKS)["items"]
    name = live["metadata"]["name"]
    plane.client.request("DELETE", f"{_HOOKS}/{name}")
    try:
        _, found, _ = checks(program)
        assert "sets the defaults" in found["webhooks"]["message"]
        until(program, lambda found: found["webhook-jobset"]["level"] == "warning")
    finally:
        kind = "MutatingWebhookConfiguration"
        version = "admissionregistration.k8s.io/v1"
        body = {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "webhooks": live["webhooks"]}
        plane.client.create(body)
    until(program, lambda found: found["webhook-jobset"]["level"] == "ok")


def test_trainer_runs(plane: Plane, program: Program, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(FILES)
    code, found, emit = checks(program, str(file))
    assert (code, found["emit"]["level"], emit) == (0, "ok", ["jobset"])
    assert (found["kueue"]["level"], "Kueue is not installed" in found["kueue"]["message"]) == ("warning", True)
    with lease(plane.client):
        _, found, emit = checks(program, str(file))
        assert ("emit" in errors(found), emit) == (True, ["trainjob"])
        assert "emit: trainjob" in found["emit"]["advice"]
        assert checks(program)[1]["emit"]["level"] == "warning"
        (tmp_path / "trainjob.yaml").write_text(
            "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\nemit: trainjob\n"
        )
        _, found, emit = checks(program, str(file))
        assert (found["emit"]["level"], emit) == ("ok", ["trainjob"])
        assert errors(found) == {"webhook-trainjob"}
    _, found, _ = checks(program, str(file))
    assert {"emit", "webhook-trainjob"} <= errors(found)


def test_files_with_errors(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(FILES.replace("runtimeRef: {name: small}", "runtimeRef: {name: absent}"))
    code, found, _ = checks(program, str(file))
    assert (code, errors(found)) == (1, {"files"})


def test_runtimes_that_differ(plane: Plane, program: Program, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(FILES)
    path = "/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes"
    text = FILES.partition("---")[0]
    plane.client.create_text({"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "ClusterTrainingRuntime"}, text)
    try:
        assert checks(program, str(file))[1]["runtimes"]["level"] == "ok"
        plane.client.request("PATCH", f"{path}/small", {"spec": {"mlPolicy": {"numNodes": 2}}}, _MERGE)
        _, found, _ = checks(program, str(file))
        assert found["runtimes"]["level"] == "warning"
        assert "ClusterTrainingRuntime/small" in found["runtimes"]["message"]
    finally:
        plane.client.request("DELETE", f"{path}/small")


@pytest.mark.parametrize(
    ("image", "ready", "level", "message"),
    [
        ("registry.k8s.io/jobset/jobset:v0.12.0", 1, "ok", "JobSet 0.12.0 runs"),
        ("registry.k8s.io/jobset/jobset:v0.8.2", 1, "error", "JobSet 0.8.2 runs; the target is 0.12"),
        ("registry.k8s.io/jobset/jobset:v0.12.0", 0, "error", "has no ready Pod"),
        ("registry.k8s.io/jobset/jobset:main", 1, "ok", "the controller of JobSet runs"),
    ],
)
def test_the_version_of_a_controller(
    plane: Plane, program: Program, image: str, ready: int, level: str, message: str
) -> None:
    labels = {"control-plane": "controller-manager"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "manager", "image": image}]}}
    metadata = {"name": "jobset-controller-manager", "namespace": "jobset-system"}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
    plane.client.create(body)
    path = plane.client.path(body)
    try:
        plane.client.request("PATCH", f"{path}/status", {"status": {"replicas": 1, "readyReplicas": ready}}, _MERGE)
        _, found, _ = checks(program)
        assert found["controller-jobset"]["level"] == level
        assert message in found["controller-jobset"]["message"]
    finally:
        plane.client.request("DELETE", path)


def test_no_rights(program: Program) -> None:
    _, found, _ = checks(program, "--as", "nobody", "-n", "default")
    assert errors(found) == {"permissions"}
    ran = program("doctor", "--as", "nobody")
    assert "you may not get, list, watch, create, patch, delete jobsets.jobset.x-k8s.io in default" in ran.out
    assert [found[id_]["level"] for id_ in ("webhooks", "webhook-jobset", "emit")] == ["note", "note", "note"]


def grant(plane: Plane, user: str, *rules: dict[str, list[str]]) -> None:
    """Give a user rights in the namespace `default`."""
    group = "rbac.authorization.k8s.io"
    metadata = {"name": user, "namespace": "default"}
    plane.client.create({"apiVersion": f"{group}/v1", "kind": "Role", "metadata": metadata, "rules": [*rules]})
    reference = {"apiGroup": group, "kind": "Role", "name": user}
    subject = {"apiGroup": group, "kind": "User", "name": user}
    binding = {"apiVersion": f"{group}/v1", "kind": "RoleBinding", "metadata": metadata}
    plane.client.create({**binding, "roleRef": reference, "subjects": [subject]})


def denied(plane: Plane, program: Program, user: str, *paths: str) -> list[tuple[str, str]]:
    """Level and text of what a user may not do, once the server knows the Role."""

    def shown() -> Ran | None:
        ran = program("doctor", *paths, "--as", user, "-n", "default")
        return None if "delete jobsets.jobset" in ran.out else ran

    lines = plane.client.wait("the Role", shown).out.splitlines()
    found = [line.partition("you may not ") for line in lines if "permissions: you may not" in line]
    return [(level.split()[0], text) for level, _, text in found]


def test_some_rights(plane: Plane, program: Program) -> None:
    resources = ["jobsets", "configmaps", "podgroups", "jobs", "trainjobs", "trainingruntimes", "pods"]
    every = ["get", "list", "watch", "create", "patch", "delete"]
    secrets = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "create"]}
    grant(plane, "reader", {"apiGroups": ["*"], "resources": resources, "verbs": every}, secrets)
    assert denied(plane, program, "reader") == [
        ("error", "delete secrets in default"),
        ("warning", "get, list, watch events in default"),
        ("warning", "get pods/log in default"),
    ]


def test_rights_that_no_apply_to_this_cluster_needs(plane: Plane, program: Program, tmp_path: Path) -> None:
    """Without Trainer, an apply of JobSets needs no right to TrainJobs. It never watches."""
    rules = [rule for rule in role()["rules"] if "trainjobs" not in rule["resources"]]
    grant(plane, "applier", *({**rule, "verbs": [each for each in rule["verbs"] if each != "watch"]} for rule in rules))
    assert {level for level, _ in denied(plane, program, "applier")} == {"warning"}
    assert checks(program, "--as", "applier", "-n", "default")[0] == 0
    (tmp_path / "trainjob.yaml").write_text("apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\nemit: trainjob\n")
    (tmp_path / "files.yaml").write_text(FILES)
    found = denied(plane, program, "applier", str(tmp_path))
    assert [text.split()[-3] for level, text in found if level == "error"] == [
        "trainjobs.trainer.kubeflow.org",
        "trainingruntimes.trainer.kubeflow.org",
    ]


def test_an_older_operator(plane: Plane, program: Program) -> None:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    versions = [{"name": "v1", "served": True, "storage": True, "schema": schema}]
    names = {"kind": "PyTorchJob", "plural": "pytorchjobs", "singular": "pytorchjob", "listKind": "PyTorchJobList"}
    metadata = {"name": "pytorchjobs.kubeflow.org"}
    spec = {"group": "kubeflow.org", "scope": "Namespaced", "names": names, "versions": versions}
    version = "apiextensions.k8s.io/v1"
    plane.client.create({"apiVersion": version, "kind": "CustomResourceDefinition", "metadata": metadata, "spec": spec})
    plane.client.wait("the kind", lambda: plane.client.request("GET", "/apis/kubeflow.org/v1"))
    found = until(program, lambda found: "training-operator" in found)
    assert found["training-operator"]["level"] == "warning"
