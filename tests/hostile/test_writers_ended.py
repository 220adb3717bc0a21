"""Each command that writes, on a full disk and ended by a signal: old files stay whole, and no half file is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

_JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: j
  annotations:
    kueue.x-k8s.io/queue-name: a
spec: {runtimeRef: {name: plain}}
"""
_RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: plain}
spec: {template: {spec: {replicatedJobs: [{name: node, template: {
  metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}},
  spec: {template: {spec: {containers: [{name: node, image: "a:1"}]}}}}}]}}}
"""
_OLD_JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: p}
spec: {pytorchReplicaSpecs: {Worker: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: 'a:1'}]}}}}}
"""
_WRITERS = {
    "a report": ("lint", "-o", "json=report"),
    "a baseline": ("lint", "--write-baseline", "report"),
    "fixes": ("lint", "--fix", "--unsafe-fixes"),
    "built files": ("build", "j.yaml", "r.yaml", "-O", "out"),
    "new files": ("init", "new"),
    "migrated files": ("migrate", "old", "--write", "--force"),
    "migrated files elsewhere": ("migrate", "old", "-O", "out"),
    "a schema": ("schema", "TrainJob", "-o", "json=report"),
}
# The signal comes while a file is written.
_ENDED = """
import os, signal, sys
from kubectl_trainjob.cli.app import run
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job of a shell ignores it
write = os.fsync
os.fsync = lambda handle: (os.kill(os.getpid(), int(sys.argv[1])), write(handle))
sys.exit(run("kubectl-trainjob", sys.argv[2:]))
"""
_LIMITED = """
import resource, sys
from kubectl_trainjob.cli.app import run
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
sys.exit(run("kubectl-trainjob", sys.argv[2:]))
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    texts = {
        "trainjob.yaml": "",
        "j.yaml": _JOB,
        "r.yaml": _RUNTIME,
        "old/p.yaml": _OLD_JOB,
        "report": "the old text\n",
    }
    texts["trainjob.yaml"] = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n"
    (tmp_path / "old").mkdir()
    for path, text in texts.items():
        (tmp_path / path).write_text(text)
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    """All files with their bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run(repository: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", "-c", program, *arguments]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(command, check=False, cwd=repository, capture_output=True, text=True, timeout=60, env=env)


@pytest.mark.parametrize("writer", _WRITERS)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=lambda each: each.name)
def test_a_signal_leaves_no_half_file(repository: Path, writer: str, number: signal.Signals) -> None:
    before = files(repository)
    ran = run(repository, _ENDED, str(int(number)), *_WRITERS[writer])
    assert (ran.returncode, "Traceback" in ran.stderr) == (128 + number, False), ran.stderr
    assert files(repository) == before


@pytest.mark.parametrize("writer", _WRITERS)
def test_a_full_disk_leaves_the_old_files(repository: Path, writer: str) -> None:
    before = files(repository)
    ran = run(repository, _LIMITED, "20", *_WRITERS[writer])
    errors = [line for line in ran.stderr.splitlines() if line.startswith("error: ")]
    assert (ran.returncode, len(errors), "Traceback" in ran.stderr) == (2, 1, False), ran.stderr
    assert files(repository) == before
