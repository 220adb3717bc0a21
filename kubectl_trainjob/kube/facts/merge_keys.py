"""The lists that a merge patch merges by key, for each kind.

`data/merge_keys.json` has the facts (`python -m tests.unit.compiler.overlay.merge_keys`). Core kinds have those of
kustomize (kyaml/openapi, Kubernetes 1.21). The kinds of Trainer and JobSet have those of their CRDs in all supported
releases (x-kubernetes-list-map-keys). "kinds" has the struct of each kind. A struct maps a field to the name of another
struct, or to "[KEY,…]STRUCT": a list of such structs that is merged by these keys. "[]" is a set of scalars. Fields
without such a list below them are missing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple


class Merging(NamedTuple):
    """How a value is merged: the `fields` of a mapping, or of the items of a list that is merged by `keys`.

    `keys` is None for other values, which are replaced as a whole, and () for a set of scalars.
    """

    fields: Mapping[str, Merging]
    keys: tuple[str, ...] | None = None

    def below(self, field: str) -> Merging:
        """How the value of one entry is merged."""
        return self.fields.get(field, PLAIN)


PLAIN = Merging({})
"""No part of it is merged by key."""


@cache
def _facts() -> dict[str, Any]:
    # The module's own data, next to it wherever the package is installed.
    with open(__file__.removesuffix("merge_keys.py") + "data/merge_keys.json", encoding="utf-8") as file:
        facts: dict[str, Any] = json.load(file)
    return facts


def merging_of(api_version: str, kind: str) -> Merging | None:
    """How objects of a kind are merged; None for an unknown kind."""
    name = _facts()["kinds"].get(f"{api_version} {kind}")
    return Merging(_fields(name)) if name else None


@cache
def _fields(struct: str) -> Mapping[str, Merging]:
    return {name: _merging(text) for name, text in _facts()["structs"][struct].items()} if struct else {}


def _merging(text: str) -> Merging:
    if not text.startswith("["):
        return Merging(_fields(text))
    keys, _, struct = text[1:].partition("]")
    return Merging(_fields(struct), tuple(keys.split(",")) if keys else ())
