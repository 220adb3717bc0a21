"""How much a build reads and writes. Every limit is named in the error that it causes."""

from __future__ import annotations

from dataclasses import dataclass

_MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes; `depth` counts nested mappings and lists, the outermost being 1.

    `entries` counts the lines and commas of one document: each entry that a parser has to hold needs one of them.
    `alias_nodes` is how many scalars, mappings and lists the aliases of one build may repeat; a scalar counts
    one more for each 512 characters.
    """

    file_bytes: int = 32 * _MEBIBYTE
    build_bytes: int = 128 * _MEBIBYTE
    output_bytes: int = 512 * _MEBIBYTE
    documents: int = 20_000
    depth: int = 64
    alias_nodes: int = 100_000
    entries: int = 500_000


LIMITS = Limits()
