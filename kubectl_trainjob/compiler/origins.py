"""The origins of the values of one compilation; a job is expanded again, recorded, when a caller asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kubectl_trainjob.compiler.compilation import CompiledJob
from kubectl_trainjob.compiler.job import trace_compiled, traced
from kubectl_trainjob.compiler.prepare import Prepared
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Origin, Pointer
from kubectl_trainjob.model.stages import ObjectId

_MOST_KEPT = 64  # recorded objects


class Origins:
    """Finds who wrote the values of the objects of one side."""

    def __init__(self, prepared: Prepared, jobs: Iterable[CompiledJob[Any]]) -> None:
        """`jobs` are those whose generated objects were kept."""
        self._prepared = prepared
        self._jobs = {job.manifest.id: job for job in prepared.jobs}
        self._built = {job.source.id for job in jobs if job.is_built}
        self._owners = {each.id: job.source.id for job in jobs for each in job.objects}
        self._others = {manifest.id: manifest for manifest in prepared.manifests}
        self._drafts: dict[ObjectId, Draft] = {}

    def origin(self, identity: ObjectId, pointer: Pointer) -> Origin | None:
        """The newest write of a value; None where the side has no such object."""
        draft = self._draft(identity)
        return draft.origin(pointer) if draft else None

    def _draft(self, identity: ObjectId) -> Draft | None:
        if identity not in self._drafts:
            if len(self._drafts) > _MOST_KEPT:  # callers come job by job
                self._drafts.clear()
            self._drafts.update(self._traced(identity))
        return self._drafts.get(identity)

    def _traced(self, identity: ObjectId) -> Iterator[tuple[ObjectId, Draft]]:
        owner = self._jobs.get(self._owners.get(identity, identity))
        if owner is not None and owner.manifest.id in self._built:
            found = trace_compiled(owner, self._prepared.target, self._prepared.admitted)
            yield from ((each.identity, each.draft) for each in (found.train_job, *found.objects))
        elif owner is not None:
            yield identity, traced(owner.manifest).draft
        elif identity in self._others:
            yield identity, traced(self._others[identity]).draft
