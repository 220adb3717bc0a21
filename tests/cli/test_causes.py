"""The lines that explain, diff --why and the notes of build name: those that a user edits, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_diff import JOB, RUNTIME, Repository, empty_repository

TEMPLATE = JOB.replace("NAME", "t").replace("numNodes: 2", "numNodes: {{ values.count }}")
OVERLAY = (
    "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [../jobs/t.yaml.j2]\nvalues: {count: 3}\n"
)
BERT = JOB.replace("NAME", "bert").replace("numNodes: 2", "numNodes: 5")
SET_BY_JOB = "    command: [torchrun]\n    resourcesPerNode: {requests: {cpu: 2}}\n"


@pytest.fixture(name="repository")
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repository:
    return empty_repository(tmp_path, monkeypatch, capsys)


def test_a_count_names_what_it_overrides(repository: Repository) -> None:
    repository.write({"jobs/bert.yaml": BERT, "runtimes/torch.yaml": RUNTIME})
    _, out, _ = repository.call("explain", "JobSet/bert", "spec.replicatedJobs[node].template.spec.parallelism")
    assert [line.split() for line in out.splitlines() if "numNodes" in line] == [
        ["spec.trainer.numNodes", "of", "TrainJob/bert:", "5", "jobs/bert.yaml:10:15"],
        ["spec.mlPolicy.numNodes", "of", "ClusterTrainingRuntime/torch:", "2", "runtimes/torch.yaml:7:15"],
    ]


def test_a_value_that_the_job_no_longer_sets_names_the_job(repository: Repository) -> None:
    repository.commit({"jobs/bert.yaml": BERT + SET_BY_JOB, "runtimes/torch.yaml": RUNTIME})
    repository.write({"jobs/bert.yaml": BERT})
    _, out, _ = repository.call("diff", "HEAD", "--why")
    lines = {line.split(":")[0].rpartition(".")[2]: line for line in out.splitlines() if "not set" in line}
    assert lines["requests"].endswith("(jobs/bert.yaml:12)")
    assert lines["command"].endswith("(jobs/bert.yaml:11)")


def test_a_template_of_a_built_overlay_is_not_skipped(repository: Repository) -> None:
    files = {
        "jobs/t.yaml.j2": TEMPLATE,
        "jobs/bert.yaml": BERT,
        "o/overlay.yaml": OVERLAY,
        "runtimes/torch.yaml": RUNTIME,
    }
    repository.write(files)
    assert "t.yaml.j2" in repository.call("build", "jobs")[2]
    assert repository.call("build", "o", "jobs")[2] == ""
