"""
The TTL deletes a JobSet some time after it has ended. A GitOps tool that applies the JobSet itself finds that it is
missing and creates it again: the training runs once more, and again after every TTL. `delivery` of `trainjob.yaml` says
that such a tool applies the result. A JobSet that Trainer makes of a TrainJob may have a TTL, as the finished TrainJob
stays and makes no new one; with `emit: trainjob` the rule only says, as an info, that the JobSet will be gone.

Settings:
    delivery: argocd
Bad:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata:
      name: mnist
    spec:
      runtimeRef:
        name: plain
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata:
      name: plain
    spec:
      mlPolicy:
        numNodes: 1
      template:
        spec:
          ttlSecondsAfterFinished: 3600 # <- KTJ812
          replicatedJobs:
            - name: node
              template:
                metadata:
                  labels:
                    trainer.kubeflow.org/trainjob-ancestor-step: trainer
                spec:
                  template:
                    spec:
                      containers:
                        - name: node
                          image: python:3.13-slim
Good:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata:
      name: mnist
    spec:
      runtimeRef:
        name: plain
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata:
      name: plain
    spec:
      mlPolicy:
        numNodes: 1
      template:
        spec:
          replicatedJobs:
            - name: node
              template:
                metadata:
                  labels:
                    trainer.kubeflow.org/trainjob-ancestor-step: trainer
                spec:
                  template:
                    spec:
                      containers:
                        - name: node
                          image: python:3.13-slim
Versions: 2.0-2.3.
See: https://github.com/argoproj/argo-cd/issues/8586
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.hit import Change, Finding, Remedy
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

RULE = Rule("KTJ812", "ttl-under-gitops", __doc__ or "", Severity.ERROR, RuleClass.MISBEHAVES)

_GITOPS = {"argocd": "Argo CD", "flux": "Flux"}
_HOOK = "argocd.argoproj.io/hook"  # Argo CD does not miss a hook that is gone


def _find(job: LintedJob) -> Iterator[Finding]:
    ttl = job.jobset["spec"].get("ttlSecondsAfterFinished")
    tool = _GITOPS.get(job.around.settings.delivery)
    if ttl is None or tool is None or _HOOK in (job.jobset["metadata"].get("annotations") or {}):
        return
    at = job.made(("spec", "ttlSecondsAfterFinished"), on="key")
    if job.around.emit == "trainjob":
        message = f"the JobSet is deleted {ttl} seconds after it has ended; the TrainJob that {tool} applies stays"
        yield Finding(message, at, severity=Severity.INFO)
        return
    message = (
        f"the JobSet is deleted {ttl} seconds after it has ended, and {tool} creates it again: the training runs once "
        "more; leave ttlSecondsAfterFinished out"
    )
    yield Finding(message, at, remedy=Remedy("remove ttlSecondsAfterFinished", (Change(at),), is_safe=False))


CHECK = JobCheck(RULE, _find)
