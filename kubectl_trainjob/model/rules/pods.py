"""KTJ7xx: Pods that kube-apiserver refuses when the JobSet controller creates the Jobs."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule, RuleClass

RESTART_POLICY_INVALID = Rule(
    "KTJ711",
    "restart-policy-invalid",
    """
    A Job's Pods have the restartPolicy `OnFailure` or `Never`; `Always` is for Pods that never end. With a
    `podFailurePolicy` only `Never` is left, for the policy looks at Pods that failed, not at containers that restart.
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
                      spec:
                        restartPolicy: Always # <- KTJ711
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
    See: https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-template
    """,
    rule_class=RuleClass.LATE,
)

CONTAINER_IMAGE_MISSING = Rule(
    "KTJ721",
    "container-image-missing",
    """
    A container has no image. A runtime may leave the image of the container `node` to the TrainJob; then each TrainJob
    has to state `trainer.image`. A container that a patch names and the runtime lacks is added without one, too. The
    JobSet is accepted, its Job is refused.

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
                        - name: logs # <- KTJ721
                          command: [tail, -F, /var/log/train]
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
                        - name: logs
                          image: acme/logs:1.0
                          command: [tail, -F, /var/log/train]
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 1}}
    Versions: 2.0-2.3.
    See: https://kubernetes.io/docs/concepts/containers/images/
    """,
    rule_class=RuleClass.LATE,
)

POD_WITHOUT_CONTAINERS = Rule(
    "KTJ722",
    "pod-without-containers",
    """
    The Pod of a replicatedJob has no containers, so there is nothing to run. Init containers alone are not enough. What
    Trainer makes of such a runtime or patch has no list at all, which the JobSet's schema refuses before (KTJ111), so
    this is met only where a JobSet states an empty list. Then the JobSet is accepted, and its Job is refused.

    Versions: 2.0-2.3.
    See: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#PodSpec
    """,
    rule_class=RuleClass.LATE,
)

INIT_CONTAINER_FIELD = Rule(
    "KTJ723",
    "init-container-field",
    """
    An init container has a probe or lifecycle hook. Init containers end before the others start, so nothing would call
    them; only a sidecar (an init container with `restartPolicy: Always`) may have them. The JobSet is accepted, its Job
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
                    template:
                      spec:
                        initContainers:
                        - name: proxy
                          image: acme/proxy:1.0
                          readinessProbe: # <- KTJ723
                            exec: {command: [cat, /ready]}
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
                        initContainers:
                        - name: proxy
                          image: acme/proxy:1.0
                          restartPolicy: Always
                          readinessProbe:
                            exec: {command: [cat, /ready]}
                        containers:
                        - name: node
                          image: acme/train:1.4
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: plain}, trainer: {numNodes: 1}}
    Versions: 2.0-2.3.
    See: https://kubernetes.io/docs/concepts/workloads/pods/init-containers/
    """,
    rule_class=RuleClass.LATE,
)
