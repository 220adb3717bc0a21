"""What concerns whole objects: kinds not expanded, names that cannot be tracked, fields that nobody enforces."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

LEGACY_KIND = Rule(
    "KTJ108",
    "deprecated-api-version",
    """
    A training job of another API (kubeflow.org/v1 PyTorchJob, MPIJob and the like, OME's TrainingJob) would pass
    through unexpanded, as if it were built. It is refused until it can be expanded.

    Bad:
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata: {name: mnist}
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

UNKNOWN_KIND = Rule(
    "KTJ115",
    "unknown-kind",
    """
    Trainer's group has three kinds: TrainJob, TrainingRuntime and ClusterTrainingRuntime. Another kind in it, or one
    of these in a group of nearly the same name, is a slip: it would be printed unchanged, as if it were built, and
    then be refused by every cluster.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJobs
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

DUPLICATE_OBJECT = Rule(
    "KTJ806",
    "duplicate-object",
    """
    Two objects of the same kind, namespace and name: the later one would overwrite the earlier one in the cluster.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}}
        ---
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
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist-2}
        spec: {runtimeRef: {name: plain}}
    """,
    rule_class=RuleClass.MISBEHAVES,
)

DEADLINE_NOT_ENFORCED = Rule(
    "KTJ716",
    "deadline-not-enforced",
    """
    `activeDeadlineSeconds` of a TrainJob is enforced by Trainer's controller. Where JobSets are applied without a
    Trainer in the cluster nobody does.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, activeDeadlineSeconds: 3600}
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
    severity=Severity.WARNING,
    rule_class=RuleClass.MISBEHAVES,
)
