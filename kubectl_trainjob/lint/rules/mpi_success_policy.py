"""KTJ509: A JobSet ends when the replicatedJobs that its successPolicy names have ended; without one all of them have
to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.trainer import LAUNCHER, NODE
from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.mpi import launcher_and_node
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.rules import MPI_SUCCESS_POLICY


def _find(runtime: LintedRuntime) -> Iterator[Hit]:
    if launcher_and_node(runtime) is None:
        return
    policy = runtime.spec["template"]["spec"].get("successPolicy") or {}
    operator, targets = policy.get("operator", "All"), policy.get("targetReplicatedJobs") or []
    consequence = _consequence(operator, targets or [each.name for each in runtime.replicated_jobs])
    if consequence:
        message = f"{_stated(operator, targets)}, so {consequence}; write `targetReplicatedJobs: [{LAUNCHER}]`"
        field = ("targetReplicatedJobs",) if "targetReplicatedJobs" in policy else ()
        place = runtime.place("spec", "template", "spec", "successPolicy", *field)
        yield Hit(message, place, fix=_fix(runtime, policy))


def _consequence(operator: str, targets: list[str]) -> str:
    """What is wrong with a policy over these replicatedJobs, "" where the launcher's end is what counts."""
    if operator == "Any":
        early = [name for name in targets if name not in (NODE, LAUNCHER)]
        if early:
            return f'the training ends as soon as "{early[0]}" does'
    elif NODE in targets:
        return f'the training goes on after the launcher has ended: the SSH servers of "{NODE}" never end'
    return "" if LAUNCHER in targets else "the launcher's end does not end the training"


def _stated(operator: str, targets: list[str]) -> str:
    named = f"of {', '.join(targets)}" if targets else "replicatedJobs"
    return f"{operator.lower()} {named} must succeed"


def _fix(runtime: LintedRuntime, policy: Mapping[str, Any]) -> Fix:
    place = runtime.place("spec", "template", "spec", "successPolicy")
    wanted = {"operator": "All", "targetReplicatedJobs": [LAUNCHER]}
    if not policy:
        return Fix("let the launcher's end end the training", (set_value(place, wanted),))
    changes = tuple(set_value(place.child(key), value) for key, value in wanted.items() if policy.get(key) != value)
    return Fix("let the launcher's end end the training", changes)


CHECK = RuntimeCheck(MPI_SUCCESS_POLICY, _find)
