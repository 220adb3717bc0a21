"""On every recorded input: environments agree with the JobSets and numbers of upstream."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from kubectl_trainjob.compiler.pipeline import trace
from kubectl_trainjob.explain.environment.describe import describe
from kubectl_trainjob.explain.environment.values import Environment, Role
from kubectl_trainjob.kube.facts.kinds import is_train_job
from kubectl_trainjob.model.stages import BuildOptions
from kubectl_trainjob.repository.positions import Locator
from tests.conformance.versions import EACH_VERSION, Chosen
from tests.reading import read

Object = dict[str, Any]
INDEX = {"fieldRef": {"fieldPath": "metadata.labels['batch.kubernetes.io/job-completion-index']"}}

# `tune run` starts torchrun, and torchrun in the launcher does not read the hostfile.
_NO_READERS_OF_HOSTFILES = ("torchrun", "'tune', 'run'")


@cache
def environment_of(chosen: Chosen) -> list[tuple[str, Environment, list[Object]]]:
    """Each job that upstream accepts and whose record is the same each time: its environment, and the record."""
    found = []
    for case in chosen.cases():
        records = {job["job"]: job for job in case.expected.get("jobs", [])}
        rejected = [job for job in records.values() if job["verdict"] != "accepted" or job.get("nondeterministic")]
        if rejected or not records or case.expected.get("runtime-findings"):
            continue
        documents = read(["-"], lambda _, text=case.input: text.encode())
        for job in trace(documents, BuildOptions(trainer_version=chosen.version), is_train_job).jobs:
            name = job.train_job.identity.name
            found.append((f"{case.id}/{name}", describe(job), records[name]["objects"]))
    return found


def of_kind(objects: list[Object], kind: str, suffix: str = "") -> list[Object]:
    return [one for one in objects if one["kind"] == kind and one["metadata"]["name"].endswith(suffix)]


def pairs(chosen: Chosen) -> Iterator[tuple[str, Role, Object]]:
    """Each role with the recorded replicatedJob."""
    for name, environment, objects in environment_of(chosen):
        [jobset] = of_kind(objects, "JobSet")
        recorded = jobset["spec"].get("replicatedJobs", [])
        assert [role.name for role in environment.roles] == [job["name"] for job in recorded]
        for role, job in zip(environment.roles, recorded, strict=True):
            yield name, role, job


def env_of(container: Mapping[str, Any], is_indexed: bool) -> dict[str, Any]:
    """A recorded container's env, and what the Job controller adds to it."""
    env = {one["name"]: one.get("valueFrom", one.get("value", "")) for one in container.get("env", [])}
    return {**({"JOB_COMPLETION_INDEX": INDEX} if is_indexed else {}), **env}


@EACH_VERSION
def test_containers(chosen: Chosen) -> None:
    compared = 0
    for name, role, job in pairs(chosen):
        spec = job["template"]["spec"]
        pod = spec["template"]["spec"]
        recorded = [*pod.get("initContainers", []), *pod.get("containers", [])]
        assert [each.spec.name for each in role.containers] == [each["name"] for each in recorded], name
        for ours, theirs in zip(role.containers, recorded, strict=True):
            env = {each.name: each.value if each.reference is None else each.reference for each in ours.variables}
            assert env == env_of(theirs, spec.get("completionMode", "Indexed") == "Indexed"), name
            assert all(ours.spec.body.get(field) == theirs.get(field) for field in ("command", "args", "image")), name
            compared += len(env)
    assert compared > 500


@EACH_VERSION
def test_pods(chosen: Chosen) -> None:
    for name, role, job in pairs(chosen):
        spec = job["template"]["spec"]
        size = max(spec["completions"], 0)
        assert (role.pods.replicas, max(role.pods.size, 0)) == (job["replicas"], size), name
        assert role.pods.count == len(list(role.pods.hostnames())) or not role.pods.is_indexed, name


@EACH_VERSION
def test_hostfiles(chosen: Chosen) -> None:
    seen = 0
    for name, environment, objects in environment_of(chosen):
        recorded = of_kind(objects, "ConfigMap", "-mpi-hostfile")
        lines = recorded[0]["data"].get("hostfile", "").splitlines() if recorded else None
        hosts = environment.launch.hosts
        assert (hosts if hosts is None else list(hosts)) == lines, name
        if lines and not any(each in str(objects) for each in _NO_READERS_OF_HOSTFILES):
            slots = [int(line.rpartition("=")[2]) for line in lines]
            assert environment.launch.total is not None, name
            assert (environment.launch.total.value, environment.launch.total.nodes) == (sum(slots), len(slots)), name
            seen += 1
    assert seen >= 5


@EACH_VERSION
def test_world_sizes(chosen: Chosen) -> None:
    """By the variables that torchrun, JAX and XGBoost read."""
    seen = 0
    for name, environment, objects in environment_of(chosen):
        [jobset] = of_kind(objects, "JobSet")
        world = environment.launch.total
        env = first_env(jobset)
        expected = env.get("DMLC_NUM_WORKER") or env.get("JAX_NUM_PROCESSES")
        if env.get("PET_NPROC_PER_NODE", "").lstrip("-").isdigit():
            expected = str(int(env["PET_NNODES"]) * int(env["PET_NPROC_PER_NODE"]))
        if expected is not None:
            assert str(world and world.value) == expected, name
            seen += 1
    assert seen >= 20


def first_env(jobset: Object) -> dict[str, str]:
    """The plain variables of the first trainer's container `node`, which a launcher reads."""
    for job in jobset["spec"].get("replicatedJobs", []):
        labels = job["template"].get("metadata", {}).get("labels", {})
        if labels.get("trainer.kubeflow.org/trainjob-ancestor-step") == "trainer":
            for container in job["template"]["spec"]["template"]["spec"].get("containers", []):
                if container["name"] == "node":
                    return {one["name"]: one["value"] for one in container.get("env", []) if "value" in one}
    return {}


@EACH_VERSION
def test_everything_has_a_reason_and_a_line(chosen: Chosen) -> None:
    resolve = Locator().resolve
    for name, environment, _ in environment_of(chosen):
        assert all(role.reason.why for role in environment.roles if role.processes), name
        for caution in environment.cautions:
            assert caution.place is not None, f"{name}: {caution.message}"
            assert resolve(caution.place).file.text, name
            assert re.match(r"[^\n]+$", caution.message), name
