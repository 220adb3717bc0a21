"""What TrainJobs change in the template of their runtime: podSpecOverrides (2.0), podTemplateOverrides (2.1), and
runtimePatches (since 2.2).
"""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.frontends.older.jobs import PATCH_MANAGER
from kubectl_trainjob.frontends.older.rewriting import Rewriting
from kubectl_trainjob.frontends.older.templates import JOB_NAMES
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import Pointer

_OLD, _NEW, _PATCHES = trainer.POD_SPEC_OVERRIDES, trainer.POD_TEMPLATE_OVERRIDES, trainer.RUNTIME_PATCHES
_WITHOUT_PLACE = ("command", "args", "envFrom")
_OWN = (*trainer.INITIALIZERS.values(), trainer.NODE)


def target_names(work: Rewriting) -> None:
    """`targetReplicatedJobs`, and jobs that have another name now."""
    for field in (_OLD, _NEW):
        for index, override in enumerate(_overrides(work, field)):
            here: Pointer = ("spec", field, index)
            names = override.get("targetReplicatedJobs")
            if isinstance(names, list) and "targetJobs" not in override:
                work.put((*here, "targetJobs"), [{"name": name} for name in names], (*here, "targetReplicatedJobs"))
                work.drop(*here, "targetReplicatedJobs")
            for number, target in enumerate(work.get(*here, "targetJobs") or ()):
                new = JOB_NAMES.get(str(target.get("name"))) if work.is_old and isinstance(target, dict) else None
                if new:
                    work.put((*here, "targetJobs", number, "name"), new)


def spec_overrides(work: Rewriting) -> None:
    """podSpecOverrides as podTemplateOverrides: the Pod's fields are in `spec`."""
    overrides = _overrides(work, _OLD)
    if not overrides or _has_both(work, _OLD, _NEW, _PATCHES):
        return
    work.move(("spec", _OLD), ("spec", _NEW))
    for index, override in enumerate(overrides):
        here: Pointer = ("spec", _NEW, index)
        for key in [key for key in override if key != "targetJobs"]:
            work.move((*here, key), (*here, "spec", key))


def template_overrides(work: Rewriting) -> None:
    """podTemplateOverrides as runtimePatches: one patch for all, and one more for each further override of a job."""
    overrides = _overrides(work, _NEW)
    if not overrides or _has_both(work, _NEW, _PATCHES):
        return
    patches = _patches(overrides)
    if patches:
        work.put(("spec", _PATCHES), patches, ("spec", _NEW))
    _ask_lost(work, overrides)
    work.drop("spec", _NEW)


def _has_both(work: Rewriting, old: str, *newer: str) -> bool:
    """Whether a field is beside a newer one, which a user has to combine: no version of Trainer reads both."""
    found = next((field for field in newer if work.has("spec", field)), None)
    if found:
        work.ask(say("{} and {} are both set, and no version reads both; combine them", old, found), "spec", old)
    return found is not None


def _overrides(work: Rewriting, field: str) -> list[dict[str, Any]]:
    found = work.get("spec", field)
    return found if isinstance(found, list) and all(isinstance(each, dict) for each in found) else []


def _patches(overrides: list[dict[str, Any]]) -> list[dict[str, Any]]:
    layers: list[dict[str, dict[str, Any]]] = []
    for override in overrides:
        if not isinstance(override.get("targetJobs", []), list):
            raise TypeError("targetJobs is not a list")
        pod = {key: override[key] for key in ("metadata", "spec") if override.get(key)}
        for target in override.get("targetJobs") or () if pod else ():
            name = target["name"]
            layer = next((each for each in _after_last(layers, name)), None)
            if layer is None:
                layers.append(layer := {})
            layer[name] = {"name": name, "template": {"spec": {"template": pod}}}
    return [_patch(number, layer) for number, layer in enumerate(layers)]


def _after_last(layers: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """The layers after the last one that has the job: patches are merged in their order."""
    last = max((number for number, layer in enumerate(layers) if name in layer), default=-1)
    return layers[last + 1 :]


def _patch(number: int, layer: dict[str, Any]) -> dict[str, Any]:
    manager = PATCH_MANAGER if not number else f"{PATCH_MANAGER}-{number + 1}"
    template = {"spec": {"replicatedJobs": list(layer.values())}}
    return {"manager": manager, "trainingRuntimeSpec": {"template": template}}


def _ask_lost(work: Rewriting, overrides: list[dict[str, Any]]) -> None:
    for index, override in enumerate(overrides):
        if not override.get("targetJobs"):
            message = say("this override has no targetJobs, so it had no effect, and it was removed")
            work.ask(message, "spec", _NEW, index)
        for number, container in enumerate((override.get("spec") or {}).get("containers") or ()):
            at = ("spec", _NEW, index, "spec", "containers", number)
            for key in [key for key in _WITHOUT_PLACE if key in container]:
                work.ask(say("{} of a container cannot be patched; write it in spec.trainer", key), *at, key)
            if container.get("env") and container.get("name") in _OWN:
                message = say(
                    'env of container "{}" cannot be patched; write it in spec.trainer.env', container["name"]
                )
                work.ask(message, *at, "env")
