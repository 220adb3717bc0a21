"""Object metadata, after its types were checked.

Mirrors k8s.io/apimachinery/pkg/api/validation (ValidateObjectMetaAccessor), which the API server runs for every kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from kubectl_trainjob.kube.facts.validation import dns_1123_label, dns_1123_subdomain, label_value, qualified_name
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import GENERATE_NAME, INVALID_METADATA, MISSING_FIELD, NAME_INVALID
from kubectl_trainjob.model.source import Pointer

NAME: Pointer = ("metadata", "name")

_ANNOTATIONS_SIZE = 256 * 1024


def metadata_problems(metadata: Mapping[str, Any], *, any_subdomain: bool) -> Iterator[Problem]:
    """Why the API server rejects an object's metadata. Pointers begin with "metadata".

    `any_subdomain` is false if another rule limits the name.
    """
    if "name" not in metadata:
        yield _missing_name(metadata.get("generateName"))
    elif any_subdomain and (error := dns_1123_subdomain(metadata["name"])):
        yield Problem(NAME_INVALID, NAME, say('name "{}" {}', metadata["name"], error))
    namespace = metadata.get("namespace")
    if namespace and (error := dns_1123_label(namespace)):
        yield _invalid(say('namespace "{}" {}', namespace, error), "namespace")
    yield from _labels(metadata.get("labels", {}))
    yield from _annotations(metadata.get("annotations", {}))
    for index, finalizer in enumerate(metadata.get("finalizers", ())):
        if error := qualified_name(finalizer):
            yield _invalid(say('finalizer "{}" {}', finalizer, error), "finalizers", index)
    yield from _owners(metadata.get("ownerReferences", ()))


def _invalid(message: Message, *below: str | int, on: Literal["key", "value"] = "value") -> Problem:
    return Problem(INVALID_METADATA, ("metadata", *below), message, on)


def _missing_name(prefix: str | None) -> Problem:
    if not prefix:
        return Problem(MISSING_FIELD, NAME, say("name is missing; add it"), "key")
    message = say('generateName "{}" gives another name at every creation; write name instead', prefix)
    return Problem(GENERATE_NAME, ("metadata", "generateName"), message, "key")


def _labels(labels: Mapping[str, str]) -> Iterator[Problem]:
    for key, value in labels.items():
        if error := qualified_name(key):
            yield _invalid(say('label key "{}" {}', key, error), "labels", key, on="key")
        if error := label_value(value):
            yield _invalid(say('label value "{}" {}', value, error), "labels", key)


def _annotations(annotations: Mapping[str, str]) -> Iterator[Problem]:
    size = sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items())
    for key in annotations:
        if error := qualified_name(key.lower()):
            yield _invalid(say('annotation key "{}" {}', key, error), "annotations", key, on="key")
    if size > _ANNOTATIONS_SIZE:
        message = say("annotations have {} bytes; at most {} are allowed", size, _ANNOTATIONS_SIZE)
        yield _invalid(message, "annotations", on="key")


def _owners(owners: list[Mapping[str, Any]] | tuple[()]) -> Iterator[Problem]:
    for index, owner in enumerate(owners):
        missing = next((key for key in ("apiVersion", "kind", "name", "uid") if not owner.get(key)), None)
        if missing:
            message = say("ownerReferences[{}] has no {}; remove the reference", index, missing)
            yield _invalid(message, "ownerReferences", index)
