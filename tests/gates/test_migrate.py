"""What a migration costs, relative to a build of its result."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = [pytest.mark.gate, pytest.mark.slow]

_JOBS = 300
_JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: job-{number}, namespace: team-{team}}}
spec:
  pytorchReplicaSpecs:
    Master: &replicas
      replicas: 1
      template:
        spec:
          containers:
          - name: pytorch
            image: acme/train:1.4
            command: [torchrun, train.py, --seed={number}]
            env: [{{name: RUN, value: r{number}}}]
            resources: {{limits: {{nvidia.com/gpu: 2, memory: 64Gi}}}}
            volumeMounts: [{{name: shm, mountPath: /dev/shm}}]
          volumes: [{{name: shm, emptyDir: {{medium: Memory}}}}]
    Worker: *replicas
"""


def _seconds(directory: Path, *arguments: str) -> float:
    """The CPU time of a command."""
    before = os.times()
    command = [sys.executable, "-m", "kubectl_trainjob", *arguments]
    subprocess.run(command, cwd=directory, check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def test_a_migration_costs_a_small_multiple_of_a_build(tmp_path: Path, note_figure: Callable[[str], None]) -> None:
    (tmp_path / "jobs").mkdir()
    for number in range(_JOBS):
        (tmp_path / "jobs" / f"{number}.yaml").write_text(_JOB.format(number=number, team=number % 5))
    _seconds(tmp_path, "migrate", "jobs", "-O", "new")
    ratios = [_seconds(tmp_path, "migrate", "jobs") / _seconds(tmp_path, "build", "new") for _ in range(3)]
    note_figure(f"migration of {_JOBS} PyTorchJobs / build of the result: {statistics.median(ratios):.2f}")
    assert statistics.median(ratios) <= 3
