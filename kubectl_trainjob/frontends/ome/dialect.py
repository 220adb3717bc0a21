"""The fields of the documented dialect of OME, and the ways in which an object leaves it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.frontends.shape import Checker, Entries, Items, Keys, Shape, without_nulls
from kubectl_trainjob.kube.facts import ome
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import OME_RESERVED_LABEL, OME_VERSION
from kubectl_trainjob.model.stages import Body, Manifest

_TEXTS = Items("string")
_PAIRS = Entries("string")
_STORAGE_FIELDS: dict[str, Shape] = {
    "storageUri": "string",
    "parameters": _PAIRS,
    "storageKey": "string",
    "key": "string",
}
_STORAGE = Keys(_STORAGE_FIELDS, ("storageUri",))
_AMOUNTS = Entries("any")
_RESOURCES = Keys({"requests": _AMOUNTS, "limits": _AMOUNTS}, is_open=True)
_TRAINER = Keys(
    {
        "image": "string",
        "command": _TEXTS,
        "args": _TEXTS,
        "env": Items(Keys({"name": "string"}, is_open=True)),
        "numNodes": "integer",
        "resourcesPerNode": _RESOURCES,
        "numProcPerNode": "any",
    }
)
_METADATA = Keys({"labels": "object", "annotations": "object"}, is_open=True)
_TASK_PAGE = {
    "runtime": "runtimeRef",
    "baseModel": "modelConfig",
    "trainingSpec": "trainer",
    "hyperparameterOptimization": "hyperParameterTuningConfig",
}
_JOB_SPEC = Keys(
    {
        "runtimeRef": Keys({"name": "string", "kind": "string", "apiGroup": "string"}, ("name",)),
        "trainer": _TRAINER,
        "modelConfig": Keys({"inputModel": "string", "outputModel": _STORAGE}),
        "datasets": _STORAGE,
        "hyperParameterTuningConfig": "object",
        "suspend": "boolean",
        "labels": _PAIRS,
        "annotations": _PAIRS,
        "compartmentID": "string",
    },
    ("runtimeRef", "trainer", "modelConfig", "datasets"),
    advice=_TASK_PAGE,
)
_HEAD: dict[str, Shape] = {"apiVersion": "any", "kind": "any", "metadata": _METADATA, "status": "any"}
_JOB = Keys({**_HEAD, "spec": _JOB_SPEC}, ("spec",))

_NAMED = Items(Keys({"name": "string"}, is_open=True))
_CONTAINER = Keys(
    {"name": "string", "env": _NAMED, "volumeMounts": Items("object"), "resources": _RESOURCES}, is_open=True
)
_POD = Keys(
    {
        "containers": Items(_CONTAINER),
        "initContainers": _NAMED,
        "volumes": _NAMED,
        "nodeSelector": "object",
        "affinity": "object",
    },
    is_open=True,
)
_POD_TEMPLATE = Keys({"metadata": _METADATA, "spec": _POD}, is_open=True)
_JOB_TEMPLATE = Keys({"metadata": _METADATA, "spec": Keys({"template": _POD_TEMPLATE}, is_open=True)}, is_open=True)
_REPLICATED_JOB = Keys({"name": "string", "template": _JOB_TEMPLATE, "dependsOn": Items("object")}, is_open=True)
_JOBSET = Keys(
    {
        "replicatedJobs": Items(_REPLICATED_JOB),
        "successPolicy": "object",
        "failurePolicy": Keys({"rules": Items("object")}, is_open=True),
        "coordinator": "object",
    },
    is_open=True,
)
_ELASTIC = Keys({"minNodes": "integer", "maxNodes": "integer", "maxRestarts": "integer", "metrics": "any"})
_MPI = ("numProcPerNode", "mpiImplementation", "sshAuthMountPath", "runLauncherAsNode")
_POLICY = Keys(
    {
        "numNodes": "integer",
        "torch": Keys({"numProcPerNode": "any", "elasticPolicy": _ELASTIC}),
        "mpi": Keys(dict.fromkeys(_MPI, "any")),
    }
)
_RUNTIME_SPEC = Keys(
    {
        "mlPolicy": _POLICY,
        "podGroupPolicy": "object",
        "template": Keys({"metadata": _METADATA, "spec": _JOBSET}, is_open=True),
        "labels": _PAIRS,
        "annotations": _PAIRS,
        "compartmentID": "string",
    },
    ("template",),
)
_RUNTIME = Keys({**_HEAD, "spec": _RUNTIME_SPEC}, ("spec",))
_MODEL_STORAGE = Keys(
    {**_STORAGE_FIELDS, "path": "string", "nodeSelector": _PAIRS, "nodeAffinity": "object"}, is_open=True
)
_MODEL = Keys({"spec": Keys({"storage": _MODEL_STORAGE}, is_open=True)}, is_open=True)
_SHAPES = {
    ome.TRAINING_JOB: _JOB,
    **dict.fromkeys((ome.TRAINING_RUNTIME, ome.CLUSTER_TRAINING_RUNTIME), _RUNTIME),
    **dict.fromkeys((ome.BASE_MODEL, ome.CLUSTER_BASE_MODEL), _MODEL),
}
_RESERVED = ("trainer.kubeflow.org/", "jobset.sigs.k8s.io/", "batch.kubernetes.io/")


def read_object(manifest: Manifest) -> tuple[Body, list[Diagnostic]]:
    """The object without nulls, and everything in it that the dialect does not have."""
    body = without_nulls(manifest.body)
    if manifest.id.api_version != ome.API_VERSION:
        message = say(
            "{} of {} is not supported; write apiVersion: {}",
            manifest.id.kind,
            manifest.id.api_version,
            ome.API_VERSION,
        )
        return body, [Diagnostic(OME_VERSION, message, manifest.place("apiVersion"))]
    return body, list(Checker(manifest.place()).check(body, _SHAPES[manifest.id.kind]))


def reserved_labels(manifest: Manifest, spec: Body, more: tuple[str, ...] = ()) -> Iterator[Diagnostic]:
    """Labels and annotations of a job or runtime that only controllers may set; `more` are prefixes of labels."""
    for field, prefixes in (("labels", (*_RESERVED, *more)), ("annotations", _RESERVED)):
        pairs: dict[str, Any] = spec.get(field) or {}
        for key in pairs:
            if key.startswith(prefixes):
                message = say(
                    'a controller sets "{}" itself; remove it, or write it on the TrainingJob\'s metadata', key
                )
                yield Diagnostic(OME_RESERVED_LABEL, message, manifest.place("spec", field, key).key())
