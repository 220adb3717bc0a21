"""Jobs of one shape share a runtime: what differs between them is in their TrainJobs.

A TrainJob sets the env of the training container itself. The env of other roles differs by a patch of the TrainJob.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.legacy.convert import ConvertedJob, convert
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.launch.command_line import references
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.stages import Manifest

_LONGEST = 63  # characters of a runtime's name: the length of a label, which tools use


class MigratedObject(NamedTuple):
    """The result for one object: the objects instead of it, None to keep it; a runtime is before its first TrainJob."""

    manifest: Manifest
    objects: tuple[dict[str, Any], ...] | None
    findings: tuple[Diagnostic, ...]


def migrate_jobs(
    manifests: Iterable[Manifest],
    taken: Iterable[tuple[str, str]],
    deployed_by: Callable[[Manifest], str],
    *,
    can_patch: bool,
    counts_limits: bool,
) -> Iterator[MigratedObject]:
    """Jobs of the operators as TrainJobs; `taken` are (namespace, name) of runtimes that exist.

    `deployed_by` is equal for jobs that are always deployed together: only these share a runtime. `can_patch` says
    whether TrainJobs have runtimePatches, `counts_limits` whether Trainer counts processes without requests.
    """
    conversions = [convert(manifest) for manifest in manifests]
    keys = {id(each): _key(each, deployed_by(each.manifest), can_patch=can_patch) for each in conversions}
    groups: dict[str, list[ConvertedJob]] = {}
    for each in conversions:
        if each.runtime is not None:
            groups.setdefault(keys[id(each)], []).append(each)
    names = set(taken)
    varying = {key: _varying(group) for key, group in groups.items()}
    runtimes: dict[str, dict[str, Any]] = {}
    for each in conversions:
        if each.runtime is None:
            yield MigratedObject(each.manifest, None, each.findings)
            continue
        key = keys[id(each)]
        is_first = key not in runtimes
        if is_first:
            runtimes[key] = _runtime(each, varying[key], names)
        runtime = runtimes[key]
        job = _with_runtime(each, runtime["metadata"]["name"], varying[key])
        job = job if counts_limits else _with_requests(job, runtime)
        yield MigratedObject(each.manifest, (runtime, job) if is_first else (job,), each.findings)


_VariablePlace = tuple[int, int, int]
"""A variable: the index of its replicatedJob, container and item of env."""


def _key(conversion: ConvertedJob, deployed_by: str, *, can_patch: bool) -> str:
    """Equal for jobs that can share a runtime: the texts of variables outside the training container do not count."""
    runtime = conversion.runtime or {}
    if runtime and can_patch and len(_jobs(runtime)) > 1 and "mpi" not in runtime["mlPolicy"]:
        runtime = _with_env(
            runtime, lambda _at, entry, free: {**entry, "value": ""} if entry["name"] in free else entry
        )
    return json.dumps([deployed_by, conversion.manifest.id.namespace, runtime], sort_keys=True)


def _jobs(runtime: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = runtime["template"]["spec"]["replicatedJobs"]
    return found


def _containers(job: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = job["template"]["spec"]["template"]["spec"]["containers"]
    return found


def _free(env: list[dict[str, Any]]) -> set[str]:
    """The variables that can be anywhere in env: those with a text that refers to none, and that none refers to."""
    texts = {entry["name"]: entry["value"] for entry in env if "value" in entry}
    used = {name for text in texts.values() for name in references(text)}
    return {name for name, text in texts.items() if "$(" not in text} - used


def _with_env(runtime: dict[str, Any], change: Any) -> dict[str, Any]:
    """The runtime with the changed items of env, which may be moved if their names are free; None removes one."""

    def container(at: tuple[int, int], body: dict[str, Any]) -> dict[str, Any]:
        if "env" not in body:
            return body
        free = _free(body["env"])
        changed = (change((*at, index), entry, free) for index, entry in enumerate(body["env"]))
        return {**body, "env": [entry for entry in changed if entry is not None]}

    def job(number: int, body: dict[str, Any]) -> dict[str, Any]:
        containers = [container((number, index), each) for index, each in enumerate(_containers(body))]
        return _with_value(body, ("template", "spec", "template", "spec", "containers"), containers)

    jobs = [job(number, body) for number, body in enumerate(_jobs(runtime))]
    return _with_value(runtime, ("template", "spec", "replicatedJobs"), jobs)


def _with_value(value: dict[str, Any], path: Sequence[str], new: Any) -> dict[str, Any]:
    key, *rest = path
    return {**value, key: _with_value(value[key], rest, new) if rest else new}


def _varying(group: list[ConvertedJob]) -> frozenset[_VariablePlace]:
    """The variables whose texts differ between the jobs of a group."""
    if len(group) == 1:
        return frozenset()
    values: dict[_VariablePlace, set[str]] = {}
    for conversion in group:
        for job, replicated in enumerate(_jobs(conversion.runtime or {})):
            for index, container in enumerate(_containers(replicated)):
                free = _free(container.get("env") or [])
                for item, entry in enumerate(container.get("env") or ()):
                    if entry["name"] in free:
                        values.setdefault((job, index, item), set()).add(entry["value"])
    return frozenset(at for at, texts in values.items() if len(texts) > 1)


def _runtime(first: ConvertedJob, varying: frozenset[_VariablePlace], names: set[tuple[str, str]]) -> dict[str, Any]:
    identity = first.manifest.id
    spec = _with_env(first.runtime or {}, lambda at, entry, _free: None if at in varying else entry)
    metadata = {"name": _free_name(identity.name, identity.namespace, names)}
    if identity.namespace:
        metadata["namespace"] = identity.namespace
    return {"apiVersion": trainer.API_VERSION, "kind": trainer.TRAINING_RUNTIME, "metadata": metadata, "spec": spec}


def _free_name(job: str, namespace: str, names: set[tuple[str, str]]) -> str:
    suffix, number = "-runtime", 1
    while (name := f"{job[: _LONGEST - len(suffix)].rstrip('-')}{suffix}", namespace) and (namespace, name) in names:
        number += 1
        suffix = f"-runtime-{number}"
    names.add((namespace, name))
    return name


def _with_runtime(conversion: ConvertedJob, runtime: str, varying: frozenset[_VariablePlace]) -> dict[str, Any]:
    job = conversion.train_job or {}
    spec = {"runtimeRef": {"kind": trainer.TRAINING_RUNTIME, "name": runtime}, **job["spec"]}
    patches = _patches(conversion.runtime or {}, varying)
    return {**job, "spec": {**spec, **patches}}


def _with_requests(job: dict[str, Any], runtime: dict[str, Any]) -> dict[str, Any]:
    """The TrainJob with requests that equal its limits, which the API server sets if there are none."""
    own = job["spec"].get("trainer") or {}
    resources = own.get("resourcesPerNode") or {}
    if "torch" not in runtime["spec"]["mlPolicy"] or not resources.get("limits") or resources.get("requests"):
        return job
    trainer_spec = {**own, "resourcesPerNode": {**resources, "requests": resources["limits"]}}
    return {**job, "spec": {**job["spec"], "trainer": trainer_spec}}


def _patches(runtime: dict[str, Any], varying: frozenset[_VariablePlace]) -> dict[str, Any]:
    """The fields of a TrainJob that set the varying variables."""
    jobs = []
    own: dict[str, Any] = {}
    for number, replicated in enumerate(_jobs(runtime)):
        containers = []
        for index, container in enumerate(_containers(replicated)):
            items = sorted(at[2] for at in varying if at[:2] == (number, index))
            env = [container["env"][item] for item in items]
            if env and _is_trainer(replicated) and container["name"] == trainer.NODE:
                own = {"trainer": {"env": env}}
            elif env:
                containers.append({"name": container["name"], "env": env})
        if containers:
            pod = {"template": {"spec": {"template": {"spec": {"containers": containers}}}}}
            jobs.append({"name": replicated["name"], **pod})
    if not jobs:
        return own
    patch = {"manager": "trainer.kubeflow.org/kubectl-trainjob-migrate"}
    spec = {"trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}
    return {**own, trainer.RUNTIME_PATCHES: [{**patch, **spec}]}


def _is_trainer(replicated: dict[str, Any]) -> bool:
    labels = (replicated["template"].get("metadata") or {}).get("labels") or {}
    return bool(labels.get(trainer.ANCESTOR_LABEL) == trainer.ANCESTOR_TRAINER)
