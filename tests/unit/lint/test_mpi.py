"""The rules of MPI: what they find, where, and what they leave alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.lint.reported import mended, reported, shown

SUCCESS = "successPolicy: {operator: All, targetReplicatedJobs: [launcher]}"
DEPENDS_ON = "dependsOn: [{name: node, status: Ready}]"
LABELLED = "labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}"
RUNTIME = f"""\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {{name: mpi}}
spec:
  mlPolicy:
    numNodes: 1
    mpi:
      mpiImplementation: OpenMPI
      runLauncherAsNode: true
  template:
    spec:
      {SUCCESS}
      replicatedJobs:
      - name: node
        template:
          spec:
            parallelism: 1
            template:
              spec:
                containers:
                - name: node # of node
                  image: acme/mpi:1.4
                  command: [/usr/sbin/sshd, -De]
                  readinessProbe: {{tcpSocket: {{port: 22}}}}
      - name: launcher
        {DEPENDS_ON}
        template:
          metadata:
            {LABELLED}
          spec:
            template:
              spec:
                containers:
                - name: node # of launcher
                  image: acme/mpi:1.4
                  command: [mpirun, python, train.py]
"""
JOB = """\
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bert}
spec:
  runtimeRef: {name: mpi}
"""
OPEN_MPI_5 = RUNTIME.replace("acme/mpi:1.4", "acme/openmpi:5.0.7")
LAUNCHER_FIRST = f"""\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {{name: mpi}}
spec:
  mlPolicy: {{numNodes: 1, mpi: {{runLauncherAsNode: true}}}}
  template:
    spec:
      {SUCCESS}
      replicatedJobs:
      - name: launcher
        template:
          metadata: {{{LABELLED}}}
          spec:
            template:
              spec: {{containers: [{{name: node, image: "acme/mpi:1.4", command: [mpirun, train]}}]}}
      - name: node
        template:
          spec: {{template: {{spec: {{containers: [{{name: node, image: "acme/mpi:1.4"}}]}}}}}}
"""
# A node that is the step `trainer` and a launcher that only launches.
NODE_TRAINS = (
    RUNTIME.replace(f"          metadata:\n            {LABELLED}\n", "")
    .replace(
        "      - name: node\n        template:\n",
        f"      - name: node\n        template:\n          metadata: {{{LABELLED}}}\n",
    )
    .replace("      runLauncherAsNode: true\n", "")
)


def without(*lines: str, text: str = RUNTIME) -> str:
    """A text without some of its lines."""
    for line in lines:
        assert f"{line}\n" in text, line
        text = "".join(each for each in text.splitlines(keepends=True) if each.strip() != line)
    return text


def trainer(fields: str) -> str:
    """A TrainJob with these fields of its trainer."""
    return f"{JOB}  trainer:\n    {fields}\n"


@pytest.mark.parametrize(
    ("text", "severities"),
    [
        pytest.param(RUNTIME.replace("node # of node", "a"), ["warning"], id="the-image-may-have-keys"),
        pytest.param(
            RUNTIME.replace("node # of node", "a").replace("[mpirun,", "[mpirun, --allow-run-as-root,"),
            ["error"],
            id="root-uses-Trainers",
        ),
        pytest.param(
            RUNTIME.replace("node # of node", "a").replace("true\n", "true\n      sshAuthMountPath: /keys\n"),
            ["error"],
            id="a-path-uses-Trainers",
        ),
        pytest.param(NODE_TRAINS.replace("node # of launcher", "a"), ["error"], id="mpirun-without-hosts"),
        pytest.param(
            NODE_TRAINS.replace("node # of launcher", "a").replace("[mpirun,", "[mpirun, -H, 'a,b',"),
            ["warning"],
            id="mpirun-with-hosts",
        ),
        pytest.param(
            NODE_TRAINS.replace("node # of launcher", "a").replace("command: [mpirun, python, train.py]", ""),
            ["warning"],
            id="the-images-command",
        ),
        pytest.param(
            NODE_TRAINS.replace("node # of launcher", "a\n                  envFrom: [{configMapRef: {name: hosts}}]"),
            ["warning"],
            id="mpirun-with-variables",
        ),
        pytest.param(
            RUNTIME.replace(
                "node # of node", "a\n                  volumeMounts: [{name: mpi-ssh-auth, mountPath: /k}]"
            ),
            [],
            id="it-mounts-Trainers-keys",
        ),
    ],
)
def test_a_container_with_another_name_is_an_error_only_where_that_is_certain(
    text: str, severities: list[str], tmp_path: Path
) -> None:
    found = [each.finding for each in reported(tmp_path, text) if each.rule == "KTJ504"]
    assert [each.severity for each in found] == severities
    assert all(each.message.endswith("hosts") == (each.severity == "warning") for each in found)


PREPARED = RUNTIME.replace(
    "      replicatedJobs:\n",
    """      replicatedJobs:
      - name: prepare
        template:
          spec: {template: {spec: {containers: [{name: prepare, image: "acme/prepare:1.4"}]}}}
""",
)

# An exporter that starts after the end of the launcher, and ends the training.
AFTER = "dependsOn: [{name: launcher, status: Complete}]"
EXPORTED = (
    RUNTIME.replace("[launcher]", "[exporter]")
    + f"""\
      - name: exporter
        {AFTER}
        template:
          spec: {{template: {{spec: {{containers: [{{name: export, image: "acme/export:1.4"}}]}}}}}}
"""
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(RUNTIME, [], id="clean"),
        pytest.param(NODE_TRAINS, [], id="node-trains"),
        pytest.param(RUNTIME + trainer("numNodes: 4"), [], id="job"),
        pytest.param(NODE_TRAINS + trainer("numNodes: 1"), [], id="one-node-without-launcher-as-node"),
        # KTJ504
        pytest.param(
            RUNTIME.replace("name: node # of node", "name: worker # of node"),
            [("KTJ504", "- name: worker # of node")],
            id="container-of-node",
        ),
        pytest.param(
            NODE_TRAINS.replace("name: node # of launcher", "name: run # of launcher"),
            [("KTJ504", "- name: run # of launcher")],
            id="container-of-launcher",
        ),
        pytest.param(
            RUNTIME.replace(
                "- name: node # of node\n",
                "- {name: log, image: 'acme/log:1'}\n                - name: node # of node\n",
            ),
            [],
            id="second-container",
        ),
        # KTJ505
        pytest.param(RUNTIME.replace("numNodes: 1", "numNodes: 3"), [("KTJ505", "numNodes: 3")], id="launchers"),
        pytest.param(NODE_TRAINS.replace("numNodes: 1", "numNodes: 3"), [], id="nodes-of-the-runtime"),
        pytest.param(
            NODE_TRAINS.replace(f"        {DEPENDS_ON}\n", f"        {DEPENDS_ON}\n        replicas: 2\n"),
            [("KTJ505", "replicas: 2")],
            id="replicas-of-launcher",
        ),
        pytest.param(
            NODE_TRAINS.replace(
                f"        {DEPENDS_ON}\n        template:\n          spec:\n",
                f"        {DEPENDS_ON}\n        template:\n          spec:\n            parallelism: 2\n",
            ),
            [("KTJ505", "parallelism: 2")],
            id="parallelism-of-launcher",
        ),
        # KTJ506
        pytest.param(RUNTIME + trainer("numNodes: 1"), [("KTJ506", "numNodes: 1")], id="one-node"),
        pytest.param(RUNTIME + JOB, [("KTJ506", "spec:")], id="no-number"),
        pytest.param(RUNTIME.replace("parallelism: 1", "parallelism: 3") + JOB, [], id="nodes-are-the-runtimes"),
        pytest.param(
            NODE_TRAINS.replace("OpenMPI", "OpenMPI\n      runLauncherAsNode: true").replace("Nodes: 1", "Nodes: 3")
            + JOB,
            [("KTJ506", "spec:")],
            id="nothing-is-taken-off-the-runtimes",
        ),
        pytest.param(RUNTIME + trainer("numNodes: 2"), [], id="two-nodes"),
        # KTJ507
        pytest.param(without(DEPENDS_ON), [("KTJ507", "- name: launcher")], id="not-awaiting"),
        pytest.param(
            RUNTIME.replace("status: Ready", "status: Complete"),
            [("KTJ507", "dependsOn: [{name: node, status: Complete}]")],
            id="awaits-the-end",
        ),
        pytest.param(
            PREPARED.replace("name: node, status: Ready", "name: prepare, status: Complete"),
            [("KTJ507", "dependsOn: [{name: prepare, status: Complete}]")],
            id="awaits-another",
        ),
        pytest.param(LAUNCHER_FIRST, [("KTJ507", "- name: launcher")], id="launcher-first"),
        pytest.param(
            without(DEPENDS_ON).replace(SUCCESS, SUCCESS + "\n      startupPolicy: {startupPolicyOrder: InOrder}"),
            [],
            id="in-order",
        ),
        pytest.param(
            LAUNCHER_FIRST.replace(SUCCESS, SUCCESS + "\n      startupPolicy: {startupPolicyOrder: InOrder}"),
            [("KTJ507", "- name: launcher")],
            id="in-the-wrong-order",
        ),
        pytest.param(
            without(DEPENDS_ON, text=RUNTIME)
            .replace(
                "  template:\n    spec:\n      s", "  podGroupPolicy: {volcano: {}}\n  template:\n    spec:\n      s"
            )
            .replace("              spec:\n", "              spec:\n                schedulerName: volcano\n"),
            [],
            id="a-gang-cannot-wait",
        ),
        # KTJ509
        pytest.param(without(SUCCESS), [("KTJ509", "spec:")], id="no-policy"),
        pytest.param(
            RUNTIME.replace("[launcher]", "[node, launcher]"),
            [("KTJ509", "successPolicy: {operator: All, targetReplicatedJobs: [node, launcher]}")],
            id="also-node",
        ),
        pytest.param(
            RUNTIME.replace(", targetReplicatedJobs: [launcher]", ""),
            [("KTJ509", "successPolicy: {operator: All}")],
            id="of-all",
        ),
        pytest.param(RUNTIME.replace("operator: All, targetReplicatedJobs: [launcher]", "operator: Any"), [], id="any"),
        pytest.param(PREPARED, [], id="launcher-of-three"),
        pytest.param(
            PREPARED.replace("operator: All, targetReplicatedJobs: [launcher]", "operator: Any"),
            [("KTJ509", "successPolicy: {operator: Any}")],
            id="any-of-three",
        ),
        pytest.param(PREPARED.replace("[launcher]", "[prepare, launcher]"), [], id="also-one-that-ends"),
        pytest.param(
            PREPARED.replace("[launcher]", "[prepare]"),
            [("KTJ509", "successPolicy: {operator: All, targetReplicatedJobs: [prepare]}")],
            id="only-another",
        ),
        pytest.param(EXPORTED, [], id="all-of-an-exporter"),
        pytest.param(EXPORTED.replace("operator: All", "operator: Any"), [], id="any-of-an-exporter"),
        pytest.param(
            without(AFTER, text=EXPORTED),
            [("KTJ509", "successPolicy: {operator: All, targetReplicatedJobs: [exporter]}")],
            id="an-exporter-beside-the-launcher",
        ),
        pytest.param(
            EXPORTED.replace("operator: All", "operator: Any").replace(AFTER, AFTER.replace("Complete", "Ready")),
            [("KTJ509", "successPolicy: {operator: Any, targetReplicatedJobs: [exporter]}")],
            id="an-exporter-that-starts-with-the-launcher",
        ),
        # KTJ518
        pytest.param(
            OPEN_MPI_5 + trainer("numNodes: 2"), [("KTJ518", "command: [mpirun, python, train.py]")], id="open-mpi-5"
        ),
        pytest.param(
            RUNTIME.replace("acme/mpi:1.4", "acme/train:2-ompi-5.0") + trainer("numNodes: 2"),
            [("KTJ518", "command: [mpirun, python, train.py]")],
            id="open-mpi-5-in-the-tag",
        ),
        pytest.param(
            RUNTIME + trainer("numNodes: 2\n    command: [bash, -c, 'prterun python t.py']"),
            [("KTJ518", "command: [bash, -c, 'prterun python t.py']")],
            id="prterun",
        ),
        pytest.param(
            RUNTIME + trainer("numNodes: 2\n    command: [mpirun, --prtemca, plm_ssh_args, -v, t]"),
            [("KTJ518", "command: [mpirun, --prtemca, plm_ssh_args, -v, t]")],
            id="a-flag-of-open-mpi-5",
        ),
        pytest.param(
            RUNTIME + trainer("numNodes: 2\n    env: [{name: PRTE_MCA_plm_ssh_args, value: -v}]"),
            [("KTJ518", "command: [mpirun, python, train.py]")],
            id="a-variable-of-open-mpi-5",
        ),
        pytest.param(
            OPEN_MPI_5 + trainer("numNodes: 2\n    env: [{name: PRTE_MCA_prte_default_hostfile, value: /etc/hosts}]"),
            [],
            id="open-mpi-5-with-its-variable",
        ),
        pytest.param(
            OPEN_MPI_5 + trainer("numNodes: 2\n    command: [mpirun, --hostfile, /etc/mpi/hostfile, t]"),
            [],
            id="open-mpi-5-with-hosts",
        ),
        *(
            pytest.param(RUNTIME.replace("acme/mpi:1.4", image) + trainer("numNodes: 2"), [], id=image)
            for image in ("mpioperator/openmpi:v0.6.0", "acme/openmpi-4.1.5:1", "acme/openmpi:50", "acme/mpi:5")
        ),
        # KTJ516
        pytest.param(
            RUNTIME.replace("[mpirun, python", "[python") + trainer("numNodes: 2"),
            [("KTJ516", "command: [python, train.py]")],
            id="the-runtimes-command",
        ),
        pytest.param(
            RUNTIME + trainer("numNodes: 2\n    command: [python3.12, train.py, --deepspeed, ds.json]"),
            [("KTJ516", "command: [python3.12, train.py, --deepspeed, ds.json]")],
            id="the-jobs-command",
        ),
        pytest.param(
            RUNTIME
            + trainer('numNodes: 2\n    command: [bash, -c]\n    args: ["pip install -e .; exec python train.py"]'),
            [("KTJ516", 'args: ["pip install -e .; exec python train.py"]')],
            id="a-script",
        ),
        pytest.param(
            RUNTIME + trainer("numNodes: 2\n    command: [bash, -c, 'mpirun -n 2 python t.py']"), [], id="in-it"
        ),
        pytest.param(
            RUNTIME + trainer("numNodes: 2\n    command: [bash, -c, 'python a.py; ./run.sh']"), [], id="unknown"
        ),
        pytest.param(
            RUNTIME + trainer("numNodes: 2\n    command: [deepspeed, t.py]"),
            [("KTJ516", "command: [deepspeed, t.py]")],
            id="deepspeed",
        ),
        pytest.param(
            RUNTIME + trainer("numNodes: 2\n    command: [python, -m, deepspeed.launcher.runner, t.py]"),
            [("KTJ516", "command: [python, -m, deepspeed.launcher.runner, t.py]")],
            id="module",
        ),
        pytest.param(
            RUNTIME + trainer("numNodes: 2\n    command: [deepspeed, --hostfile=/etc/mpi/hostfile, t.py]"),
            [],
            id="deepspeed-with-hosts",
        ),
        pytest.param(
            RUNTIME + trainer("numNodes: 2\n    command: [deepspeed, -H, /etc/mpi/hostfile, --num_nodes=1, t.py]"),
            [("KTJ407", "command: [deepspeed, -H, /etc/mpi/hostfile, --num_nodes=1, t.py]")],
            id="deepspeed-with-fewer-hosts",
        ),
        pytest.param(
            RUNTIME + trainer("numNodes: 2\n    command: [python, go.py, --hosts, /etc/mpi/hostfile]"),
            [],
            id="hostfile",
        ),
        pytest.param(RUNTIME + trainer("numNodes: 2\n    command: [./train]"), [], id="some-program"),
    ],
)
def test_what_is_found(text: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    assert shown(reported(tmp_path, text)) == expected


def test_nodes_without_a_launcher_run_each_for_itself(tmp_path: Path) -> None:
    runtime = NODE_TRAINS[: NODE_TRAINS.index("      - name: launcher")]
    text = without(SUCCESS, text=runtime).replace("[/usr/sbin/sshd, -De]", "[mpirun, train]")
    assert shown(reported(tmp_path / "many", text + trainer("numNodes: 2"))) == [("KTJ516", "- name: node")]
    assert shown(reported(tmp_path / "one", text + trainer("numNodes: 1"))) == []


@pytest.mark.parametrize(
    ("text", "rule", "release"),
    [
        pytest.param(without(DEPENDS_ON), "KTJ507", "2.3", id="dependsOn"),
        pytest.param(without(DEPENDS_ON), "KTJ507", "2.0", id="dependsOn-2.0"),
        pytest.param(RUNTIME.replace("status: Ready", "status: Complete"), "KTJ507", "2.3", id="status"),
        pytest.param(
            PREPARED.replace("name: node, status: Ready", "name: prepare, status: Complete"),
            "KTJ507",
            "2.3",
            id="a-second-dependsOn",
        ),
        pytest.param(without(SUCCESS), "KTJ509", "2.3", id="successPolicy"),
        pytest.param(RUNTIME.replace("[launcher]", "[node, launcher]"), "KTJ509", "2.3", id="targets"),
        pytest.param(RUNTIME.replace(", targetReplicatedJobs: [launcher]", ""), "KTJ509", "2.3", id="no-targets"),
        pytest.param(
            PREPARED.replace("operator: All, targetReplicatedJobs: [launcher]", "operator: Any"),
            "KTJ509",
            "2.3",
            id="operator",
        ),
        pytest.param(RUNTIME.replace("numNodes: 1", "numNodes: 3"), "KTJ505", "2.3", id="numNodes"),
    ],
)
def test_a_fix_is_what_the_rule_asks_for(text: str, rule: str, release: str, tmp_path: Path) -> None:
    found = reported(tmp_path / "before", text, trainer=release)
    assert [each.rule for each in found] == [rule]
    fix = found[0].finding.fix
    assert fix is not None
    assert fix.is_safe is (rule != "KTJ505")
    assert reported(tmp_path / "after", mended(text, fix), trainer=release) == []


@pytest.mark.parametrize(
    ("text", "release"),
    [
        pytest.param(LAUNCHER_FIRST, "2.3", id="only-earlier-ones-can-be-awaited"),
        pytest.param(
            PREPARED.replace("name: node, status: Ready", "name: prepare, status: Complete"), "2.0", id="one-in-2.0"
        ),
    ],
)
def test_no_fix_that_would_be_rejected(text: str, release: str, tmp_path: Path) -> None:
    assert [(each.rule, each.finding.fix) for each in reported(tmp_path, text, trainer=release)] == [("KTJ507", None)]


def test_a_patch_is_what_a_person_edits(tmp_path: Path) -> None:
    """The launchers of a runtime whose number an overlay changes are reported at the line of the patch."""
    overlay = """\
apiVersion: kubectl-trainjob.dev/v1alpha1
kind: Overlay
resources: [../base]
patches:
- target: {kind: ClusterTrainingRuntime}
  patch: |
    - op: replace
      path: /spec/mlPolicy/numNodes
      value: 4
- target: {kind: TrainJob}
  patch: |
    - op: replace
      path: /spec/trainer/numNodes
      value: 1
"""
    base = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [all.yaml]\n"
    files = {"base/overlay.yaml": base, "base/all.yaml": RUNTIME + trainer("numNodes: 4"), "prod/overlay.yaml": overlay}
    assert shown(reported(tmp_path, files, "prod")) == [("KTJ505", "value: 4"), ("KTJ506", "value: 1")]
