"""The limits of what a build reads and writes. The error of each limit names it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubectl_trainjob.model.message import Message

_MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes; `depth` counts nested mappings and lists, from 1.

    `entries` counts the lines and commas of one document: each entry that a parser has to hold needs one of them.
    `alias_nodes` is how many scalars, mappings and lists the aliases of one build may repeat; a scalar counts one more
    for each 512 characters. `overlay_edits` counts the settings of overlays for each object that they apply to: an
    image once, a label or annotation twice, a patch or sweep 20 times. `overlay_steps` counts their cost. A state of a
    pattern that a name leads to counts once. So does a pattern for an image. 2 items of a list that an operation
    changes count once together. A value of a merge patch and an item of a list that it merges count twice. A value of
    JSON 6902 operations counts 4 times, a label or annotation of an object or template 8 times. `patched_bytes` limits
    an object into which a patch copies parts of the object: the characters of its text, and 8 for each key, scalar,
    mapping and list.
    """

    file_bytes: int = 32 * _MEBIBYTE
    build_bytes: int = 128 * _MEBIBYTE
    output_bytes: int = 512 * _MEBIBYTE
    documents: int = 20_000
    depth: int = 64
    alias_nodes: int = 100_000
    entries: int = 500_000
    patch_operations: int = 1000
    overlay_edits: int = 2_000_000
    overlay_steps: int = 5_000_000
    patched_bytes: int = 4 * _MEBIBYTE
    template_seconds: int = 3
    template_memory: int = 512 * _MEBIBYTE
    template_bytes: int = _MEBIBYTE
    templates_seconds: int = 30
    templates_bytes: int = 64 * _MEBIBYTE


def size(count: int) -> Message:
    """A number of bytes with a unit, such as `512 MiB`."""
    from kubectl_trainjob.model.message import Message  # completion needs limits, but not json

    for unit, name in ((1 << 30, "GiB"), (_MEBIBYTE, "MiB"), (1 << 10, "KiB")):
        if count >= unit:
            return Message(f"{count / unit:.4g} {name}")
    return Message(f"{count} bytes")


LIMITS = Limits()
