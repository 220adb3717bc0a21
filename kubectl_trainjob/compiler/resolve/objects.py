"""Checks of the inputs as a set: their namespaces, duplicate objects, kinds that are not expanded."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Container, Iterable, Iterator
from dataclasses import replace

from kubectl_trainjob.kube.admission.objects import Admission, admit
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.facts.kinds import (
    CLUSTER_SCOPED,
    MIGRATE,
    KindRole,
    find_kind,
    front_end_of,
    group_of,
    is_library_object,
    is_of_training,
    is_training_input,
    role_of,
)
from kubectl_trainjob.kube.schemas.load import kinds_of, packaged
from kubectl_trainjob.model.diagnostic import Diagnostic, RelatedPlace
from kubectl_trainjob.model.message import Message, listed, say
from kubectl_trainjob.model.nearest import did_you_mean, nearest
from kubectl_trainjob.model.rules import DEPRECATED_API_VERSION, DUPLICATE_OBJECT, GENERATE_NAME, UNKNOWN_KIND, Severity
from kubectl_trainjob.model.source import mapping_at, value_at
from kubectl_trainjob.model.stages import Manifest, ObjectHead


def in_namespace(manifest: Manifest, namespace: str) -> Manifest:
    """The object in `namespace`, unless it has one, its kind has none, or `namespace` is ""."""
    if not namespace or manifest.id.namespace or manifest.id.kind in CLUSTER_SCOPED:
        return manifest
    metadata = {**mapping_at(manifest.body, "metadata"), "namespace": namespace}
    return replace(manifest, id=replace(manifest.id, namespace=namespace), body={**manifest.body, "metadata": metadata})


def check(
    manifests: Collection[Manifest], admission: Admission, found: Container[str] = (), *, is_set: bool = True
) -> Iterator[Diagnostic]:
    """Duplicates, unexpandable training kinds, names left to the API server, and errors of Trainer's other kinds.

    `found` are the files that reading directories found. Their objects of other kinds may be for separate deployments:
    in different directories, or in one without training objects. Without `is_set`, this may also be so for training
    objects in different files.
    """
    kinds = kinds_of(admission.schemas, trainer.GROUP)
    first: dict[tuple[str, str, str, str], Manifest] = {}
    of_training = {_folder(each) for each in manifests if is_of_training(each)} if found else set()
    for manifest in manifests:
        identity = manifest.id
        group = group_of(identity.api_version)
        yield from _legacy(manifest, group, kinds)
        is_other = role_of(identity) is KindRole.OTHER and identity.api_version == trainer.API_VERSION
        if is_other and identity.kind in kinds:
            yield from admit(manifest, admission)[1]
        if not identity.name:
            yield from _generate_name(manifest)
            continue
        earlier = first.setdefault((group, identity.kind, identity.namespace, identity.name), manifest)
        if earlier is manifest:
            continue
        folders, files = ({each(one) for one in (manifest, earlier)} for each in (_folder, _file))
        is_unique = is_training_input(manifest) or is_library_object(manifest)
        is_alone = len(folders) == 1 and folders <= of_training
        if is_alone or is_unique or not all(each in found for each in files):
            yield duplicate(manifest, earlier, is_set=is_set or len(files) == 1)


def collisions(heads: Iterable[ObjectHead], *, is_set: bool) -> Iterator[Diagnostic]:
    """Objects of the result that have the identity of another one: generated from a TrainJob, or in two overlays.

    Without `is_set`, plain objects that `check` accepts may be the same; else the objects are one set.
    """
    first: dict[tuple[str, str, str, str], ObjectHead] = {}
    for head in (each for each in heads if each.id.name):
        identity = head.id
        key = group_of(identity.api_version), identity.kind, identity.namespace, identity.name
        earlier = first.setdefault(key, head)
        is_checked = not (is_set or earlier.owner or head.owner or earlier.unit or head.unit)
        if earlier.place is not head.place and not is_checked:
            is_generated = earlier.owner or head.owner
            how = say("is also generated from a TrainJob") if is_generated else say("is duplicate")
            message = say('{} "{}" {}; rename one of them', identity.kind, identity.name, how)
            yield Diagnostic(
                DUPLICATE_OBJECT, message, head.place, (RelatedPlace(say("the other one"), earlier.place),)
            )


def _file(manifest: Manifest) -> str:
    return manifest.source.file.path


def _folder(manifest: Manifest) -> str:
    return posixpath.dirname(_file(manifest))


def duplicate(manifest: Manifest, earlier: Manifest, *, is_set: bool = True) -> Diagnostic:
    """The finding for the second of two objects with one identity, a warning if they may be deployed separately."""
    advice = say("") if is_set else say(", or list in `deploy` of trainjob.yaml what is deployed together")
    message = say('duplicate {} "{}"; rename or remove one of them{}', manifest.id.kind, manifest.id.name, advice)
    related = RelatedPlace(say("first defined here"), earlier.place("metadata", "name"))
    lowered = None if is_set else Severity.WARNING
    return Diagnostic(DUPLICATE_OBJECT, message, manifest.place("metadata", "name"), (related,), lowered=lowered)


def _legacy(manifest: Manifest, group: str, kinds: tuple[str, ...]) -> Iterator[Diagnostic]:
    kind, api_version = manifest.id.kind, manifest.id.api_version
    if "." in api_version and not group:
        message = say('apiVersion "{}" has no version; write {}', api_version, _with_version(api_version, kind))
        yield Diagnostic(UNKNOWN_KIND, message, manifest.place("apiVersion"))
        return
    if not group and kind in kinds:
        message = say('apiVersion "{}" has no group; write {}', api_version, _with_version(trainer.GROUP, kind))
        yield Diagnostic(UNKNOWN_KIND, message, manifest.place("apiVersion"))
        return
    advice = Message() if front_end_of(manifest.id) else _legacy_advice(group, api_version, kind)
    if advice == MIGRATE:
        advice = _migrate_advice(manifest)
    if advice:
        message = say('{} of "{}" cannot be expanded; {}', kind, api_version, advice)
        yield Diagnostic(DEPRECATED_API_VERSION, message, manifest.place("apiVersion"))
    elif group == trainer.GROUP and kind not in kinds:
        versions = [each for each in packaged("trainer") if kind in kinds_of(f"trainer-{each}", group)]
        known = say("Trainer {} has it", listed(versions, template="{}")) if versions else Message()
        hint = known or did_you_mean(kind, kinds, say("it has {}", listed(kinds, template="{}")))
        message = say('"{}" has no kind "{}"; {}', group, kind, hint)
        yield Diagnostic(UNKNOWN_KIND, message, manifest.place("kind"))
    elif group != trainer.GROUP and kind in kinds and nearest(group, (trainer.GROUP,)):
        message = say(
            '"{}" is not the group of Trainer, so this {} is not built; write "{}"', group, kind, trainer.GROUP
        )
        yield Diagnostic(UNKNOWN_KIND, message, manifest.place("apiVersion"))


def _with_version(group: str, kind: str) -> Message:
    known = find_kind(group, kind)
    return say("apiVersion: {}", f"{group}/{(known and known.version) or 'VERSION'}")


def _legacy_advice(group: str, api_version: str, kind: str) -> Message:
    if group == trainer.GROUP and api_version != trainer.API_VERSION:
        return say("write apiVersion: {}", trainer.API_VERSION)
    row = find_kind(group, kind)
    return Message(row.advice) if row else Message()


def _migrate_advice(manifest: Manifest) -> Message:
    from kubectl_trainjob.frontends.legacy.operators import operator_of, versions_of  # most builds need none

    command = say("{} {}", MIGRATE, manifest.source.file.path)
    if operator_of(manifest.id):
        return command
    return say("write it for {}, then {}", listed(versions_of(manifest.id.kind), "or", "{}"), command)


def _generate_name(manifest: Manifest) -> Iterator[Diagnostic]:
    """For JobSets, which are copied unchanged."""
    if role_of(manifest.id) is KindRole.JOB_SET and value_at(manifest.body, ("metadata", "generateName")):
        message = say("kubectl create gives a new name each time, and kubectl apply rejects generateName; write name")
        place = manifest.place("metadata", "generateName").key()
        yield Diagnostic(GENERATE_NAME, message, place, lowered=Severity.WARNING)
