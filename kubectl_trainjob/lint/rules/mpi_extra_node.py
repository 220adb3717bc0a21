"""
With `runLauncherAsNode` the launcher takes part in the training. Of the nodes that a TrainJob asks for Trainer takes
one off for it, but keeps one Pod of `node` in any case. So a TrainJob with one node trains on two, and takes twice
the GPUs. The same happens where the number of nodes stands in the runtime only: nothing is taken off then.

Bad:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: mpi}
    spec:
      mlPolicy: {numNodes: 1, mpi: {mpiImplementation: OpenMPI, runLauncherAsNode: true}}
      template:
        spec:
          successPolicy: {operator: All, targetReplicatedJobs: [launcher]}
          replicatedJobs:
          - name: node
            template:
              spec:
                template:
                  spec:
                    containers:
                    - name: node
                      image: acme/mpi:1.4
                      command: [/usr/sbin/sshd, -De]
                      readinessProbe: {tcpSocket: {port: 22}}
          - name: launcher
            dependsOn: [{name: node, status: Ready}]
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
              spec:
                template:
                  spec:
                    containers: [{name: node, image: "acme/mpi:1.4", command: [mpirun, python, train.py]}]
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata: {name: bert}
    spec:
      runtimeRef: {name: mpi}
      trainer:
        numNodes: 1 # <- KTJ506
Good:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: mpi}
    spec:
      mlPolicy: {numNodes: 1, mpi: {mpiImplementation: OpenMPI, runLauncherAsNode: true}}
      template:
        spec:
          successPolicy: {operator: All, targetReplicatedJobs: [launcher]}
          replicatedJobs:
          - name: node
            template:
              spec:
                template:
                  spec:
                    containers:
                    - name: node
                      image: acme/mpi:1.4
                      command: [/usr/sbin/sshd, -De]
                      readinessProbe: {tcpSocket: {port: 22}}
          - name: launcher
            dependsOn: [{name: node, status: Ready}]
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
              spec:
                template:
                  spec:
                    containers: [{name: node, image: "acme/mpi:1.4", command: [mpirun, python, train.py]}]
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata: {name: bert}
    spec:
      runtimeRef: {name: mpi}
      trainer:
        numNodes: 2
Versions: 2.0-2.3.
See: https://github.com/kubeflow/trainer/issues/3954
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, LAUNCHER, NODE
from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.views import LintedJob, Replicated
from kubectl_trainjob.model.hit import Finding
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity
from kubectl_trainjob.model.source import Place

RULE = Rule("KTJ506", "mpi-extra-node", __doc__ or "", Severity.WARNING, RuleClass.MISBEHAVES)


def _find(job: LintedJob) -> Iterator[Finding]:
    policy = job.policy("mpi")
    if not policy or not policy.get("runLauncherAsNode"):
        return
    roles = {each.name: each for each in job.replicated_jobs}
    if LAUNCHER in roles and NODE in roles:
        nodes = roles[NODE].pods
        asked, place = _asked(job, roles[NODE])
        # Several launchers have a rule of their own.
        if asked is not None and nodes + 1 > max(asked, 1):
            message = (
                f"numNodes is {asked}, but {nodes + 1} nodes take part: the launcher is one, besides {nodes} of "
                f'"{NODE}"; state numNodes {nodes + 1}, or use a runtime without runLauncherAsNode'
            )
            related = (("makes the launcher a node", job.in_runtime("spec", "mlPolicy", "mpi", "runLauncherAsNode")),)
            yield Finding(message, place, related)


def _asked(job: LintedJob, node: Replicated) -> tuple[int | None, Place]:
    """The nodes that somebody asked for, and where; None where the runtime counts Pods of `node` instead."""
    place = job.in_train_job("spec", "trainer", "numNodes")
    stated = (job.spec.get("trainer") or {}).get("numNodes")
    if stated is not None:
        return stated, place
    if node.ancestor == ANCESTOR_TRAINER:
        return (job.runtime_spec.get("mlPolicy") or {}).get("numNodes", 1), place
    return (1 if node.pods == 1 else None), place


CHECK = JobCheck(RULE, _find)
