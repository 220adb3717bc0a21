"""Follows JobSets to their end on fake nodes."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping

from tests.cluster.ownership import Object
from tests.cluster.plane.client import Client

Identity = tuple[str, str]  # namespace and name
_STALL = 300.0  # seconds
_JOBSETS = ("jobset.x-k8s.io/v1alpha2", "JobSet")


def identity(one: Object) -> Identity:
    """What distinguishes JobSets."""
    return one["metadata"]["namespace"], one["metadata"]["name"]


def final_states(client: Client, jobsets: set[Identity]) -> dict[Identity, str]:
    """How each JobSet ended, once all did or none does any more; scheduling gates are opened meanwhile."""
    states: dict[Identity, str] = {}
    last_news = time.monotonic()
    while set(states) < jobsets and time.monotonic() - last_news < _STALL:
        now = {name: state for name, state in _ended(client) if name in jobsets}
        if set(now) - set(states):
            states, last_news = {**states, **now}, time.monotonic()
        _open_gates(client)
        time.sleep(1)
    return states


def unfinished(client: Client, states: Mapping[Identity, str], jobsets: Mapping[Identity, str]) -> list[str]:
    """The JobSets that are not Completed, as people call them, each with the warnings of its namespace."""
    reported = _warnings(client)
    return [
        f"== {title}: {states.get(name, 'not ended')}\n  " + "\n  ".join(dict.fromkeys(reported[name[0]]))
        for name, title in jobsets.items()
        if states.get(name) != "Completed"
    ]


def _ended(client: Client) -> Iterator[tuple[Identity, str]]:
    """The JobSets that ended, and how; those that are removed once they end leave an event."""
    for event in client.items("v1", "Event", "reason=AllJobsCompleted"):
        yield (event["metadata"]["namespace"], event["involvedObject"]["name"]), "Completed"
    for one in client.items(*_JOBSETS):
        if state := one.get("status", {}).get("terminalState"):
            yield identity(one), state


def _open_gates(client: Client) -> None:
    for pod in client.items("v1", "Pod", "status.phase=Pending"):
        if pod["spec"].get("schedulingGates"):
            client.merge(pod, {"spec": {"schedulingGates": None}})


def _warnings(client: Client) -> defaultdict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for event in client.items("v1", "Event", "type=Warning"):
        found[event["metadata"]["namespace"]].append(f"{event.get('reason')}: {event.get('message')}")
    return found
