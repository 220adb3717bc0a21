"""
A runtime's podGroupPolicy is meant to name one gang scheduler, but nothing refuses two. Trainer then makes two
PodGroups of the same name, one for the scheduler-plugins and one for Volcano, and marks every Pod for both. A Pod has
only one scheduler, so one of the groups never gets a member, and holds its place in a queue. Keep the policy of the
scheduler that schedulerName names.

Bad:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: gang}
    spec:
      mlPolicy: {numNodes: 2, torch: {}}
      podGroupPolicy: # <- KTJ602
        coscheduling: {scheduleTimeoutSeconds: 300}
        volcano: {}
      template:
        spec:
          replicatedJobs:
          - name: node
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
              spec:
                template:
                  spec:
                    schedulerName: scheduler-plugins-scheduler
                    containers: [{name: node, image: "acme/train:1.4", command: [torchrun, train.py]}]
Good:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: gang}
    spec:
      mlPolicy: {numNodes: 2, torch: {}}
      podGroupPolicy: {coscheduling: {scheduleTimeoutSeconds: 300}}
      template:
        spec:
          replicatedJobs:
          - name: node
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
              spec:
                template:
                  spec:
                    schedulerName: scheduler-plugins-scheduler
                    containers: [{name: node, image: "acme/train:1.4", command: [torchrun, train.py]}]
Versions: 2.1-2.3.
See: https://github.com/kubeflow/trainer/issues/4060
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.gangs import kinds_of_gang
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.hit import Finding
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

RULE = Rule("KTJ602", "gang-two-policies", __doc__ or "", Severity.ERROR, RuleClass.MISBEHAVES)


def _find(runtime: LintedRuntime) -> Iterator[Finding]:
    kinds = kinds_of_gang(runtime.spec)
    if len(kinds) > 1:
        message = f"{' and '.join(kinds)} both make a PodGroup, and a Pod has one scheduler; keep one of them"
        yield Finding(message, runtime.place("spec", "podGroupPolicy").key())


CHECK = RuntimeCheck(RULE, _find)
