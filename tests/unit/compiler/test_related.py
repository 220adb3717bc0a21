"""Problems of a JobSet keep the other places that take part, at the lines of the user's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.source import json_pointer
from kubectl_trainjob.model.stages import BuildOptions
from tests.compiled import build, lint
from tests.reading import read

_SPEC = """
{indent}failurePolicy:
{indent}  rules:
{indent}  - {{name: same, action: FailJobSet}}
{indent}  - {{name: same, action: FailJobSet}}
{indent}replicatedJobs:
{indent}- name: node
{indent}  template:
{indent}    metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
{indent}    spec:
{indent}      template: {{spec: {{containers: [{{name: node, image: example.com/train:1}}]}}}}
"""
_JOBSET = f"""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: train, namespace: team}}
spec: {_SPEC.format(indent="  ")}
"""
_TRAIN_JOB = f"""
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {{name: plain}}
spec:
  template:
    spec: {_SPEC.format(indent="      ")}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: train, namespace: team}}
spec: {{runtimeRef: {{name: plain}}}}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file to write the inputs to."""
    return tmp_path / "input.yaml"


def test_a_jobset_of_the_user(file: Path) -> None:
    file.write_text(_JOBSET)
    [found] = lint(read([str(file)]), BuildOptions()).findings
    assert _pointers(found.diagnostic) == ["/spec/failurePolicy/rules/1/name", "/spec/failurePolicy/rules/0/name"]


def test_a_jobset_of_a_train_job(file: Path) -> None:
    file.write_text(_TRAIN_JOB)
    found = build(read([str(file)]), BuildOptions())
    assert _pointers(*found.diagnostics) == [
        "/spec/template/spec/failurePolicy/rules/1/name",
        "/spec/template/spec/failurePolicy/rules/0/name",
    ]


def _pointers(only: Diagnostic) -> list[str]:
    return [json_pointer(place.pointer) for place in (only.place, *(other.place for other in only.related))]
