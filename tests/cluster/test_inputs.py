"""The edited inputs differ from the recorded ones in names and namespaces only."""

from __future__ import annotations

import pytest
import yaml

from tests.cluster.inputs import jobs_of
from tests.conformance.cases import Case

_RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: NAME # shared
spec: {template: {spec: {replicatedJobs: []}}}
"""
_JOB = """\
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: JOB, namespace: team}
spec:
  runtimeRef: {name: NAME}
"""


def _case(name: str, *jobs: str) -> Case:
    return Case("g", "n", (_RUNTIME + "".join(_JOB.replace("JOB", job) for job in jobs)).replace("NAME", name), {})


def test_names_and_namespaces_get_a_suffix() -> None:
    (job,) = jobs_of(_case("rt", "j"), "x", suspend=True)
    runtime, trainjob = yaml.safe_load_all(job.text)
    assert runtime["metadata"] == {"name": "rt-x"}
    assert trainjob["metadata"] == {"name": "j", "namespace": "team-x"}
    assert trainjob["spec"] == {"suspend": True, "runtimeRef": {"name": "rt-x"}}
    assert (job.name, job.target, job.namespace) == ("j", "team-x", "default-x")
    assert "# shared" in job.text


def test_only_the_stated_suspend_counts_by_default() -> None:
    (job,) = jobs_of(_case("rt", "j"), "x", suspend=False)
    assert "suspend" not in job.text


def test_a_runtime_whose_name_has_a_meaning_moves_to_a_namespace() -> None:
    (job,) = jobs_of(_case("torchtune-llama3.2-1b", "j"), "x", suspend=False)
    runtime, trainjob = yaml.safe_load_all(job.text)
    assert runtime["kind"] == "TrainingRuntime"
    assert runtime["metadata"] == {"name": "torchtune-llama3.2-1b", "namespace": "team-x"}
    assert trainjob["spec"]["runtimeRef"] == {"kind": "TrainingRuntime", "name": "torchtune-llama3.2-1b"}


def test_each_trainjob_is_taken_alone_with_all_runtimes() -> None:
    one, two = jobs_of(_case("rt", "one", "two"), "x", suspend=False)
    assert [d.name for d in one.documents] == ["rt-x", "one"]
    assert [d.name for d in two.documents] == ["rt-x", "two"]


@pytest.mark.parametrize(
    ("specified", "suspended"),
    [
        pytest.param("suspend: false", False, id="stated"),
        pytest.param("suspend: false, activeDeadlineSeconds: 60", True, id="stated-with-deadline"),
        pytest.param("labels: {}", True, id="unstated"),
    ],
)
def test_a_stated_suspend_stays_unless_a_deadline_runs(specified: str, suspended: bool) -> None:
    case = _case("rt", "j")
    text = case.input.replace("spec:\n  runtimeRef: {name: rt}", f"spec: {{runtimeRef: {{name: rt}}, {specified}}}")
    (job,) = jobs_of(Case("g", "n", text, {}), "x", suspend=True)
    assert yaml.safe_load(job.documents[1].text)["spec"]["suspend"] is suspended


def test_what_is_no_name_stays() -> None:
    (job,) = jobs_of(_case("Rt-", "j"), "x", suspend=False)
    assert [one["metadata"]["name"] for one in yaml.safe_load_all(job.text)] == ["Rt-", "j"]


def test_what_nobody_can_read_is_taken_whole() -> None:
    (job,) = jobs_of(Case("g", "n", "kind: [TrainJob\n", {}), "x", suspend=True)
    assert job.document is None
    assert job.text == "kind: [TrainJob\n"
