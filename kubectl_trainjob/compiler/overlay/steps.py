"""How much the overlays of a build may do, in steps that are counted: the same files fail on every machine.

`limits.overlayEdits` limits how many settings apply to how many objects, before any of them does. What one of them then
costs depends on the content of the object: those are the steps.
"""

from __future__ import annotations

from kubectl_trainjob.compiler.errors import MessageError
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.message import say

_MOST_HINTS = 50  # the nearest name is sought among all objects: enough for a user to read


class StepsError(MessageError):
    """There have been too many steps; the message completes a sentence such as 'matching names takes …'."""


class Steps:
    """Counts the steps of one build; `limits` are the build's."""

    __slots__ = ("_hints", "_left", "limits")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._left = limits.overlay_steps
        self._hints = _MOST_HINTS

    @property
    def are_used_up(self) -> bool:
        """Whether there were too many steps. This was reported, and the overlays stop."""
        return self._left < 0

    def may_hint(self) -> bool:
        """Whether to look for the nearest name once more, for one finding."""
        self._hints -= 1
        return self._hints >= 0

    def take(self, count: int, draft: Draft | None = None) -> None:
        """Count steps; those of a `draft` that records were counted before, without it. Raises StepsError."""
        if draft is not None and draft.records:
            return
        self._left -= count
        if self._left < 0:
            most = self.limits.overlay_steps
            raise StepsError(say("exceeds the limit of {} steps for a build (limits.overlaySteps)", most))
