"""What one side of a comparison became."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import ObjectId
from kubectl_trainjob.review.diff.changes import Compiled, Group, Totals
from kubectl_trainjob.review.diff.effects import Find
from kubectl_trainjob.review.diff.pairing import Pair, PlainObject

JobPair = Pair[Compiled]
SAME = ("identity", "version")
"""Why two objects are one that the cluster updates; any other pair is a new object to it."""


class Measured(NamedTuple):
    """What a TrainJob became, what it asks for, and where it queues."""

    compiled: Compiled
    totals: Totals
    group: Group


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """What one side of a unit became: the TrainJobs that the other side does not have just so, and all other objects
    that are printed. `find` knows who wrote the values of what it became.

    `unbuilt` are the TrainJobs that cannot be built. With `is_complete` everything could be read. `settings` are the
    places in a `trainjob.yaml` that decide the Trainer and what is printed, by the settings' names.
    """

    trainer: str
    emit: str
    jobs: tuple[Measured, ...]
    others: tuple[PlainObject, ...]
    find: Find
    unbuilt: frozenset[ObjectId]
    is_complete: bool
    settings: Mapping[str, Place]


Shared = Sequence[tuple[Group, Totals]]
"""What the TrainJobs ask for, and where they queue, that both sides have just so."""
