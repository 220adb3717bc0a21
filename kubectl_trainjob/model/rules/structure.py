"""KTJ7xx: the structure of JobSets."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule

COORDINATOR_INVALID = Rule(
    "KTJ705",
    "coordinator-invalid",
    """
    coordinator names a Pod by replicatedJob, jobIndex and podIndex. The Pod must exist, and its host name must fit
    a label of 63 characters.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              coordinator: {replicatedJob: driver}
              replicatedJobs:
              - name: node
                template:
                  spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              coordinator: {replicatedJob: node}
              replicatedJobs:
              - name: node
                template:
                  spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}}
    """,
)

DEPENDS_ON_INVALID = Rule(
    "KTJ706",
    "depends-on-invalid",
    """
    dependsOn names replicatedJobs that stand earlier in the list, so the first one cannot have it, and it cannot be
    combined with startupPolicyOrder InOrder.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              replicatedJobs:
              - name: node
                dependsOn: [{name: loader, status: Complete}]
                template:
                  spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}
              - name: loader
                template:
                  spec: {template: {spec: {containers: [{name: loader, image: "acme/train:1"}]}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              replicatedJobs:
              - name: loader
                template:
                  spec: {template: {spec: {containers: [{name: loader, image: "acme/train:1"}]}}}
              - name: node
                dependsOn: [{name: loader, status: Complete}]
                template:
                  spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}}
    """,
)

POLICY_TARGET_UNKNOWN = Rule(
    "KTJ707",
    "policy-target-unknown",
    """
    targetReplicatedJobs of a success policy or a failure rule must name replicatedJobs of the same runtime.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              successPolicy: {operator: All, targetReplicatedJobs: [nodes]}
              replicatedJobs:
              - name: node
                template:
                  spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              successPolicy: {operator: All, targetReplicatedJobs: [node]}
              replicatedJobs:
              - name: node
                template:
                  spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}}
    """,
)

FAILURE_RULE_INVALID = Rule(
    "KTJ708",
    "failure-rule-invalid",
    """
    A failure rule needs a name of its own (a letter first, then letters, digits and '_,:') and reasons that Job
    conditions can have, such as PodFailurePolicy or BackoffLimitExceeded.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              failurePolicy: {rules: [{name: r, action: FailJobSet, onJobFailureReasons: [OutOfMemory]}]}
              replicatedJobs:
              - name: node
                template:
                  spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              failurePolicy: {rules: [{name: r, action: FailJobSet, onJobFailureReasons: [PodFailurePolicy]}]}
              replicatedJobs:
              - name: node
                template:
                  spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}}
    """,
)

VOLUME_CLAIM_INVALID = Rule(
    "KTJ709",
    "volume-claim-invalid",
    """
    A claim template needs a name of its own, no namespace, a container that mounts it, and no Pod volume of the
    same name.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              volumeClaimPolicies:
              - templates:
                - metadata: {name: data}
                  spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
              replicatedJobs:
              - name: node
                template:
                  spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              volumeClaimPolicies:
              - templates:
                - metadata: {name: data}
                  spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
              replicatedJobs:
              - name: node
                template:
                  spec:
                    template:
                      spec:
                        containers:
                        - name: node
                          image: acme/train:1
                          volumeMounts: [{name: data, mountPath: /data}]
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}}
    """,
)
