"""What admission says to an update. All are immutable."""

from __future__ import annotations

from typing import Literal, NamedTuple

from kubectl_trainjob.model.source import Pointer

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
