"""Which parts of the inputs have a part in what changed of a TrainJob, where several of them differ.

A runtime's image may change under an overlay that sets the image: its TrainJobs change for other reasons. Who wrote the
values that differ tells that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from kubectl_trainjob.model.source import Origin, Place, Pointer
from kubectl_trainjob.model.stages import ObjectId
from kubectl_trainjob.review.diff.changed_inputs import Changed
from kubectl_trainjob.review.diff.contents import written_at

Find = Callable[[ObjectId, Pointer], Origin | None]
"""The newest write of a value of a side's objects; None where nobody knows."""

_MOST_FIELDS = 200  # of a TrainJob's objects; with more of them nothing is left out
_MOST_PLACES = 500  # that one value rests on


class Touched(NamedTuple):
    """A value that differs, of each side that has the object."""

    old: tuple[ObjectId, Pointer] | None
    new: tuple[ObjectId, Pointer] | None


def effective(inputs: Sequence[Changed], touched: Iterable[Touched], find: tuple[Find, Find]) -> tuple[Changed, ...]:
    """Those of several differing inputs that values rest on which differ.

    All of them where that is not certain: where a value rests on none, and where there are too many values. What cannot
    be found behind a value, as the list of what an overlay lies over, always stays.
    """
    fields = list(islice(touched, _MOST_FIELDS + 1))
    told = [each for each in inputs if each.old is None and each.new is None]
    if len(fields) > _MOST_FIELDS:
        return tuple(inputs)
    for field in fields:
        places = [_places(side, name) for side, name in zip(find, field, strict=True)]
        behind = [each for each in inputs if _is_behind(each, *places)]
        if not behind:
            return tuple(inputs)
        told += behind
    return tuple(each for each in inputs if each in told)


def _places(find: Find, name: tuple[ObjectId, Pointer] | None) -> list[Place]:
    origin = find(*name) if name else None
    return list(islice(_rests_on(origin), _MOST_PLACES)) if origin else []


def _rests_on(newest: Origin) -> Iterator[Place]:
    """What a write rests on, down to where it stands in documents that people wrote, each place once."""
    waiting, seen = deque([newest]), set[Place]()
    while waiting:
        for place in _causes(waiting.popleft()):
            if place not in seen:
                seen.add(place)
                yield place
                if place.source.edits is not None:
                    waiting.append(place.source.edits.origin(place.pointer))


def _causes(newest: Origin) -> tuple[Place, ...]:
    """What a value was copied from and computed of; of a fixed one, what it replaced was."""
    origin: Origin | None = newest
    while origin is not None:
        if origin.place or origin.causes:
            return (origin.place, *origin.causes) if origin.place else origin.causes
        origin = origin.over
    return ()


def _is_behind(changed: Changed, old: Iterable[Place], new: Iterable[Place]) -> bool:
    marks = ((changed.old, old), (changed.new, new))
    return any(mark and _is_around(mark, place) for mark, places in marks for place in places)


def _is_around(mark: Place, place: Place) -> bool:
    """Whether one of two places is in the other."""
    length = min(len(mark.pointer), len(place.pointer))
    is_on_the_way = mark.pointer[:length] == place.pointer[:length]
    return is_on_the_way and place.source.edits is None and written_at(mark.source) == written_at(place.source)
