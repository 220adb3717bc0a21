"""What TrainJobs change in the template of their runtime: podSpecOverrides (2.0), podTemplateOverrides (2.1), and
runtimePatches (since 2.2).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.frontends.older.jobs import PATCH_MANAGER
from kubectl_trainjob.frontends.older.rewriting import Rewriting
from kubectl_trainjob.frontends.older.templates import CONTAINER_NAMES, JOB_NAMES, OLD_INITIALIZER, volume_writes
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.model.message import listed, say
from kubectl_trainjob.model.source import Pointer

_OLD, _NEW, _PATCHES = trainer.POD_SPEC_OVERRIDES, trainer.POD_TEMPLATE_OVERRIDES, trainer.RUNTIME_PATCHES
_WITHOUT_PLACE = ("command", "args", "envFrom")
_OWN = {trainer.NODE: "trainer"} | {step: f"initializer.{field}" for field, step in trainer.INITIALIZERS.items()}
"""The field of a TrainJob's spec for each container that has one."""


def target_names(work: Rewriting) -> None:
    """`targetReplicatedJobs`, and jobs that have another name now."""
    for field in (_OLD, _NEW):
        for index, override in enumerate(_overrides(work, field)):
            here: Pointer = ("spec", field, index)
            names = override.get("targetReplicatedJobs")
            if isinstance(names, list) and "targetJobs" not in override:
                work.put((*here, "targetJobs"), [{"name": name} for name in names], (*here, "targetReplicatedJobs"))
                work.drop(*here, "targetReplicatedJobs")
            targets = enumerate(work.get(*here, "targetJobs") or () if work.is_old else ())
            named = (
                (number, JOB_NAMES.get(str(each.get("name")))) for number, each in targets if isinstance(each, dict)
            )
            work.put_each(((*here, "targetJobs", number, "name"), new, ()) for number, new in named if new)


def initializer_targets(work: Rewriting) -> None:
    """The job "initializer", whose init containers are jobs now."""
    for field in (_OLD, _NEW) if work.is_old else ():
        found = _overrides(work, field)
        new = [part for index, each in enumerate(found) for part in _split(work, each, ("spec", field, index))]
        if new != found:
            work.put(("spec", field), new, ("spec", field))


def _split(work: Rewriting, override: dict[str, Any], at: Pointer) -> list[dict[str, Any]]:
    """An override with the jobs of the steps in place of "initializer": one for each step that it has containers of."""
    targets = override.get("targetJobs") or ()
    others = [each for each in targets if each.get("name") != OLD_INITIALIZER]
    steps = trainer.INITIALIZERS.values() if work.runtime.steps is None else work.runtime.steps
    if len(others) == len(targets) or not steps:
        return [override]
    if work.runtime.steps is None:
        message = say(
            'the runtime is not in the files, so {} replace "initializer"; keep those that the runtime has',
            listed(steps),
        )
        work.ask(message, *at, "targetJobs")
    pod = override if at[1] == _OLD else override.get("spec") or {}
    if not pod.get("initContainers"):
        return [{**override, "targetJobs": [*others, *({"name": step} for step in steps)]}]
    own = {each["name"]: each for each in pod["initContainers"] if each["name"] in steps}
    left = [each for each in pod["initContainers"] if each["name"] not in own]
    kept = [_with_containers(override, pod, {"initContainers": left}, others)] if others else []
    return kept + [
        _with_containers(
            override, pod, {"containers": [own[step]] if step in own else [], "initContainers": []}, [step]
        )
        for step in steps
    ]


def _with_containers(
    override: dict[str, Any], pod: dict[str, Any], lists: dict[str, list[Any]], targets: list[Any]
) -> dict[str, Any]:
    """The override for other jobs, with other lists of containers in its Pod, without those that are empty."""
    changed = {key: value for key, value in {**pod, **lists}.items() if value or key not in lists}
    body = changed if pod is override else {**override, "spec": changed}
    return {**body, "targetJobs": [each if isinstance(each, dict) else {"name": each} for each in targets]}


def container_names(work: Rewriting) -> None:
    """The container that trains is `node`."""
    places: list[Pointer] = []
    for override, pod in _pods(work):
        targets = {each.get("name") for each in override.get("targetJobs") or ()}
        if not targets.isdisjoint({trainer.NODE, trainer.LAUNCHER}):
            containers = enumerate(work.get(*pod, "containers") or ())
            old = (number for number, each in containers if each.get("name") in CONTAINER_NAMES)
            places += [(*pod, "containers", number, "name") for number in old]
    work.put_each((at, trainer.NODE, at) for at in places)


def volume_names(work: Rewriting) -> None:
    """The volume of the initializers is `initializer`."""
    work.put_each(write for _, pod in _pods(work) for write in volume_writes(work, pod))


def _pods(work: Rewriting) -> Iterator[tuple[dict[str, Any], Pointer]]:
    """The overrides of an object of an old API, and where the fields of their Pods are."""
    for field, below in ((_OLD, ()), (_NEW, ("spec",))) if work.is_old else ():
        for index, override in enumerate(_overrides(work, field)):
            yield override, ("spec", field, index, *below)


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
    counts: dict[str, int] = {}
    for override in overrides:
        if not isinstance(override.get("targetJobs", []), list):
            raise TypeError("targetJobs is not a list")
        pod = {key: override[key] for key in ("metadata", "spec") if override.get(key)}
        for target in override.get("targetJobs") or () if pod else ():
            name = target["name"]
            number = counts[name] = counts.get(name, -1) + 1  # after its last one: patches are merged in order
            if number == len(layers):
                layers.append({})
            layers[number][name] = {"name": name, "template": {"spec": {"template": pod}}}
    return [_patch(number, layer) for number, layer in enumerate(layers)]


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
            name = container.get("name")
            for key in [key for key in _WITHOUT_PLACE if key in container]:
                where = "spec.trainer" if name == trainer.NODE and key != "envFrom" else "the runtime"
                work.ask(say("{} of a container cannot be patched; write it in {}", key, where), *at, key)
            if container.get("env") and name in _OWN:
                message = say('env of container "{}" cannot be patched; write it in spec.{}.env', name, _OWN[name])
                work.ask(message, *at, "env")
