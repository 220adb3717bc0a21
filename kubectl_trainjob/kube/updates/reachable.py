"""The states of suspension that an update can meet."""

from __future__ import annotations

from kubectl_trainjob.kube.facts.kinds import is_job
from kubectl_trainjob.kube.updates.verdict import STATES, State
from kubectl_trainjob.model.stages import Body, identity_of


def reachable(old: Body, new: Body) -> tuple[State, ...]:
    """The states that the update of `old` to `new` can meet, where nobody but these files suspends the job.

    Files that keep `spec.suspend` say nothing of a live object: it may be any state. Those that change it are the ones
    who suspend or start the job. None for a kind that cannot be suspended.
    """
    if not is_job(identity_of(new)):
        return ()
    before, after = _is_suspended(old), _is_suspended(new)
    if before == after:
        return STATES
    return ("suspending",) if after else ("resuming",)


def _is_suspended(body: Body) -> bool:
    return (body.get("spec") or {}).get("suspend") is True
