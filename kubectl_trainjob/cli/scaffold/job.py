"""An example TrainJob for the framework of a runtime: its `mlPolicy`, its `node` container and its initializers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.cli.scaffold.pieces import JOBS, packaged
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.model.stages import Body
from kubectl_trainjob.repository.output.new_files import NewFile
from kubectl_trainjob.repository.yaml.quoting import scalar

_GPU = "nvidia.com/gpu"
_STORAGE = {
    trainer.DATASET_INITIALIZER: "hf://tatsu-lab/alpaca",
    trainer.MODEL_INITIALIZER: "hf://Qwen/Qwen2.5-1.5B-Instruct",
}
_NEEDS_GPUS = {"torch": True, "mpi": True, "jax": True, "xgboost": False, "flux": False}
"""Whether the command of a framework needs GPUs, by the field of the runtime's `mlPolicy`."""
# In these releases, Trainer selects a recipe of torchtune only if the TrainJob sets the number of processes.
_NEED_PROCESSES = ("2.0", "2.1")
# Settings of torchtune that Trainer takes from the runtime's command and that no TrainJob may repeat.
_OF_THE_RUNTIME = ("output_dir", "tokenizer.path", "tokenizer.merges_file", "checkpointer.checkpoint_dir")


def job(name: str, runtime: Body, trainer_version: str) -> NewFile:
    """The TrainJob `name` for a runtime that the API server has admitted."""
    lines = [*_head(name, runtime), *_initializers(runtime), "  trainer:", *_trainer(runtime, trainer_version)]
    return NewFile(f"{JOBS}/{name}.yaml", "".join(f"{line}\n" for line in lines))


def nodes(runtime: Body) -> int:
    """The nodes of the example: two, if the framework can use them."""
    return 1 if _is_torchtune(runtime) else 2


def _head(name: str, runtime: Body) -> Iterator[str]:
    metadata = runtime["metadata"]
    yield "# The program, the number of nodes and their resources. The runtime has all other settings."
    yield f"apiVersion: {trainer.API_VERSION}"
    yield f"kind: {trainer.TRAIN_JOB}"
    yield "metadata:"
    yield f"  name: {scalar(name)}"
    if namespace := metadata.get("namespace"):
        yield f"  namespace: {namespace} # the runtime's"
    yield "spec:"
    yield "  runtimeRef:"
    if runtime["kind"] != trainer.CLUSTER_TRAINING_RUNTIME:
        yield f"    kind: {runtime['kind']}"
    yield f"    name: {scalar(metadata['name'])}"


def _has_volume(container: Body) -> bool:
    """Whether an initializer downloads to the volume that Trainer requires: a cache has none."""
    return any(each["name"] == trainer.INITIALIZER_VOLUME for each in container.get("volumeMounts") or ())


def _initializers(runtime: Body) -> Iterator[str]:
    steps = {step: _container(runtime, step, step) or {} for step in _STORAGE}
    found = {step: container for step, container in steps.items() if _has_volume(container)}
    if found:
        yield "  initializer: # downloaded to /workspace before the training starts"
    for step, container in found.items():
        yield f"    {step.removesuffix('-initializer')}:"
        yield f"      storageUri: {scalar(_storage(container) or _STORAGE[step])}"
        yield "      # secretRef: # for private data: a Secret with the key ACCESS_TOKEN"
        yield "      #   name: huggingface"


def _trainer(runtime: Body, trainer_version: str) -> Iterator[str]:
    policy, is_torchtune = _policy(runtime), _is_torchtune(runtime)
    gpus = _gpus(runtime) or int(_NEEDS_GPUS.get(policy, False))
    if is_torchtune:
        yield from _recipe(runtime)
    else:  # it tests that the nodes find each other; its names are those of trainer pkg/runtime/framework/plugins
        yield from packaged(f"command_{policy or 'plain'}").splitlines()
    yield f"    numNodes: {nodes(runtime)}"
    if is_torchtune and trainer_version in _NEED_PROCESSES:
        yield f"    numProcPerNode: {gpus} # one per GPU"
    yield from _resources(gpus)


def _recipe(runtime: Body) -> Iterator[str]:
    yield "    # Trainer adds the recipe for the GPUs and the args, for example one for LoRA."
    yield f"    command: [{', '.join(trainer.TORCHTUNE_COMMAND)}]"
    yield "    args:"
    yield from (f"      - {scalar(setting)}" for setting in (*_settings(runtime), "epochs=1"))


def _resources(gpus: int) -> Iterator[str]:
    yield "    resourcesPerNode:"
    yield "      requests:"
    yield "        cpu: 4"
    yield "        memory: 16Gi"
    yield "      limits:"
    yield "        memory: 16Gi"
    if gpus:
        yield f"        {_GPU}: {gpus}"


def _policy(runtime: Body) -> str:
    """The framework that `mlPolicy` names, "" for none."""
    policy = runtime["spec"].get("mlPolicy") or {}
    return next((name for name in _NEEDS_GPUS if policy.get(name) is not None), "")


def _is_torchtune(runtime: Body) -> bool:
    return _policy(runtime) == "torch" and _words(runtime)[:2] == trainer.TORCHTUNE_COMMAND


def _settings(runtime: Body) -> list[str]:
    """The settings in the runtime's torchtune command that a TrainJob with another command must repeat."""
    settings = [word for word in _words(runtime) if "=" in word and not word.startswith("-")]
    return [word for word in settings if word.split("=")[0] not in _OF_THE_RUNTIME]


def _words(runtime: Body) -> list[str]:
    node = _container(runtime, trainer.ANCESTOR_TRAINER, trainer.NODE) or {}
    return list(node.get("command") or ())


def _gpus(runtime: Body) -> int:
    node = _container(runtime, trainer.ANCESTOR_TRAINER, trainer.NODE) or {}
    specified = str(((node.get("resources") or {}).get("limits") or {}).get(_GPU, ""))
    return int(specified) if specified.isdecimal() else 0


def _storage(initializer: Mapping[str, Any]) -> str:
    env = initializer.get("env") or ()
    return next((each.get("value") or "" for each in env if each["name"] == trainer.INITIALIZER_STORAGE_ENV), "")


def _container(runtime: Body, step: str, name: str) -> Mapping[str, Any] | None:
    """The container `name` of the first replicatedJob that is labelled as this step."""
    for each in runtime["spec"]["template"]["spec"].get("replicatedJobs") or ():
        template = each["template"]
        labels = (template.get("metadata") or {}).get("labels") or {}
        if labels.get(trainer.ANCESTOR_LABEL) == step:
            containers = template["spec"]["template"].get("spec", {}).get("containers") or ()
            return next((container for container in containers if container["name"] == name), None)
    return None
