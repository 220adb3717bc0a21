"""The skeletons of runtimes and TrainJobs that topics fill."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

Body = dict[str, Any]
Make = Callable[[random.Random], list[Body]]

_ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
_API = "trainer.kubeflow.org/v1alpha1"


class Topic(NamedTuple):
    """`count` inputs named after the topic, each made by `make` from its own generator."""

    name: str
    count: int
    make: Make


def container(name: str = "node", image: str = "acme/train:1", **fields: Any) -> Body:
    """A container."""
    return {"name": name, "image": image, **fields}


def replicated(
    name: str = "node", *containers: Body, step: str | None = "", pod: Body | None = None, **fields: Any
) -> Body:
    """A replicated job; `step` is its ancestor label (None: no label), `fields` are its own beside the template.

    `job`, `job_metadata` and `pod_metadata` among the fields go to their places in the template.
    """
    step = {"node": "trainer"}.get(name, name) if step == "" else step
    pod_template: Body = {"spec": {"containers": list(containers) or [container(name)], **(pod or {})}}
    if metadata := fields.pop("pod_metadata", None):
        pod_template["metadata"] = metadata
    template: Body = {"spec": {"template": pod_template, **fields.pop("job", {})}}
    metadata = fields.pop("job_metadata", {})
    labels = {**({_ANCESTOR: step} if step else {}), **metadata.get("labels", {})}
    if labels or metadata:
        template["metadata"] = {**metadata, "labels": labels}
    return {"name": name, **fields, "template": template}


def runtime(policy: Body | None, *jobs: Body, cluster: bool = True, **fields: Any) -> Body:
    """A runtime `rt`; `fields` are a JobSetSpec's, but for `gang`, `metadata`, `labels` and `namespace`."""
    metadata: Body = {"name": "rt"}
    if not cluster:
        metadata["namespace"] = fields.pop("namespace", "team-a")
    if labels := fields.pop("labels", None):
        metadata["labels"] = labels
    spec: Body = {} if policy is None else {"mlPolicy": policy}
    if gang := fields.pop("gang", None):
        spec["podGroupPolicy"] = gang
    template: Body = {}
    if inherited := fields.pop("metadata", None):
        template["metadata"] = inherited
    template["spec"] = {**fields, "replicatedJobs": list(jobs) or [replicated()]}
    kind = "ClusterTrainingRuntime" if cluster else "TrainingRuntime"
    return {"apiVersion": _API, "kind": kind, "metadata": metadata, "spec": {**spec, "template": template}}


def trainjob(trainer: Body | None = None, *, name: str = "job", cluster: bool = True, **fields: Any) -> Body:
    """A TrainJob on `rt`; `metadata` among the fields adds to its own."""
    metadata = {"name": name, "namespace": "team-a", **fields.pop("metadata", {})}
    reference = {"name": "rt"} if cluster else {"name": "rt", "kind": "TrainingRuntime"}
    spec: Body = {"runtimeRef": reference}
    if trainer is not None:
        spec["trainer"] = trainer
    return {"apiVersion": _API, "kind": "TrainJob", "metadata": metadata, "spec": {**spec, **fields}}


def patch(*jobs: Body, manager: str = "acme.io/one", metadata: Body | None = None) -> Body:
    """A runtime patch of replicated jobs."""
    template: Body = {} if metadata is None else {"metadata": metadata}
    if jobs:
        template["spec"] = {"replicatedJobs": list(jobs)}
    return {"manager": manager, "trainingRuntimeSpec": {"template": template}}


def job_patch(name: str, pod: Body | None = None, **metadata: Body) -> Body:
    """A replicated job's patch; `job_metadata` and `pod_metadata` reach the template's two levels."""
    inner: Body = {}
    if "pod_metadata" in metadata:
        inner["metadata"] = metadata["pod_metadata"]
    if pod is not None:
        inner["spec"] = pod
    template: Body = {}
    if "job_metadata" in metadata:
        template["metadata"] = metadata["job_metadata"]
    if inner:
        template["spec"] = {"template": inner}
    return {"name": name, "template": template}


def initializers(*, mount: bool = True) -> list[Body]:
    """A dataset and a model initializer."""
    mounts = {"volumeMounts": [{"name": "initializer", "mountPath": "/workspace"}]} if mount else {}
    volume = {"volumes": [{"name": "initializer", "persistentVolumeClaim": {"claimName": "init"}}]} if mount else {}
    names = ("dataset-initializer", "model-initializer")
    return [replicated(name, container(name, "acme/init:1", **mounts), pod=dict(volume)) for name in names]


def some(rng: random.Random, options: list[Any], least: int = 0, most: int | None = None) -> list[Any]:
    """Some of the options, in a random order."""
    count = rng.randint(least, min(len(options), len(options) if most is None else most))
    return rng.sample(options, count)
