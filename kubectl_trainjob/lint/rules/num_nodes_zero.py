"""
A TrainJob with `numNodes: 0` is accepted. The Job gets no Pods, so Kubernetes takes it for complete, and the TrainJob
succeeds within seconds without having trained anything. With MPI the launcher runs all the same, with a hostfile that
names no host; where it is a node itself (`runLauncherAsNode`), it trains with one more node, which KTJ506 tells. To
keep a TrainJob from running, state `suspend: true`. (In a runtime 0 means 1.)

Bad:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: training}
    spec:
      mlPolicy: {numNodes: 1, torch: {}}
      template:
        spec:
          failurePolicy: {maxRestarts: 3}
          replicatedJobs:
          - name: node
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
              spec:
                backoffLimit: 0
                template:
                  spec:
                    restartPolicy: Never
                    containers:
                    - name: node
                      image: acme/train:1.4
                      command: [torchrun, train.py]
                      resources:
                        requests: {cpu: 4, memory: 16Gi}
                        limits: {memory: 16Gi}
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata: {name: mnist}
    spec:
      runtimeRef: {name: training}
      trainer:
        numNodes: 0 # <- KTJ412
Good:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: training}
    spec:
      mlPolicy: {numNodes: 1, torch: {}}
      template:
        spec:
          failurePolicy: {maxRestarts: 3}
          replicatedJobs:
          - name: node
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
              spec:
                backoffLimit: 0
                template:
                  spec:
                    restartPolicy: Never
                    containers:
                    - name: node
                      image: acme/train:1.4
                      command: [torchrun, train.py]
                      resources:
                        requests: {cpu: 4, memory: 16Gi}
                        limits: {memory: 16Gi}
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata: {name: mnist}
    spec:
      runtimeRef: {name: training}
      suspend: true
      trainer:
        numNodes: 1
Versions: 2.0-2.3.
See: https://kubernetes.io/docs/concepts/workloads/controllers/job/#controlling-parallelism
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.hit import Finding
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

RULE = Rule("KTJ412", "num-nodes-zero", __doc__ or "", Severity.ERROR, RuleClass.MISBEHAVES)

_COMPLETES = "gives a training without Pods, which completes at once"
_LAUNCHES = "leaves the hostfile empty, and the launcher runs all the same"


def _find(job: LintedJob) -> Iterator[Finding]:
    mpi = job.policy("mpi")
    if (job.spec.get("trainer") or {}).get("numNodes") != 0 or (mpi or {}).get("runLauncherAsNode"):
        return
    advice = "state 1 or more" if job.spec.get("suspend") else "state 1 or more, or `suspend: true`"
    message = f'numNodes "0" {_COMPLETES if mpi is None else _LAUNCHES}; {advice}'
    yield Finding(message, job.in_train_job("spec", "trainer", "numNodes"))


CHECK = JobCheck(RULE, _find)
