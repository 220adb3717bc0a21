"""KTJ2xx: what objects say of each other — runtimes, ancestors, initializers, patches."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule

RUNTIME_NOT_FOUND = Rule(
    "KTJ201",
    "runtime-not-found",
    """
    A TrainJob's runtimeRef names a runtime that is neither among the inputs nor in the repository's runtimes folder.
    The API server refuses such a TrainJob.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}}
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

RUNTIME_NAMESPACE = Rule(
    "KTJ202",
    "runtime-namespace-mismatch",
    """
    A TrainJob can use a TrainingRuntime of its own namespace only. A runtime for several namespaces is a
    ClusterTrainingRuntime.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainingRuntime
        metadata: {name: plain, namespace: team-a}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist, namespace: team-b}
        spec: {runtimeRef: {name: plain, kind: TrainingRuntime}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainingRuntime
        metadata: {name: plain, namespace: team-a}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist, namespace: team-a}
        spec: {runtimeRef: {name: plain, kind: TrainingRuntime}}
    """,
)

RUNTIME_KIND = Rule(
    "KTJ219",
    "runtime-kind-unsupported",
    """
    A runtimeRef means a TrainingRuntime or a ClusterTrainingRuntime of trainer.kubeflow.org; the webhook refuses
    every other kind and group.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain, kind: Deployment, apiGroup: apps}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain, kind: ClusterTrainingRuntime}}
    """,
)

INITIALIZER_TARGET = Rule(
    "KTJ212",
    "initializer-target",
    """
    A dataset or model initializer runs in the replicatedJob `dataset-initializer` or `model-initializer`, in the
    container of the same name, into the volume `initializer`. A runtime without all three cannot serve it.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: tune}
        spec: {runtimeRef: {name: plain}, initializer: {dataset: {storageUri: "hf://acme/data"}}}
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
        metadata: {name: tune}
        spec: {runtimeRef: {name: plain}, initializer: {dataset: {storageUri: "hf://acme/data"}}}
    """,
)

ENV_INJECTION_TARGET = Rule(
    "KTJ217",
    "env-injection-target",
    """
    `mlPolicy.torch.envInjection` names containers of the runtime that also get the PET_* environment. A container that
    does not exist makes every TrainJob of the runtime fail.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: torch}
        spec:
          mlPolicy: {torch: {envInjection: {targets: [{jobName: node, containerNames: [check]}]}}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: torch}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: torch}
        spec:
          mlPolicy: {torch: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: torch}}
    """,
)

PORTS_OVERWRITTEN = Rule(
    "KTJ221",
    "ports-overwritten",
    """
    Trainer writes a container's ports one by one and takes two unnamed ports, or two with the same number, for one.
    So of several unnamed ports one is lost and another stands twice, and JobSet's admission refuses the result.

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
                  spec:
                    template:
                      spec:
                        containers:
                        - name: node
                          image: acme/train:1
                          ports: [{containerPort: 8080}, {containerPort: 9090}]
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
              - name: node
                template:
                  spec:
                    template:
                      spec:
                        containers:
                        - name: node
                          image: acme/train:1
                          ports: [{containerPort: 8080, name: http}, {containerPort: 9090, name: metrics}]
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}}
    """,
)
