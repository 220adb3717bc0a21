"""
Where JobSets are applied themselves, a change of a TrainJob or its runtime is an update of a live JobSet, of which very
little may change: while it is suspended, labels, annotations, node selectors, tolerations and scheduling gates of its
Pods; else nothing but its TTL and its suspension. Another image, command or number of nodes is refused in every state.
Give the job another name (an overlay's `nameHash` does that by itself), or delete the old one first. The rule compares
two commits, so it needs `--since`.

Before:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata:
      name: mnist
    spec:
      runtimeRef:
        name: plain
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata:
      name: plain
    spec:
      mlPolicy:
        numNodes: 1
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
                      containers:
                        - name: node
                          image: python:3.13-slim
Bad:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata:
      name: mnist
    spec:
      runtimeRef:
        name: plain
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata:
      name: plain
    spec:
      mlPolicy:
        numNodes: 1
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
                      containers:
                        - name: node
                          image: python:3.14-slim # <- KTJ803
Good:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata:
      name: mnist-2
    spec:
      runtimeRef:
        name: plain
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata:
      name: plain
    spec:
      mlPolicy:
        numNodes: 1
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
                      containers:
                        - name: node
                          image: python:3.14-slim
Versions: 2.0-2.3.
See: https://github.com/kubeflow/trainer/issues/3008
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.jobset import KIND
from kubectl_trainjob.lint.check import ChangeCheck
from kubectl_trainjob.lint.refusals import told
from kubectl_trainjob.lint.views import LintedChange
from kubectl_trainjob.model.hit import Finding
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

RULE = Rule("KTJ803", "immutable-jobset-field", __doc__ or "", Severity.ERROR, RuleClass.REJECTED)


def _find(change: LintedChange) -> Iterator[Finding]:
    if change.identity.kind == KIND:
        yield from told(change)


CHECK = ChangeCheck(RULE, _find)
