"""KTJ2xx: what a runtime itself must hold."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

RUNTIME_DEPRECATED = Rule(
    "KTJ205",
    "runtime-deprecated",
    """
    The runtime carries the label `trainer.kubeflow.org/support: deprecated`: whoever ships it will remove it. Move
    its TrainJobs to another one.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain, labels: {trainer.kubeflow.org/support: deprecated}}
        spec:
          template:
            spec:
              replicatedJobs:
              - name: node
                template:
                  spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              replicatedJobs:
              - name: node
                template:
                  spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}
    """,
    severity=Severity.WARNING,
    rule_class=RuleClass.POLICY,
)

ANCESTOR_CONTAINER_MISSING = Rule(
    "KTJ210",
    "ancestor-container-missing",
    """
    A replicatedJob that stands for a step of the TrainJob (label `trainer.kubeflow.org/trainjob-ancestor-step`)
    needs the container that the step's fields go to: `node` for trainer, and containers named as the initializers.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              replicatedJobs:
              - name: node
                template:
                  metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
                  spec: {template: {spec: {containers: [{name: main, image: "acme/train:1"}]}}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              replicatedJobs:
              - name: node
                template:
                  metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
                  spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}
    """,
)

ANCESTOR_REPLICAS = Rule(
    "KTJ211",
    "ancestor-replicas",
    """
    A replicatedJob that stands for a step of the TrainJob has exactly one replica; the number of nodes is
    `numNodes`.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              replicatedJobs:
              - name: node
                replicas: 2
                template:
                  metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
                  spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              replicatedJobs:
              - name: node
                template:
                  metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
                  spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}
    """,
)
