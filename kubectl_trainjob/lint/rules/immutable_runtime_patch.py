"""
A TrainJob's `runtimePatches` (`podTemplateOverrides` in 2.1, `podSpecOverrides` in 2.0) change only while the job is
suspended, and some of their fields never do: the service account, volumes, containers and the security context. Trainer
refuses all else, so a GitOps tool fails at every sync. Suspend the job first, change the patch, then start it again; or
give the job another name. The rule compares two commits, so it needs `--since`.

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
      runtimePatches:
        - manager: acme.example/placement
          trainingRuntimeSpec:
            template:
              spec:
                replicatedJobs:
                  - name: node
                    template:
                      spec:
                        template:
                          spec:
                            nodeSelector:
                              zone: a
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
      runtimePatches:
        - manager: acme.example/placement
          trainingRuntimeSpec:
            template:
              spec:
                replicatedJobs:
                  - name: node
                    template:
                      spec:
                        template:
                          spec:
                            nodeSelector:
                              zone: b # <- KTJ802
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
      suspend: true
      runtimePatches:
        - manager: acme.example/placement
          trainingRuntimeSpec:
            template:
              spec:
                replicatedJobs:
                  - name: node
                    template:
                      spec:
                        template:
                          spec:
                            nodeSelector:
                              zone: b
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
See: https://github.com/kubeflow/trainer/blob/master/pkg/runtime/framework/plugins/jobset/jobset.go
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

RULE = Rule("KTJ802", "immutable-runtime-patch", __doc__ or "", Severity.ERROR, RuleClass.REJECTED)


def _find(change: LintedChange) -> Iterator[Finding]:
    if role_of(change.identity) is Role.TRAINING_JOB:
        yield from told(change, lambda each: not OVERRIDES.isdisjoint(each.pointer[:2]))


CHECK = ChangeCheck(RULE, _find)
