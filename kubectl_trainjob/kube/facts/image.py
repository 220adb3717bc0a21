"""References to container images. Mirrors the grammar of github.com/distribution/reference, without its checks."""

from __future__ import annotations

from typing import NamedTuple


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
