"""KTJ1xx: what is refused in fields whose type and spelling are right."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule

MULTIPLE_ML_POLICIES = Rule(
    "KTJ104",
    "multiple-ml-policies",
    """
    A runtime serves one framework: mlPolicy holds one of torch, mpi, jax, xgboost and flux beside numNodes.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          mlPolicy: {torch: {}, jax: {}}
          template:
            spec:
              replicatedJobs: []
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          mlPolicy: {numNodes: 2, torch: {}}
          template:
            spec:
              replicatedJobs: []
    """,
)

ELASTIC_NUM_NODES = Rule(
    "KTJ114",
    "elastic-num-nodes",
    """
    Trainer 2.0 and 2.1 know torch.elasticPolicy and refuse it beside numNodes. They do nothing else with it: no
    release ever made an elastic job of it.

    Bad: (Trainer 2.1)
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: elastic}
        spec:
          mlPolicy: {numNodes: 2, torch: {elasticPolicy: {minNodes: 1, maxNodes: 2}}}
          template:
            spec:
              replicatedJobs: []
    Good: (Trainer 2.1)
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: elastic}
        spec:
          mlPolicy: {torch: {elasticPolicy: {minNodes: 1, maxNodes: 2}}}
          template:
            spec:
              replicatedJobs: []
    """,
)

INVALID_STORAGE_URI = Rule(
    "KTJ105",
    "invalid-storage-uri",
    """
    storageUri of an initializer is a URI with a scheme that the initializer's image knows (`hf://`, `s3://`), or
    empty.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, initializer: {dataset: {storageUri: acme/data}}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              replicatedJobs:
              - name: dataset-initializer
                template:
                  spec:
                    template:
                      spec:
                        containers:
                        - name: dataset-initializer
                          image: acme/init:1
                          volumeMounts: [{name: initializer, mountPath: /workspace}]
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, initializer: {dataset: {storageUri: "hf://acme/data"}}}
    """,
)

INVALID_MANAGED_BY = Rule(
    "KTJ106",
    "invalid-managed-by",
    """
    managedBy of a TrainJob names Trainer's own controller or Kueue's MultiKueue; managedBy of a JobSet is a domain-
    prefixed path of at most 63 characters.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, managedBy: acme.io/team}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, managedBy: trainer.kubeflow.org/trainjob-controller}
    """,
)

FEATURE_GATED_FIELD = Rule(
    "KTJ109",
    "feature-gated-field",
    """
    A JobSet feature behind a gate that is off by default: the failure policy actions RestartJob and
    RestartJobAndIgnoreMaxRestarts, and restartStrategy InPlaceRestart. JobSet's webhook refuses them.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              failurePolicy: {restartStrategy: InPlaceRestart}
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
              failurePolicy: {restartStrategy: BlockingRecreate}
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

INVALID_METADATA = Rule(
    "KTJ112",
    "invalid-metadata",
    """
    Labels, annotations, finalizers or the namespace are not what Kubernetes allows: label values have at most 63
    letters, digits, '-', '_' and '.', keys may have a DNS subdomain in front.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist, labels: {team: "vision & speech"}}
        spec: {runtimeRef: {name: plain}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist, labels: {team: vision-and-speech}}
        spec: {runtimeRef: {name: plain}}
    """,
)
