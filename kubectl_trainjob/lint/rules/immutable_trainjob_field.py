"""
Most of a TrainJob cannot change once it exists: the API server refuses another `runtimeRef`, `initializer`, `trainer`,
`activeDeadlineSeconds` or `managedBy`, whether the job runs, is suspended or has ended. A GitOps tool then fails at
every sync. Training something else is another job: give it another name (an overlay's `nameHash` does that by itself),
or delete the old one first. The rule compares two commits, so it needs `--since`.

Settings:
    emit: trainjob
Before:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata:
      name: mnist
    spec:
      runtimeRef:
        name: plain
      trainer:
        numNodes: 2
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
      trainer:
        numNodes: 4 # <- KTJ801
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
Good:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata:
      name: mnist
    spec:
      runtimeRef:
        name: plain
      trainer:
        numNodes: 2
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata:
      name: mnist-large
    spec:
      runtimeRef:
        name: plain
      trainer:
        numNodes: 4
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
Versions: 2.0-2.3.
See: https://github.com/kubeflow/trainer/blob/master/pkg/apis/trainer/v1alpha1/trainjob_types.go
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.kinds import Role, role_of
from kubectl_trainjob.kube.facts.trainer import OVERRIDES
from kubectl_trainjob.lint.check import ChangeCheck
from kubectl_trainjob.lint.refusals import told
from kubectl_trainjob.lint.views import LintedChange
from kubectl_trainjob.model.hit import Finding
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

RULE = Rule("KTJ801", "immutable-trainjob-field", __doc__ or "", Severity.ERROR, RuleClass.REJECTED)


def _find(change: LintedChange) -> Iterator[Finding]:
    if role_of(change.identity) is Role.TRAINING_JOB:
        yield from told(change, lambda each: OVERRIDES.isdisjoint(each.pointer[:2]))


CHECK = ChangeCheck(RULE, _find)
