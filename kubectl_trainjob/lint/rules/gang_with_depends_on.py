"""
Trainer puts every Pod of a job into one PodGroup, and the scheduler places none of them before all exist. With
dependsOn JobSet creates a replicatedJob only when another one is ready or complete. The two wait for each other for
ever: no Pod is placed, so nothing gets ready, so the rest is never created. The same holds for startupPolicy InOrder.
Prepare the data in a TrainJob of its own or in an init container, or give up the gang.

Bad:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: gang}
    spec:
      mlPolicy: {numNodes: 2, torch: {}}
      podGroupPolicy: {coscheduling: {scheduleTimeoutSeconds: 300}}
      template:
        spec:
          replicatedJobs:
          - name: prepare
            template:
              spec:
                template:
                  spec:
                    schedulerName: scheduler-plugins-scheduler
                    containers: [{name: prepare, image: "acme/prepare:1.4"}]
          - name: node
            dependsOn: [{name: prepare, status: Complete}] # <- KTJ601
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
Versions: 2.0-2.3.
See: https://github.com/kubernetes-sigs/jobset/pull/1253
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.gangs import in_order, kinds_of_gang
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.hit import Finding
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

RULE = Rule("KTJ601", "gang-with-depends-on", __doc__ or "", Severity.ERROR, RuleClass.MISBEHAVES)
_ADVICE = "remove it, or podGroupPolicy"


def _find(runtime: LintedRuntime) -> Iterator[Finding]:
    if not kinds_of_gang(runtime.spec):
        return
    jobs = runtime.replicated_jobs
    related = (("puts all Pods into one PodGroup", runtime.place("spec", "podGroupPolicy").key()),)
    for index, body in enumerate(jobs):
        if body.get("dependsOn"):
            awaited = f'"{body["dependsOn"][0]["name"]}"'
            message = (
                f'"{body["name"]}" is created after {awaited}, whose Pods are not placed before those of '
                f'"{body["name"]}" exist: the gang never starts; {_ADVICE}'
            )
            place = runtime.place("spec", "template", "spec", "replicatedJobs", index, "dependsOn")
            yield Finding(message, place.key(), related)
    if len(jobs) > 1 and in_order(runtime):
        message = (
            f'"{jobs[1]["name"]}" is created after "{jobs[0]["name"]}", whose Pods are not placed before all exist: '
            f"the gang never starts; {_ADVICE}"
        )
        place = runtime.place("spec", "template", "spec", "startupPolicy", "startupPolicyOrder")
        yield Finding(message, place, related)


CHECK = RuntimeCheck(RULE, _find)
