"""
Only Pods of an Indexed Job have a rank and a host name that others can know. The Pods of a NonIndexed one have random
names and no completion index: PET_NODE_RANK, JAX_PROCESS_ID and DMLC_TASK_ID are empty, and no Pod is found at the
address where the processes meet, nor at those of MPI's hostfile. JobSet's default is Indexed.

Bad:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: training}
    spec:
      mlPolicy: {numNodes: 2, torch: {}}
      template:
        spec:
          failurePolicy: {maxRestarts: 3}
          replicatedJobs:
          - name: node
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
              spec:
                backoffLimit: 0
                completionMode: NonIndexed # <- KTJ413
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
Good:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: training}
    spec:
      mlPolicy: {numNodes: 2, torch: {}}
      template:
        spec:
          failurePolicy: {maxRestarts: 3}
          replicatedJobs:
          - name: node
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
              spec:
                backoffLimit: 0
                completionMode: Indexed
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
Versions: 2.0-2.3.
See: https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import LAUNCHER, NODE
from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.launches import meeting_variable, trainer_of
from kubectl_trainjob.lint.views import LintedRuntime, Replicated
from kubectl_trainjob.model.hit import Change, Finding, Remedy
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

RULE = Rule("KTJ413", "non-indexed-completion", __doc__ or "", Severity.ERROR, RuleClass.MISBEHAVES)


def _find(runtime: LintedRuntime) -> Iterator[Finding]:
    for role in _known_by_index(runtime):
        if role.job.get("completionMode") == "NonIndexed":
            place = runtime.in_template(role.in_job("spec", "completionMode"))
            message = (
                f'Pods of "{role.name}" get no rank and no host name that others know, as completionMode is '
                '"NonIndexed"; write Indexed'
            )
            yield Finding(message, place, remedy=Remedy("write `Indexed`", (Change(place, "Indexed"),)))


def _known_by_index(runtime: LintedRuntime) -> Iterator[Replicated]:
    """The replicatedJobs whose Pods are called by name or have a rank."""
    trainer = trainer_of(runtime)
    if meeting_variable(runtime) is not None and trainer is not None:
        yield trainer
    named = {NODE} if runtime.policy("mpi") is not None or runtime.policy("flux") is not None else set()
    if (runtime.policy("mpi") or {}).get("runLauncherAsNode"):
        named.add(LAUNCHER)
    for position, body in enumerate(runtime.replicated_jobs):
        if body["name"] in named:
            yield Replicated(position, body)


CHECK = RuntimeCheck(RULE, _find)
