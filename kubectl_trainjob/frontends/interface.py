"""What every front end gets and returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from kubectl_trainjob.kube.facts.kinds import CLUSTER_SCOPED, group_of
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.stages import Conversion, Manifest, ObjectId
from kubectl_trainjob.model.units import Settings

SourceKey = tuple[str, str, str, str]
"""(group, kind, namespace, name) of an object that others refer to."""


Compile = Callable[[Manifest, tuple[Manifest, ...]], Conversion]
"""A TrainJob and runtimes for it only → the objects that it expands to, none with errors, and what was found."""


class ConversionContext(NamedTuple):
    """What a front end may look up: `sources` are the objects of all front ends' kinds, `trainer` is the target.

    `runtime` returns the ordinary runtime of a TrainJob.
    """

    sources: Mapping[SourceKey, Manifest]
    settings: tuple[Settings, ...]
    trainer: str
    runtime: Callable[[Manifest], Manifest | None]
    compile: Compile


FrontEnd = Callable[[Manifest, ConversionContext], Conversion]


def source_key(identity: ObjectId) -> SourceKey:
    """The key of an object; without a namespace it is in "default", as references to it are."""
    namespace = "" if identity.kind in CLUSTER_SCOPED else identity.namespace or "default"
    return group_of(identity.api_version), identity.kind, namespace, identity.name


def index_sources(places: Iterable[Iterable[Manifest]]) -> dict[SourceKey, Manifest]:
    """The objects of several places by key; a nearer place comes first and overrides."""
    found: dict[SourceKey, Manifest] = {}
    for place in places:
        for manifest in place:
            found.setdefault(source_key(manifest.id), manifest)
    return found


class RejectedError(Exception):
    """An object cannot be converted; `finding` says why."""

    def __init__(self, finding: Diagnostic) -> None:
        super().__init__(finding.message)
        self.finding = finding
