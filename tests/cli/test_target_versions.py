"""Targets other than a minor version: patch releases that differ, and the main branches ("next").

Expected results are those of the CRDs (kubeflow/trainer v2.2.0, v2.2.1, v2.3.0 and 8c0f5059) and of
pkg/runtime/framework/plugins/jobset/jobset.go.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_trainjob.cli.app import run

RUNTIME = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: rt}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        replicas: 1
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {containers: [{name: node, image: "a:1"}]}}}
"""
JOB = """
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: j}
spec:
  runtimeRef: {name: rt}
  trainer: {}
"""
JOBSET = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: j}
spec:
  replicatedJobs:
  - name: a
    replicas: -1
    template: {spec: {template: {spec: {containers: [{name: a, image: "a:1"}]}}}}
"""
OPTIMIZATION = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: OptimizationJob
metadata: {name: o}
spec:
  objectives: [{metric: loss}]
  parameters: [{name: lr, searchSpace: {logUniform: {min: "1e-5", max: "1e-2"}}}]
  trainJobTemplate: {spec: {runtimeRef: {name: rt}}}
"""
WORKLOAD = RUNTIME.replace("{containers", "{workloadRef: {name: w, podGroup: g}, containers") + JOB
GROUP = RUNTIME.replace("{containers", "{schedulingGroup: {podGroupName: g}, containers") + JOB
OLD = ("2.0", "2.1", "2.2.0", "2.2", "2.3")


@pytest.mark.parametrize(
    ("text", "accepted", "rejected"),
    [
        pytest.param(WORKLOAD, ("2.2.0", "v2.2.0"), ("2.2", "2.2.1", "2.3", "next"), id="workloadRef"),
        pytest.param(GROUP, ("2.2", "2.2.1", "2.3.0", "next"), ("2.2.0",), id="schedulingGroup"),
        pytest.param(RUNTIME + JOB.replace("{}", "{numNodes: -1}"), OLD, ("next",), id="negative nodes"),
        pytest.param(RUNTIME + JOB.replace("{}", "{numProcPerNode: 0}"), ("2.3",), ("next",), id="no process"),
        pytest.param(RUNTIME.replace("torch: {}", "mpi: {numProcPerNode: 0}"), ("2.3",), ("next",), id="no slot"),
        pytest.param(OPTIMIZATION, ("next",), OLD, id="OptimizationJob"),
        pytest.param(OPTIMIZATION.replace("1e-5", "0"), (), (*OLD, "next"), id="its CEL rule"),
    ],
)
def test_what_builds(text: str, accepted: tuple[str, ...], rejected: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    command = ["build", "--allow-empty", "-f", str(file), "--trainer-version"]
    codes = {version: run("kubectl-trainjob", [*command, version]) for version in (*accepted, *rejected)}
    assert codes == dict.fromkeys(accepted, 0) | dict.fromkeys(rejected, 1)


def test_a_jobset_with_negative_replicas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(JOBSET)
    for version, is_rejected in (("2.3", False), ("next", True)):
        run("kubectl-trainjob", ["lint", "-f", str(file), "--trainer-version", version])
        assert ("replicas must be at least 0, not -1" in capsys.readouterr().out) == is_rejected


def test_a_diff_with_the_main_branch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(RUNTIME + JOB.replace("{}", "{numNodes: -1}"))
    command = ["diff", "--trainer-version", "2.3..next", "-f", str(file)]
    assert run("kubectl-trainjob", command) == 2
    assert "numNodes must be at least 0, not -1" in capsys.readouterr().err
    file.write_text(RUNTIME + JOB)
    assert run("kubectl-trainjob", command) == 0
