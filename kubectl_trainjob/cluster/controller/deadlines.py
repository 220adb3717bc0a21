"""`activeDeadlineSeconds` of a TrainJob where no Trainer enforces it: the loop deletes a JobSet that runs too long.

The time counts from the last resume, as Trainer counts it. The inventory says first why the run ends: if the loop is
killed before the delete, the next reconcile deletes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.inventory import InventoryEntry, entry_id
from kubectl_trainjob.cluster.parent import Store, Update, group_kind, update
from kubectl_trainjob.cluster.runs import conditions, is_deleting, state_of
from kubectl_trainjob.cluster.times import seconds_between
from kubectl_trainjob.kube.facts import jobset
from kubectl_trainjob.model.stages import Body, ObjectId, identity_of

ENDED = "DeadlineExceeded"
_JOB_SET = ObjectId(jobset.API_VERSION, jobset.KIND, "", "")


class Deadlines(NamedTuple):
    """The runs that were ended, and the seconds until the next deadline."""

    ended: tuple[ObjectId, ...] = ()
    left: float = float("inf")


def end_overdue(api: Api, store: Store) -> Deadlines:
    """Delete the running JobSets of a set that have had their time. Raises ApiError and EnvironmentFault."""
    parent = store.read()
    if group_kind(_JOB_SET) not in parent.kinds:
        return Deadlines()
    gone: list[ObjectId] = []
    times = [float("inf")]
    for live in _running(api, store.name.id, parent.namespaces):
        identity = identity_of(live)
        entry = parent.inventory.get(entry_id(identity)) or _entry(identity)
        left = 0.0 if entry.ended else _left(live, api.date)
        if left > 0:
            times.append(left)
            continue
        done = replace(entry, uid=live["metadata"]["uid"], state="started", ended=ENDED)
        parent, _ = update(store, parent, Update(entries={entry.id: done}))
        try:
            api.delete(live, in_foreground=True, any_version=False)
            gone.append(identity)
        except ApiError as error:
            if error.reason != "Stale":
                raise
            times.append(1.0)
    return Deadlines(tuple(gone), min(times))


def _running(api: Api, set_id: str, namespaces: frozenset[str]) -> Iterator[Body]:
    """The JobSets with a deadline that neither are suspended nor have ended."""
    for namespace in sorted(namespaces):
        for live in api.list(api.resource(_JOB_SET), namespace, f"{marks.PART_OF}={set_id}"):
            has_deadline = _deadline(live) is not None
            if has_deadline and state_of(live) == "running" and not is_deleting(live):
                yield live


def _deadline(live: Body) -> int | None:
    text = (live["metadata"].get("annotations") or {}).get(marks.DEADLINE, "")
    return int(text) if text.isdecimal() else None


def _left(live: Body, now: str) -> float:
    """The seconds until the deadline of a run."""
    resumed = (each for each in conditions(live) if (each.get("type"), each.get("status")) == ("Suspended", "False"))
    start = next((each["lastTransitionTime"] for each in resumed), live["metadata"]["creationTimestamp"])
    return float(_deadline(live) or 0) - seconds_between(start, now)


def _entry(identity: ObjectId) -> InventoryEntry:
    return InventoryEntry(entry_id(identity), identity.api_version.rpartition("/")[2])
