"""One walk over the Jobs of a JobSet, and the small checks that all subjects are put together from.

A check gets a value and the walk; what it does not know it does not look at, so a value costs what it states. Texts and
lists that are empty count as absent, as Go's zero values do; where a field is a pointer in Go, its check says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from kubectl_trainjob.kube.pods.memo import LateMemo
from kubectl_trainjob.kube.schemas.messages import listed, quoted
from kubectl_trainjob.kube.schemas.walk import Walk
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import POD_FIELD_INVALID, Rule
from kubectl_trainjob.model.source import Pointer

Check = Callable[[Any, "Visit"], None]
Fault = Callable[[str], str]
"""What is wrong with a text, as the end of a sentence; "" when nothing is."""


_NO_VOLUMES: Mapping[str, str] = {}  # one for all Pods, because volumes are told apart by identity


@dataclass(slots=True)
class PodFacts:
    """What the checks of a container need to know of its Pod.

    `volumes` holds the usable ones with their kinds, `spoiled` the names of those that are refused themselves,
    `claimed` those that the JobSet's volumeClaimPolicies bring: the JobSet controller adds them where they are mounted.
    """

    spec: Mapping[str, Any] = field(default_factory=dict)
    volumes: Mapping[str, str] = field(default_factory=lambda: _NO_VOLUMES)
    spoiled: Collection[str] = ()
    claims: frozenset[str] = frozenset()
    claimed: frozenset[str] = frozenset()

    @property
    def grace(self) -> int:
        """How long a Pod may take to end."""
        seconds = self.spec.get("terminationGracePeriodSeconds")
        return 30 if seconds is None else int(seconds)

    @property
    def shares_users(self) -> bool:
        """Whether the Pod has the node's users."""
        return self.spec.get("hostUsers") is not False

    def context(self) -> tuple[Any, ...]:
        """All of a Pod that containers are judged by; the volumes by identity."""
        get = self.spec.get
        seconds = get("terminationGracePeriodSeconds")
        return id(self.volumes), self.claimed, self.claims, seconds, get("hostUsers"), get("restartPolicy") == "Never"


class Visit(Walk):
    """Where the walk stands and what it found.

    `rule` is what problems count as where a check names no rule, `claimed` the volumes that the JobSet brings.
    """

    __slots__ = ("claimed", "known", "pod", "refused", "rule")

    def __init__(self, known: LateMemo, claimed: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.known = known
        self.claimed = claimed
        self.refused: list[Problem] = []
        self.rule = POD_FIELD_INVALID
        self.pod = PodFacts()

    def refuse(
        self,
        message: str,
        *below: str | int,
        rule: Rule | None = None,
        shown: Pointer = (),
        on: Literal["key", "value"] = "value",
    ) -> None:
        """The value at hand, or what stands `below` it, is refused; `shown` leads from the value at hand, too."""
        place = self.pointer(*shown) if shown else ()
        self.refused.append(Problem(rule or self.rule, self.pointer(*below), message, on, shown=place))

    def enter(self, step: str | int, value: Any, check: Check) -> None:
        """Check what stands one step below."""
        self.trail.append(step)
        check(value, self)
        self.trail.pop()


def fields(checks: Mapping[str, Check], required: tuple[str, ...] = ()) -> Check:
    """A mapping: a check for each key that is there, and the keys that have to be."""

    def check(value: Mapping[str, Any], visit: Visit) -> None:
        trail = visit.trail
        for key, item in value.items():
            judge = checks.get(key)
            if judge is not None and item is not None:
                trail.append(key)
                judge(item, visit)
                trail.pop()
        for key in required:
            if not value.get(key):
                missing(key, visit)

    return check


def missing(key: str, visit: Visit, rule: Rule | None = None) -> None:
    """A field that has to be there."""
    visit.refuse(f"{visit.field()} has no {key}; add it", key, rule=rule)


def each(check: Check) -> Check:
    """Every item of a list."""

    def check_items(items: list[Any], visit: Visit) -> None:
        trail = visit.trail
        for index, item in enumerate(items):
            trail.append(index)
            check(item, visit)
            trail.pop()

    return check_items


def every(*checks: Check) -> Check:
    """Several checks of one value."""

    def check(value: Any, visit: Visit) -> None:
        for judge in checks:
            judge(value, visit)

    return check


def counted_as(rule: Rule, check: Check) -> Check:
    """The same check, whose problems count as `rule` where they name none."""

    def check_section(value: Any, visit: Visit) -> None:
        before, visit.rule = visit.rule, rule
        check(value, visit)
        visit.rule = before

    return check_section


def text(fault: Fault, *, pointer: bool = False) -> Check:
    """A text with a form; an empty one is absent, save in a `pointer`."""

    def check(value: str, visit: Visit) -> None:
        if (value or pointer) and (wrong := fault(value)):
            visit.refuse(f"{visit.field()} {quoted(value)} {wrong}")

    return check


def choice(*allowed: str, pointer: bool = False) -> Check:
    """One of a few texts; an empty one is absent, save in a `pointer`."""

    def check(value: str, visit: Visit) -> None:
        if (value or pointer) and value not in allowed:
            visit.refuse(f"{visit.field()} {quoted(value)} does not exist; use {listed(allowed, 'or')}")

    return check


def between(low: int, high: int) -> Check:
    """A number within bounds, both included."""

    def check(value: int, visit: Visit) -> None:
        if not low <= value <= high:
            visit.refuse(f"{visit.field()} {quoted(value)} must be between {low} and {high}")

    return check


def at_least(low: int) -> Check:
    """A number that is not smaller."""

    def check(value: int, visit: Visit) -> None:
        if value < low:
            visit.refuse(f"{visit.field()} {quoted(value)} must be at least {low}")

    return check


def remembered(check: Check) -> Check:
    """A check of a mapping or list that depends on nothing else, and need not be made again of what is known."""

    def check_unknown(value: Any, visit: Visit) -> None:
        known = visit.known
        if id(value) in known.values:
            return
        before = len(visit.refused)
        check(value, visit)
        if known.learning and len(visit.refused) == before:
            known.values[id(value)] = value

    return check_unknown


def at_most_one(what: str, names: tuple[str, ...]) -> Check:
    """A mapping of which one key may be there, in upstream's order: the ones behind the first are refused."""

    def check(value: Mapping[str, Any], visit: Visit) -> None:
        given = [name for name in names if value.get(name) is not None]
        for name in given[1:]:
            visit.refuse(f"{visit.field()} has {what} {given[0]} already; remove {name} or {given[0]}", name, on="key")

    return check
