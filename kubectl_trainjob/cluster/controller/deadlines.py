"""`activeDeadlineSeconds` of a TrainJob where no Trainer enforces it: the loop deletes a JobSet that runs too long.

The time counts from the last resume, as Trainer counts it. The inventory says why a run ends before it is deleted: if
the loop is killed in between, the next reconcile checks the run again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.inventory import InventoryEntry, entry_id
from kubectl_trainjob.cluster.parent import Parent, Store, Update, group_kind, update
from kubectl_trainjob.cluster.runs import conditions, is_deleting, is_disabled, state_of
from kubectl_trainjob.cluster.times import seconds_between
from kubectl_trainjob.kube.facts import jobset
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.stages import Body, ObjectId, identity_of

ENDED = "DeadlineExceeded"
_JOB_SET = ObjectId(jobset.API_VERSION, jobset.KIND, "", "")
_SOON = 1.0  # seconds until a run is checked again that changed meanwhile
_LATEST = 30.0  # seconds: a suspended run, which a user may resume at any time, is not checked more often


class Deadlines(NamedTuple):
    """The runs that were ended, the seconds until the next deadline, and why they cannot be enforced."""

    ended: tuple[ObjectId, ...] = ()
    left: float = float("inf")
    problem: ApiError | EnvironmentFault | None = None


def end_overdue(api: Api, store: Store) -> Deadlines:
    """Delete the running JobSets of a set that have had their time. Raises ApiError and EnvironmentFault."""
    parent = store.read()
    if group_kind(_JOB_SET) not in parent.kinds:
        return Deadlines()
    gone: list[ObjectId] = []
    times = [float("inf")]
    for live in _members(api, store.name.id, parent.namespaces):
        entry, left = _entry(parent, live), _left(live, api.date)
        if left <= 0:
            parent, is_ended = _ended(api, store, parent, entry, live)
            gone += [identity_of(live)] if is_ended else []
            left = float("inf") if is_ended else _SOON
        elif entry.ended:  # a reconcile was killed before the delete, and the run has ended, or was suspended
            parent, _ = _noted(store, parent, replace(entry, ended=""))
        times.append(left)
    return Deadlines(tuple(gone), min(times))


def _ended(api: Api, store: Store, parent: Parent, entry: InventoryEntry, live: Body) -> tuple[Parent, bool]:
    """The new parent, and whether the run was deleted; False if it changed meanwhile. Without rights, nothing is."""
    try:
        api.delete(live, in_foreground=True, any_version=False, dry_run=True)
        parent, is_ours = _noted(store, parent, replace(entry, ended=ENDED))
        if is_ours:
            api.delete(live, in_foreground=True, any_version=False)
        return parent, is_ours
    except ApiError as error:
        if error.reason != "Stale":
            raise
    return _noted(store, parent, replace(entry, ended=""))[0], False


def _noted(store: Store, parent: Parent, entry: InventoryEntry) -> tuple[Parent, bool]:
    """Write an entry: the new parent, and False if another apply starts a new run of the name."""
    parent, taken = update(store, parent, Update(entries={entry.id: entry}), frozenset((entry.id,)))
    return parent, not taken


def _members(api: Api, set_id: str, namespaces: frozenset[str]) -> Iterator[Body]:
    """The JobSets that the loop may end."""
    for namespace in sorted(namespaces):
        for live in api.list(api.resource(_JOB_SET), namespace, f"{marks.PART_OF}={set_id}"):
            if not is_deleting(live) and not is_disabled(live, marks.RECONCILE):
                yield live


def _left(live: Body, now: str) -> float:
    """The seconds until the deadline of a run; of a suspended one, until it may be over if it is resumed now."""
    text, state = marks.annotation(live, marks.DEADLINE), state_of(live)
    if not text.isdecimal() or state == "terminal":
        return float("inf")
    if state == "suspended":
        return max(float(text), _LATEST)
    suspended = next((each for each in conditions(live) if each.get("type") == "Suspended"), {})
    if suspended.get("status") == "True":  # it was resumed, and the JobSet controller has not seen that
        return float(text)
    start = suspended.get("lastTransitionTime") or live["metadata"]["creationTimestamp"]
    return float(text) - seconds_between(start, now)


def _entry(parent: Parent, live: Body) -> InventoryEntry:
    """The entry of a live run, whose content may be older than that of an apply that was killed."""
    identity, uid = identity_of(live), live["metadata"]["uid"]
    version = identity.api_version.rpartition("/")[2]
    known = parent.inventory.get(entry_id(identity)) or InventoryEntry(entry_id(identity), version)
    content = marks.annotation(live, marks.RUN_HASH) or known.hash
    return replace(known, uid=uid, hash=content, state="started", ended=known.ended if known.uid == uid else "")
