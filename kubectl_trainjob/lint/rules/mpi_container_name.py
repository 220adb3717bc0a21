"""
MPI's settings go to one container: the one that is named `node`, in the replicatedJobs `node` and `launcher`. Trainer
mounts the SSH keys there, and gives the launcher's the hostfile and the variables of Open MPI. Where no container of
the Pods has this name nothing is mounted, and nobody says so: mpirun finds no hosts, or cannot log in to them.

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
                    - name: worker # <- KTJ504
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
Versions: 2.0-2.3.
See: https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/runtime/framework/plugins/mpi/mpi.go
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import NODE
from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.mpi import roles
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.hit import Finding
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

RULE = Rule("KTJ504", "mpi-container-name", __doc__ or "", Severity.ERROR, RuleClass.MISBEHAVES)


def _find(runtime: LintedRuntime) -> Iterator[Finding]:
    for role in roles(runtime):
        names = [container["name"] for container in role.pod.get("containers") or ()]
        if NODE not in names:
            has = " and ".join(f'"{name}"' for name in names) or "none"
            message = (
                f'replicatedJob "{role.name}" has the containers {has}, and Trainer gives SSH keys and hostfile only '
                f'to one named "{NODE}"; rename the container that runs MPI'
            )
            yield Finding(message, runtime.in_template(role.in_pod("containers", 0, "name")))


CHECK = RuntimeCheck(RULE, _find)
