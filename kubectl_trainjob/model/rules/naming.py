"""KTJ7xx and KTJ8xx: names, given and derived."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule, RuleClass

NAME_INVALID = Rule(
    "KTJ701",
    "name-invalid",
    """
    Names of TrainJobs and replicatedJobs become parts of host names: lower case letters, digits and '-', a letter
    first, no '-' last. Names of runtimes are DNS subdomains.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: 7b-sft}
        spec: {runtimeRef: {name: plain}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: sft-7b}
        spec: {runtimeRef: {name: plain}}
    """,
)

GENERATED_NAME_TOO_LONG = Rule(
    "KTJ702",
    "generated-name-too-long",
    """
    Jobs and Pods are named after the TrainJob, the replicatedJob, indexes and a random suffix, and may not have
    more than 63 characters. The longest replicatedJob name and the number of nodes decide how long a TrainJob's
    name may be.

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
                  spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: a-very-long-name-of-a-job-that-nobody-would-ever-type}
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
                  spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}}
    """,
)

PVC_NAME_TOO_LONG = Rule(
    "KTJ703",
    "pvc-name-too-long",
    """
    A claim of volumeClaimPolicies is named after its template and the JobSet, joined by '-'; the result may not
    have more than 63 characters.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              volumeClaimPolicies:
              - templates:
                - metadata: {name: a-claim-with-a-name-that-leaves-no-room-for-the-job}
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
                          volumeMounts: [{name: a-claim-with-a-name-that-leaves-no-room-for-the-job, mountPath: /data}]
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: llama-pretrain}
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
        metadata: {name: llama-pretrain}
        spec: {runtimeRef: {name: plain}}
    """,
)

SUBDOMAIN_OR_GROUP_INVALID = Rule(
    "KTJ704",
    "subdomain-or-group-invalid",
    """
    network.subdomain becomes the name of a Service and groupName a label that JobSet derives names from: both are
    RFC 1035 labels of at most 63 characters.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          template:
            spec:
              network: {subdomain: train.acme}
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
              network: {subdomain: train}
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

GENERATE_NAME = Rule(
    "KTJ805",
    "generate-name",
    """
    An object with generateName has another name at every creation: nothing can be compared, applied again or
    pruned.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {generateName: mnist-}
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
    rule_class=RuleClass.TOOL,
)
