"""The causes of changes: each changed part of the inputs, and the TrainJobs that it changes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

from kubectl_trainjob.model.stages import JobId, ObjectId
from kubectl_trainjob.review.diff.changed_inputs import ChangedInput, ChangedInputs, CompiledPair
from kubectl_trainjob.review.diff.changes import Cause
from kubectl_trainjob.review.diff.contents import written_at


def changed_inputs(pairs: Sequence[CompiledPair]) -> Mapping[ObjectId, tuple[ChangedInput, ...]]:
    """The changed inputs of each pair whose objects differ, by the TrainJob's name in the head.

    A renamed TrainJob is a pair, too: a changed suffix or a hash in its name is a cause.
    """
    inputs = ChangedInputs(pairs)
    return {new.manifest.id: inputs.of(old, new) for old, new in pairs}


def causes(changed: Mapping[ObjectId, Sequence[ChangedInput]], overlay: str = "") -> tuple[Cause, ...]:
    """Each changed part with the TrainJobs that it changes, which `overlay` builds; several may change one TrainJob."""
    return _join_causes(
        Cause(each.what, each.place, (JobId(job, overlay),), each.is_gone, each.is_own)
        for job, inputs in changed.items()
        for each in inputs
    )


def listed(every: Iterable[Cause]) -> tuple[Cause, ...]:
    """The causes of all units for a report: each once, the one with the most TrainJobs first.

    A TrainJob's own document is a cause only if several TrainJobs come from it, as with two overlays.
    """
    shown = [cause for cause in _join_causes(every) if len(cause.jobs) > 1 or not cause.is_own]
    return tuple(sorted(shown, key=lambda cause: (-len(cause.jobs), cause.place.source.file.common_path, cause.what)))


def _join_causes(every: Iterable[Cause]) -> tuple[Cause, ...]:
    """Each part of the inputs once, although its file may have been read or rendered several times."""
    found: dict[Hashable, tuple[Cause, dict[JobId, None]]] = {}
    for cause in every:
        key = cause.what, written_at(cause.place.source), cause.place.pointer, cause.is_gone
        found.setdefault(key, (cause, {}))[1].update(dict.fromkeys(cause.jobs))
    return tuple(replace(cause, jobs=tuple(jobs)) for cause, jobs in found.values())
