"""Fields of TrainJobs that were renamed or moved."""

from __future__ import annotations

from kubectl_trainjob.frontends.older.rewriting import Rewriting
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import Pointer

_REF: Pointer = ("spec", "runtimeRef")
_RUNTIME_KINDS = (trainer.TRAINING_RUNTIME, trainer.CLUSTER_TRAINING_RUNTIME)
_OLD_MANAGER = "kubeflow.org/trainjob-controller"
PATCH_MANAGER = "kubectl-trainjob.dev/migrate"


def runtime_ref_name(work: Rewriting) -> None:
    """`trainingRuntimeRef`."""
    work.rename(("spec",), "trainingRuntimeRef", "runtimeRef")


def runtime_ref_group(work: Rewriting) -> None:
    """`apiGroup: kubeflow.org`."""
    if work.get(*_REF, "apiGroup") == "kubeflow.org":
        work.put((*_REF, "apiGroup"), trainer.GROUP, (*_REF, "apiGroup"))


def runtime_ref_kind(work: Rewriting) -> None:
    """A name where the kind belongs."""
    kind = work.get(*_REF, "kind")
    if not isinstance(kind, str) or kind in _RUNTIME_KINDS:
        return
    if kind in work.kinds:
        message = say('"{}" is the name of a {}; write kind: {} and name: {}', kind, *[work.kinds[kind]] * 2, kind)
    else:
        message = say('"{}" is not a kind of a runtime; write TrainingRuntime or ClusterTrainingRuntime', kind)
    work.ask(message, *_REF, "kind")


def dataset_config(work: Rewriting) -> None:
    """`datasetConfig`."""
    if isinstance(work.get("spec", "datasetConfig"), dict) and not work.has("spec", "initializer", "dataset"):
        work.move(("spec", "datasetConfig"), ("spec", "initializer", "dataset"))


def model_config(work: Rewriting) -> None:
    """`modelConfig`, with an input, and an output that no longer exists."""
    old: Pointer = ("spec", "modelConfig")
    if not isinstance(work.get(*old), dict):
        return
    if isinstance(work.get(*old, "input"), dict) and not work.has("spec", "initializer", "model"):
        work.move((*old, "input"), ("spec", "initializer", "model"))
    if work.has(*old, "output"):
        message = say("modelConfig.output was removed; save the model in the training program")
        work.ask(message, *old, "output")
    elif not work.get(*old):
        work.drop(*old)


def secret_refs(work: Rewriting) -> None:
    """`secretRef.namespace` of the first API."""
    own = work.manifest.id.namespace
    for step in trainer.INITIALIZERS:
        at = ("spec", "initializer", step, "secretRef")
        namespace = work.get(*at, "namespace")
        if namespace is None:
            continue
        if namespace != own:
            message = say('secretRef cannot name another namespace; copy the Secret from "{}"', namespace)
            work.ask(message, *at, "namespace")
        work.drop(*at, "namespace")


def managed_by(work: Rewriting) -> None:
    """The first name of the controller."""
    if work.get("spec", "managedBy") == _OLD_MANAGER:
        work.put(("spec", "managedBy"), trainer.MANAGED_BY_TRAINER, ("spec", "managedBy"))


def job_metadata(work: Rewriting) -> None:
    """`spec.labels` and `spec.annotations` are a patch of the runtime's template since 2.2."""
    fields = [key for key in ("labels", "annotations") if work.has("spec", key)]
    given = [key for key in fields if work.get("spec", key)]
    if given:
        index = len(work.get("spec", trainer.RUNTIME_PATCHES) or ())
        here: Pointer = ("spec", trainer.RUNTIME_PATCHES, index)
        manager = PATCH_MANAGER if not index else f"{PATCH_MANAGER}-metadata"
        work.put((*here, "manager"), manager, ("spec", given[0]))
        for key in given:
            work.move(("spec", key), (*here, "trainingRuntimeSpec", "template", "metadata", key))
    for key in fields:
        work.drop("spec", key)
