"""KTJ7xx: volumes that kube-apiserver refuses when the JobSet controller creates the Jobs."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule, RuleClass

VOLUME_MOUNT_UNKNOWN = Rule(
    "KTJ720",
    "volume-mount-unknown",
    """
    A container mounts a volume that its Pod does not have. The name is misspelled, the volume was removed, or it stands
    in another replicatedJob. A volume that is invalid itself counts as missing, too. The JobSet is accepted, its Job is
    refused.

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
                          volumeMounts:
                          - name: dat # <- KTJ720
                            mountPath: /data
                        volumes:
                        - name: data
                          persistentVolumeClaim: {claimName: mnist}
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
                          volumeMounts:
                          - name: data
                            mountPath: /data
                        volumes:
                        - name: data
                          persistentVolumeClaim: {claimName: mnist}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 1}}
    Versions: 2.0-2.3.
    See: https://kubernetes.io/docs/concepts/storage/volumes/
    """,
    rule_class=RuleClass.LATE,
)

VOLUME_INVALID = Rule(
    "KTJ725",
    "volume-invalid",
    """
    A volume has two sources, lacks what its source needs, or has a name that is no DNS label. A volume may be an
    emptyDir or a claim, but not both: this often comes of a patch that adds a source to a volume that the runtime has
    already. The JobSet is accepted, its Job is refused.

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
                        volumes:
                        - name: data
                          emptyDir: {}
                          persistentVolumeClaim: {claimName: mnist} # <- KTJ725
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
                        volumes:
                        - name: data
                          persistentVolumeClaim: {claimName: mnist}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 1}}
    Versions: 2.0-2.3.
    See: https://kubernetes.io/docs/concepts/storage/volumes/
    """,
    rule_class=RuleClass.LATE,
)
