"""One walk over the Jobs of a JobSet, and the small checks that all other checks consist of.

A check gets a value and the walk. It looks only at fields that are set, so a value costs what it sets. Empty texts and
lists are treated as absent, as Go's zero values are. Where a field is a pointer in Go, its check says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from kubectl_trainjob.kube.schemas.walk import Walk
from kubectl_trainjob.model.message import Message, listed, say
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import POD_FIELD_INVALID, Rule
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Body

Check = Callable[[Any, "Visit"], None]
Form = Callable[[str], Message]
"""The error of a text, as the end of a sentence; empty if it is valid."""

Volumes = tuple[Mapping[str, str], frozenset[str]]
"""The valid volumes of a Pod with their kinds, and the names of invalid ones."""

_NO_VOLUMES: Mapping[str, str] = {}  # one for all Pods, because volumes are compared by identity


class PodCache:
    """Valid parts of a runtime, which the Jobs of its TrainJobs do not check again.

    Values are compared by identity, because expansion keeps what it does not change. `values` are valid anywhere,
    `containers` are valid in their Pod. Each entry keeps its value alive, so no other value has its id. The cache grows
    only while `is_priming`: the parts of a single job do not repeat.
    """

    __slots__ = ("containers", "is_priming", "values", "volumes")

    def __init__(self) -> None:
        self.values: dict[int, Any] = {}
        self.containers: dict[int, tuple[Any, tuple[Any, ...], Mapping[str, str]]] = {}
        self.volumes: dict[int, tuple[Any, Volumes]] = {}
        self.is_priming = False


@dataclass(slots=True)
class PodFacts:
    """The facts about a Pod that the checks of its containers need.

    `volumes` are the valid ones with their kinds, `invalid_volumes` the names of the others. `claimed` are those of the
    JobSet's volumeClaimPolicies, which the JobSet controller adds where they are mounted. `claims` are resourceClaims.
    """

    spec: Body = field(default_factory=dict)
    volumes: Mapping[str, str] = field(default_factory=lambda: _NO_VOLUMES)
    invalid_volumes: Collection[str] = ()
    claims: frozenset[str] = frozenset()
    claimed: frozenset[str] = frozenset()

    @property
    def grace_period(self) -> int:
        """How many seconds a Pod may take to end."""
        seconds = self.spec.get("terminationGracePeriodSeconds")
        return 30 if seconds is None else int(seconds)

    @property
    def shares_users(self) -> bool:
        """Whether the Pod has the node's users."""
        return self.spec.get("hostUsers") is not False

    def context(self) -> tuple[Any, ...]:
        """Every fact of a Pod that the checks of containers read; the volumes by identity."""
        get = self.spec.get
        seconds = get("terminationGracePeriodSeconds")
        return id(self.volumes), self.claimed, self.claims, seconds, get("hostUsers"), get("restartPolicy") == "Never"


class Visit(Walk):
    """The position of the walk and the problems that it found.

    `rule` is the rule of problems whose check names no rule, `claimed` as in `PodFacts`.
    """

    __slots__ = ("claimed", "pod", "pod_cache", "rule")

    def __init__(self, cache: PodCache, claimed: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.pod_cache = cache
        self.claimed = claimed
        self.rule = POD_FIELD_INVALID
        self.pod = PodFacts()

    def reject(
        self,
        message: Message,
        *below: str | int,
        rule: Rule | None = None,
        shown: Pointer = (),
        on: Literal["key", "value"] = "value",
    ) -> None:
        """The current value, or the one `below` it, is invalid; `shown` leads from the current value, too."""
        place = self.pointer(*shown) if shown else ()
        self.problems.append(Problem(rule or self.rule, self.pointer(*below), message, on, shown=place))

    def reject_missing(self, key: str, rule: Rule | None = None) -> None:
        """The current value needs a field."""
        self.reject(say("{} has no {}; add it", Message(self.field()), Message(key)), key, rule=rule)

    def enter(self, step: str | int, value: Any, check: Check) -> None:
        """Check the value one step below: a field's name or an index, never a user's key; messages take it as words."""
        self.trail.append(step)
        check(value, self)
        self.trail.pop()

    def items(self, values: Iterable[Any]) -> Iterator[Any]:
        """The items of the current list; each one is the current value until the next. Loops must not end early."""
        for index, item in enumerate(values):
            self.trail.append(index)
            yield item
            self.trail.pop()

    def check_text(
        self, what: str, value: str, form: Form, *below: str | int, rule: Rule | None = None, shown: Pointer = ()
    ) -> bool:
        """Whether a text has its form; `what` it is, in our words."""
        error = form(value)
        if error:
            self.reject(say('{} "{}" {}', Message(what), value, error), *below, rule=rule, shown=shown)
        return not error

    def check_choice(
        self, what: str, value: str, allowed: Collection[str], *below: str | int, shown: Pointer = ()
    ) -> bool:
        """Whether a text is an allowed one; `what` it is, in our words."""
        if value not in allowed:
            advice = listed(allowed, "or", "{}")
            self.reject(say('{} "{}" does not exist; use {}', Message(what), value, advice), *below, shown=shown)
        return value in allowed

    def check_unique(
        self, what: str, name: str, seen: set[str], *below: str | int, rule: Rule | None = None, shown: Pointer = ()
    ) -> None:
        """Reject a name that is in `seen`, else add it; `what` describes the name."""
        if name in seen:
            message = say('duplicate {} "{}"; change or remove one', Message(what), name)
            self.reject(message, *below, rule=rule, shown=shown)
        seen.add(name)

    def check_between(self, what: str, value: int, low: int, high: int | None, *below: str | int) -> None:
        """Reject a number out of bounds, which are both included; `what` it is, in our words."""
        if value < low or (high is not None and value > high):
            bounds = say("at least {}", low) if high is None else say("between {} and {}", low, high)
            self.reject(say('{} "{}" must be {}', Message(what), value, bounds), *below)

    def check_at_most(self, count: int, most: int, what: str, *below: str | int) -> None:
        """Reject a list that is too long; `what` its items are, in our words."""
        if count > most:
            self.reject(say("there are more than {} {}; remove some", most, Message(what)), *below, on="key")


def fields(checks: Mapping[str, Check], required: tuple[str, ...] = ()) -> Check:
    """A mapping: a check for each key that it has, and the keys that it needs."""

    def check_fields(value: Body, visit: Visit) -> None:
        trail = visit.trail
        for key, item in value.items():
            check = checks.get(key)
            if check is not None and item is not None:
                trail.append(key)
                check(item, visit)
                trail.pop()
        for key in required:
            if not value.get(key):
                visit.reject_missing(key)

    return check_fields


def each(check: Check) -> Check:
    """Every item of a list."""

    def check_items(items: list[Any], visit: Visit) -> None:
        for index, item in enumerate(items):
            visit.enter(index, item, check)

    return check_items


def every(*checks: Check) -> Check:
    """Several checks of one value."""

    def check_all(value: Any, visit: Visit) -> None:
        for check in checks:
            check(value, visit)

    return check_all


def under_rule(rule: Rule, check: Check) -> Check:
    """The same check, with the rule of its problems unless they name another."""

    def check_section(value: Any, visit: Visit) -> None:
        before, visit.rule = visit.rule, rule
        check(value, visit)
        visit.rule = before

    return check_section


def text(form: Form, *, pointer: bool = False) -> Check:
    """A text with a form; an empty one is absent, except in a `pointer`."""

    def check_form(value: str, visit: Visit) -> None:
        if (value or pointer) and form(value):
            visit.check_text(visit.field(), value, form)

    return check_form


def choice(*allowed: str, pointer: bool = False) -> Check:
    """One of a few texts; an empty one is absent, except in a `pointer`."""

    def check_allowed(value: str, visit: Visit) -> None:
        if (value or pointer) and value not in allowed:
            visit.check_choice(visit.field(), value, allowed)

    return check_allowed


def between(low: int, high: int | None) -> Check:
    """A number within bounds, both included; `high` is None if there is only a minimum."""

    def check_number(value: int, visit: Visit) -> None:
        if value < low or (high is not None and value > high):
            visit.check_between(visit.field(), value, low, high)

    return check_number


def cached(check: Check) -> Check:
    """A check of a mapping or list that depends only on its value, so cached values need no check."""

    def check_new(value: Any, visit: Visit) -> None:
        cache = visit.pod_cache
        if id(value) in cache.values:
            return
        before = len(visit.problems)
        check(value, visit)
        if cache.is_priming and len(visit.problems) == before:
            cache.values[id(value)] = value

    return check_new
