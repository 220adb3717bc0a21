"""
For a TrainJob with a queue label Kueue owns `suspend`: it sets it when the job is created, takes it away when there
is quota, and sets it again to make room. A value in Git makes whoever applies the file, Argo CD, Flux or a second
kubectl apply, set it back each time: `false` starts the training past its queue, `true` stops one that runs. Leave
the field out; `false` is what it is by default.

Bad:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: torch}
    spec:
      mlPolicy: {numNodes: 2, torch: {}}
      template:
        spec:
          replicatedJobs:
          - name: node
            template:
              metadata:
                labels:
                  trainer.kubeflow.org/trainjob-ancestor-step: trainer
              spec:
                template:
                  spec:
                    containers: [{name: node, image: "acme/train:1.4", command: [torchrun, train.py]}]
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata: {name: bert, labels: {kueue.x-k8s.io/queue-name: research}}
    spec:
      runtimeRef: {name: torch}
      suspend: false # <- KTJ613
      trainer: {numNodes: 2}
Good:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: torch}
    spec:
      mlPolicy: {numNodes: 2, torch: {}}
      template:
        spec:
          replicatedJobs:
          - name: node
            template:
              metadata:
                labels:
                  trainer.kubeflow.org/trainjob-ancestor-step: trainer
              spec:
                template:
                  spec:
                    containers: [{name: node, image: "acme/train:1.4", command: [torchrun, train.py]}]
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata: {name: bert, labels: {kueue.x-k8s.io/queue-name: research}}
    spec:
      runtimeRef: {name: torch}
      trainer: {numNodes: 2}
Versions: 2.0-2.3.
See: https://kueue.sigs.k8s.io/docs/tasks/run/trainjobs/
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.queues import kueue_queue
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.hit import Change, Finding, Remedy
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

RULE = Rule("KTJ613", "kueue-suspend-in-git", __doc__ or "", Severity.WARNING, RuleClass.MISBEHAVES)
_CONSEQUENCE = {False: "start it past the queue", True: "stop it when it runs"}


def _find(job: LintedJob) -> Iterator[Finding]:
    # As written: the schema's default stands in every admitted body.
    stated = job.resolved.job.manifest.body["spec"].get("suspend")
    queue = kueue_queue(job) if stated is not None else None
    if queue is not None:
        shown = str(stated).lower()
        message = f'Kueue starts and stops this job for queue "{queue.name}", and suspend: {shown} here would '
        place = job.in_train_job("spec", "suspend")
        # Without `true` nothing is left that could be meant to keep the job from starting.
        remedy = Remedy(f"leave suspend: {shown} out", (Change(place),), is_safe=not stated)
        yield Finding(f"{message}{_CONSEQUENCE[bool(stated)]} at each apply; leave it out", place, remedy=remedy)


CHECK = JobCheck(RULE, _find)
