"""Object metadata beyond its types.

Mirrors k8s.io/apimachinery/pkg/api/validation (ValidateObjectMetaAccessor), which the API server runs for every kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.validation import dns_1123_label, dns_1123_subdomain, label_value, qualified_name
from kubectl_trainjob.kube.schemas.messages import quoted
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import GENERATE_NAME, INVALID_METADATA, MISSING_FIELD, NAME_INVALID
from kubectl_trainjob.model.source import Pointer

NAME: Pointer = ("metadata", "name")

_ANNOTATIONS_SIZE = 256 * 1024


def metadata_problems(metadata: Mapping[str, Any], *, any_subdomain: bool = True) -> Iterator[Problem]:
    """What is wrong with an object's metadata; its types have been checked. Pointers begin with "metadata".

    `any_subdomain` is false where another rule says what the name may be.
    """
    if "name" not in metadata:
        yield _unnamed(metadata)
    elif any_subdomain and (fault := dns_1123_subdomain(metadata["name"])):
        yield Problem(NAME_INVALID, NAME, f"name {quoted(metadata['name'])} {fault}")
    if fault := dns_1123_label(metadata["namespace"]) if metadata.get("namespace") else "":
        yield _invalid(f"namespace {quoted(metadata['namespace'])} {fault}", "namespace")
    yield from _labels(metadata.get("labels", {}))
    yield from _annotations(metadata.get("annotations", {}))
    for index, finalizer in enumerate(metadata.get("finalizers", ())):
        if fault := qualified_name(finalizer):
            yield _invalid(f"finalizer {quoted(finalizer)} {fault}", "finalizers", index)
    yield from _owners(metadata.get("ownerReferences", ()))


def _invalid(message: str, *below: str | int) -> Problem:
    return Problem(INVALID_METADATA, ("metadata", *below), message)


def _invalid_key(message: str, *below: str | int) -> Problem:
    return Problem(INVALID_METADATA, ("metadata", *below), message, "key")


def _unnamed(metadata: Mapping[str, Any]) -> Problem:
    prefix = metadata.get("generateName")
    if not prefix:
        return Problem(MISSING_FIELD, NAME, "name is missing; add it", "key")
    message = f"generateName {quoted(prefix)} gives another name at every creation; write name instead"
    return Problem(GENERATE_NAME, ("metadata", "generateName"), message, "key")


def _labels(labels: Mapping[str, str]) -> Iterator[Problem]:
    for key, value in labels.items():
        if fault := qualified_name(key):
            yield _invalid_key(f"label key {quoted(key)} {fault}", "labels", key)
        if fault := label_value(value):
            yield _invalid(f"label value {quoted(value)} {fault}", "labels", key)


def _annotations(annotations: Mapping[str, str]) -> Iterator[Problem]:
    size = 0
    for key, value in annotations.items():
        size += len(key.encode()) + len(value.encode())
        if fault := qualified_name(key.lower()):
            yield _invalid_key(f"annotation key {quoted(key)} {fault}", "annotations", key)
    if size > _ANNOTATIONS_SIZE:
        yield _invalid_key(f"annotations have {size} bytes; at most {_ANNOTATIONS_SIZE} are allowed", "annotations")


def _owners(owners: list[Mapping[str, Any]] | tuple[()]) -> Iterator[Problem]:
    for index, owner in enumerate(owners):
        for key in ("apiVersion", "kind", "name", "uid"):
            if not owner.get(key):
                yield _invalid(f"ownerReferences[{index}] has no {key}; remove the reference", "ownerReferences", index)
                break
