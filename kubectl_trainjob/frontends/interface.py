"""What every front end gets and returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from kubectl_trainjob.kube.facts.kinds import CLUSTER_SCOPED, KindRole, group_of, role_of
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.stages import Conversion, Manifest, ObjectId
from kubectl_trainjob.model.units import Settings

_MOST_HINTS = 50  # the nearest name is sought among all objects: enough for a user to read

SourceKey = tuple[str, str, str, str]
"""(group, kind, namespace, name) of an object that others refer to."""


Compile = Callable[[Manifest, tuple[Manifest, ...]], Conversion]
"""A TrainJob and its runtimes → the objects that it expands to, none with errors, and the findings."""


class ConversionContext(NamedTuple):
    """What a front end may look up: `sources` are the objects of all front ends' kinds, `trainer` is the target.

    `runtime` returns the ordinary runtime of a TrainJob.
    """

    sources: SourceIndex
    settings: tuple[Settings, ...]
    trainer: str
    runtime: Callable[[Manifest], Manifest | None]
    compile: Compile


FrontEnd = Callable[[Manifest, ConversionContext], Conversion]


def source_key(identity: ObjectId) -> SourceKey:
    """The key of an object; without a namespace it is in "default", as references to it are."""
    namespace = "" if identity.kind in CLUSTER_SCOPED else identity.namespace or "default"
    return group_of(identity.api_version), identity.kind, namespace, identity.name


class SourceIndex:
    """Objects that others refer to, by key."""

    def __init__(self, by_key: Mapping[SourceKey, Manifest]) -> None:
        self.by_key = by_key
        self._hints_left = _MOST_HINTS

    def names_to_hint(self, *kinds: tuple[str, str, str]) -> list[str]:
        """The names of some groups, kinds and namespaces; none after the first hints."""
        self._hints_left -= 1
        return [key[3] for key in self.by_key if key[:3] in kinds] if self._hints_left >= 0 else []

    @cached_property
    def runtimes(self) -> Mapping[tuple[str, str, str], Manifest]:
        """The runtimes by kind, namespace and name, of any group."""
        found: dict[tuple[str, str, str], Manifest] = {}
        for (_, kind, namespace, name), manifest in self.by_key.items():
            if role_of(manifest.id) is KindRole.SOURCE_RUNTIME:
                found.setdefault((kind, namespace, name), manifest)
        return found

    @cached_property
    def runtime_kinds(self) -> Mapping[str, str]:
        """The kinds of the runtimes by name."""
        return {name: kind for kind, _, name in self.runtimes}


def index_sources(places: Iterable[Iterable[Manifest]]) -> SourceIndex:
    """The objects of several places; a nearer place comes first and overrides."""
    found: dict[SourceKey, Manifest] = {}
    for place in places:
        for manifest in place:
            found.setdefault(source_key(manifest.id), manifest)
    return SourceIndex(found)


class RejectedError(Exception):
    """An object cannot be converted; `finding` says why."""

    def __init__(self, finding: Diagnostic) -> None:
        super().__init__(finding.message)
        self.finding = finding
