"""What a migration cannot carry over is reported at its line, and so is a result that does not build."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.cli.test_migrate import JOB, Command
from tests.loops import for_each

MPI = """\
apiVersion: kubeflow.org/{version}
kind: MPIJob
metadata: {{name: mpi}}
spec:
  mpiReplicaSpecs:
    Launcher: {{replicas: 1, template: {{spec: {{containers: [{{name: l, image: a, command: [mpirun, x]}}]}}}}}}
    Worker: {{replicas: 2, template: {{spec: {{containers: [{{name: w, image: a}}, {{name: c, image: a}}]}}}}}}
"""
MPI_2, MPI_1 = MPI.format(version="v2beta1"), MPI.format(version="v1")
TF = """\
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: tf}
spec:
  tfReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - name: tensorflow
            image: a
"""
OTHER = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
POLICY = "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: net}\nspec:\n  podSelector:\n"
WRAPPER = (
    "---\napiVersion: workload.codeflare.dev/v1beta2\nkind: AppWrapper\nmetadata: {name: w}\nspec:\n  components: "
)
ENV = "            env:\n"
FIELD = "metadata.labels['training.kubeflow.org/{}']"
LABEL = '            - {{name: A, valueFrom: {{fieldRef: {{fieldPath: "{}"}}}}}}\n'.replace("{}", FIELD)

REPORTED = {
    "an extra role": (MPI_2 + "    Extra: {template: {spec: {containers: [{name: l, image: b}]}}}\n", 8, "Extra"),
    "a role in lower case": (MPI_2.replace("    Worker", "    worker"), 7, "worker"),
    "a role that TFJob does not have": (TF.replace("Worker", "Helper"), 6, "Helper"),
    "a role in two spellings": (TF + TF[TF.index("    Worker") :].replace("Worker", "worker"), 13, "worker"),
    "a negative count": (TF.replace("replicas: 2", "replicas: -1"), 7, "replicas is negative"),
    "too many Pods": (TF.replace("replicas: 2", "replicas: 2000000000"), 5, "2000000000 Pods"),
    "finalizers": (TF.replace("name: tf}", "name: tf, finalizers: [a/b]}"), 3, "finalizers"),
    "owners": (
        TF.replace("name: tf}", "name: tf, ownerReferences: [{apiVersion: v1, kind: A, name: a, uid: u}]}"),
        3,
        "ownerReferences",
    ),
    "the name of the host beside one of a Pod": (
        TF + '            args: ["sh", "-c", "[ $(hostname) = tf-worker-0 ] && echo"]\n',
        11,
        "host name",
    ),
    "a label that no Pod has": (TF + ENV + LABEL.format("job-role"), 14, "job-role"),
    "a container of MPIJob v1": (MPI_1 + "  mainContainer: c\n", 8, 'mainContainer "c"'),
    "cleanPodPolicy of MPIJob v1": (MPI_1 + "  cleanPodPolicy: All\n", 8, "cleanPodPolicy All"),
    "a launcher that waits in a gang": (
        MPI_2 + "  launcherCreationPolicy: WaitForWorkersReady\n  runPolicy: {schedulingPolicy: {minAvailable: 2}}\n",
        8,
        "no Pod starts",
    ),
    "an init container with the name of the main one": (
        JOB + "          initContainers: [{name: node, image: a}]\n",
        15,
        'duplicate container name "node"',
    ),
    "an ephemeral container": (
        JOB + "          ephemeralContainers: [{name: e, image: a}]\n",
        15,
        "ephemeralContainers",
    ),
    "a long name": (JOB.replace("mnist}", f"{'m' * 58}}}"), 4, "longer than 63 characters"),
    "a policy that selects the Pods": (
        JOB + POLICY + "    matchLabels: {training.kubeflow.org/job-name: mnist}\n",
        21,
        'NetworkPolicy "net" refers to a job',
    ),
    "a script with the name of a Pod": (JOB + OTHER + "data: {a: ssh mnist-master-0 ls}\n", 19, '"mnist-master-0"'),
    "a job inside of an object": (
        JOB + WRAPPER + "[template: {apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: a}, spec: {}}]\n",
        20,
        'AppWrapper "w" refers to a job',
    ),
}


@pytest.fixture
def migrate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path, monkeypatch)


@for_each("case", REPORTED, at_least=18)
def test_it_is_reported_at_its_line(
    case: tuple[str, int, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, line, words = case
    monkeypatch.chdir(tmp_path)
    migrate = Command(tmp_path, monkeypatch)
    migrate.file("a.yaml", text)
    assert migrate("a.yaml") == 1
    reports = [each for each in migrate.err.splitlines() if each.startswith("a.yaml:")]
    assert [each for each in reports if each.startswith(f"a.yaml:{line}:") and words in each], migrate.err


def test_definitions_of_an_operator_refer_to_no_job(migrate: Command) -> None:
    name = "pytorchjobs.kubeflow.org"
    text = f"---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: {name}}}\n"
    labels = OTHER.replace("name: c", "name: c, labels: {training.kubeflow.org/job-name: mnist}")
    assert migrate("-", stdin=f"{JOB}{text}spec: {{names: {{kind: PyTorchJob}}}}\n{labels}") == 0


def node(command: Command) -> dict[str, object]:
    """The env of the training container of the runtime, with that of the TrainJob."""
    runtime, job = yaml.safe_load_all(command.out)
    pod = runtime["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    env = [*pod["containers"][0].get("env", ()), *job["spec"].get("trainer", {}).get("env", ())]
    return {each["name"]: each.get("value", each.get("valueFrom")) for each in env}


def test_labels_of_the_operator_become_those_of_the_new_pods(migrate: Command) -> None:
    labels = "".join(LABEL.format(name).replace("A,", f"{name[-1].upper()},") for name in ("job-name", "replica-index"))
    assert migrate("-", stdin=TF + ENV + labels) == 0
    env = node(migrate)
    assert env["E"] == {"fieldRef": {"fieldPath": "metadata.labels['jobset.sigs.k8s.io/jobset-name']"}}
    assert "job-completion-index" in str(env["X"])


def test_a_reference_to_an_overwritten_variable_gets_the_value_of_the_user(migrate: Command) -> None:
    env = '              env: [{name: RANK, value: "7"}, {name: A, value: "$(RANK) $$(RANK) $(WORLD_SIZE)"}]\n'
    assert migrate("-", stdin=JOB + env) == 0
    assert node(migrate)["A"] == "7 $$(RANK) $$(WORLD_SIZE)"
    assert 'the operator overwrites the variable "RANK"' in migrate.err


def test_an_object_that_a_cluster_printed(migrate: Command) -> None:
    text = (
        JOB.replace("name: mnist}", "name: mnist, uid: u, generation: 2}")
        + "status: {startTime: '2024-01-01T00:00:00Z'}\n"
    )
    assert migrate("-", stdin=text) == 0
    assert (
        "the API server writes these, and they are dropped: metadata.uid, metadata.generation and status" in migrate.err
    )


def test_the_first_worker_decides(migrate: Command) -> None:
    assert migrate("-", stdin=TF) == 0
    assert "the operator ends the job when worker 0 succeeds, and a TrainJob when all workers do" in migrate.err


WORKER = JOB[JOB.index("    Master") :].replace("Master", "Worker").replace("replicas: 1", "replicas: 2")


def test_the_index_of_a_role_is_that_of_its_job_beside_another_role(migrate: Command) -> None:
    """Equal Pods of two roles have one number over both; the old label counted inside the role."""
    index = "              env:" + LABEL.format("replica-index").replace("            - ", " [").rstrip("\n") + "]\n"
    assert migrate("-", stdin=JOB + index + WORKER + index) == 0
    assert yaml.safe_load(migrate.out.split("---")[0])["spec"]["template"]["spec"]["replicatedJobs"][1]["replicas"] == 2
    assert node(migrate)["A"] == {"fieldRef": {"fieldPath": "metadata.labels['jobset.sigs.k8s.io/job-index']"}}
    assert node(migrate)["RANK"] == {
        "fieldRef": {"fieldPath": "metadata.labels['jobset.sigs.k8s.io/job-global-index']"}
    }


def test_the_port_of_the_host_changes(migrate: Command) -> None:
    gpu = "resources: {limits: {nvidia.com/gpu: 1}}"
    torchrun = (JOB + WORKER).replace("[python, train.py]", f"[torchrun, train.py]\n              {gpu}")
    host = torchrun.replace("          containers:", "          hostNetwork: true\n          containers:")
    words = "hostNetwork: torchrun uses port 29500 of the node, and not 23456"
    assert (migrate("-", stdin=host), words in migrate.err) == (0, True)
    assert (migrate("-", stdin=torchrun), words in migrate.err) == (0, False)


def test_the_name_of_a_pod_changes(migrate: Command) -> None:
    field = "{fieldRef: {fieldPath: metadata.name}}"
    assert migrate("-", stdin=f"{JOB}              env: [{{name: POD, valueFrom: {field}}}]\n") == 0
    assert 'the name of the Pod in "POD" changes' in migrate.err


def test_an_implementation_of_mpi_is_reported_once(migrate: Command) -> None:
    assert migrate("-", stdin=MPI_2 + "  mpiImplementation: Intel\n") == 1
    assert migrate.err.count("implements mpiImplementation") == 1


@pytest.mark.parametrize("text", [JOB + WORKER, TF.replace("Worker:", "PS:") + TF[TF.index("    Worker") :]])
def test_a_migrated_job_has_no_finding_of_its_launch(text: str, migrate: Command) -> None:
    assert migrate("-", stdin=text) == 0
    migrate.file("a.yaml", migrate.out)
    migrate.run("lint", "a.yaml")
    assert not any(rule in migrate.out + migrate.err for rule in ("KTJ207", "KTJ406"))


def test_ports_without_a_name_stay_beside_that_of_trainer(migrate: Command) -> None:
    """Trainer writes its port over an unnamed one (`byContainerPortOrName` in kubeflow/trainer `pkg/apply`, 2.3)."""
    ports = "              ports: [{containerPort: 8080}, {containerPort: 9090, protocol: UDP}]\n"
    assert migrate("-", stdin=JOB.replace("python, train.py", "torchrun, -m, a, --nproc-per-node=1") + ports) == 0
    assert "torch: {}" in migrate.out
    migrate.file("a.yaml", migrate.out)
    assert migrate.build("a.yaml") == 0
    jobset = yaml.safe_load(migrate.out)
    (container,) = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"]
    found = {(each["containerPort"], each.get("protocol", "TCP")) for each in container["ports"]}
    assert found == {(8080, "TCP"), (9090, "UDP"), (29500, "TCP")}
    assert len({each.get("name") for each in container["ports"]}) == 3


@pytest.mark.parametrize(
    "field",
    [
        "volumeMounts: [{name: v, mountPath: /v, subPathExpr: $(RANK)}]",
        'readinessProbe: {exec: {command: [sh, -c, "test $RANK"]}}',
        'lifecycle: {preStop: {exec: {command: [sh, -c, "echo $RANK"]}}}',
    ],
)
def test_a_variable_that_a_mount_or_a_probe_uses_is_kept(field: str, migrate: Command) -> None:
    torchrun = JOB.replace("python, train.py", "torchrun, -m, a, --nproc-per-node=1")
    assert migrate("-", stdin=torchrun) == 0
    assert "RANK" not in node(migrate)
    assert (
        migrate("-", stdin=f"{torchrun}              {field}\n          volumes: [{{name: v, emptyDir: {{}}}}]\n") == 0
    )
    assert "RANK" in node(migrate)


_NAME, _INDEX = "jobset.sigs.k8s.io/replicatedjob-name", "batch.kubernetes.io/job-completion-index"


@pytest.mark.parametrize(
    ("text", "label", "role", "expected"),
    [
        (TF, "replica-type", "worker", {_NAME: "node"}),
        (TF, "replica-type", "ps", {_NAME: "ps"}),
        (TF, "job-role", "master", {_NAME: "node", _INDEX: "0"}),
        (TF + TF[TF.index("    Worker") :].replace("Worker", "Chief"), "job-role", "master", {_NAME: "chief"}),
        (MPI_1, "job-role", "master", {_NAME: "launcher"}),
        (MPI_2, "job-role", "worker", {_NAME: "node"}),
    ],
)
def test_a_selector_of_a_role_selects_the_same_pods(
    text: str, label: str, role: str, expected: dict[str, str], migrate: Command
) -> None:
    """By `IsMasterRole` in kubeflow/training-operator `pkg/controller.v1`: the leader has the job-role "master"."""
    selector = {"matchLabels": {f"training.kubeflow.org/{label}": role}}
    spread = {"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}
    body = yaml.safe_load(text)
    for replicas in next(value for key, value in body["spec"].items() if key.endswith("ReplicaSpecs")).values():
        replicas["template"]["spec"]["topologySpreadConstraints"] = [spread]
    migrate("-", stdin=yaml.safe_dump(body))
    runtime = next(yaml.safe_load_all(migrate.out))
    for job in runtime["spec"]["template"]["spec"]["replicatedJobs"]:
        (found,) = job["template"]["spec"]["template"]["spec"]["topologySpreadConstraints"]
        assert found["labelSelector"] == {"matchLabels": expected}


def test_references_to_resources_follow_the_name_of_the_container(migrate: Command) -> None:
    """The kubelet starts no Pod that refers to resources of a container it does not have."""
    source = "resourceFieldRef: {containerName: pytorch, resource: limits.cpu}"
    env = f"env: [{{name: L, valueFrom: {{{source}}}}}]"
    others = (
        f"            - {{name: side, image: b, {env}}}\n          initContainers: [{{name: i, image: b, {env}}}]\n"
    )
    volume = f"          volumes: [{{name: d, downwardAPI: {{items: [{{path: cpu, {source}}}]}}}}]\n"
    assert migrate("-", stdin=f"{JOB}              {env}\n{others}{volume}") == 0
    assert migrate.out.count("containerName: node") == 4
    assert "containerName: pytorch" not in migrate.out
