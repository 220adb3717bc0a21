"""Secrets and ConfigMaps that Pods refer to, and their providers. Their contents are never read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.explain.environment.values import Container, RequiredObject, Role, Use
from kubectl_trainjob.kube.facts.jobset import pod_spec
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import ObjectId, TracedJob

SECRET, CONFIG_MAP = "Secret", "ConfigMap"

# Volume types with the keys of their Secrets. Only `secret` and `configMap` can be optional.
_IN_VOLUMES: Mapping[str, tuple[str, Pointer]] = {
    "secret": (SECRET, ("secretName",)),
    "configMap": (CONFIG_MAP, ("name",)),
    "azureFile": (SECRET, ("secretName",)),
    "csi": (SECRET, ("nodePublishSecretRef", "name")),
    **dict.fromkeys(
        ("cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"), (SECRET, ("secretRef", "name"))
    ),
}
_IN_ENV = {"secretKeyRef": SECRET, "configMapKeyRef": CONFIG_MAP, "secretRef": SECRET, "configMapRef": CONFIG_MAP}


class _ObjectReference(NamedTuple):
    kind: str
    pointer: Pointer
    what: str
    is_optional: bool = False


def required_objects_of(
    job: TracedJob, roles: Iterable[Role], inputs: frozenset[ObjectId]
) -> tuple[RequiredObject, ...]:
    """Each Secret, then each ConfigMap, by name; `inputs` are the objects that a build prints as they are."""
    jobset = job.objects[0].draft
    uses: dict[tuple[str, str], list[Use]] = {(SECRET, secret.name): [] for secret in job.secrets}
    for role in roles:
        for reference in _references(jobset, role):
            name = jobset.get(*reference.pointer)
            if name:
                use = Use(role.name, reference.what, reference.is_optional, jobset.place(reference.pointer))
                uses.setdefault((reference.kind, name), []).append(use)
    order = sorted(uses, key=lambda key: (key[0] != SECRET, key[1]))
    return tuple(_required(job, kind, name, inputs, uses[kind, name]) for kind, name in order)


def _required(job: TracedJob, kind: str, name: str, inputs: frozenset[ObjectId], uses: Iterable[Use]) -> RequiredObject:
    generated = next((secret for secret in job.secrets if kind == SECRET and secret.name == name), None)
    if generated is not None:
        return RequiredObject(kind, name, "controller", tuple(uses), generated.purpose)
    if any((generated.identity.kind, generated.identity.name) == (kind, name) for generated in job.objects):
        return RequiredObject(kind, name, "build", tuple(uses))
    is_input = ObjectId("v1", kind, job.train_job.identity.namespace, name) in inputs
    return RequiredObject(kind, name, "inputs" if is_input else "cluster", tuple(uses))


def _references(jobset: Draft, role: Role) -> Iterator[_ObjectReference]:
    spec = pod_spec(role.position)
    for index in range(len(jobset.get(*spec, "imagePullSecrets") or ())):
        yield _ObjectReference(SECRET, (*spec, "imagePullSecrets", index, "name"), "pulls images")
    for index, volume in enumerate(jobset.get(*spec, "volumes") or ()):
        yield from _in_volume((*spec, "volumes", index), volume)
    for container in role.containers:
        yield from _in_container(container)


def _in_volume(pointer: Pointer, volume: Mapping[str, Any]) -> Iterator[_ObjectReference]:
    what = f'volume "{volume["name"]}"'
    for kind, (target, below) in _IN_VOLUMES.items():
        if volume.get(kind) is not None:
            yield _ObjectReference(target, (*pointer, kind, *below), what, bool(volume[kind].get("optional")))
    for index, source in enumerate((volume.get("projected") or {}).get("sources") or ()):
        for kind, target in (("secret", SECRET), ("configMap", CONFIG_MAP)):
            if source.get(kind) is not None:
                where = (*pointer, "projected", "sources", index, kind, "name")
                yield _ObjectReference(target, where, what, bool(source[kind].get("optional")))


def _in_container(container: Container) -> Iterator[_ObjectReference]:
    whose = f'container "{container.spec.name}"'
    sources: list[tuple[Pointer, Any, str]] = [
        (("env", index, "valueFrom"), variable.reference or {}, f"{whose}, env {variable.name}")
        for index, variable in enumerate(container.variables)
    ]
    sources += ((("envFrom", index), each.value, f"{whose}, envFrom") for index, each in enumerate(container.imported))
    for pointer, source, what in sources:
        for key, target in _IN_ENV.items():
            if source.get(key) is not None:
                where = (*container.spec.pointer, *pointer, key, "name")
                yield _ObjectReference(target, where, what, bool(source[key].get("optional")))
