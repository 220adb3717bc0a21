"""
Two of Trainer's plugins add variables to an XGBoost job: DMLC_*, and the TrainJob's own. They run in the random order
of a Go map. Kubernetes expands `$(NAME)` in a variable only with variables that stand before it, so a variable of the
TrainJob that refers to DMLC_* gets the address one time and the text `$(DMLC_TRACKER_URI)` another time. This build
puts the TrainJob's variables first, where the text stays as it is. Refer to DMLC_* in the command, which sees all
variables.

Bad:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: training}
    spec:
      mlPolicy: {numNodes: 1, xgboost: {}}
      template:
        spec:
          failurePolicy: {maxRestarts: 3}
          replicatedJobs:
          - name: node
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
              spec:
                backoffLimit: 0
                template:
                  spec:
                    restartPolicy: Never
                    containers:
                    - name: node
                      image: acme/train:1.4
                      command: [python, train.py]
                      resources:
                        requests: {cpu: 4, memory: 16Gi}
                        limits: {memory: 16Gi}
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata: {name: mnist}
    spec:
      runtimeRef: {name: training}
      trainer:
        numNodes: 2
        env:
        - name: TRACKER
          value: $(DMLC_TRACKER_URI):29500 # <- KTJ810
Good:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: training}
    spec:
      mlPolicy: {numNodes: 1, xgboost: {}}
      template:
        spec:
          failurePolicy: {maxRestarts: 3}
          replicatedJobs:
          - name: node
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
              spec:
                backoffLimit: 0
                template:
                  spec:
                    restartPolicy: Never
                    containers:
                    - name: node
                      image: acme/train:1.4
                      command: [python, train.py]
                      resources:
                        requests: {cpu: 4, memory: 16Gi}
                        limits: {memory: 16Gi}
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata: {name: mnist}
    spec:
      runtimeRef: {name: training}
      trainer:
        numNodes: 2
        command: [python, train.py]
        args: ["--tracker=$(DMLC_TRACKER_URI):29500"]
Versions: 2.2-2.3.
See: https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/runtime/framework/core/framework.go
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.command_line import references
from kubectl_trainjob.kube.facts.trainer import XGBOOST_RESERVED_ENV
from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.launches import node_of, trainer_node
from kubectl_trainjob.lint.views import LintedJob, Replicated
from kubectl_trainjob.model.hit import Finding
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity
from kubectl_trainjob.model.source import value_at

RULE = Rule("KTJ810", "nondeterministic-output", __doc__ or "", Severity.ERROR, RuleClass.MISBEHAVES)


def _find(job: LintedJob) -> Iterator[Finding]:
    entries = (job.spec.get("trainer") or {}).get("env") if job.policy("xgboost") is not None else None
    if not entries or trainer_node(job) is None:
        return
    ahead = _of_runtime(job)
    for index, entry in enumerate(entries):
        names = references(str(entry.get("value") or "")) if entry["name"] not in ahead else ()
        name = next((name for name in names if name in XGBOOST_RESERVED_ENV and name not in ahead), None)
        if name is not None:
            message = (
                f'"{entry["name"]}" refers to $({name}), and Trainer writes the two in a random order, so that it is '
                f"replaced or stays as it is; this build writes {entry['name']} first, and it stays; refer to {name} "
                "in the command"
            )
            yield Finding(message, job.in_train_job("spec", "trainer", "env", index, "value"))


def _of_runtime(job: LintedJob) -> set[str]:
    """The variables that the runtime has itself: they keep their places before all others."""
    role = job.trainer_job()
    roles = value_at(job.runtime_spec, ("template", "spec", "replicatedJobs")) or ()
    template = next((Replicated(0, each) for each in roles if role is not None and each["name"] == role.name), None)
    node = node_of(template)
    return {entry["name"] for entry in node.body.get("env") or ()} if node else set()


CHECK = JobCheck(RULE, _find)
