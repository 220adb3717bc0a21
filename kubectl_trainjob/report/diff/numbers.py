"""The numbers of a difference before and after, readable: cores, bytes as Gi, and what was added or removed."""

from __future__ import annotations

from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.model.message import Message, joined, plural, say
from kubectl_trainjob.report.blocks import Column, Figure, Table
from kubectl_trainjob.review.diff.changes import Summary, Totals

_NAMES = {"cpu": say("CPU"), "memory": say("memory"), "ephemeral-storage": say("ephemeral storage")}
_ONE = {"TrainJobs": say("TrainJob"), "Pods": say("Pod"), "processes": say("process")}
_BYTES = ("memory", "ephemeral-storage", "storage")
_UNITS = tuple((1 << 10 * (index + 1), unit) for index, unit in enumerate(("Ki", "Mi", "Gi")))[::-1]
_LARGEST = Quantity(1 << 62)  # larger integers are inexact, as in Kubernetes
_LONGEST = 40  # characters of a number that nothing can run with


def counted(number: Figure, amount: str) -> Message:
    """An amount of it: `1 Pod`, `+2 Pods`."""
    name = _ONE.get(number.name, number.name) if amount.lstrip("+-") == "1" else number.name
    return say("{} {}", Message(amount), name)


def numbers(before: Totals, after: Totals) -> list[Figure]:
    """Jobs, Pods, processes, CPU, memory, then the other resources that a tree has, by name."""
    counts = [
        _count(say("TrainJobs"), before.jobs, after.jobs),
        _count(say("Pods"), before.pods, after.pods, is_device=True),
        _processes(before, after),
    ]
    old, new = before.resources or {}, after.resources or {}
    names = [*_NAMES, *sorted((set(old) | set(new)) - set(_NAMES))]
    amounts = [_amount(name, old.get(name, Quantity.ZERO), new.get(name, Quantity.ZERO)) for name in names]
    return [each for each in (*counts, *amounts) if (each.before, each.after) != ("0", "0")]


def unchanged(figures: list[Figure]) -> Message:
    """`no number changes: 4 TrainJobs, 9 Pods, 16 CPU, 64Gi memory, ...`; empty where one does."""
    if any(number.difference for number in figures) or not figures:
        return Message()
    return say("no number changes: {}", joined(counted(number, number.after) for number in figures))


def by_group(summary: Summary) -> Table | None:
    """The numbers of the namespaces and queues with changes; None without a change, or for only one group."""
    groups = [(group, numbers(before, after)) for group, (before, after) in sorted(summary.groups.items())]
    changed = [(group, found) for group, found in groups if any(number.difference for number in found)]
    if len(groups) < 2 or not changed:
        return None
    differing = {number.name for _, found in changed for number in found if number.difference}
    order = [number.name for number in numbers(summary.before, summary.after)]
    columns = [name for name in dict.fromkeys([*order, *sorted(differing)]) if name in differing]
    names = ("namespace", "queue") if any(group.queue for group, _ in changed) else ("namespace",)
    rows = []
    for group, found in changed:
        cells = {number.name: number.in_line() for number in found}
        namespace = say("{}", group.namespace) if group.namespace else say("no namespace")
        queue = say("{}", group.queue) if group.queue else say("none")
        rows.append([*(namespace, queue)[: len(names)], *(Message(cells.get(name, "0")) for name in columns)])
    heads = [*(Column(Message(name), "name") for name in names), *map(Column, columns)]
    return Table(f"By {' and '.join(names)}", heads, rows)


def _count(name: Message, before: int, after: int, *, is_device: bool = False) -> Figure:
    difference = f"{after - before:+d}" if after != before else ""
    return Figure(name, str(before), str(after), difference, is_device)


def _processes(before: Totals, after: Totals) -> Figure:
    """The known processes, and the count of TrainJobs whose processes are unknown before they start."""
    count = _count(say("processes"), before.processes, after.processes)
    if not before.unsized and not after.unsized:
        return count
    more = f"{after.unsized - before.unsized:+d} of unknown size" if after.unsized != before.unsized else ""
    difference = ", ".join(filter(None, (count.difference, more)))
    return Figure(count.name, _size(before), _size(after), difference)


def _size(totals: Totals) -> str:
    return f"{totals.processes} and {plural(totals.unsized, 'TrainJob')} of unknown size"


def _amount(name: str, before: Quantity, after: Quantity) -> Figure:
    difference = ""
    if before != after:
        change = after + before * -1
        difference = ("+" if after > before else "") + amount(name, change)
    label = _NAMES.get(name) or say("{}", name)
    return Figure(label, amount(name, before), amount(name, after), difference, "/" in name)


def amount(resource: str, quantity: Quantity) -> str:
    """The quantity for readers: CPU in cores (`1.5`), bytes in Gi, small ones in Mi or Ki."""
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
