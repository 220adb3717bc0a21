"""KTJ509: A JobSet ends when the replicatedJobs of its successPolicy have ended; without one, when all have ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.trainer import LAUNCHER, NODE
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.message import Message, joined, say

_POLICY = "{} {} must succeed, and {}; write `targetReplicatedJobs: [launcher]`"
_END = "end the training when the launcher ends"


def find(runtime: LintedRuntime) -> Iterator[Hit]:
    """Policies that do not end the JobSet when the launcher ends."""
    if runtime.launcher_and_node() is None:
        return
    policy = runtime.spec["template"]["spec"].get("successPolicy") or {}
    operator, targets = policy.get("operator", "All"), policy.get("targetReplicatedJobs") or []
    after = _after_launcher(runtime.spec["template"]["spec"])
    names = targets or [each.name for each in runtime.replicated_jobs]
    consequence = _consequence(operator, [LAUNCHER if name in after else name for name in names])
    if consequence:
        of = say("of {}", joined(say("{}", each) for each in targets)) if targets else say("replicatedJobs")
        message = say(_POLICY, operator.lower(), of, consequence)
        field = ("targetReplicatedJobs",) if "targetReplicatedJobs" in policy else ()
        place = runtime.place("spec", "template", "spec", "successPolicy", *field)
        yield Hit(message, place, fix=_fix(runtime, policy))


def _after_launcher(jobset: Mapping[str, Any]) -> set[str]:
    """The replicatedJobs that start after the launcher has ended, as an exporter does: their end is later than its."""
    return {
        each["name"]
        for each in jobset.get("replicatedJobs") or ()
        if any((wait.get("name"), wait.get("status")) == (LAUNCHER, "Complete") for wait in each.get("dependsOn") or ())
    }


def _consequence(operator: str, targets: list[str]) -> Message | None:
    """The error of a policy for these replicatedJobs, None if the launcher's end ends the training."""
    if operator == "Any":
        early = [name for name in targets if name not in (NODE, LAUNCHER)]
        if early:
            return say('the training ends as soon as "{}" does', early[0])
    elif NODE in targets:
        return say('the training continues after the launcher has ended: the SSH servers of "node" never end')
    return None if LAUNCHER in targets else say("the launcher's end does not end the training")


def _fix(runtime: LintedRuntime, policy: Mapping[str, Any]) -> Fix:
    place = runtime.place("spec", "template", "spec", "successPolicy")
    new = {"operator": "All", "targetReplicatedJobs": [LAUNCHER]}
    if not policy:
        return Fix(say(_END), (set_value(place, new),))
    edits = tuple(set_value(place.child(key), value) for key, value in new.items() if policy.get(key) != value)
    return Fix(say(_END), edits)
