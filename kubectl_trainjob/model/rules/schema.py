"""KTJ1xx: what the schemas of the targeted versions refuse."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

UNKNOWN_FIELD = Rule(
    "KTJ101",
    "unknown-field",
    """
    A key that the kind's schema does not have. kubectl asks the API server to refuse it; without that the server
    would drop it and the job would run without what was meant.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNode: 2}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 2}}
    """,
)

REMOVED_FIELD = Rule(
    "KTJ102",
    "removed-field",
    """
    A field that other Trainer versions have and the targeted one has not. The message names them and what stands in
    the field's place; `migrate` rewrites it.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          mlPolicy: {torch: {numProcPerNode: auto}}
          template:
            spec:
              replicatedJobs: []
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec:
          mlPolicy: {torch: {}}
          template:
            spec:
              replicatedJobs: []
    """,
)

NEWER_FIELD = Rule(
    "KTJ110",
    "field-newer-than-target",
    """
    A field that only versions after the targeted one have. The message names them and what the targeted version has
    in the field's place; `migrate` rewrites it.

    Bad: (Trainer 2.2)
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: torch}
        spec:
          mlPolicy: {torch: {envInjection: {}}}
          template:
            spec:
              replicatedJobs: []
    Good: (Trainer 2.2)
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: torch}
        spec:
          mlPolicy: {torch: {}}
          template:
            spec:
              replicatedJobs: []
    """,
)

INVALID_TYPE_OR_ENUM = Rule(
    "KTJ103",
    "invalid-type-or-enum",
    """
    A value of the wrong type, outside the allowed values or range, too long, or in a list with too many items. A
    quoted number is a string, an unquoted one is not.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: "2"}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 2}}
    """,
)

DUPLICATE_LIST_KEY = Rule(
    "KTJ107",
    "duplicate-list-key",
    """
    Two items of a list whose items are told apart by a key (env by name, ports by number and protocol,
    runtimePatches by manager) have the same one.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {env: [{name: A, value: "1"}, {name: A, value: "2"}]}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {env: [{name: A, value: "2"}]}}
    """,
)

MISSING_FIELD = Rule(
    "KTJ111",
    "missing-field",
    """
    A field that the schema requires is absent, or null, which the API server reads as absent.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {env: [{value: "1"}]}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {env: [{name: A, value: "1"}]}}
    """,
)

EXPLICIT_NULL = Rule(
    "KTJ113",
    "explicit-null",
    """
    A key with the value null. A plain create drops it and applies the field's default; a server-side apply refuses
    it. It is treated as absent.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 2, args: null}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: plain}
        spec: {template: {spec: {replicatedJobs: []}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 2}}
    """,
    severity=Severity.WARNING,
    rule_class=RuleClass.MISBEHAVES,
)
