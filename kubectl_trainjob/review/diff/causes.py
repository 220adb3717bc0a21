"""The blast radius: each part of the inputs that differs, and the TrainJobs that it changes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

from kubectl_trainjob.model.stages import JobId, ObjectId
from kubectl_trainjob.review.diff.changed_inputs import Changed, ChangedInputs
from kubectl_trainjob.review.diff.changes import Cause, Compiled
from kubectl_trainjob.review.diff.contents import written_at

Pair = tuple[Compiled | None, Compiled | None]


def changed_inputs(pairs: Iterable[Pair]) -> Mapping[ObjectId, tuple[Changed, ...]]:
    """What differs in the inputs of each TrainJob that both sides have, by its name on the new side.

    The pairs are those whose objects differ. An old and a new TrainJob of different names are a pair, too, if one is
    what became of the other: so a changed suffix or a hash in names leads to its cause. Of a TrainJob that one side
    alone has nothing is told.
    """
    both = [(old, new) for old, new in pairs if old is not None and new is not None]
    inputs = ChangedInputs(both)
    return {new.manifest.id: inputs.of(old, new) for old, new in both}


def causes(changed: Mapping[ObjectId, Sequence[Changed]], overlay: str = "") -> tuple[Cause, ...]:
    """Each part that differs with the TrainJobs that it changes, `overlay` being the one that builds them.

    Where several parts differ for one TrainJob, each of them has it.
    """
    return _joined(
        Cause(each.what, each.place, (JobId(job, overlay),), each.is_gone, each.is_own)
        for job, inputs in changed.items()
        for each in inputs
    )


def listed(every: Iterable[Cause]) -> tuple[Cause, ...]:
    """The causes of all units for people: each once, the one with the most TrainJobs first.

    A TrainJob's own document is listed if it became several TrainJobs that changed, as below two overlays; of one alone
    everybody knows what it changes.
    """
    told = [cause for cause in _joined(every) if len(cause.jobs) > 1 or not cause.is_own]
    return tuple(sorted(told, key=lambda cause: (-len(cause.jobs), cause.place.source.file.common_path, cause.what)))


def _joined(every: Iterable[Cause]) -> tuple[Cause, ...]:
    """Each part of the inputs once, also where its file was read or made several times."""
    found: dict[Hashable, tuple[Cause, dict[JobId, None]]] = {}
    for cause in every:
        key = cause.what, written_at(cause.place.source), cause.place.pointer, cause.is_gone
        found.setdefault(key, (cause, {}))[1].update(dict.fromkeys(cause.jobs))
    return tuple(replace(cause, jobs=tuple(jobs)) for cause, jobs in found.values())
