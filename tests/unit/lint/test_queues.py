"""The rules of Kueue: what they find, where, and what they leave alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.lint.reported import mended, reported, shown

KEY = "kueue.x-k8s.io/queue-name"
STEP = "trainer.kubeflow.org/trainjob-ancestor-step: trainer"


def text(*, on: str = "", job: str = "", spec: str = "", marks: str = f"{KEY}: research # here") -> str:
    """A runtime that has the label `on` one of its metadata, and a TrainJob with more metadata and spec."""
    here = {each: f"\n{indent}{marks}" for each, indent in _INDENTS.items() if each == on}
    return f"""\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: plain
  labels:
    team: speech{here.get("runtime", "")}
spec:
  mlPolicy: {{numNodes: 1, torch: {{}}}}
  template:
    metadata:
      labels:
        team: speech{here.get("jobset", "")}
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata:
            labels:
              {STEP}{here.get("job", "")}
          spec:
            template:
              metadata:
                labels:
                  team: speech{here.get("pod", "")}
              spec:
                containers: [{{name: node, image: "acme/train:1.4", command: [torchrun, train.py]}}]
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: bert
{job}spec:
{spec}  runtimeRef: {{name: plain}}
  trainer: {{numNodes: 1}}
"""


_INDENTS = {"runtime": "    ", "jobset": "        ", "job": "              ", "pod": "                  "}
LABEL = f"  labels:\n    {KEY}: research\n"
HERE = [("KTJ612", f"{KEY}: research # here")]


@pytest.mark.parametrize("emit", ["jobset", "trainjob"])
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(text(), [], id="no-queue"),
        pytest.param(text(job=LABEL), [], id="on-the-job"),
        pytest.param(text(on="runtime"), HERE, id="runtime"),
        pytest.param(text(on="job"), HERE, id="job-template"),
        pytest.param(text(on="pod"), HERE, id="pod-template"),
        pytest.param(text(on="pod", job=LABEL), [], id="and-on-the-job"),
        pytest.param(
            text(on="pod", marks=f"{KEY}: a\n                  kueue.x-k8s.io/pod-group-name: b"),
            [],
            id="group-of-pods",
        ),
        pytest.param(
            text(job=LABEL.replace("labels", "annotations")), [("KTJ612", f"{KEY}: research")], id="annotation"
        ),
        pytest.param(text(job=LABEL.replace("research", "My_Queue")), [("KTJ612", f"{KEY}: My_Queue")], id="invalid"),
        pytest.param(text(job=LABEL.replace("research", '""')), [("KTJ612", f'{KEY}: ""')], id="empty"),
        pytest.param(text(job=LABEL.replace("research", "team.research")), [], id="subdomain"),
        # KTJ613
        pytest.param(text(job=LABEL, spec="  suspend: false\n"), [("KTJ613", "suspend: false")], id="suspend-false"),
        pytest.param(text(job=LABEL, spec="  suspend: true\n"), [("KTJ613", "suspend: true")], id="suspend-true"),
        pytest.param(text(spec="  suspend: true\n"), [], id="suspend-without-a-queue"),
    ],
)
def test_what_is_found(given: str, emit: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    assert shown(reported(tmp_path, given, emit=emit)) == expected


def test_the_label_of_the_jobset_counts_where_jobsets_are_applied(tmp_path: Path) -> None:
    """It stands in the runtime then; a TrainJob in the cluster would be managed without it."""
    given = text(on="jobset", spec="  suspend: false\n")
    assert shown(reported(tmp_path / "jobset", given, emit="jobset")) == [("KTJ613", "suspend: false")]
    assert shown(reported(tmp_path / "trainjob", given, emit="trainjob")) == HERE
    invalid = text(on="jobset", marks=f"{KEY}: A_B # here")
    assert shown(reported(tmp_path / "invalid", invalid, emit="jobset")) == [("KTJ612", f"{KEY}: A_B # here")]


def test_a_label_that_the_job_patches_in_is_reported_at_the_patch(tmp_path: Path) -> None:
    patch = f"""\
  runtimePatches:
  - manager: acme.io/platform
    trainingRuntimeSpec:
      template:
        spec:
          replicatedJobs:
          - name: node
            template:
              spec:
                template:
                  metadata:
                    labels:
                      {KEY}: research # here
"""
    assert shown(reported(tmp_path, text(spec=patch))) == HERE


def test_a_runtime_is_reported_once_for_all_its_jobs(tmp_path: Path) -> None:
    runtime, _, job = text(on="job").partition("---\n")
    jobs = "".join(f"---\n{job.replace('bert', name)}" for name in ("one", "two", "three"))
    assert shown(reported(tmp_path, runtime + jobs)) == HERE


def test_suspend_in_an_overlay_is_reported_at_its_patch(tmp_path: Path) -> None:
    overlay = """\
resources: [../base]
patches:
- target: {kind: TrainJob}
  patch: |
    spec:
      suspend: true
"""
    files = {
        "base/all.yaml": text(job=LABEL),
        "base/overlay.yaml": "resources: [all.yaml]\n",
        "prod/overlay.yaml": overlay,
    }
    assert shown(reported(tmp_path, files, "prod")) == [("KTJ613", "suspend: true")]


@pytest.mark.parametrize(
    ("given", "is_safe"),
    [
        pytest.param(text(job=LABEL, spec="  suspend: false\n"), True, id="false-is-what-it-is-without"),
        pytest.param(text(job=LABEL, spec="  suspend: true\n"), False, id="true-may-be-meant"),
        pytest.param(text(job=LABEL.replace("labels", "annotations")), False, id="annotation"),
        pytest.param(
            text(job=f"  labels: {{team: speech}}\n{LABEL.replace('labels', 'annotations')}"), False, id="beside-labels"
        ),
    ],
)
def test_a_fix_is_what_the_rule_asks_for(given: str, is_safe: bool, tmp_path: Path) -> None:
    (found,) = reported(tmp_path / "before", given)
    fix = found.finding.fix
    assert fix is not None
    assert fix.is_safe is is_safe
    after = mended(given, fix)
    assert reported(tmp_path / "after", after) == []
    assert after.count(f"{KEY}: research") == 1
