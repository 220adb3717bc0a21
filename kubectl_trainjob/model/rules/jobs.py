"""KTJ7xx: Jobs that kube-apiserver refuses when the JobSet controller creates them."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule, RuleClass

POD_FAILURE_POLICY_INVALID = Rule(
    "KTJ724",
    "pod-failure-policy-invalid",
    """
    A rule of the `podFailurePolicy` is not one that Kubernetes knows: exit codes that are not in order, a condition and
    exit codes in one rule, an action that needs `backoffLimitPerIndex`, a container that does not exist. The JobSet is
    accepted, its Job is refused.

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
                    podFailurePolicy:
                      rules:
                      - action: FailJob
                        onExitCodes: {operator: In, values: [42, 1]} # <- KTJ724
                    template:
                      spec:
                        restartPolicy: Never
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
                    podFailurePolicy:
                      rules:
                      - action: FailJob
                        onExitCodes: {operator: In, values: [1, 42]}
                    template:
                      spec:
                        restartPolicy: Never
                        containers:
                        - name: node
                          image: acme/train:1.4
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 1}}
    Versions: 2.0-2.3.
    See: https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy
    """,
    rule_class=RuleClass.LATE,
)

JOB_COUNT_INVALID = Rule(
    "KTJ726",
    "job-count-invalid",
    """
    A number of the Job is negative or too large, or one that needs another: `maxFailedIndexes` needs
    `backoffLimitPerIndex`, a `successPolicy` may not ask for more Pods than there are. The JobSet is accepted, its Job
    is refused.

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
                    backoffLimit: -1 # <- KTJ726
                    template:
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
                    backoffLimit: 0
                    template:
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
    See: https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy
    """,
    rule_class=RuleClass.LATE,
)

JOB_NAME_INVALID = Rule(
    "KTJ730",
    "job-name-invalid",
    """
    The name that a Job or its Pods get from the TrainJob's name is no DNS label. JobSet's admission wants more of these
    names and looks at them before (KTJ702), so this is met only where a Job states no completions, which Trainer always
    writes. The JobSet is accepted, its Job is refused.

    Versions: 2.0-2.3.
    See: https://kubernetes.io/docs/concepts/workloads/controllers/job/
    """,
    rule_class=RuleClass.LATE,
)
