"""What decides whether Pods can be placed as a gang: the policy, and the order in which JobSet creates Jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.lint.views import LintedJob, LintedRuntime
from kubectl_trainjob.model.stages import Body

KINDS = ("coscheduling", "volcano")


def kinds_of_gang(runtime_spec: Mapping[str, Any]) -> list[str]:
    """The gang schedulers that a runtime makes a PodGroup for."""
    policy = runtime_spec.get("podGroupPolicy")
    return [kind for kind in KINDS if policy.get(kind) is not None] if policy else []


def in_order(runtime: LintedRuntime) -> bool:
    """Whether JobSet creates a replicatedJob only when the one before it is ready."""
    spec = (runtime.spec.get("template") or {}).get("spec") or {}
    return (spec.get("startupPolicy") or {}).get("startupPolicyOrder") == "InOrder"


def pod_groups(job: LintedJob) -> Iterator[tuple[int, Body]]:
    """The PodGroups that Trainer makes of a TrainJob, each with its number among the objects."""
    for nth, body in enumerate(job.objects):
        if body["kind"] == "PodGroup":
            yield nth, body
