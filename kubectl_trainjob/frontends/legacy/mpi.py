"""MPIJobs as runtimes with Trainer's MPI policy.

Mirrors kubeflow/mpi-operator `pkg/controller/mpi_job_controller.go` (0.8.2) and kubeflow/training-operator
`pkg/controller.v1/mpi` (1.9.3), which starts processes with kubectl exec.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.frontends.legacy.commands import uses_host_discovery
from kubectl_trainjob.frontends.legacy.gang import gang_of
from kubectl_trainjob.frontends.legacy.lifecycle import job_settings, jobset_settings, train_job_settings
from kubectl_trainjob.frontends.legacy.names import Peers
from kubectl_trainjob.frontends.legacy.notes import MigrationNote, ask
from kubectl_trainjob.frontends.legacy.operators import V1, V2BETA1, JobRole, LegacyJob
from kubectl_trainjob.frontends.legacy.pods import PodContext, convert_container, split, template
from kubectl_trainjob.frontends.legacy.shapes import JobShape, replicated_job, runtime_spec
from kubectl_trainjob.frontends.legacy.variables import Layout
from kubectl_trainjob.kube.facts.mpi import IMPLEMENTATIONS, ROLE_VARIABLE
from kubectl_trainjob.kube.facts.trainer import COMPLETION_INDEX_FIELD, LAUNCHER, NODE, OPEN_MPI
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.stages import Body

_SSH_SERVER = ["/usr/sbin/sshd", "-De"]
_SSH_PATH = "/root/.ssh"
_WITHOUT_GPU = ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")
OPERATORS_ENV = frozenset({"OMPI_MCA_plm_rsh_agent", ROLE_VARIABLE}).union(
    *(each.launcher_variables for each in IMPLEMENTATIONS.values())
)
_HOST_NETWORK = {"dnsPolicy": "ClusterFirstWithHostNet"}


def mpi_shape(job: LegacyJob) -> JobShape:
    """The runtime and the TrainJob of an MPIJob."""
    launcher, worker = job.role("Launcher"), job.role("Worker")
    assert launcher is not None, "the operators require it"
    gang = gang_of(job)
    is_first = runs_on_launcher(job)
    slots = job.spec.get("slotsPerWorker", 1)
    policy: dict[str, Any] = {"mpiImplementation": _implementation(job)}
    if job.spec.get("sshAuthMountPath", _SSH_PATH) != _SSH_PATH:
        policy["sshAuthMountPath"] = job.spec["sshAuthMountPath"]
    if is_first:
        policy["runLauncherAsNode"] = True
    main, trainer = _launcher(job, launcher, gang.scheduler)
    jobs = [main]
    if worker is not None:
        jobs.insert(1 if is_first else 0, _worker(job, worker, gang.scheduler))
        if waits_for_workers(job) and not is_first:
            main["dependsOn"] = [{"name": NODE, "status": "Ready"}]
    settings = {
        "network": {"publishNotReadyAddresses": True},
        "successPolicy": {"operator": "All", "targetReplicatedJobs": [LAUNCHER]},
        **jobset_settings(job),
    }
    runtime = runtime_spec({"numNodes": 1, "mpi": policy}, jobs, settings, gang.annotations, gang.policy)
    nodes = (worker.count if worker else 0) + is_first
    trainer = {**trainer, "numNodes": nodes, "numProcPerNode": slots}
    return JobShape(runtime, {**train_job_settings(job), "trainer": trainer}, (*gang.notes, *_notes(job)))


def runs_on_launcher(job: LegacyJob) -> bool:
    """Whether the launcher runs processes, and is the first host: in v1, if its limits name a GPU."""
    if job.operator.api_version == V2BETA1:
        return bool(job.spec.get("runLauncherAsWorker"))
    launcher = job.role("Launcher")
    containers = launcher.pod["containers"] if launcher else ()
    limits = [name for each in containers for name in (each.get("resources") or {}).get("limits") or ()]
    return any("gpu" in name.lower() for name in limits)


def waits_for_workers(job: LegacyJob) -> bool:
    """Whether the launcher starts after all workers are ready."""
    return job.spec.get("launcherCreationPolicy") == "WaitForWorkersReady"


def _context(job: LegacyJob, role: JobRole) -> PodContext:
    def host(role_name: str, index: int) -> str:
        return f"{job.name}-{LAUNCHER if role_name == 'launcher' else NODE}-0-{index}.{job.name}"

    def select(role_name: str) -> dict[str, str]:
        return {"jobset.sigs.k8s.io/replicatedjob-name": NODE if role_name == "worker" else role_name}

    has_own_index = role.key == "Worker" and not runs_on_launcher(job)  # which counts as the first
    layout = Layout(
        lambda role_name, index: host(role_name, int(index)), "", COMPLETION_INDEX_FIELD if has_own_index else ""
    )
    return PodContext(job, role, layout, Peers(job, host, select), set_by_trainer=frozenset(OPERATORS_ENV))


def _launcher(job: LegacyJob, role: JobRole, scheduler: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The launcher of the runtime, and what the TrainJob says of it.

    Its env and resources stay in the runtime: with runLauncherAsNode, Trainer gives the TrainJob's to all nodes.
    """
    context = _context(job, role)
    containers = _containers(context)
    main = containers[0]
    own, shared = split(main)
    env = own.get("env") or []
    if not runs_on_launcher(job):
        env = [entry for entry in env if entry["name"] not in _WITHOUT_GPU]
        env += [{"name": name, "value": ""} for name in _WITHOUT_GPU]
    if env:
        shared["env"] = env
    if "resources" in own:
        shared["resources"] = own["resources"]
    containers[0] = shared
    pods = _with_network(job, template(context, containers, scheduler))
    replicated = replicated_job(LAUNCHER, job_settings(job, role, NODE), pods)
    return replicated, {key: own[key] for key in ("image", "command", "args") if key in own}


def _worker(job: LegacyJob, role: JobRole, scheduler: str) -> dict[str, Any]:
    context = _context(job, role)
    containers = _containers(context)
    main = containers[0]
    if job.operator.api_version == V1:
        main.pop("args", None)
        main["command"] = _SSH_SERVER
    elif "command" not in main and "args" not in main:
        main["command"] = _SSH_SERVER
    pods = _with_network(job, template(context, containers, scheduler))
    return replicated_job(NODE, job_settings(job, role, NODE), pods, is_trainer=False)


def _containers(context: PodContext) -> list[dict[str, Any]]:
    found = []
    for index in range(len(context.role.pod["containers"])):
        container = convert_container(context, index)
        found.append({**container.body, "env": container.own} if container.own else container.body)
    return found


def _with_network(job: LegacyJob, pods: dict[str, Any]) -> dict[str, Any]:
    """Pods in the network of the host find each other: v2beta1 sets the DNS policy, v1 keeps a written one."""
    spec = pods["spec"]
    if not spec.get("hostNetwork") or (job.operator.api_version == V1 and "dnsPolicy" in spec):
        return pods
    return {**pods, "spec": {**spec, **_HOST_NETWORK}}


def _implementation(job: LegacyJob) -> str:
    name: str = job.spec.get("mpiImplementation", OPEN_MPI)
    return name


def _notes(job: LegacyJob) -> Iterator[MigrationNote]:
    launcher: Body = job.role("Launcher").pod  # type: ignore[union-attr]
    if _implementation(job) != OPEN_MPI:
        message = say(
            'no controller of Trainer implements mpiImplementation "{}"; apply builds of the job, and set '
            "`allow: {extendedMpi: true}` in trainjob.yaml",
            _implementation(job),
        )
        yield ask(message, "spec", "mpiImplementation")
    for index, container in enumerate(launcher["containers"]):
        if uses_host_discovery(container):
            at = ("spec", "mpiReplicaSpecs", "Launcher", "template", "spec", "containers", index)
            yield ask(say("discover_hosts.sh does not exist with Trainer; use /etc/mpi/hostfile"), *at)
    if job.operator.api_version == V1:
        message = say(
            "the operator reached the workers with kubectl exec, and Trainer does with ssh; use an image with an SSH "
            "server, which the workers now start"
        )
        yield ask(message, "spec", "mpiReplicaSpecs", "Worker")
    if waits_for_workers(job) and "schedulingPolicy" in job.run_policy:
        message = say(
            "launcherCreationPolicy WaitForWorkersReady: the gang waits for the launcher, which waits for the workers, "
            "so no Pod starts; remove dependsOn or podGroupPolicy from the runtime"
        )
        yield ask(message, "spec", "launcherCreationPolicy")
    elif waits_for_workers(job) and runs_on_launcher(job):
        message = say(
            "launcherCreationPolicy WaitForWorkersReady cannot be kept with runLauncherAsWorker: the launcher is the "
            "first host, and dependsOn needs an earlier replicatedJob"
        )
        yield ask(message, "spec", "launcherCreationPolicy")
