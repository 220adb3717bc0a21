"""What was found to be right in a runtime, so that the Jobs of its TrainJobs need not be judged for it again.

Values are told apart by identity: what expansion did not touch is the runtime's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Volumes = tuple[Mapping[str, str], frozenset[str]]
"""The usable volumes of a Pod with their kinds, and the names of those that are refused."""


class LateMemo:
    """Values that are right wherever they stand, containers that are right in their Pod, and lists of volumes.

    Each entry keeps what it knows by identity alive, so that nothing else can have the id. It grows only while
    `learning`: what belongs to one job alone is not worth remembering.
    """

    __slots__ = ("containers", "learning", "values", "volumes")

    def __init__(self) -> None:
        self.values: dict[int, Any] = {}
        self.containers: dict[int, tuple[Any, tuple[Any, ...], Mapping[str, str]]] = {}
        self.volumes: dict[int, tuple[Any, Volumes]] = {}
        self.learning = False
