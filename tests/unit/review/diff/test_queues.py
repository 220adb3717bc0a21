"""Where TrainJobs queue."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_trainjob.review.diff.changes import ComparedJob, Group
from kubectl_trainjob.review.diff.totals import group_of
from tests.unit.review.diff.repository import TRAINER, compiled

KUEUE = "kueue.x-k8s.io/queue-name"
VOLCANO = "scheduling.volcano.sh/queue-name"


def job(labels: str = "", template: str = "", gang: str = "", pods: str = "") -> ComparedJob:
    """A TrainJob with labels, and a runtime with metadata of its template and of its Pods, and a podGroupPolicy."""
    text = f"""\
{TRAINER}kind: TrainJob
metadata: {{name: j, namespace: team, labels: {{{labels}}}}}
spec: {{runtimeRef: {{name: r}}}}
---
{TRAINER}kind: ClusterTrainingRuntime
metadata: {{name: r}}
spec:
  {gang}
  template:
    metadata: {{{template}}}
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
          spec:
            template:
              metadata: {{{pods}}}
              spec: {{containers: [{{name: node, image: a}}]}}
"""
    [only] = compiled(text=text).values()
    return only


GANG = "podGroupPolicy: {volcano: {}}"


@pytest.mark.parametrize(
    ("given", "queue"),
    [
        pytest.param({}, "", id="none"),
        pytest.param({"labels": f"{KUEUE}: lq"}, "lq", id="kueue"),
        pytest.param({"labels": f'{KUEUE}: ""'}, "", id="kueue-empty"),
        pytest.param({"template": f"labels: {{{KUEUE}: lq}}"}, "lq", id="kueue-of-the-jobset"),
        pytest.param(
            {"labels": f"{KUEUE}: a", "template": f"labels: {{{KUEUE}: b}}"}, "a", id="kueue-of-the-job-first"
        ),
        pytest.param({"gang": GANG, "template": f"annotations: {{{VOLCANO}: vq}}"}, "vq", id="volcano"),
        pytest.param({"gang": GANG}, "default", id="volcano-by-default"),
        pytest.param({"pods": f"annotations: {{{VOLCANO}: vq}}"}, "vq", id="volcano-of-pods"),
        pytest.param({"gang": "podGroupPolicy: {coscheduling: {}}"}, "", id="coscheduling"),
        pytest.param({"labels": f"{KUEUE}: lq", "gang": GANG}, "lq", id="kueue-first"),
    ],
)
def test_group(given: dict[str, Any], queue: str) -> None:
    assert group_of(job(**given)) == Group("team", queue)


def test_a_job_that_is_not_built() -> None:
    built = job(labels=f"{KUEUE}: lq")
    assert group_of(ComparedJob(built.manifest, None)) == Group("team", "lq")
