"""KTJ2xx: what objects say of each other — runtimes, ancestors, initializers, patches."""

from __future__ import annotations

from kubectl_trainjob.findings.rule import Rule

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

PATCH_FORBIDDEN_ENV = Rule(
    "KTJ215",
    "patch-forbidden-env",
    """
    runtimePatches may not set env of the containers `node`, `dataset-initializer` and `model-initializer`; these have
    fields of their own: spec.trainer.env and spec.initializer.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              replicatedJobs:
              - {name: node, template: {spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec:
          runtimeRef: {name: plain}
          runtimePatches:
          - manager: acme.io/team
            trainingRuntimeSpec:
              template:
                spec:
                  replicatedJobs:
                  - name: node
                    template: {spec: {template: {spec: {containers: [{name: node, env: [{name: A, value: b}]}]}}}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              replicatedJobs:
              - {name: node, template: {spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {env: [{name: A, value: b}]}}
    """,
)

PATCH_MANAGER = Rule(
    "KTJ216",
    "patch-manager",
    """
    The manager of a runtime patch says who owns it, as a domain-prefixed path such as `acme.io/team`.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, runtimePatches: [{manager: team}]}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, runtimePatches: [{manager: acme.io/team}]}
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

PATCH_UNMERGEABLE = Rule(
    "KTJ220",
    "patch-unmergeable",
    """
    A strategic merge needs the key of every list item, for example the name of an image pull secret. Where the key is
    missing the webhook fails with an internal error and the TrainJob cannot be created.

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
                      spec: {imagePullSecrets: [{name: ""}], containers: [{name: node, image: "acme/train:1"}]}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec:
          runtimeRef: {name: plain}
          runtimePatches:
          - manager: acme.io/team
            trainingRuntimeSpec:
              template:
                spec:
                  replicatedJobs:
                  - {name: node, template: {spec: {template: {spec: {imagePullSecrets: [{name: registry}]}}}}}
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
                      spec: {imagePullSecrets: [{name: a}], containers: [{name: node, image: "acme/train:1"}]}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec:
          runtimeRef: {name: plain}
          runtimePatches:
          - manager: acme.io/team
            trainingRuntimeSpec:
              template:
                spec:
                  replicatedJobs:
                  - {name: node, template: {spec: {template: {spec: {imagePullSecrets: [{name: registry}]}}}}}
    """,
)
