"""`KIND/NAME` or `NAME`: finds the object, and the inputs that it may come from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from kubectl_trainjob.kube.facts.kinds import (
    CLUSTER_SCOPED,
    group_of,
    is_train_job,
    is_usual,
    means_kind,
    means_training_job,
)
from kubectl_trainjob.kube.facts.sweep import TRIALS_SUFFIX
from kubectl_trainjob.kube.facts.trainer import FLUX_ENTRYPOINT_SUFFIX, HOSTFILE_SUFFIX
from kubectl_trainjob.model.stages import Manifest, ObjectId, TracedJob, TracedObject, Tracing

_USUAL = re.compile(r"[A-Za-z0-9.-]+")
_OF_SWEEP = re.compile(rf"-[0-9a-f]{{8}}$|{TRIALS_SUFFIX}$")
_LONGEST = 1000  # characters; no name is that long
_SUFFIXES = ("", HOSTFILE_SUFFIX, FLUX_ENTRYPOINT_SUFFIX)


@dataclass(frozen=True, slots=True)
class ObjectName:
    """An object as a user names it: the kind in any case, singular or plural, and a namespace, "" for any.

    Without a kind, the name is that of an object of the files. It may also be a generated object whose source has
    another name.
    """

    kind: str
    group: str
    name: str
    namespace: str = ""

    def __str__(self) -> str:
        return f"{self.kind}{f'.{self.group}' if self.group else ''}/{self.name}".removeprefix("/")

    @property
    def input_names(self) -> tuple[str, ...]:
        """The names that the source object may have, if no overlay renames it."""
        return tuple(self.name.removesuffix(suffix) for suffix in _SUFFIXES if self.name.endswith(suffix))

    @property
    def is_in_files(self) -> bool:
        """Whether one of `input_names` is in the file of the source object, unescaped; names of trials are not."""
        return _USUAL.fullmatch(self.name) is not None and not any(map(_OF_SWEEP.search, self.input_names))

    def is_met_by(self, identity: ObjectId, *names: str) -> bool:
        """Whether the target matches this object under one of `names`; by default its current name."""
        return (
            self.name in (names or (identity.name,))
            and (not self.kind or means_kind(self.kind, identity.kind))
            and self.group in ("", group_of(identity.api_version))
            and (self.namespace in ("", identity.namespace) or identity.kind in CLUSTER_SCOPED)
        )

    def may_come_from(self, manifest: Manifest) -> bool:
        """Whether the target matches an input, or may match an object that is generated from it."""
        former = manifest.source.edits.names if manifest.source.edits else ()
        names = manifest.id.name, *former
        if not is_train_job(manifest) or self.is_training_job:
            return self.is_met_by(manifest.id, *names)
        return not {*names}.isdisjoint(self.input_names) and self.namespace in ("", manifest.id.namespace)

    @property
    def as_namespaced(self) -> ObjectName | None:
        """The same text as NAMESPACE/NAME, which review prints; None where it can only be KIND/NAME or NAME."""
        if not self.kind or self.group or self.namespace or is_usual(self.kind):
            return None
        return ObjectName("", "", self.name, self.kind)

    @property
    def is_training_job(self) -> bool:
        """Whether the kind is one of training jobs."""
        return means_training_job(self.kind)


def parse_target(text: str, namespace: str = "") -> ObjectName | None:
    """`KIND/NAME`, `KIND.GROUP/NAME` or `NAME`, the kind in any case, singular or plural; None for anything else."""
    kind, slash, name = text.rpartition("/")
    kind, _, group = kind.partition(".")
    if bool(kind) != bool(slash) or not name or "/" in kind + group or len(text) > _LONGEST:
        return None
    return ObjectName(kind, group.lower(), name, namespace)


class FoundObject(NamedTuple):
    """A matching object, and its TrainJob; None for other objects of the inputs."""

    object: TracedObject
    job: TracedJob | None = None


def find(target: ObjectName, tracing: Tracing) -> list[FoundObject]:
    """Every object with the name of the target, or else those with this name before overlays renamed them."""
    of_jobs = [FoundObject(each, job) for job in tracing.jobs for each in (job.train_job, *job.objects)]
    found = [*of_jobs, *map(FoundObject, tracing.others)]
    exactly = [each for each in found if target.is_met_by(each.object.identity)]
    matches = exactly or [each for each in found if target.is_met_by(each.object.identity, *each.object.names, "")]
    return matches if target.kind else _sources(matches)


def _sources(found: list[FoundObject]) -> list[FoundObject]:
    """Without the objects that are generated from another one of them."""
    jobs = {each.job for each in found if each.job and each.object is each.job.train_job}
    return [each for each in found if each.job not in jobs or (each.job and each.object is each.job.train_job)]
