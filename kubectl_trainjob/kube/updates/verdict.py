"""What admission says to an update, and the states of suspension that an update can meet."""

from __future__ import annotations

from typing import Literal, NamedTuple

from kubectl_trainjob.kube.facts.kinds import is_job
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Body, identity_of

State = Literal["running", "suspended", "suspending", "resuming"]
"""A live object by its `spec.suspend`, before and after the update: false → false, true → true, and the two between."""

STATES: tuple[State, ...] = ("running", "suspended", "suspending", "resuming")


class Refusal(NamedTuple):
    """What the API server refuses in one state: the value that changed, and its words with what they mean.

    `pointer` leads into the new object, into the old one if the value `is_gone`.
    """

    state: State
    pointer: Pointer
    reason: str
    is_gone: bool = False


class Verdict(NamedTuple):
    """What admission says to the update of a live object; nothing refused means accepted in every state."""

    refused: tuple[Refusal, ...] = ()

    def accepts(self, state: State) -> bool:
        """Whether the update passes in that state."""
        return all(refusal.state != state for refusal in self.refused)


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
