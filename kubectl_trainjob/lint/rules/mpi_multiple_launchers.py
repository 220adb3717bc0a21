"""
The launcher runs mpirun, so there must be one. A replicatedJob `launcher` that is the step `trainer` gets as many
Pods as `mlPolicy.numNodes` of the runtime says, and the TrainJob's numNodes does not change that: it goes to `node`.
Each of the launchers starts the whole training, on the same hosts and GPUs. Keep `numNodes: 1` in the runtime and
state the nodes in TrainJobs, or as `parallelism` of `node`.

Bad:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: mpi}
    spec:
      mlPolicy:
        numNodes: 2 # <- KTJ505
        mpi: {mpiImplementation: OpenMPI, runLauncherAsNode: true}
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
Good:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: mpi}
    spec:
      mlPolicy:
        numNodes: 1
        mpi: {mpiImplementation: OpenMPI, runLauncherAsNode: true}
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
Versions: 2.0-2.3.
See: https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/runtime/core/trainingruntime.go
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, LAUNCHER
from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.mpi import roles
from kubectl_trainjob.lint.views import LintedRuntime, Replicated
from kubectl_trainjob.model.hit import Change, Finding, Remedy
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity
from kubectl_trainjob.model.source import Place

RULE = Rule("KTJ505", "mpi-multiple-launchers", __doc__ or "", Severity.ERROR, RuleClass.MISBEHAVES)


def _find(runtime: LintedRuntime) -> Iterator[Finding]:
    for role in roles(runtime):
        if role.name == LAUNCHER:
            for field, count, place in _counts(runtime, role):
                if count > 1:
                    message = (
                        f"{field} {count} starts {count} launchers, and each of them starts the whole training; "
                        'write 1, and state the nodes in TrainJobs or as parallelism of "node"'
                    )
                    remedy = Remedy(f"set {field} to 1", (Change(place, 1),), is_safe=False)
                    yield Finding(message, place, remedy=remedy)


def _counts(runtime: LintedRuntime, launcher: Replicated) -> Iterator[tuple[str, int, Place]]:
    """What decides how many launchers there are."""
    if launcher.ancestor == ANCESTOR_TRAINER:
        nodes = (runtime.spec.get("mlPolicy") or {}).get("numNodes", 1)
        yield "mlPolicy.numNodes", nodes, runtime.place("spec", "mlPolicy", "numNodes")
        return
    parallelism = launcher.in_job("spec", "parallelism")
    yield "parallelism", launcher.job.get("parallelism", 1), runtime.in_template(parallelism)
    replicas = (*launcher.in_job()[:-1], "replicas")
    yield "replicas", launcher.body.get("replicas", 1), runtime.in_template(replicas)


CHECK = RuntimeCheck(RULE, _find)
