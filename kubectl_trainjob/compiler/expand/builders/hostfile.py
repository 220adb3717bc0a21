"""The ConfigMap with MPI's hostfile. Mirrors buildHostFileConfigMap in trainer `…/plugins/mpi` (2.0-2.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kubectl_trainjob.compiler.expand.nodes import launcher_as_node, mpi_implementation
from kubectl_trainjob.compiler.expand.plan import JOB_SET, NAME, Plan, PodSet, identity
from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS
from kubectl_trainjob.kube.facts.kinds import LARGEST_CONFIG_MAP
from kubectl_trainjob.kube.facts.mpi import IMPLEMENTATIONS
from kubectl_trainjob.kube.facts.trainer import HOSTFILE_SUFFIX, LAUNCHER, NODE
from kubectl_trainjob.model.draft import Cause, Draft, computed, fixed

Replicas = Callable[[Plan, PodSet], int]


def all_replicas(plan: Plan, pods: PodSet) -> int:
    """As many as the replicatedJob has (2.3)."""
    replicas: int | None = plan.jobset.get(*REPLICATED_JOBS, pods.position, "replicas")
    return 1 if replicas is None else replicas


def first_replica(_plan: Plan, _pods: PodSet) -> int:
    """One (2.0-2.2)."""
    return 1


def build(replicas: Replicas, plan: Plan, config_map: Draft) -> Draft:
    """One line a host with its number of processes; the launcher is a host when it runs as a node.

    `replicas` returns how many replicas of a replicatedJob are listed.
    """
    hosts = {NODE, LAUNCHER} if launcher_as_node(plan).value else {NODE}
    lines = ""
    known = IMPLEMENTATIONS.get(mpi_implementation(plan))
    if known is not None:
        names = (name for pods in plan.pod_sets if pods.name in hosts for name in _names(plan, pods, replicas))
        lines = "".join(_until_too_large(f"{name}{known.separator}{plan.slots.value}\n" for name in names))
    causes = (*plan.slots.because, *_causes(plan), NAME) if config_map.records else ()
    return config_map.put_each(
        [
            fixed(("apiVersion",), "v1"),
            fixed(("kind",), "ConfigMap"),
            *identity(plan, HOSTFILE_SUFFIX),
            computed(("data", "hostfile"), lines, causes),
        ]
    )


def _causes(plan: Plan) -> Iterator[Cause]:
    """The values that set the number of hosts and their names."""
    for pods in plan.pod_sets:
        yield from pods.because
        yield (JOB_SET, *REPLICATED_JOBS, pods.position, "replicas")
    if plan.jobset.get("spec", "network", "subdomain"):
        yield (JOB_SET, "spec", "network", "subdomain")
    yield from launcher_as_node(plan).because


def _until_too_large(lines: Iterable[str]) -> Iterator[str]:
    """The lines up to the size limit of a ConfigMap: a mistyped numNodes must not fill the memory."""
    size = 0
    for line in lines:
        yield line
        size += len(line)
        if size > LARGEST_CONFIG_MAP:
            return


def _names(plan: Plan, pods: PodSet, replicas: Replicas) -> Iterator[str]:
    """The DNS names of a PodSet's pods, below the headless Service's name."""
    subdomain = plan.jobset.get("spec", "network", "subdomain") or plan.name
    for replica in range(replicas(plan, pods)):
        for pod in range(pods.size):
            yield f"{plan.name}-{pods.name}-{replica}-{pod}.{subdomain}"
