"""What the pods of JobSets need of a cluster, made up: nodes, classes; and why some can run on none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from tests.cluster.ownership import Object
from tests.cluster.plane.client import Client

Pod = dict[str, Any]
_PLENTY = {"cpu": "1G", "memory": "1Pi", "ephemeral-storage": "1Pi", "pods": "10000"}
_ZONES = ("a", "b", "c")
_NODES_OF_A_SORT = 6
MOST_PODS = 20


def why_not(jobset: Object) -> str:
    """Why a JobSet is left out of the run, for reasons that lie in its input; empty when it must complete."""
    pods = list(pods_of(jobset))
    reasons = {
        "its input states suspend: true": jobset["spec"].get("suspend", False),
        "it has no replicatedJobs, and JobSet writes it no status": not pods,
        f"it has more than {MOST_PODS} pods, which takes long": _pod_count(jobset) > MOST_PODS,
        "its nodeSelector and its node affinity contradict each other": any(map(_is_contradictory, pods)),
        "an overhead without a RuntimeClass, refused in Pods but not in Jobs": any(map(_has_own_overhead, pods)),
        "a port taken twice on the host's network, refused in Pods but not in Jobs": any(map(_has_doubled_port, pods)),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def pods_of(jobset: Object) -> Iterator[Pod]:
    """The pod specs of a JobSet."""
    return (job["template"]["spec"]["template"]["spec"] for job in jobset["spec"].get("replicatedJobs", []))


def scheduler_names(jobsets: Iterable[Object]) -> list[str]:
    """The schedulers that pods ask for."""
    return _named(jobsets, "schedulerName")


def furnish(client: Client, jobsets: list[Object]) -> None:
    """Create the classes that the pods name and enough nodes of every sort that they select, each a rack of its own."""
    for name in _named(jobsets, "priorityClassName"):
        if name.startswith("system-"):  # the API server has made those itself
            continue
        client.create({**_of_kind("scheduling.k8s.io/v1", "PriorityClass", name), "value": 1000})
    for name in _named(jobsets, "runtimeClassName"):
        client.create({**_of_kind("node.k8s.io/v1", "RuntimeClass", name), "handler": name})
    pods = [pod for jobset in jobsets for pod in pods_of(jobset)]
    capacity = {**{name: "100k" for pod in pods for name in _resources(pod)}, **_PLENTY}
    sorts = sorted({tuple(sorted(_wanted(pod).items())) for pod in pods})
    for number, (sort, index) in enumerate(product(sorts, range(_NODES_OF_A_SORT))):
        name = f"fake-{number}"
        zone = {"zone": _ZONES[index % len(_ZONES)]}
        labels = {**zone, **dict(sort), "rack": name, "kubernetes.io/hostname": name}
        ready = {"type": "Ready", "status": "True"}
        status = {"capacity": capacity, "allocatable": capacity, "conditions": [ready]}
        client.create(
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "status": status}
        )


def _of_kind(version: str, kind: str, name: str) -> Object:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}}


def _named(jobsets: Iterable[Object], field: str) -> list[str]:
    return sorted({pod[field] for jobset in jobsets for pod in pods_of(jobset) if pod.get(field)})


def _pod_count(jobset: Object) -> int:
    count = 0
    for job in jobset["spec"].get("replicatedJobs", []):
        spec = job["template"]["spec"]
        parallelism = spec.get("parallelism", 1)
        count += job.get("replicas", 1) * min(parallelism, spec.get("completions", parallelism))
    return count


def _resources(pod: Pod) -> Iterator[str]:
    for container in [*pod["containers"], *pod.get("initContainers", [])]:
        for amounts in container.get("resources", {}).values():
            if isinstance(amounts, dict):
                yield from amounts


def _required(pod: Pod) -> dict[str, list[str]]:
    """The labels of the first term of the required node affinity, with the values allowed."""
    affinity = pod.get("affinity", {}).get("nodeAffinity", {})
    terms = affinity.get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms", [{}])
    return {one["key"]: one["values"] for one in terms[0].get("matchExpressions", []) if one["operator"] == "In"}


def _wanted(pod: Pod) -> dict[str, str]:
    """Labels of a node that the pod fits on."""
    return {**{key: values[0] for key, values in _required(pod).items()}, **pod.get("nodeSelector", {})}


def _is_contradictory(pod: Pod) -> bool:
    selected = pod.get("nodeSelector", {})
    return any(key in selected and selected[key] not in values for key, values in _required(pod).items())


def _has_own_overhead(pod: Pod) -> bool:
    return "overhead" in pod and "runtimeClassName" not in pod


def _has_doubled_port(pod: Pod) -> bool:
    ports = [port for one in pod["containers"] for port in one.get("ports", [])]
    taken = [(port.get("protocol", "TCP"), port["containerPort"]) for port in ports]
    return bool(pod.get("hostNetwork")) and len(taken) != len(set(taken))
