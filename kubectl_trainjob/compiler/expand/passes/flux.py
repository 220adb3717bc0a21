"""Flux Framework: the installer, the volumes and the wrapped command.

Mirrors trainer `pkg/runtime/framework/plugins/flux` Validate and EnforceMLPolicy (2.2, 2.3); the entrypoint's
ConfigMap is built in `builders/flux_entrypoint.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kubectl_trainjob.compiler.expand.flux_parts import (
    SHARED_MEMORY,
    broker_settings,
    flux_installer,
    flux_mounts,
    flux_volumes,
)
from kubectl_trainjob.compiler.expand.plan import JOB_SET, NAME, TRAINER, DerivedValue, Plan, PodSet
from kubectl_trainjob.compiler.expand.upsert import Item, Upsert, upsert
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.facts.jobset import pod_spec
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import say


@dataclass(frozen=True, slots=True)
class Setup:
    """What a release sets up.

    `shared_memory`: a volume in memory is mounted. `runtime_command`: where the TrainJob has no command, the runtime's
    is wrapped. `empty_image`: the installer's image is written though its setting be empty.
    """

    shared_memory: bool
    runtime_command: bool
    empty_image: bool


def processes(plan: Plan) -> Iterator[Diagnostic]:
    """At least one process for each node (2.3; earlier only the runtime's number, by the schema)."""
    specified = (plan.trainer or {}).get("numProcPerNode", (plan.policy("flux") or {}).get("numProcPerNode"))
    if specified is not None and specified < 1:
        place = plan.job_place("spec", "trainer", "numProcPerNode")
        yield Diagnostic(rules.FLUX_PROCESSES, say("numProcPerNode is {}; it must be at least 1", specified), place)


def own_init_container(plan: Plan) -> Iterator[Diagnostic]:
    """The installer's name is the controller's."""
    pods = plan.by_name(trainer.NODE)
    for container in plan.containers(pods, trainer.FLUX_INSTALLER, "initContainers") if pods else ():
        message = say('the controller adds an init container "{}"; rename yours', trainer.FLUX_INSTALLER)
        yield Diagnostic(rules.FLUX_RESERVED_INIT, message, plan.origin_place(*container, "name"))


def nodes_specified(plan: Plan) -> Iterator[Diagnostic]:
    """The controller reads numNodes without a check that it exists."""
    if (plan.trainer or {}).get("numNodes") is None:
        message = say("a Flux job without spec.trainer.numNodes crashes the controller; write numNodes")
        yield Diagnostic(rules.FLUX_NUM_NODES_MISSING, message, plan.job_place("spec", "trainer").key())


def namespace_specified(plan: Plan) -> Iterator[Diagnostic]:
    """Without a namespace the generated scripts contain a guess."""
    if not plan.namespace:
        message = say("Flux is configured for namespace default; write metadata.namespace or build with -n")
        yield Diagnostic(rules.FLUX_NAMESPACE_ASSUMED, message, plan.job_place("metadata"))


def enforce(setup: Setup, plan: Plan) -> Plan:
    """Wrap the trainer's command; give the pods named `node` the installer and its volumes."""
    image = broker_settings(plan)["FLUX_VIEW_IMAGE"]
    installer = flux_installer(plan.name, image.value if image.value or setup.empty_image else None)
    wrapped = _wrapped_command(plan, setup)
    command = ["/bin/bash", "/etc/flux-config/entrypoint.sh", wrapped.value]
    for pods in plan.pod_sets:
        if pods.name == trainer.NODE:
            plan = _volumes_of(plan, pods, setup)
            plan = _add_installer(plan, pods, DerivedValue(installer, image.because))
    return plan._replace(command=DerivedValue(command, wrapped.because), args=None)


def _wrapped_command(plan: Plan, setup: Setup) -> DerivedValue[str]:
    """The command that Flux starts: the TrainJob's or the runtime's, with the TrainJob's args."""
    container = plan.container(trainer.ANCESTOR_TRAINER, trainer.NODE)
    command, because = plan.command
    if command is None and setup.runtime_command and container:
        command, because = plan.jobset.get(*container, "command"), ((JOB_SET, *container, "command"),)
    args = [(*TRAINER, "args")] if plan.args else []
    return DerivedValue(" ".join([*(command or ()), *(plan.args or ())]).strip(), (*because, *args))


def _volumes_of(plan: Plan, pods: PodSet, setup: Setup) -> Plan:
    volumes, mounts = flux_volumes(plan.name), flux_mounts(plan.name)
    if not setup.shared_memory:
        volumes, mounts = ([each for each in items if each["name"] != SHARED_MEMORY] for items in (volumes, mounts))
    jobset = upsert(
        plan.jobset, pod_spec(pods.position), "volumes", [Upsert(volume, because=(NAME,)) for volume in volumes]
    )
    for container in plan.containers(pods, trainer.NODE):
        jobset = upsert(jobset, container, "volumeMounts", [Upsert(mount, because=(NAME,)) for mount in mounts])
    return plan.with_jobset(jobset)


def _add_installer(plan: Plan, pods: PodSet, installer: DerivedValue[Item]) -> Plan:
    containers = (*pod_spec(pods.position), "initContainers")
    position = len(plan.jobset.get(*containers) or ())
    because = (NAME, *installer.because)
    return plan.with_jobset(plan.jobset.put((*containers, position), installer.value, because=because))
