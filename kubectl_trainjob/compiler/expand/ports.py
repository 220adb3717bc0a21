"""Container ports as Trainer writes them back.

Mirrors Build in trainer `pkg/runtime/framework/plugins/jobset` (2.0-2.3) with UpsertPort of `pkg/apply`: the ports of
each container are copied out and written back one by one, where an unnamed port takes the place of the first unnamed
one. So of several unnamed ports some are lost and another stands twice, and the JobSet is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.compiler.expand.plan import Plan, PodSet
from kubectl_trainjob.compiler.expand.upsert import Item, same_port
from kubectl_trainjob.kube.facts.jobset import pod_spec
from kubectl_trainjob.model.diagnostic import Diagnostic, Related
from kubectl_trainjob.model.rules import PORTS_OVERWRITTEN
from kubectl_trainjob.model.source import Pointer


def overwritten(plan: Plan, kinds: tuple[str, ...]) -> Iterator[Diagnostic]:
    """A finding for each container that loses ports; `kinds` are the lists of containers that are written back."""
    for pods in plan.pod_sets:
        for pointer, container in _containers(plan, pods, kinds):
            clash = _clash(container["ports"])
            if clash is not None:
                message = (
                    f'container "{container["name"]}" has several ports that Trainer takes for the same one, so it '
                    "writes one twice and the JobSet is refused; give each port a name and a number of its own"
                )
                first, later = (plan.origin_place(*pointer, index, "containerPort") for index in clash)
                yield Diagnostic(PORTS_OVERWRITTEN, message, later, (Related("overwrites this one", first),))


def _containers(plan: Plan, pods: PodSet, kinds: tuple[str, ...]) -> Iterator[tuple[Pointer, Item]]:
    for kind in kinds:
        for index, container in enumerate(plan.jobset.get(*pod_spec(pods.position), kind) or ()):
            if len(container.get("ports") or ()) > 1:
                yield (*pod_spec(pods.position), kind, index, "ports"), container


def _clash(ports: list[Item]) -> tuple[int, int] | None:
    """The first port that is overwritten, and the port that takes its place."""
    for later, port in enumerate(ports):
        first = next(index for index, old in enumerate(ports) if same_port(old, port))
        if first != later:
            return first, later
    return None
