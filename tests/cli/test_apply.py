"""`apply` with files that have errors: the exit code, the line, and one document on stdout; no request is sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_trainjob.cli.app import run
from tests.cli.test_without_cluster import KUBECONFIG

RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: plain}
spec:
  template:
    spec:
      replicatedJobs:
      - name: node
        template: {spec: {template: {spec: {containers: [{name: node, image: a}]}}}}
---
"""
JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: a
  annotations:
    kubectl-trainjob.dev/recreate: never
spec: {runtimeRef: {name: plain, kind: TrainingRuntime}}
"""
JOBSET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: a
  annotations:
    kubectl-trainjob.dev/recreate: Always
spec:
  replicatedJobs:
  - name: node
    template: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: node, image: a}]}}}}
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory, and a kubeconfig of a server that does not exist."""
    pytest.importorskip("kubernetes")
    (tmp_path / "config").write_text(KUBECONFIG.replace("PORT", "1"))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "all.yaml"


def _apply(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[Any, str]:
    assert run("kubectl-trainjob", ["apply", "all.yaml", *arguments]) == 1
    captured = capsys.readouterr()
    return captured.out, captured.err


@pytest.mark.parametrize(("text", "line"), [(RUNTIME + JOB.replace("never", "alway"), 16), (JOBSET, 6)])
def test_a_misspelt_policy_is_an_error_at_its_line(
    files: Path, capsys: pytest.CaptureFixture[str], text: str, line: int
) -> None:
    files.write_text(text)
    out, err = _apply(capsys)
    assert out == ""
    assert f"all.yaml:{line}:" in err
    assert "never, when-terminal, when-suspended, always" in err
    document = json.loads(_apply(capsys, "-o", "json")[0])
    (found,) = document["findings"]
    assert (document["kind"], document["objects"], found["file"], found["line"]) == (
        "ApplyResult",
        [],
        "all.yaml",
        line,
    )
    assert found["message"] in err


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (RUNTIME + JOB.replace("spec:", "spec: {numNodes: 2}\nspecs:"), (), "numNodes"),
        (RUNTIME, (), "nothing to apply"),
        (RUNTIME + JOB, ("-l", "team=a"), "nothing to apply"),
        (RUNTIME + JOB, ("--rerun", "b", "--rerun", "c"), 'no job "b"'),
    ],
)
def test_an_error_is_in_the_document(
    files: Path, capsys: pytest.CaptureFixture[str], text: str, arguments: tuple[str, ...], message: str
) -> None:
    files.write_text(text)
    for form, read in (("json", json.loads), ("yaml", yaml.safe_load)):
        out, err = _apply(capsys, *arguments, "-o", form)
        document = read(out)
        assert (document["apiVersion"], document["kind"]) == ("kubectl-trainjob.dev/v1alpha1", "ApplyResult")
        assert message in " ".join(each["message"] for each in document["findings"])
        assert message in err
    assert _apply(capsys, *arguments, "-o", "name")[0] == ""


def test_a_misspelt_policy_of_the_command_line(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files.write_text(RUNTIME + JOB)
    assert run("kubectl-trainjob", ["apply", "all.yaml", "--recreate", "alway"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    for policy in ("never", "when-terminal", "when-suspended", "always"):
        assert policy in captured.err.splitlines()[-1]
