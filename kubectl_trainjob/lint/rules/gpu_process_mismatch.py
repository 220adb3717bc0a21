"""
Each process of a training works on one GPU. Where fewer processes are started than a Pod holds GPUs, the others are
paid for and idle; where more are, several share one and run out of its memory. Trainer counts the GPUs itself, but
where a TrainJob states `resourcesPerNode` it counts in these alone, although they are merged with the runtime's: a
TrainJob that states only CPUs gets one process for each CPU beside the runtime's GPUs. A stated `numProcPerNode` always
wins, and a flag in the command wins over all.

Bad:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata:
      name: torch-gpu
    spec:
      mlPolicy:
        numNodes: 1
        torch: {}
      template:
        spec:
          failurePolicy:
            maxRestarts: 3
          replicatedJobs:
            - name: node
              template:
                metadata:
                  labels:
                    trainer.kubeflow.org/trainjob-ancestor-step: trainer
                spec:
                  backoffLimit: 0
                  template:
                    spec:
                      restartPolicy: Never
                      containers:
                        - name: node
                          image: pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime
                          command: [torchrun, train.py]
                          resources:
                            requests: {cpu: 32, memory: 200Gi, nvidia.com/gpu: 8}
                            limits: {memory: 200Gi, nvidia.com/gpu: 8}
                          volumeMounts:
                            - name: shared-memory
                              mountPath: /dev/shm
                      volumes:
                        - name: shared-memory
                          emptyDir:
                            medium: Memory
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata:
      name: mnist
    spec:
      runtimeRef:
        name: torch-gpu
      trainer:
        numProcPerNode: 4 # <- KTJ305
Good:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata:
      name: torch-gpu
    spec:
      mlPolicy:
        numNodes: 1
        torch: {}
      template:
        spec:
          failurePolicy:
            maxRestarts: 3
          replicatedJobs:
            - name: node
              template:
                metadata:
                  labels:
                    trainer.kubeflow.org/trainjob-ancestor-step: trainer
                spec:
                  backoffLimit: 0
                  template:
                    spec:
                      restartPolicy: Never
                      containers:
                        - name: node
                          image: pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime
                          command: [torchrun, train.py]
                          resources:
                            requests: {cpu: 32, memory: 200Gi, nvidia.com/gpu: 8}
                            limits: {memory: 200Gi, nvidia.com/gpu: 8}
                          volumeMounts:
                            - name: shared-memory
                              mountPath: /dev/shm
                      volumes:
                        - name: shared-memory
                          emptyDir:
                            medium: Memory
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata:
      name: mnist
    spec:
      runtimeRef:
        name: torch-gpu
      trainer:
        numProcPerNode: 8
Versions: 2.0-2.3.
See: https://github.com/kubeflow/trainer/issues/3974
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.devices import devices
from kubectl_trainjob.kube.facts.node_counts import Amount
from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.launches import Started, started
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.hit import Change, Finding, Remedy
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

RULE = Rule("KTJ305", "gpu-process-mismatch", __doc__ or "", Severity.WARNING, RuleClass.MISBEHAVES)


def _find(job: LintedJob) -> Iterator[Finding]:
    for each in started(job):
        held = devices(each.node.resources)
        if held is not None and isinstance(each.each, int) and each.each != held.pieces:
            asked = job.made((*each.node.pointer, "resources", held.field, held.name))
            related = (("the GPUs are asked for here", asked),)
            yield Finding(_message(job, each, held), each.at, related, _remedy(job, each, held))
            return


def _message(job: LintedJob, each: Started, held: Amount) -> str:
    advice = f"state numProcPerNode {held.pieces}, or as many GPUs"
    if each.is_flag:
        advice = "make the two agree"
    elif job.policy("xgboost") is not None:
        advice = "state the GPUs in resourcesPerNode, or as many as workers"
    return f'each Pod holds "{held}", but the number of its processes is "{each.each}" ({each.setting}); {advice}'


def _remedy(job: LintedJob, each: Started, held: Amount) -> Remedy | None:
    """The number, where it is sure to be read: Trainer 2.0 may pass over it, XGBoost never reads it."""
    is_read = job.spec.get("trainer") is not None and job.policy("xgboost") is None and job.trainer != "2.0"
    if each.is_flag or not is_read:
        return None
    change = Change(job.in_train_job("spec", "trainer", "numProcPerNode"), held.pieces)
    return Remedy(f"start {held.pieces} processes in each Pod, one a GPU", (change,), is_safe=False)


CHECK = JobCheck(RULE, _find)
