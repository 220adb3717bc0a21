"""Which lists a merge patch merges by key, kind by kind.

`data/merge_keys.json` holds the facts (`python -m tests.unit.compiler.overlay.merge_keys`): for core kinds what
kustomize knows (kyaml/openapi, Kubernetes 1.21), for Trainer's and JobSet's kinds what their CRDs say of all supported
releases (x-kubernetes-list-map-keys). "kinds" names each kind's struct; a struct maps a field to another struct's name,
or to "[KEY,…]STRUCT" for a list of such structs that is merged by these keys; "[]" is a set of scalars. What is missing
has no such list below it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple


class Merging(NamedTuple):
    """How a value is merged: the `fields` of a mapping, or of the items of a list that is merged by `keys`.

    `keys` is None for what is no list or is replaced as a whole, () for a set of scalars.
    """

    fields: Mapping[str, Merging]
    keys: tuple[str, ...] | None = None

    def below(self, field: str) -> Merging:
        """How the value of one entry is merged."""
        return self.fields.get(field, PLAIN)


PLAIN = Merging({})
"""Nothing in it is merged by key."""

_facts: dict[str, Any] = {}
_structs: dict[str, Mapping[str, Merging]] = {"": {}}


def merging_of(api_version: str, kind: str) -> Merging | None:
    """How objects of a kind are merged; None for a kind that is not known."""
    if not _facts:
        # The module's own data, beside it wherever the package is installed.
        with open(__file__.removesuffix("merge_keys.py") + "data/merge_keys.json", encoding="utf-8") as file:
            _facts.update(json.load(file))
    name = _facts["kinds"].get(f"{api_version} {kind}")
    return Merging(_fields(name)) if name else None


def _fields(struct: str) -> Mapping[str, Merging]:
    known = _structs.get(struct)
    if known is None:
        spellings = _facts["structs"][struct]
        known = _structs[struct] = {name: _merging(spelling) for name, spelling in spellings.items()}
    return known


def _merging(spelling: str) -> Merging:
    if not spelling.startswith("["):
        return Merging(_fields(spelling))
    keys, _, struct = spelling[1:].partition("]")
    return Merging(_fields(struct), tuple(keys.split(",")) if keys else ())
