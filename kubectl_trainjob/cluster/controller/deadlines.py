"""`activeDeadlineSeconds` of a TrainJob where no Trainer enforces it: the loop deletes a JobSet that runs too long.

The time counts from the last resume, as Trainer counts it. The inventory says why a run ends before it is deleted: if
the loop is killed in between, the next reconcile checks the run again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import inf
from typing import NamedTuple

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.errors import ApiError, or_none
from kubectl_trainjob.cluster.inventory import Inventory, InventoryEntry, entry_id
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
    left: float = inf
    problem: ApiError | EnvironmentFault | None = None


def end_overdue(api: Api, store: Store) -> Deadlines:
    """Delete the running JobSets of a set that have had their time. Raises ApiError and EnvironmentFault.

    All reasons are written at once, before the first delete. A run that cannot be deleted does not keep the others.
    """
    parent = store.read()
    if group_kind(_JOB_SET) not in parent.kinds:
        return Deadlines()
    runs = {entry_id(identity_of(live)): live for live in _members(api, store.name.id, parent.namespaces)}
    entries = {key: _entry(parent, live) for key, live in runs.items()}
    left = {key: _left(live, api.date) for key, live in runs.items()}
    errors = _deleted(api, {key: runs[key] for key in runs if left[key] <= 0}, dry_run=True)
    due = {key for key, error in errors.items() if error is None}
    # Another run has a reason if a reconcile was killed before the delete; then it ended, or was suspended.
    parent, taken = _noted(store, parent, entries, {key: ENDED if key in due else "" for key in runs})
    due -= taken
    errors |= _deleted(api, {key: runs[key] for key in runs if key in due})
    changed = {key: "" for key in due if _is_stale(errors[key])}
    _noted(store, parent, {key: replace(entries[key], ended=ENDED) for key in changed}, changed)
    gone = [identity_of(runs[key]) for key in runs if key in due and errors[key] is None]
    problem = next((error for error in errors.values() if error and not _is_stale(error)), None)
    waiting = [_SOON] * (len(errors) - len(gone))
    return Deadlines(tuple(gone), min((*waiting, *(each for each in left.values() if each > 0), inf)), problem)


def _deleted(api: Api, runs: Mapping[str, Body], *, dry_run: bool = False) -> dict[str, ApiError | None]:
    """Delete each run as it was read: the errors, which are "Stale" for runs that changed meanwhile."""
    errors: dict[str, ApiError | None] = dict.fromkeys(runs)
    for key, live in runs.items():
        try:
            api.delete(live, in_foreground=True, any_version=False, dry_run=dry_run)
        except ApiError as error:
            is_ending = not dry_run and _is_stale(error) and or_none(partial(_is_ending, api, live))
            errors[key] = None if is_ending else error
    return errors


def _is_ending(api: Api, live: Body) -> bool:
    """Whether a run is being deleted before its end: by our own request, whose answer was lost."""
    now = api.get(identity_of(live))
    if now is None:
        return True
    is_same = now["metadata"]["uid"] == live["metadata"]["uid"]
    return is_same and is_deleting(now) and state_of(now) != "terminal"


def _is_stale(error: ApiError | None) -> bool:
    return error is not None and error.reason == "Stale"


def _noted(
    store: Store, parent: Parent, entries: Inventory, reasons: Mapping[str, str]
) -> tuple[Parent, frozenset[str]]:
    """Write the reasons that are new: the new parent, and the ids of which another apply starts a new run."""
    changed = {key: replace(entries[key], ended=ended) for key, ended in reasons.items() if entries[key].ended != ended}
    if not changed:
        return parent, frozenset()
    return update(store, parent, Update(entries=changed), frozenset(changed))


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
        return inf
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
