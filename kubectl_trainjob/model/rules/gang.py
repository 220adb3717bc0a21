"""KTJ6xx: gang scheduling and queues."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule

VOLCANO_QUEUE = Rule(
    "KTJ610",
    "volcano-queue",
    """
    The annotation `scheduling.volcano.sh/queue-name` of the runtime's template names the Volcano queue. It may be left
    out, which means the queue `default`, but not be empty: the webhook refuses every TrainJob then.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: gang}
        spec:
          podGroupPolicy: {volcano: {}}
          template: {metadata: {annotations: {scheduling.volcano.sh/queue-name: ""}}, spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: gang}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: gang}
        spec:
          podGroupPolicy: {volcano: {}}
          template: {metadata: {annotations: {scheduling.volcano.sh/queue-name: research}}, spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: gang}}
    """,
)

MANAGED_ELSEWHERE = Rule(
    "KTJ620",
    "managed-elsewhere",
    """
    With `managedBy: kueue.x-k8s.io/multikueue` Trainer's controller leaves the TrainJob alone: MultiKueue copies it to
    another cluster, whose Trainer expands it. So there is no JobSet to build for this cluster.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, managedBy: kueue.x-k8s.io/multikueue}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}}
    """,
)
