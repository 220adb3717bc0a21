"""KTJ07x: comments and annotations that ask lint not to tell something."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

INVALID_SUPPRESSION = Rule(
    "KTJ070",
    "invalid-suppression",
    """
    `# trainjob: ignore[KTJ301] reason until=2027-01-31` at the end of a line, or on a line of its own before it, keeps
    lint from telling that rule of what stands there: of the line, and of everything below it that is indented further.
    The annotation `lint.kubectl-trainjob.dev/ignore.KTJ301: reason` does so for an object or a Pod template. One rule
    is named, by its id or name. What a build refuses cannot be ignored: the object would be missing all the same.

    Bad:
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: a  # trainjob: ignore[KTJ999] no such rule
    Good:
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: a
    """,
    Severity.WARNING,
    RuleClass.TOOL,
)

UNUSED_SUPPRESSION = Rule(
    "KTJ071",
    "unused-suppression",
    """
    A comment or annotation asks lint not to tell something that it would not tell anyway: the mistake was mended, or
    the comment stands at the wrong line. Remove it, so that it hides nothing one day.

    Bad:
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: a  # trainjob: ignore[KTJ901] we know
    Good:
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: a
    """,
    Severity.WARNING,
    RuleClass.TOOL,
)

EXPIRED_SUPPRESSION = Rule(
    "KTJ072",
    "expired-suppression",
    """
    A comment or annotation with `until=DATE` hides a finding up to and including that day. After it the finding is told
    again, and this one says that somebody had meant to mend it by then.

    Bad:
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: a  # trainjob: ignore[KTJ901] until the registry is up until=2024-01-31
    Good:
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: a
    """,
    Severity.WARNING,
    RuleClass.TOOL,
)

UNEXPLAINED_SUPPRESSION = Rule(
    "KTJ073",
    "unexplained-suppression",
    """
    A comment or annotation hides a finding and does not say why. Nobody dares to remove it later. Write the reason
    behind the rule.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata:
          name: plain
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
                              image: python:latest  # trainjob: ignore[KTJ901]
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata:
          name: plain
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
                              image: python:latest  # trainjob: ignore[KTJ901] our registry pins it
    """,
    Severity.INFO,
    RuleClass.TOOL,
)
