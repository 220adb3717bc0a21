"""What the parent of a set says before the first write and after the last one of an apply. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.cluster.desired_objects import DesiredObject
from kubectl_trainjob.cluster.guards import other_run
from kubectl_trainjob.cluster.inventory import InventoryEntry, entry_id
from kubectl_trainjob.cluster.parent import Parent, Update, group_kind
from kubectl_trainjob.cluster.result import ObjectResult
from kubectl_trainjob.cluster.steps import Step, Work
from kubectl_trainjob.model.stages import ObjectId

_MEMBERS = ("created", "configured", "unchanged", "recreated", "kept")


def union(work: Work, steps: Sequence[Step], at: str) -> Update:
    """Before the first write: all kinds and namespaces of members, and the runs that will start.

    `at` is the time of this apply. Another apply at the same second has another fraction of it.
    """
    ids = [step.desired.id for step in steps if _is_or_will_be_member(step)]
    written = [step for step in steps if step.is_write and _has_entry(step.desired)]
    entries = {entry_id(step.desired.id): _before(work, step, at) for step in written}
    inherited = {key: each for key, each in work.options.inherited.items() if key not in work.parent.inventory}
    return Update(_kinds(ids), _namespaces(ids), {**inherited, **entries})


def new_entries(steps: Iterable[Step]) -> frozenset[str]:
    """The ids of runs that are to start, and of Secrets."""
    wanted = (step for step in steps if step.plan in ("create", "recreate", "wait") and _has_entry(step.desired))
    return frozenset(entry_id(step.desired.id) for step in wanted)


def narrowed(work: Work, parent: Parent, steps: Sequence[Step], pruned: Sequence[ObjectResult]) -> Update:
    """After the last write: which runs have started, and after a prune only the kinds and namespaces that are left.

    `parent` is its newest version, `work.parent` the one that was read before the members were listed: only what that
    one says can be removed, because another apply may have added the rest.
    """
    ids = [step.desired.id for step in steps if _is_or_will_be_member(step)]
    started = {entry_id(step.desired.id): entry for step in steps if (entry := _after(work, parent, step))}
    if not work.options.prune:
        return Update(_kinds(ids), _namespaces(ids), started)
    gone = {each.id for each in pruned if each.action == "pruned"}
    left = [*ids, *(each for each in work.members if each not in gone)]
    is_alone = all(entry == work.parent.inventory.get(key) for key, entry in _starting(parent, steps))
    return Update(
        _kinds(left),
        _namespaces(left),
        started,
        frozenset(map(entry_id, gone)) | frozenset(_forgotten(work, steps)),
        work.parent.kinds - _kinds(left) if is_alone else frozenset(),
        work.parent.namespaces - _namespaces(left) if is_alone else frozenset(),
    )


def _is_or_will_be_member(step: Step) -> bool:
    return step.is_write or step.result.action in _MEMBERS


def _has_entry(item: DesiredObject) -> bool:
    return item.is_run or item.id.kind == "Secret"


def _before(work: Work, step: Step, at: str) -> InventoryEntry:
    """A run that is changed in place is running already; it never starts again."""
    if step.plan != "apply":
        return _starting_entry(step.desired, at)
    known = work.inventory.get(entry_id(step.desired.id))
    return replace(_starting_entry(step.desired, known.at if known else at), uid=step.result.uid, state="started")


def _starting_entry(item: DesiredObject, at: str) -> InventoryEntry:
    return InventoryEntry(entry_id(item.id), item.id.api_version.rpartition("/")[2], hash=item.hash, at=at)


def _after(work: Work, parent: Parent, step: Step) -> InventoryEntry | None:
    """The entry of an object that exists; None if nothing is to be written."""
    item = step.desired
    if not _has_entry(item) or not step.result.uid or step.result.action in ("refused", "failed", "skipped", "kept"):
        return None
    if item.makes and not _is_member(work, step):
        return None
    known = parent.inventory.get(entry_id(item.id))
    if known is not None and (known.state, known.uid, known.hash) == ("started", step.result.uid, item.hash):
        return None
    return replace(_starting_entry(item, known.at if known else ""), uid=step.result.uid, state="started")


def _is_member(work: Work, step: Step) -> bool:
    return step.live is None or marks.label(step.live, marks.PART_OF) == work.set_id


def _starting(parent: Parent, steps: Sequence[Step]) -> Iterator[tuple[str, InventoryEntry]]:
    """The runs that another apply starts."""
    own = {entry_id(step.desired.id) for step in steps}
    return ((key, entry) for key, entry in parent.inventory.items() if entry.state == "starting" and key not in own)


def _forgotten(work: Work, steps: Sequence[Step]) -> Iterator[str]:
    """Entries of runs that are over, and that the files no longer have."""
    ids = [step.desired.id for step in steps]
    others = filter(None, map(other_run, ids))  # with the other value of emit, they ran under the same names
    known = set(map(entry_id, (*ids, *others, *work.members)))
    for key, entry in work.parent.inventory.items():
        if entry.state == "started" and key not in known:
            yield key


def _kinds(ids: Iterable[ObjectId]) -> frozenset[str]:
    return frozenset(map(group_kind, ids))


def _namespaces(ids: Iterable[ObjectId]) -> frozenset[str]:
    return frozenset(each.namespace for each in ids if each.namespace)
