"""
Trainer counts resources with "gpu" in their names and no others. A Pod with slices of a GPU (`nvidia.com/mig-…`), with
TPUs or another vendor's devices, or with devices that it gets through a ResourceClaim, has no GPU for it: torchrun then
starts one process for each CPU, MPI and XGBoost one in each Pod, however many devices there are. State
`numProcPerNode`; for XGBoost, which does not read it, start one Pod for each device.

Bad:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: training}
    spec:
      mlPolicy: {numNodes: 1, torch: {}}
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
                        requests: {cpu: 16, memory: 64Gi}
                        limits:
                          memory: 64Gi
                          nvidia.com/mig-1g.10gb: 2 # <- KTJ307
                      volumeMounts: [{name: shared-memory, mountPath: /dev/shm}]
                    volumes: [{name: shared-memory, emptyDir: {medium: Memory}}]
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata: {name: mnist}
    spec: {runtimeRef: {name: training}, trainer: {numNodes: 1}}
Good:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: training}
    spec:
      mlPolicy: {numNodes: 1, torch: {}}
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
                        requests: {cpu: 16, memory: 64Gi}
                        limits:
                          memory: 64Gi
                          nvidia.com/mig-1g.10gb: 2
                      volumeMounts: [{name: shared-memory, mountPath: /dev/shm}]
                    volumes: [{name: shared-memory, emptyDir: {medium: Memory}}]
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata: {name: mnist}
    spec: {runtimeRef: {name: training}, trainer: {numNodes: 1, numProcPerNode: 2}}
Versions: 2.0-2.3.
See: https://github.com/kubeflow/sdk/issues/204
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.devices import gpu_names, uncounted
from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.launches import Started, counted, is_stated, started
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.hit import At, Change, Finding, Remedy
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity
from kubectl_trainjob.model.source import value_at

RULE = Rule("KTJ307", "accelerator-not-counted", __doc__ or "", Severity.WARNING, RuleClass.MISBEHAVES)


def _find(job: LintedJob) -> Iterator[Finding]:
    if is_stated(job):
        return
    for each in started(job):
        found = counted(job)
        has_gpus = gpu_names(each.node.resources) or (found and gpu_names(found.resources))
        if not has_gpus and not each.is_flag and isinstance(each.each, int):
            yield from _uncounted(job, each, each.each)
            return


def _uncounted(job: LintedJob, each: Started, processes: int) -> Iterator[Finding]:
    held = uncounted(each.node.resources)
    if held is not None and held.pieces != processes:
        at = job.made((*each.node.pointer, "resources", held.field, held.name), on="key")
        remedy = _remedy(job, held.pieces)
        yield _finding(job, each, f'"{held}"', at, remedy)
    elif held is None and each.node.resources.get("claims") and not _is_stated_of_mpi(job):
        yield _finding(job, each, "claimed devices", job.made((*each.node.pointer, "resources", "claims"), on="key"))


def _is_stated_of_mpi(job: LintedJob) -> bool:
    """Whether somebody wrote how many: in the admitted runtime a default stands."""
    written = job.resolved.runtime.manifest.body
    return value_at(written, ("spec", "mlPolicy", "mpi", "numProcPerNode")) is not None


def _finding(job: LintedJob, each: Started, held: str, at: At, remedy: Remedy | None = None) -> Finding:
    advice = "start one Pod for each device" if job.policy("xgboost") is not None else "state numProcPerNode"
    number = f'the number of processes in each Pod is "{each.each}" ({each.setting})'
    message = f"Trainer counts no GPU in {held}, so that {number}; {advice}"
    return Finding(message, at, remedy=remedy)


def _remedy(job: LintedJob, pieces: int) -> Remedy | None:
    if job.spec.get("trainer") is None or job.policy("xgboost") is not None or job.trainer == "2.0":
        return None
    change = Change(job.in_train_job("spec", "trainer", "numProcPerNode"), pieces)
    return Remedy(f"start {pieces} processes in each Pod, one a device", (change,), is_safe=False)


CHECK = JobCheck(RULE, _find)
