"""
Trainer counts the members of a PodGroup by the Pods of one Job of each replicatedJob, and does not multiply by
`replicas`. With more replicas the scheduler takes the gang for complete while Pods are missing: part of a training is
placed and holds its GPUs, and two trainings that fit in part wait for each other. Leave `replicas` at 1 and state the
number of Pods as `parallelism`.

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
          - name: server
            replicas: 3 # <- KTJ604
            template:
              spec:
                template:
                  spec:
                    schedulerName: scheduler-plugins-scheduler
                    containers: [{name: server, image: "acme/server:1.4"}]
          - name: node
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
              spec:
                template:
                  spec:
                    schedulerName: scheduler-plugins-scheduler
                    containers: [{name: node, image: "acme/train:1.4", command: [torchrun, train.py]}]
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata: {name: bert}
    spec:
      runtimeRef: {name: gang}
      trainer: {numNodes: 2}
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
          - name: server
            template:
              spec:
                parallelism: 3
                template:
                  spec:
                    schedulerName: scheduler-plugins-scheduler
                    containers: [{name: server, image: "acme/server:1.4"}]
          - name: node
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
              spec:
                template:
                  spec:
                    schedulerName: scheduler-plugins-scheduler
                    containers: [{name: node, image: "acme/train:1.4", command: [torchrun, train.py]}]
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata: {name: bert}
    spec:
      runtimeRef: {name: gang}
      trainer: {numNodes: 2}
Versions: 2.0-2.3.
See: https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/runtime/framework/plugins/coscheduling/coscheduling.go
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.gangs import pod_groups
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.hit import At, Finding
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

RULE = Rule("KTJ604", "gang-min-member", __doc__ or "", Severity.ERROR, RuleClass.MISBEHAVES)


def _find(job: LintedJob) -> Iterator[Finding]:
    pods = sum(each.pods for each in job.replicated_jobs)
    for nth, group in pod_groups(job):
        wanted = group["spec"]["minMember"]
        if wanted != pods:
            counted = ("is counted here", job.made(("spec", "minMember"), nth=nth))
            at, advice = _cause(job, nth)
            consequence = "is placed before it is complete" if wanted < pods else "is never complete"
            message = f"the PodGroup has minMember {wanted} for {pods} Pods: the gang {consequence}; {advice}"
            yield Finding(message, at, (counted,))
            return


def _cause(job: LintedJob, nth: int) -> tuple[At, str]:
    """The replicas that nobody multiplied by, else (before 2.1) a second step `trainer`; and what to do."""
    for each in job.replicated_jobs:
        if each.body.get("replicas", 1) != 1:
            return job.made((*each.in_job()[:-1], "replicas")), "write replicas: 1, and parallelism for the Pods"
    return job.made(("spec", "minMember"), nth=nth), "let one replicatedJob be the step trainer"


CHECK = JobCheck(RULE, _find)
