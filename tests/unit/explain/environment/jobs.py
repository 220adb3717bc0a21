"""Small runtimes and TrainJobs in one text, and their environments."""

from __future__ import annotations

from typing import Any

import yaml

from kubectl_trainjob.compiler.pipeline import trace
from kubectl_trainjob.explain.environment.describe import describe
from kubectl_trainjob.explain.environment.values import Environment
from kubectl_trainjob.kube.facts.kinds import is_train_job
from kubectl_trainjob.model.stages import BuildOptions, ObjectId
from kubectl_trainjob.repository.positions import Locator
from tests.reading import read

Object = dict[str, Any]
TRAINER = "trainer.kubeflow.org/v1alpha1"
STEP = "trainer.kubeflow.org/trainjob-ancestor-step"


def container(name: str = "node", **fields: Any) -> Object:
    return {"name": name, "image": "acme/train:1", **fields}


def asking(**amounts: Any) -> Object:
    """Resources of which limits and requests are the same; `__` stands for the characters of a name."""
    named = {name.replace("__", "/").replace("_", "."): amount for name, amount in amounts.items()}
    return {"limits": named, "requests": named}


def role(name: str = "node", *containers: Object, step: str = "trainer", **job: Any) -> Object:
    pod = {"containers": list(containers) or [container()], **job.pop("pod", {})}
    template: Object = {"spec": {"template": {"spec": pod}, **job.pop("spec", {})}}
    if step:
        template["metadata"] = {"labels": {STEP: step}}
    return {"name": name, "template": template, **job}


def manifests(policy: Object | None, *roles: Object, job: Object | None = None, name: str = "j", **jobset: Any) -> str:
    """A runtime `r` and a TrainJob; `job` is the TrainJob's spec without its runtimeRef."""
    spec = {"template": {"spec": {"replicatedJobs": list(roles) or [role()], **jobset}}}
    runtime = {**spec, "mlPolicy": policy} if policy is not None else spec
    bodies = [
        {"kind": "TrainJob", "metadata": {"name": name}, "spec": {"runtimeRef": {"name": "r"}, **(job or {})}},
        {"kind": "ClusterTrainingRuntime", "metadata": {"name": "r"}, "spec": runtime},
    ]
    return yaml.safe_dump_all([{"apiVersion": TRAINER, **body} for body in bodies], sort_keys=False)


def environment_of(text: str, version: str = "2.3", inputs: frozenset[ObjectId] = frozenset()) -> Environment:
    """The environment of the only TrainJob in a text, which is accepted."""
    documents = read(["-"], lambda _: text.encode())
    [job] = trace(documents, BuildOptions(trainer_version=version), is_train_job).jobs
    assert job.objects, job.diagnostics
    return describe(job, inputs)


def line_of(text: str, place: Any) -> str:
    """The line of a text that a place stands for, without its indent."""
    span = Locator().resolve(place).span
    return text.splitlines()[span.line - 1].strip()
