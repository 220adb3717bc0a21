"""
The first process of a training waits for the others at `<TrainJob>-node-0-0.<TrainJob>`: Trainer takes the JobSet's
name for the name of its headless Service. `network.subdomain` gives the Service another name, so that no Pod is found
under this address, and all processes wait until they time out. Leave it out. The rule is silent where a single process
runs plain Python, which reads no address.

Bad:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: training}
    spec:
      mlPolicy: {numNodes: 2, torch: {}}
      template:
        spec:
          failurePolicy: {maxRestarts: 3}
          network:
            subdomain: workers # <- KTJ405
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

from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.launches import meeting_setting
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.hit import Change, Finding, Remedy
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity
from kubectl_trainjob.model.source import value_at

RULE = Rule("KTJ405", "custom-subdomain", __doc__ or "", Severity.ERROR, RuleClass.MISBEHAVES)


def _find(runtime: LintedRuntime) -> Iterator[Finding]:
    network = value_at(runtime.spec, ("template", "spec", "network")) or {}
    subdomain = network.get("subdomain")
    if not subdomain or network.get("enableDNSHostnames") is False:
        return
    setting = meeting_setting(runtime)
    # A runtime may be made for the one TrainJob of this name.
    if setting is not None and all(job.id.name != subdomain for job in runtime.around.train_jobs):
        place = runtime.place("spec", "template", "spec", "network", "subdomain")
        message = (
            f'{setting} names a Pod below "<TrainJob>", but Pods are found below "{subdomain}"; remove the subdomain'
        )
        yield Finding(message, place, remedy=Remedy("remove the subdomain", (Change(place),), is_safe=False))


CHECK = RuntimeCheck(RULE, _find)
