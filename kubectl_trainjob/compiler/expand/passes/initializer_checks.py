"""What a runtime must have for a TrainJob with dataset or model initializers.

Mirrors the first half of Validate in trainer `pkg/runtime/framework/plugins/jobset` (2.0-2.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kubectl_trainjob.compiler.expand.plan import Plan
from kubectl_trainjob.kube.facts.jobset import pod_spec
from kubectl_trainjob.kube.facts.trainer import INITIALIZER_VOLUME, INITIALIZERS
from kubectl_trainjob.model.diagnostic import Diagnostic, RelatedPlace
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import INITIALIZER_TARGET


def applies(plan: Plan) -> bool:
    """TrainJobs with `spec.initializer`."""
    return plan.job.get("initializer") is not None


def containers(plan: Plan) -> Iterator[Diagnostic]:
    """The replicatedJob and its container exist under fixed names (2.0-2.2)."""
    return _check(plan, _missing_container)


def containers_and_mounts(plan: Plan) -> Iterator[Diagnostic]:
    """And the container has the mount that the trainer shares with it (2.3)."""
    return _check(plan, _missing_mount)


def _check(plan: Plan, find_missing: Callable[[Plan, str], Message]) -> Iterator[Diagnostic]:
    for field, name in INITIALIZERS.items():
        if (plan.job.get("initializer") or {}).get(field) is not None:
            missing = find_missing(plan, name)
            if missing:
                message = say(
                    "the runtime has no {}, which `spec.initializer.{}` needs; use one that has it", missing, field
                )
                related = RelatedPlace(
                    say("initializer requested here"), plan.job_place("spec", "initializer", field).key()
                )
                yield Diagnostic(INITIALIZER_TARGET, message, plan.job_place("spec", "runtimeRef"), (related,))


def _missing_container(plan: Plan, name: str) -> Message:
    """What the runtime lacks; empty if it is complete."""
    pods = plan.by_name(name)
    if pods is None:
        return say('replicatedJob "{}"', name)
    if not any(True for kind in ("containers", "initContainers") for _ in plan.containers(pods, name, kind)):
        return say('container "{}" in replicatedJob "{}"', name, name)
    return Message()


def _missing_mount(plan: Plan, name: str) -> Message:
    missing, pods = _missing_container(plan, name), plan.by_name(name)
    if missing or pods is None:
        return missing
    for container in plan.jobset.get(*pod_spec(pods.position), "containers") or ():
        mounts = container.get("volumeMounts") or ()
        if container["name"] == name and any(mount["name"] == INITIALIZER_VOLUME for mount in mounts):
            return Message()
    return say('volumeMount "{}" in container "{}" of replicatedJob "{}"', INITIALIZER_VOLUME, name, name)
