"""The steps that write values, in words."""

from __future__ import annotations

_OVERLAY = {
    "names": "an overlay's rename of the referenced object",
    "nameHash": "an overlay's nameHash, of the running part",
}
_PLUGINS = frozenset({"coscheduling", "flux", "jax", "mpi", "torch", "volcano", "xgboost"})
_WORDS = {
    "api": "a default of the API",
    "elastic": "the build's elastic training",
    "file": "written",
    "form": "the Kubernetes default",
    "hydra": "the build's support of Intel MPI and MPICH",
    "jobset": "Trainer's JobSet builder",
    "jobset-defaults": "JobSet's default",
    "namespace": "the option -n",
    "ome": "the conversion of the TrainingJob",
    "plain": "Trainer's plain ML plugin",
    "podSpecOverrides": "the TrainJob's podSpecOverrides",
    "podTemplateOverrides": "the TrainJob's podTemplateOverrides",
    "resourcesPerNode": "the TrainJob's resourcesPerNode",
    "runtime": "the runtime's template",
    "runtimePatches": "the TrainJob's runtimePatches",
    "sweeps": "a sweep of the overlay",
    "template": "a template",
    "trainJob": "the TrainJob's labels and annotations of the JobSet",
}
_SHORT = {
    "api": "API default",
    "jobset": "JobSet builder",
    "jobset-defaults": "JobSet default",
    "namespace": "-n",
    "plain": "plain plugin",
    "template": "template",
    "form": "Kubernetes",
}


def step_label(step: str) -> str:
    """The step in a note beside a line; "" if the line in the note is enough."""
    if step in _PLUGINS:
        return f"{step} plugin"
    overlay, _, setting = step.partition(" ")
    return setting if overlay == "overlay" else _SHORT.get(step, "")


def step_phrase(step: str) -> str:
    """The step in a sentence: `Trainer's torch plugin`, `an overlay's images`."""
    if step in _PLUGINS:
        return f"Trainer's {step} plugin"
    overlay, _, setting = step.partition(" ")
    if overlay == "overlay":
        return _OVERLAY.get(setting, f"an overlay's {setting}")
    return _WORDS.get(step, step)
