"""In which states a cluster refuses an update, of those that it can meet."""

from __future__ import annotations

from kubectl_trainjob.kube.updates.verdict import STATES, State, reachable
from kubectl_trainjob.review.diff.changes import Change


def refused_in(change: Change) -> tuple[State, ...]:
    """The states in which a cluster refuses the update, of those that it can meet."""
    if change.verdict is None or change.old is None or change.new is None:
        return ()
    states = reachable(change.old, change.new) or STATES
    return tuple(state for state in states if not change.verdict.accepts(state))


def is_refused(change: Change) -> bool:
    """Whether a cluster refuses the update while the job runs, or whenever it can come."""
    refused = refused_in(change)
    return "running" in refused or (bool(refused) and not has_states(change))


def has_states(change: Change) -> bool:
    """Whether it depends on the job's state what a cluster says."""
    assert change.old is not None
    assert change.new is not None
    return len(reachable(change.old, change.new)) > 1
