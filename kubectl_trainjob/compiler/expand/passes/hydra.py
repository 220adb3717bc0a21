"""What Intel MPI and MPICH need in addition, for builds that `allow: {extendedMpi: true}` of trainjob.yaml permits.

No controller of Trainer does this. Mirrors kubeflow/mpi-operator `pkg/controller/mpi_job_controller.go` (0.8).
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.compiler.expand.nodes import launcher_as_node, mpi_implementation
from kubectl_trainjob.compiler.expand.plan import JOB, NAME, Plan, PodSet
from kubectl_trainjob.compiler.expand.upsert import env, upsert
from kubectl_trainjob.kube.facts.jobset import pod_spec
from kubectl_trainjob.kube.facts.mpi import HYDRA, ROLE_VARIABLE
from kubectl_trainjob.kube.facts.trainer import LAUNCHER, NODE
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import MPI_NAMESPACE_ASSUMED

_ROLES = {LAUNCHER: "launcher", NODE: "worker"}
_NO_GPU = ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")


def applies(plan: Plan) -> bool:
    """Runtimes with `mlPolicy.mpi` for one of the two."""
    return plan.policy("mpi") is not None and mpi_implementation(plan) in HYDRA


def namespace_specified(plan: Plan) -> Iterator[Diagnostic]:
    """The nodes find the launcher below the Service of the job, whose name has the namespace."""
    if not plan.namespace:
        message = say("the nodes look for the launcher in namespace default; write metadata.namespace or build with -n")
        yield Diagnostic(MPI_NAMESPACE_ASSUMED, message, plan.job_place("metadata"))


def enforce(plan: Plan) -> Plan:
    """Set the role of each container; nodes find the bare host name of the launcher, which Hydra gives them."""
    for pods in plan.pod_sets:
        if pods.name in _ROLES:
            plan = _variables(plan, pods)
        if pods.name == NODE:
            plan = _search_path(plan, pods)
    return plan


def _variables(plan: Plan, pods: PodSet) -> Plan:
    writes = [env(ROLE_VARIABLE, _ROLES[pods.name])]
    is_node = launcher_as_node(plan)
    if pods.name == LAUNCHER and not is_node.value:
        writes += [env(name, "", *is_node.because) for name in _NO_GPU]
    for container in plan.containers(pods, NODE):
        plan = plan.with_jobset(upsert(plan.jobset, container, "env", writes))
    return plan


def _search_path(plan: Plan, pods: PodSet) -> Plan:
    subdomain = plan.jobset.get("spec", "network", "subdomain") or plan.name
    path = f"{subdomain}.{plan.namespace or 'default'}.svc.cluster.local"
    pointer = (*pod_spec(pods.position), "dnsConfig", "searches")
    searches = plan.jobset.get(*pointer) or []
    if path in searches:
        return plan
    because = (NAME, (JOB, "metadata", "namespace"))
    return plan.with_jobset(plan.jobset.put(pointer, [*searches, path], because=because))
