"""The numbers of a difference before and after, readable: cores, bytes as Gi, and what was added or taken away."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.report.blocks import Number
from kubectl_trainjob.report.sentence import Data, Sentence, in_short, joined, plural
from kubectl_trainjob.review.diff.changes import Group, Summary, Totals

_NAMES: dict[str, Sentence] = {
    "cpu": ("CPU",),
    "memory": ("memory",),
    "ephemeral-storage": ("ephemeral storage",),
}
_ONE = {"TrainJobs": "TrainJob", "Pods": "Pod", "processes": "process"}
_BYTES = ("memory", "ephemeral-storage", "storage")
_UNITS = tuple((1 << 10 * (index + 1), unit) for index, unit in enumerate(("Ki", "Mi", "Gi")))[::-1]
_LARGEST = Quantity(1 << 62)  # beyond it whole numbers come out wrong, as in Kubernetes
_LONGEST = 40  # characters of a number that nothing can run with


def counted(number: Number, amount: str) -> Sentence:
    """An amount of it: `1 Pod`, `+2 Pods`."""
    name = tuple(_ONE.get(piece, piece) if isinstance(piece, str) else piece for piece in number.name)
    return (f"{amount} ", *(name if amount.lstrip("+-") == "1" else number.name))


def numbers(before: Totals, after: Totals) -> list[Number]:
    """Jobs, Pods, processes, CPU, memory, then the other resources by name; what neither side has is left out."""
    counts = [
        _count("TrainJobs", before.jobs, after.jobs),
        _count("Pods", before.pods, after.pods, is_device=True),
        _processes(before, after),
    ]
    old, new = before.resources or {}, after.resources or {}
    names = [*_NAMES, *sorted((set(old) | set(new)) - set(_NAMES))]
    amounts = [_amount(name, old.get(name, Quantity.ZERO), new.get(name, Quantity.ZERO)) for name in names]
    return [each for each in (*counts, *amounts) if (each.before, each.after) != ("0", "0")]


def unchanged(told: list[Number]) -> Sentence:
    """`no number changes: 4 TrainJobs, 9 Pods, 16 CPU, 64Gi memory, ...`; empty where one does."""
    if any(number.difference for number in told) or not told:
        return ()
    return ("no number changes: ", *joined([counted(number, number.after) for number in told]))


class Grouped(NamedTuple):
    """Namespaces and queues in which a number changes; `rows` have a cell for each of the `names`."""

    names: tuple[Sentence, ...]
    rows: tuple[tuple[Group, tuple[str, ...]], ...]

    @property
    def has_queues(self) -> bool:
        """Whether one of them is a queue."""
        return any(group.queue for group, _ in self.rows)


def by_group(summary: Summary) -> Grouped | None:
    """The numbers of each namespace and queue; None where there is only one, or nothing changes."""
    told = [(group, numbers(before, after)) for group, (before, after) in sorted(summary.groups.items())]
    changed = [(group, found) for group, found in told if any(number.difference for number in found)]
    if len(told) < 2 or not changed:
        return None
    differing = {number.name for _, found in changed for number in found if number.difference}
    order = [number.name for number in numbers(summary.before, summary.after)]
    names = tuple(name for name in dict.fromkeys([*order, *sorted(differing, key=str)]) if name in differing)
    return Grouped(names, tuple((group, _cells(found, names)) for group, found in changed))


def _cells(found: list[Number], names: tuple[Sentence, ...]) -> tuple[str, ...]:
    cells = {number.name: number.in_line() for number in found}
    return tuple(cells.get(name, "0") for name in names)


def _count(name: str, before: int, after: int, *, is_device: bool = False) -> Number:
    difference = f"{after - before:+d}" if after != before else ""
    return Number((name,), str(before), str(after), difference, is_device)


def _processes(before: Totals, after: Totals) -> Number:
    """The processes that are known, and how many TrainJobs say only when they start how many they have."""
    told = _count("processes", before.processes, after.processes)
    if not before.unsized and not after.unsized:
        return told
    more = f"{after.unsized - before.unsized:+d} of unknown size" if after.unsized != before.unsized else ""
    difference = ", ".join(filter(None, (told.difference, more)))
    return Number(told.name, _sized(before), _sized(after), difference)


def _sized(totals: Totals) -> str:
    return f"{totals.processes} and {plural(totals.unsized, 'TrainJob')} of unknown size"


def _amount(name: str, before: Quantity, after: Quantity) -> Number:
    difference = ""
    if before != after:
        change = after + before * -1
        difference = ("+" if after > before else "") + amount(name, change)
    label = _NAMES.get(name) or (Data(in_short(name)),)
    return Number(label, amount(name, before), amount(name, after), difference, "/" in name)


def amount(resource: str, quantity: Quantity) -> str:
    """The quantity as a person reads it: CPU in cores (`1.5`), bytes in Gi, small ones in Mi or Ki."""
    if quantity > _LARGEST or quantity < _LARGEST * -1:
        text = str(quantity)
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    if resource == "cpu":
        return _decimal((quantity * 1000).value(), 1000, 3)
    if resource in _BYTES or resource.startswith("hugepages-"):
        return _bytes(quantity.value())
    whole = quantity.value()
    return str(whole) if Quantity(whole) == quantity else str(quantity)


def _bytes(count: int) -> str:
    for size, unit in _UNITS:
        if abs(count) >= size:
            about = "" if count * 100 % size == 0 else "≈"
            return f"{about}{_decimal(count, size, 2)}{unit}"
    return str(count)


def _decimal(count: int, one: int, places: int) -> str:
    text = f"{count / one:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
