"""PersistentVolumes of models on the nodes, for namespaces that forbid hostPath in Pods (`ome.modelAccess: pvPvc`)."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.frontends.ome.folders import volume_name
from kubectl_trainjob.frontends.ome.inputs import MODEL, SETTINGS
from kubectl_trainjob.frontends.ome.plan import RuntimePlan
from kubectl_trainjob.model.draft import Cause, Draft, computed, copied, fixed
from kubectl_trainjob.model.edited_object import OBJECT
from kubectl_trainjob.model.stages import Body

_ACCESS = ["ReadOnlyMany"]
_SIZE = {"storage": "1Ti"}
_ACCESS_SETTING: Cause = (SETTINGS, "ome", "modelAccess")
_MODEL_REF: Cause = (OBJECT, "spec", "modelConfig", "inputModel")


def write_volume(draft: Draft, plan: RuntimePlan) -> Draft:
    """The PersistentVolume; a storage class of its own keeps other claims away."""
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
    writes = [
        fixed(("apiVersion",), "v1"),
        fixed(("kind",), "PersistentVolume"),
        computed(("metadata", "name"), name, (_MODEL_REF,)),
        *(computed(("spec", key), value, (model.cause, _ACCESS_SETTING)) for key, value in spec.items()),
    ]
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
    return [
        {**each, "matchExpressions": [*(each.get("matchExpressions") or []), *labels]} if labels else each
        for each in terms
    ]


def write_claim(draft: Draft, plan: RuntimePlan) -> Draft:
    """The claim that binds it, in the namespace of the job."""
    model = plan.model
    assert model is not None
    name = volume_name(plan.inputs, model)
    spec = {"accessModes": _ACCESS, "resources": {"requests": _SIZE}, "storageClassName": name, "volumeName": name}
    writes = [
        fixed(("apiVersion",), "v1"),
        fixed(("kind",), "PersistentVolumeClaim"),
        computed(("metadata", "name"), name, (_MODEL_REF,)),
        *(computed(("spec", key), value, (model.cause, _ACCESS_SETTING)) for key, value in spec.items()),
    ]
    if namespace := plan.inputs.job.id.namespace:
        writes.append(copied(("metadata", "namespace"), namespace, (OBJECT, "metadata", "namespace")))
    return draft.blank((_MODEL_REF,)).put_each(writes)
