"""Runtimes and TrainJobs that launch several processes, and what lint, or a build, makes of them."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent
from typing import Any

from kubectl_trainjob.lint.registry import LINT_RULES
from kubectl_trainjob.model.stages import BuildOptions
from tests.compiled import build
from tests.unit.lint.marked import documents_of
from tests.unit.lint.reported import reported, shown
from tests.unit.lint.test_manuals import section

STEP = "metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}"
MEMORY = "volumeMounts: [{name: shm, mountPath: /dev/shm}]"
SHM = "volumes: [{name: shm, emptyDir: {medium: Memory}}]"


def amounts(**quantities: Any) -> str:
    """Limits and requests that are the same; `__` and `_` stand for the slash and the dots of a name."""
    named = {name.replace("__", "/").replace("_", "."): value for name, value in quantities.items()}
    each = ", ".join(f"{name}: {value}" for name, value in named.items())
    return f"resources:\n  limits: {{{each}}}\n  requests: {{{each}}}"


def role(
    *fields: str, name: str = "node", step: str = STEP, container: str = "node", job: str = "", pod: str = ""
) -> str:
    """A replicatedJob with one container that has these fields, shared memory among them."""
    lines = [f"- name: {name}", "  template:"]
    lines += [f"    {step}"] if step else []
    lines += ["    spec:", *([f"      {job}"] if job else []), "      template:", "        spec:"]
    lines += [indent(text, "          ") for text in (pod or SHM).splitlines()]
    lines += ["          containers:", f"          - name: {container}", "            image: acme/train:1.4"]
    given = (*fields, MEMORY) if not pod else fields
    return "\n".join([*lines, *(indent(field, "            ") for field in given)]) + "\n"


def runtime(policy: str, *roles: str, spec: str = "") -> str:
    """A runtime `training` with these replicatedJobs."""
    head = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: training}\n"
    body = f"spec:\n  mlPolicy: {policy}\n  template:\n    spec:\n{indent(spec, '      ')}\n      replicatedJobs:\n"
    return head + body + indent("".join(roles or (role(),)), "      ")


def train_job(*fields: str, name: str = "mnist") -> str:
    """A TrainJob with these fields of `spec` besides its runtimeRef."""
    head = f"---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {{name: {name}}}\n"
    return head + "spec:\n  runtimeRef: {name: training}\n" + "".join(indent(field, "  ") + "\n" for field in fields)


def of_rule(root: Path, rule: str, text: str | dict[str, str], trainer: str = "2.3") -> list[str]:
    """The lines that a rule points at, without what is wrong besides."""
    return [line for each, line in shown(reported(root, text, trainer=trainer)) if each == rule]


def example(rule: str, title: str = "Bad") -> str:
    """The example of a rule's manual."""
    return section(next(each for each in LINT_RULES if each.id == rule), title)


def built(root: Path, text: str, trainer: str = "2.3") -> dict[str, Any]:
    """The objects that a text becomes, by their kinds."""
    outputs = build(documents_of(root, {"all.yaml": text}), BuildOptions(trainer_version=trainer))
    assert outputs.outputs, outputs.diagnostics
    return {each.id.kind: each.body for each in outputs.outputs}


def environment(jobset: Any, role: str = "node", container: str = "node") -> dict[str, Any]:
    """The variables of a container."""
    [job] = [each for each in jobset["spec"]["replicatedJobs"] if each["name"] == role]
    containers = job["template"]["spec"]["template"]["spec"]["containers"]
    [found] = [each for each in containers if each["name"] == container]
    return {each["name"]: each.get("value") for each in found.get("env") or ()}


def addresses(jobset: Any) -> set[str]:
    """Where Pods are found, as JobSet's documentation says: `<JobSet>-<job>-<replica>-<index>.<subdomain>`."""
    name, spec = jobset["metadata"]["name"], jobset["spec"]
    subdomain = (spec.get("network") or {}).get("subdomain") or name
    return {
        f"{name}-{job['name']}-{replica}-{index}.{subdomain}"
        for job in spec["replicatedJobs"]
        if job["template"]["spec"].get("completionMode", "Indexed") == "Indexed"
        for replica in range(job.get("replicas", 1))
        for index in range(job["template"]["spec"].get("parallelism", 1))
    }


def pod_of(jobset: Any, role: str = "node") -> Any:
    """The Pod's spec of a replicatedJob."""
    [job] = [each for each in jobset["spec"]["replicatedJobs"] if each["name"] == role]
    return job["template"]["spec"]["template"]["spec"]
