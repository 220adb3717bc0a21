"""
JobSet makes a headless Service for the host names of its Pods, named like the JobSet or like its
`spec.network.subdomain`. Where a Service of that name stands already, JobSet takes it as it is and looks neither at its
selector nor at its kind. The Pods then do not find each other, and the training waits for its first node until it times
out.

Bad:
    apiVersion: v1
    kind: Service
    metadata:
      name: mnist # <- KTJ710
      namespace: team-a
    spec:
      selector:
        app: mnist
      ports:
        - port: 80
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata:
      name: mnist
      namespace: team-a
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
Good:
    apiVersion: v1
    kind: Service
    metadata:
      name: mnist-dashboard
      namespace: team-a
    spec:
      selector:
        app: mnist
      ports:
        - port: 80
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata:
      name: mnist
      namespace: team-a
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
See: https://jobset.sigs.k8s.io/docs/reference/jobset.v1alpha2/
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.jobset import JOBSET_NAME_LABEL
from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.hit import At, Finding
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body

RULE = Rule("KTJ710", "service-name-collision", __doc__ or "", Severity.ERROR, RuleClass.MISBEHAVES)


def _find(job: LintedJob) -> Iterator[Finding]:
    metadata, network = job.jobset["metadata"], job.jobset["spec"].get("network") or {}
    if network.get("enableDNSHostnames") is False:
        return
    subdomain = network.get("subdomain")
    name = subdomain or metadata["name"]
    service = job.around.find("Service", metadata.get("namespace") or "", name)
    if service is None or _serves(service.body, metadata["name"]):
        return
    message = (
        f'JobSet takes the Service "{name}" for its own, which does not give its Pods host names; give this Service '
        "another name"
    )
    by_job: At = job.in_train_job("metadata", "name")
    related = (
        "this name is taken for the Service",
        job.made(("spec", "network", "subdomain")) if subdomain else by_job,
    )
    yield Finding(message, service.place("metadata", "name"), (related,))


def _serves(service: Body, jobset: str) -> bool:
    """Whether the Service does what the one does that JobSet makes."""
    is_headless = value_at(service, ("spec", "clusterIP")) == "None"
    return is_headless and bool(value_at(service, ("spec", "selector", JOBSET_NAME_LABEL)) == jobset)


CHECK = JobCheck(RULE, _find)
