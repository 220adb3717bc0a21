"""References to container images. Mirrors ParseNormalizedNamed of github.com/distribution/reference (v0.6.0).

The kubelet parses the image of a container with it, and starts no container with an invalid one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from kubectl_trainjob.kube.facts.validation import placeholder
from kubectl_trainjob.model.message import Message, say

_HUB, _HUB_ALIAS, _LIBRARY = "docker.io", "index.docker.io", "library/"
_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_DOMAIN = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_PART = "[a-z0-9]+(?:(?:[.]|_|__|-+)[a-z0-9]+)*"
_PATH = f"{_PART}(?:/{_PART})*"
_TAG = "[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127}"
_DIGEST = "sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}"
_REFERENCE = re.compile(f"(?:{_DOMAIN}/)?(?P<path>{_PATH})(?::{_TAG})?(?:@(?:{_DIGEST}))?")
_IDENTIFIER = re.compile("[a-f0-9]{64}")
_LONGEST_PATH = 255


class ImageReference(NamedTuple):
    """`NAME[:TAG][@DIGEST]`; "" for a missing part. The name includes the registry and its port."""

    name: str
    tag: str
    digest: str


def image_reference(image: str) -> ImageReference:
    """The parts of a reference.

    A ":" before the first "/" belongs to the registry's host, one after "@" to the digest.
    """
    slash = max(image.find("/"), 0)
    rest, _, digest = image[slash:].partition("@")
    name, _, tag = rest.partition(":")
    return ImageReference(image[:slash] + name, tag, digest)


@lru_cache(4096)
def image_error(image: str) -> Message:
    """Why the kubelet rejects a reference, and how to write it; empty for a valid one."""
    domain, rest = _split(image)
    path, _, tag = rest.partition("@")[0].partition(":")
    found = _REFERENCE.fullmatch(f"{domain}/{rest}")
    if found and not _IDENTIFIER.fullmatch(image) and path == path.lower():
        is_long = len(found["path"]) > _LONGEST_PATH
        return say("has a repository of more than {} characters; shorten it", _LONGEST_PATH) if is_long else Message()
    if "://" in image:
        return say("begins with a scheme; remove it")
    if any(character.isspace() for character in image):
        return say("contains blanks; remove them")
    lowered = image.replace(path, path.lower())
    if lowered != image and not image_error(lowered):
        return say('has capitals in its repository; write "{}"', lowered)
    if re.fullmatch(_PATH, path) and tag and not re.fullmatch(_TAG, tag):
        return say('has the invalid tag "{}"; use letters, digits and - _ . only', tag)
    return placeholder(image) or say("is not an image reference; write registry/repository:tag")


def _split(image: str) -> tuple[str, str]:
    """The registry, and the rest: without a registry, the image is in Docker's."""
    first, slash, rest = image.partition("/")
    is_registry = slash and (any(mark in first for mark in ".:") or first == "localhost" or first != first.lower())
    domain, path = (first, rest) if is_registry else (_HUB, image)
    domain = _HUB if domain == _HUB_ALIAS else domain
    return domain, path if domain != _HUB or "/" in path else f"{_LIBRARY}{path}"
