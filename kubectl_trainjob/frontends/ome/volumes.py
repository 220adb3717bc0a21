"""PersistentVolumes of models on the nodes, for namespaces that forbid hostPath in Pods (`ome.modelAccess: pvPvc`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.frontends.objects import head_of
from kubectl_trainjob.frontends.ome.folders import BaseModelStorage, volume_name
from kubectl_trainjob.frontends.ome.inputs import MODEL, SETTINGS
from kubectl_trainjob.frontends.ome.plan import RuntimePlan
from kubectl_trainjob.model.draft import Cause, Draft, Write, computed, fixed
from kubectl_trainjob.model.edited_object import OBJECT
from kubectl_trainjob.model.stages import Body

_ACCESS = ["ReadOnlyMany"]
_SIZE = {"storage": "1Ti"}
_ACCESS_SETTING: Cause = (SETTINGS, "ome", "modelAccess")
_MODEL_REF: Cause = (OBJECT, "spec", "modelConfig", "inputModel")


def write_volume(draft: Draft, plan: RuntimePlan) -> Draft:
    """The PersistentVolume; a separate storage class keeps other claims away."""
    model = plan.model
    assert model is not None
    name = volume_name(plan.inputs, model)
    spec = {
        "accessModes": _ACCESS,
        "capacity": _SIZE,
        "hostPath": {"path": model.path, "type": "Directory"},
        "persistentVolumeReclaimPolicy": "Retain",
        "storageClassName": name,
    }
    writes = [fixed(("apiVersion",), "v1"), fixed(("kind",), "PersistentVolume"), *_named_model(name, model, spec)]
    if terms := _terms(model.body):
        cause: Cause = (MODEL, "spec", "storage")
        writes.append(computed(("spec", "nodeAffinity", "required", "nodeSelectorTerms"), terms, (cause,)))
    return draft.blank((_MODEL_REF,)).put_each(writes)


def _terms(storage: Body) -> list[dict[str, Any]]:
    """The nodes that have the model, as terms that a PersistentVolume accepts."""
    affinity = storage.get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    selector = storage.get("nodeSelector") or {}
    labels = [{"key": key, "operator": "In", "values": [value]} for key, value in sorted(selector.items())]
    terms = required.get("nodeSelectorTerms") or ([{}] if labels else [])
    if not labels:
        return list(terms)
    return [{**each, "matchExpressions": [*(each.get("matchExpressions") or []), *labels]} for each in terms]


def write_claim(draft: Draft, plan: RuntimePlan) -> Draft:
    """The claim that binds it, in the namespace of the job."""
    model = plan.model
    assert model is not None
    name = volume_name(plan.inputs, model)
    spec = {"accessModes": _ACCESS, "resources": {"requests": _SIZE}, "storageClassName": name, "volumeName": name}
    return draft.blank((_MODEL_REF,)).put_each(
        [*head_of(plan.inputs.job, "v1", "PersistentVolumeClaim"), *_named_model(name, model, spec)]
    )


def _named_model(name: str, model: BaseModelStorage, spec: dict[str, Any]) -> Iterator[Write]:
    yield computed(("metadata", "name"), name, (_MODEL_REF,))
    for key, value in spec.items():
        yield computed(("spec", key), value, (model.cause, _ACCESS_SETTING))
