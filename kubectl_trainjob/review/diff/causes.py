"""The causes of changes: each changed part of the inputs, and the TrainJobs that it changes.

If several inputs of a TrainJob changed, some may have no effect on its objects. For example, an overlay sets the image
of a runtime whose own image changed. The origins of the changed values show that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from kubectl_trainjob.model.source import Origin, Place, Pointer
from kubectl_trainjob.model.stages import JobId, ObjectId
from kubectl_trainjob.review.diff.changed_inputs import ChangedInput, ChangedInputs, CompiledPair
from kubectl_trainjob.review.diff.changes import Cause
from kubectl_trainjob.review.diff.contents import written_at

Find = Callable[[ObjectId, Pointer], Origin | None]
"""The origin of a value of a tree's objects; None if it is unknown."""

_MOST_FIELDS = 200  # of a TrainJob's objects; with more of them all inputs stay
_MOST_PLACES = 500  # that one value depends on


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


class DifferingPair(NamedTuple):
    """A value that differs, of each tree that has the object."""

    old: tuple[ObjectId, Pointer] | None
    new: tuple[ObjectId, Pointer] | None


def effective(
    inputs: Sequence[ChangedInput], touched: Iterable[DifferingPair], find: tuple[Find, Find]
) -> tuple[ChangedInput, ...]:
    """Those of several changed inputs on which changed values depend.

    All of them if that is uncertain: if a value depends on none of them, or there are too many values. An input with an
    unknown effect, such as an overlay's list of resources, stays.
    """
    fields = list(islice(touched, _MOST_FIELDS + 1))
    kept = {id(each) for each in inputs if each.old is None and each.new is None}
    if len(fields) > _MOST_FIELDS:
        return tuple(inputs)
    for field in fields:
        places = [_places(side, name) for side, name in zip(find, field, strict=True)]
        causes = [each for each in inputs if _is_cause(each, *places)]
        if not causes:
            return tuple(inputs)
        kept.update(map(id, causes))
    return tuple(each for each in inputs if id(each) in kept)


def _places(find: Find, name: tuple[ObjectId, Pointer] | None) -> list[Place]:
    origin = find(*name) if name else None
    return list(islice(_dependencies(origin), _MOST_PLACES)) if origin else []


def _dependencies(newest: Origin) -> Iterator[Place]:
    """The places that a write depends on, back to the documents of users, each place once."""
    waiting, seen = deque([newest]), set[Place]()
    while waiting:
        for place in _causes(waiting.popleft()):
            if place not in seen:
                seen.add(place)
                yield place
                if place.source.edits is not None:
                    waiting.append(place.source.edits.origin(place.pointer))


def _causes(newest: Origin) -> tuple[Place, ...]:
    """What a value was copied or computed from; for a fixed value those of the value before."""
    origin: Origin | None = newest
    while origin is not None:
        if origin.place or origin.causes:
            return (origin.place, *origin.causes) if origin.place else origin.causes
        origin = origin.over
    return ()


def _is_cause(changed: ChangedInput, old: Iterable[Place], new: Iterable[Place]) -> bool:
    marks = ((changed.old, old), (changed.new, new))
    return any(mark and _is_around(mark, place) for mark, places in marks for place in places)


def _is_around(mark: Place, place: Place) -> bool:
    """Whether one of two places is in the other."""
    length = min(len(mark.pointer), len(place.pointer))
    is_on_the_way = mark.pointer[:length] == place.pointer[:length]
    return is_on_the_way and place.source.edits is None and written_at(mark.source) == written_at(place.source)
