"""MPI: SSH keys, hostfile and the environment of the launcher.

Mirrors trainer `pkg/runtime/framework/plugins/mpi` Validate and EnforceMLPolicy (2.0-2.3); the hostfile's ConfigMap is
built in `builders/hostfile.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kubectl_trainjob.compiler.expand.nodes import launcher_as_node, mpi_implementation
from kubectl_trainjob.compiler.expand.plan import NAME, TRAINER, DerivedValue, Plan, PodSet
from kubectl_trainjob.compiler.expand.processes import MPI
from kubectl_trainjob.compiler.expand.upsert import Item, Upsert, env, upsert
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.facts.jobset import pod_spec
from kubectl_trainjob.kube.facts.mpi import IMPLEMENTATIONS
from kubectl_trainjob.kube.facts.numbers import as_int32
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import INVALID_TYPE_OR_ENUM, MPI_IMPLEMENTATION, MPI_JOBS_MISSING

Count = Callable[[Plan], DerivedValue[int]]


def _policy(plan: Plan) -> Mapping[str, Any]:
    return plan.policy("mpi") or {}


def number_of_processes(plan: Plan) -> Iterator[Diagnostic]:
    """numProcPerNode is a number (2.0, 2.1; later by the schema)."""
    specified = (plan.trainer or {}).get("numProcPerNode")
    if isinstance(specified, str):
        message = say('numProcPerNode "{}" is not an integer, as MPI needs; write a number', specified)
        yield Diagnostic(INVALID_TYPE_OR_ENUM, message, plan.job_place("spec", "trainer", "numProcPerNode"))


def both_jobs(plan: Plan) -> Iterator[Diagnostic]:
    """A launcher that is a node needs a replicatedJob for the other nodes."""
    nodes = 1 if plan.trainer is None else plan.trainer.get("numNodes", 1)
    if (
        nodes >= 2
        and launcher_as_node(plan).value
        and not (plan.by_name(trainer.LAUNCHER) and plan.by_name(trainer.NODE))
    ):
        message = say(
            'numNodes {} with runLauncherAsNode needs replicatedJobs "launcher" and "node" in the runtime; '
            "set numNodes to 1 or use a runtime that has both",
            nodes,
        )
        yield Diagnostic(MPI_JOBS_MISSING, message, plan.job_place("spec", "trainer", "numNodes"))


def implementation(plan: Plan) -> Iterator[Diagnostic]:
    """The empty name of an MPI implementation, which only the controller fails on."""
    named = mpi_implementation(plan)
    launcher = plan.by_name(trainer.LAUNCHER)
    if named not in IMPLEMENTATIONS and launcher and next(plan.containers(launcher, trainer.NODE), None):
        message = say('the controller fails on mpiImplementation "{}"; write "{}"', named, trainer.OPEN_MPI)
        yield Diagnostic(
            MPI_IMPLEMENTATION, message, plan.runtime_place("spec", "mlPolicy", "mpi", "mpiImplementation")
        )


def enforce(count: Count, ssh_modes: bool, plan: Plan) -> Plan:
    """Set the nodes and slots; volumes, mounts and env of the pods named `node` and `launcher`.

    `ssh_modes`: whether the mode of each key file is set (2.3).
    """
    plan = _nodes(plan)
    slots = count(plan)
    for pods in plan.pod_sets:
        if pods.name in (trainer.NODE, trainer.LAUNCHER):
            plan = _volumes(plan, pods, ssh_modes)
            plan = _mounts(plan, pods)
        if pods.name == trainer.LAUNCHER:
            plan = _launcher_env(plan, pods, slots)
    return plan._replace(slots=slots)


def _nodes(plan: Plan) -> Plan:
    nodes = (plan.trainer or {}).get("numNodes")
    pods = plan.by_name(trainer.NODE)
    if nodes is None or pods is None:
        return plan
    launcher = launcher_as_node(plan)
    # One of the nodes is the launcher then; upstream keeps at least one other pod.
    count = max(as_int32(nodes - 1), 1) if launcher.value else nodes
    return plan.with_count(pods, count, (*TRAINER, "numNodes"), *launcher.because)


def _volumes(plan: Plan, pods: PodSet, ssh_modes: bool) -> Plan:
    volumes = [Upsert(ssh_volume(plan.name, ssh_modes), because=(NAME,))]
    if pods.name == trainer.LAUNCHER:
        volumes.append(Upsert(hostfile_volume(plan.name), because=(NAME,)))
    return plan.with_jobset(upsert(plan.jobset, pod_spec(pods.position), "volumes", volumes))


def _mounts(plan: Plan, pods: PodSet) -> Plan:
    ssh = {"name": "mpi-ssh-auth", "mountPath": _policy(plan).get("sshAuthMountPath", "/root/.ssh")}
    mounts = [Upsert(ssh, because=((*MPI, "sshAuthMountPath"),))]
    if pods.name == trainer.LAUNCHER:
        mounts.append(Upsert({"name": "mpi-hostfile", "mountPath": "/etc/mpi"}))
    for container in plan.containers(pods, trainer.NODE):
        plan = plan.with_jobset(upsert(plan.jobset, container, "volumeMounts", mounts))
    return plan


def _launcher_env(plan: Plan, pods: PodSet, slots: DerivedValue[int]) -> Plan:
    known = IMPLEMENTATIONS.get(mpi_implementation(plan))  # an empty name is valid where nothing needs it
    variables = known.launcher_variables if known else {}
    writes = [
        env(name, value.format(slots=slots.value), *(slots.because if "{" in value else ()))
        for name, value in variables.items()
    ]
    for container in plan.containers(pods, trainer.NODE):
        plan = plan.with_jobset(upsert(plan.jobset, container, "env", writes))
    return plan


def ssh_volume(name: str, modes: bool) -> Item:
    """The keys of the job; `modes`: with the mode of each file."""
    files = [
        ("ssh-privatekey", "id_rsa", 0o640),
        ("ssh-publickey", "id_rsa.pub", 0o644),
        ("ssh-publickey", "authorized_keys", 0o644),
    ]
    secret: dict[str, Any] = {"secretName": f"{name}{trainer.SSH_AUTH_SUFFIX}"}
    if modes:
        secret["defaultMode"] = 0o400
    secret["items"] = [{"key": key, "path": path, **({"mode": mode} if modes else {})} for key, path, mode in files]
    return {"name": "mpi-ssh-auth", "secret": secret}


def hostfile_volume(name: str) -> Item:
    """The list of hosts."""
    items = [{"key": "hostfile", "path": "hostfile", "mode": 0o444}]
    return {"name": "mpi-hostfile", "configMap": {"name": f"{name}{trainer.HOSTFILE_SUFFIX}", "items": items}}
