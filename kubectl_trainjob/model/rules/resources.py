"""KTJ3xx: requests and limits that kube-apiserver refuses when the JobSet controller creates the Jobs."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule, RuleClass

EXTENDED_RESOURCE_LIMIT_MISSING = Rule(
    "KTJ301",
    "extended-resource-limit-missing",
    """
    An extended resource (a device such as `nvidia.com/gpu`, or huge pages) stands in `requests` and not in `limits`.
    These resources cannot be overcommitted, so Kubernetes wants the limit. The JobSet is accepted, its Job is refused,
    and no Pod ever starts.

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
                  spec:
                    template:
                      spec:
                        containers:
                        - name: node
                          image: acme/train:1.4
                          resources:
                            requests:
                              cpu: "4"
                              nvidia.com/gpu: "1" # <- KTJ301
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 1}}
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
                  spec:
                    template:
                      spec:
                        containers:
                        - name: node
                          image: acme/train:1.4
                          resources:
                            requests: {cpu: "4", nvidia.com/gpu: "1"}
                            limits: {nvidia.com/gpu: "1"}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 1}}
    Versions: 2.0-2.3.
    See: https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#extended-resources
    """,
    rule_class=RuleClass.LATE,
)

EXTENDED_RESOURCE_MISMATCH = Rule(
    "KTJ302",
    "extended-resource-mismatch",
    """
    The request of an extended resource differs from its limit. They have to be equal, because devices cannot be
    overcommitted. This often comes of a merge: the runtime states one side, `resourcesPerNode` of the TrainJob the
    other. The JobSet is accepted, its Job is refused.

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
                  spec:
                    template:
                      spec:
                        containers:
                        - name: node
                          image: acme/train:1.4
                          resources:
                            requests:
                              vpc.amazonaws.com/efa: "1" # <- KTJ302
                            limits:
                              vpc.amazonaws.com/efa: "2"
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 1}}
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
                  spec:
                    template:
                      spec:
                        containers:
                        - name: node
                          image: acme/train:1.4
                          resources:
                            requests:
                              vpc.amazonaws.com/efa: "2"
                            limits:
                              vpc.amazonaws.com/efa: "2"
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 1}}
    Versions: 2.0-2.3.
    See: https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#extended-resources
    """,
    rule_class=RuleClass.LATE,
)

EXTENDED_RESOURCE_FRACTIONAL = Rule(
    "KTJ303",
    "extended-resource-fractional",
    """
    An amount of an extended resource is no whole number. Devices are counted one by one; parts of a GPU have resources
    of their own (MIG, time slicing). The JobSet is accepted, its Job is refused.

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
                  spec:
                    template:
                      spec:
                        containers:
                        - name: node
                          image: acme/train:1.4
                          resources:
                            limits:
                              cpu: "4"
                              nvidia.com/gpu: 500m # <- KTJ303
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 1}}
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
                  spec:
                    template:
                      spec:
                        containers:
                        - name: node
                          image: acme/train:1.4
                          resources:
                            limits: {cpu: "4", nvidia.com/gpu: "1"}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 1}}
    Versions: 2.0-2.3.
    See: https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#extended-resources
    """,
    rule_class=RuleClass.LATE,
)

REQUEST_EXCEEDS_LIMIT = Rule(
    "KTJ304",
    "request-exceeds-limit",
    """
    More cpu, memory or ephemeral storage is requested than the limit allows. This often comes of a merge: the runtime
    states one side, `resourcesPerNode` of the TrainJob the other. The JobSet is accepted, its Job is refused.

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
                  spec:
                    template:
                      spec:
                        containers:
                        - name: node
                          image: acme/train:1.4
                          resources:
                            requests:
                              cpu: "8" # <- KTJ304
                            limits:
                              cpu: "4"
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 1}}
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
                  spec:
                    template:
                      spec:
                        containers:
                        - name: node
                          image: acme/train:1.4
                          resources:
                            requests: {cpu: "4"}
                            limits: {cpu: "8"}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 1}}
    Versions: 2.0-2.3.
    See: https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
    """,
    rule_class=RuleClass.LATE,
)
