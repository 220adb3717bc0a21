"""KTJ7xx: names, labels and single fields of Pods that kube-apiserver refuses."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule, RuleClass

POD_LABEL_INVALID = Rule(
    "KTJ727",
    "pod-label-invalid",
    """
    A label, an annotation's key or a selector is not as Kubernetes wants it. Values of labels have at most 63
    characters: letters, digits, '-', '_' and '.', and a letter or digit at both ends; so an image or a path is none.
    The JobSet is accepted, its Job is refused.

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
                      metadata:
                        labels:
                          example.com/model: meta/llama-3 # <- KTJ727
                      spec:
                        containers:
                        - name: node
                          image: acme/train:1.4
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
                      metadata:
                        labels:
                          example.com/model: llama-3
                      spec:
                        containers:
                        - name: node
                          image: acme/train:1.4
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 1}}
    Versions: 2.0-2.3.
    See: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
    """,
    rule_class=RuleClass.LATE,
)

POD_FIELD_NAME_INVALID = Rule(
    "KTJ728",
    "pod-field-name-invalid",
    """
    The name of a container, port or environment variable is not as Kubernetes wants it, or is there twice. A
    container's name is a DNS label, a port's has at most 15 lower case letters, digits and '-', a variable's has no
    '='. The JobSet is accepted, its Job is refused.

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
                          ports:
                          - name: prometheus_metrics # <- KTJ728
                            containerPort: 9090
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
                          ports:
                          - name: metrics
                            containerPort: 9090
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 1}}
    Versions: 2.0-2.3.
    See: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#names
    """,
    rule_class=RuleClass.LATE,
)

POD_FIELD_INVALID = Rule(
    "KTJ729",
    "pod-field-invalid",
    """
    A field of the Pod has a value that Kubernetes does not know, or two fields exclude each other. The schema of the
    JobSet does not look at these values, so the JobSet is accepted and its Job is refused. The message says which value
    would be right.

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
                        tolerations:
                        - key: nvidia.com/gpu
                          operator: Exist # <- KTJ729
                        containers:
                        - name: node
                          image: acme/train:1.4
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
                        tolerations:
                        - key: nvidia.com/gpu
                          operator: Exists
                        containers:
                        - name: node
                          image: acme/train:1.4
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 1}}
    Versions: 2.0-2.3.
    See: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
    """,
    rule_class=RuleClass.LATE,
)
