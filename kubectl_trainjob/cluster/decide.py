"""The decision table for one run: a pure function, without cluster and clock."""

from __future__ import annotations

from typing import Literal, NamedTuple

from kubectl_trainjob.cluster.marks import Policy
from kubectl_trainjob.cluster.runs import RunState

State = RunState | Literal["absent", "gone", "starting"]
"""`absent`: never applied. `gone`: it was started and no longer exists. `starting`: it may have been started."""
Change = Literal["same", "mutable", "frozen"]
PlannedAction = Literal["create", "apply", "recreate", "keep", "refuse"]


class Decision(NamedTuple):
    """What to do with a run, and why not more."""

    plan: PlannedAction
    reason: str = ""


_CREATE, _APPLY, _RECREATE, _KEEP = (
    Decision("create"),
    Decision("apply"),
    Decision("recreate", "Frozen"),
    Decision("keep", "Finished"),
)
_FROZEN, _WAIT = Decision("refuse", "Frozen"), Decision("refuse", "Running")
_FROZEN_CHANGES: dict[RunState, dict[Policy, Decision]] = {
    "running": {"never": _FROZEN, "when-terminal": _WAIT, "when-suspended": _WAIT, "always": _RECREATE},
    "suspended": {"never": _FROZEN, "when-terminal": _WAIT, "when-suspended": _RECREATE, "always": _RECREATE},
    "terminal": {"never": _KEEP, "when-terminal": _RECREATE, "when-suspended": _RECREATE, "always": _RECREATE},
}


def decide(state: State, change: Change, policy: Policy, *, is_rerun: bool, may_have_run: bool = False) -> Decision:
    """The decision for a run in a state.

    `is_rerun`: the user wants it to run once more. `may_have_run`: a starting run may have run, and been deleted.
    """
    if state == "absent":
        return _CREATE
    if is_rerun:
        return _rerun(state)
    if state == "starting" and (change == "same" or policy == "never"):
        return Decision("refuse", "MayHaveRun") if may_have_run else _CREATE
    if state == "gone" or state == "starting":  # noqa: PLR1714 - narrows the type
        return _KEEP if change != "frozen" or policy == "never" else _CREATE
    if change == "frozen":
        return _FROZEN_CHANGES[state][policy]
    return _APPLY


def _rerun(state: State) -> Decision:
    if state in ("gone", "starting"):
        return _CREATE
    return Decision("recreate", "Rerun") if state == "terminal" else _WAIT
