"""KTJ2xx: runtimePatches, and what releases before 2.2 have in their place."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule

PATCH_TARGET = Rule(
    "KTJ214",
    "patch-target-missing",
    """
    A runtime patch changes replicatedJobs of the runtime, found by name. A name that the runtime lacks would add a
    replicatedJob without containers, which JobSet's admission refuses. Trainer 2.2 refuses such a name itself, as do
    2.0 and 2.1 among the targetJobs of podSpecOverrides and podTemplateOverrides.

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
                  - {name: worker, template: {spec: {template: {spec: {nodeSelector: {pool: spot}}}}}}
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
                  - {name: node, template: {spec: {template: {spec: {nodeSelector: {pool: spot}}}}}}
    """,
)

PATCH_FORBIDDEN_ENV = Rule(
    "KTJ215",
    "patch-forbidden-env",
    """
    runtimePatches may not set env of the containers `node`, `dataset-initializer` and `model-initializer`; these have
    fields of their own: spec.trainer.env and spec.initializer. The same holds for podTemplateOverrides (2.1) and
    podSpecOverrides (2.0).

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

PATCH_UNMERGEABLE = Rule(
    "KTJ220",
    "patch-unmergeable",
    """
    A strategic merge needs the key of every list item, for example the name of an image pull secret. Where the key is
    missing the webhook fails with an internal error and the TrainJob cannot be created. So are runtimePatches merged,
    and podTemplateOverrides (2.1) and podSpecOverrides (2.0).

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
