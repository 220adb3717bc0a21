"""
The first process of a training waits for the others at an address that Trainer writes into each Pod: PET_MASTER_ADDR,
JAX_COORDINATOR_ADDRESS or DMLC_TRACKER_URI. It is always `<TrainJob>-node-0-0.<TrainJob>`, whatever the replicatedJob
is called that trains. Under another name there is no such Pod, and all processes wait for it until they time out. The
rule is silent where a single process runs plain Python, which reads no address.

Bad:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: training}
    spec:
      mlPolicy: {numNodes: 2, torch: {}}
      template:
        spec:
          failurePolicy: {maxRestarts: 3}
          replicatedJobs:
          - name: worker # <- KTJ404
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
                      command: [torchrun, train.py]
                      resources:
                        requests: {cpu: 4, memory: 16Gi}
                        limits: {memory: 16Gi}
Good:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: training}
    spec:
      mlPolicy: {numNodes: 2, torch: {}}
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
                      command: [torchrun, train.py]
                      resources:
                        requests: {cpu: 4, memory: 16Gi}
                        limits: {memory: 16Gi}
Versions: 2.0-2.3.
See: https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/runtime/framework/plugins/torch/torch.go
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import NODE
from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.launches import meeting_setting, trainer_of
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.hit import Finding
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

RULE = Rule("KTJ404", "trainer-job-not-node", __doc__ or "", Severity.ERROR, RuleClass.MISBEHAVES)


def _find(runtime: LintedRuntime) -> Iterator[Finding]:
    trainer = trainer_of(runtime)
    setting = meeting_setting(runtime) if trainer is not None and trainer.name != NODE else None
    if trainer is not None and setting is not None:
        message = (
            f'"{trainer.name}" trains, but {setting} names the Pod "<TrainJob>-{NODE}-0-0", which does not exist or '
            f'does not train; name the replicatedJob "{NODE}"'
        )
        yield Finding(message, runtime.in_template(("spec", "replicatedJobs", trainer.position, "name")))


CHECK = RuntimeCheck(RULE, _find)
