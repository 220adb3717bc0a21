"""The Pods that the controllers create from a JobSet, as facts: names, effective env, quantities by value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

_REFERENCE = re.compile(r"\$(?:\$|\(([A-Za-z_][A-Za-z0-9_.-]*)\))")
OWN_VOLUMES = {"ssh-auth", "mpi-job-config", "mpi-job-kubectl", "mpi-ssh-auth", "mpi-hostfile"}
POD_DEFAULTS = {
    "dnsPolicy": "ClusterFirst",
    "restartPolicy": None,
    "schedulerName": "default-scheduler",
    "terminationGracePeriodSeconds": 30,
    "securityContext": {},
    "hostNetwork": False,
    "hostIPC": False,
}
_SEPARATE = {"containers", "initContainers", "volumes", "restartPolicy", "affinity", "topologySpreadConstraints"}


class Pod(NamedTuple):
    """One Pod: `names` are what its fields and labels say of it; `spec` and `metadata` are those of the template."""

    replicated_job: str
    hostname: str
    address: str
    names: Mapping[str, str]
    job: Mapping[str, Any]
    metadata: Mapping[str, Any]
    spec: Mapping[str, Any]

    def container(self, *names: str) -> Mapping[str, Any]:
        """The first container that has one of the names, in the order of the names; else the first."""
        found = {each["name"]: each for each in self.spec["containers"]}
        return next((found[name] for name in names if name in found), self.spec["containers"][0])


def pods_of(jobset: Mapping[str, Any]) -> list[Pod]:
    """All Pods, in the order of replicatedJobs, Jobs and completions."""
    return list(_pods(jobset))


def _pods(jobset: Mapping[str, Any]) -> Iterator[Pod]:
    name, spec = jobset["metadata"]["name"], jobset["spec"]
    subdomain = (spec.get("network") or {}).get("subdomain") or name
    jobs = [each for each in spec["replicatedJobs"] if not _is_initializer(each)]
    number = 0
    total = sum(each.get("replicas", 1) for each in jobs)
    for replicated in jobs:
        job = replicated["template"]["spec"]
        for index in range(replicated.get("replicas", 1)):
            for completion in range(job.get("completions") or 1):
                hostname = f"{name}-{replicated['name']}-{index}-{completion}"
                names = {
                    "jobset.sigs.k8s.io/jobset-name": name,
                    "jobset.sigs.k8s.io/replicatedjob-name": replicated["name"],
                    "jobset.sigs.k8s.io/replicatedjob-replicas": str(replicated.get("replicas", 1)),
                    "jobset.sigs.k8s.io/job-index": str(index),
                    "jobset.sigs.k8s.io/job-global-index": str(number),
                    "jobset.sigs.k8s.io/global-replicas": str(total),
                    "batch.kubernetes.io/job-completion-index": str(completion),
                    "batch.kubernetes.io/job-name": f"{name}-{replicated['name']}-{index}",
                }
                pod = job["template"]
                yield Pod(
                    replicated["name"],
                    hostname,
                    f"{hostname}.{subdomain}",
                    names,
                    job,
                    pod.get("metadata") or {},
                    pod["spec"],
                )
            number += 1


def _is_initializer(replicated: Mapping[str, Any]) -> bool:
    labels = (replicated["template"].get("metadata") or {}).get("labels") or {}
    return labels.get("trainer.kubeflow.org/trainjob-ancestor-step", "").endswith("initializer")


def effective_env(pod: Pod, container: Mapping[str, Any], main: str) -> dict[str, Any]:
    """The env as the kubelet makes it; `main` is the old name of the container `node`."""
    env: dict[str, Any] = {}
    for entry in container.get("env") or ():
        if "valueFrom" not in entry:
            env[entry["name"]] = expand(entry.get("value") or "", env)
            continue
        source = entry["valueFrom"]
        path = (source.get("fieldRef") or {}).get("fieldPath", "")
        match = re.fullmatch(r"metadata\.(?:labels|annotations)\['([^']+)'\]", path)
        if match and match[1] in pod.names:
            env[entry["name"]] = pod.names[match[1]]
            continue
        reference = source.get("resourceFieldRef") or {}
        if reference.get("containerName") == "node":
            source = {**source, "resourceFieldRef": {**reference, "containerName": main}}
        env[entry["name"]] = {"valueFrom": source}
    return env


def expand(text: str, env: Mapping[str, Any]) -> str:
    """`$(NAME)` from the entries before; `$$` is a dollar sign."""

    def value(match: re.Match[str]) -> str:
        if match[1] is None:
            return "$"
        found = env.get(match[1])
        return found if isinstance(found, str) else match[0]

    return _REFERENCE.sub(value, text)


def quantities(resources: Mapping[str, Any]) -> dict[str, dict[str, Decimal]]:
    """Limits and requests by value; a missing request is the limit."""
    limits = {name: number(amount) for name, amount in (resources.get("limits") or {}).items()}
    requests = {name: number(amount) for name, amount in (resources.get("requests") or {}).items()}
    return {key: value for key, value in (("limits", limits), ("requests", {**limits, **requests})) if value}


_UNITS = {"": 1, "m": Decimal("0.001"), "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
_UNITS |= {unit: 1 << (10 * power) for power, unit in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)}
_QUANTITY = re.compile(r"([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Z]*)")


def number(amount: Any) -> Decimal:
    """A quantity by value."""
    match = _QUANTITY.fullmatch(str(amount))
    assert match, amount
    return Decimal(match[1]) * _UNITS[match[2]]


def mounts(spec: Mapping[str, Any], container: Mapping[str, Any]) -> dict[str, Any]:
    """The mounts by path, with the source of the volume."""
    volumes = {
        each["name"]: {key: item for key, item in each.items() if key != "name"} for each in spec.get("volumes") or ()
    }
    found = {}
    for mount in container.get("volumeMounts") or ():
        if mount["name"] in OWN_VOLUMES:
            continue
        rest = {
            key: item for key, item in mount.items() if key not in ("name", "mountPath") and item not in (False, "")
        }
        found[mount["mountPath"]] = {"from": without_default_mode(volumes[mount["name"]]), **rest}
    return found


def without_default_mode(value: Any) -> Any:
    """A volume without the default of defaultMode."""
    if isinstance(value, dict) and "sizeLimit" in value:
        return {**value, "sizeLimit": str(number(value["sizeLimit"]))}
    if isinstance(value, dict):
        kept = {key: without_default_mode(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if (key, item) not in (("defaultMode", 420), ("metadata", {}))}
    return value


def pod_fields(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a Pod besides containers and placement, without defaults."""
    found = {key: value for key, value in spec.items() if key not in _SEPARATE and value not in (None, [], {})}
    return {key: value for key, value in found.items() if POD_DEFAULTS.get(key, object()) != value}


def placement(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Affinity and spread."""
    found = {"affinity": spec.get("affinity"), "spread": spec.get("topologySpreadConstraints")}
    return {key: value for key, value in found.items() if value}
