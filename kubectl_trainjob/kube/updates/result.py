"""The result of checking the update of a live object, in each state of suspension."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from kubectl_trainjob.kube.facts.kinds import is_job
from kubectl_trainjob.model.message import Data, Message, say
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Body, identity_of

State = Literal["running", "suspended", "suspending", "resuming"]
"""`spec.suspend` before and after the update: false → false, true → true, false → true, true → false."""

STATES: tuple[State, ...] = ("running", "suspended", "suspending", "resuming")


class RejectedChange(NamedTuple):
    """A changed value that the API server rejects in one state, and the server's reason.

    `pointer` leads into the new object, into the old one if the value `is_gone`. `immutable` is the field that never
    changes, "" if the reason is another one.
    """

    state: State
    pointer: Pointer
    reason: Message
    is_gone: bool = False
    immutable: str = ""
    is_emptied: bool = False

    @property
    def brief(self) -> Message:
        """The reason in a sentence that has several."""
        return say("{} is immutable", Message(Data(self.immutable))) if self.immutable else self.reason


@dataclass(frozen=True)
class UpdateResult:
    """The values that admission rejects; without any, it accepts the update in every state."""

    rejections: tuple[RejectedChange, ...] = ()

    @cached_property
    def rejected_in(self) -> frozenset[State]:
        """The states in which the update is rejected."""
        return frozenset(rejection.state for rejection in self.rejections)

    def accepts(self, state: State) -> bool:
        """Whether the update is accepted in that state."""
        return state not in self.rejected_in


def possible_states(old: Body, new: Body) -> tuple[State, ...]:
    """The states in which the files can update `old` to `new`, if nothing else suspends the job.

    Files that do not change `spec.suspend` can update a live object in any state. Those that change it suspend or start
    the job. None for a kind that cannot be suspended.
    """
    if not is_job(identity_of(new)):
        return ()
    before, after = _is_suspended(old), _is_suspended(new)
    if before == after:
        return STATES
    return ("suspending",) if after else ("resuming",)


def _is_suspended(body: Body) -> bool:
    return (body.get("spec") or {}).get("suspend") is True
