"""Which fields name other objects: the facts of kustomize's nameReference table, and those of Trainer and JobSet.

Mirrors api/internal/konfig/builtinpluginconsts/namereference.go. Paths run through lists. Other than kustomize's, the
table has every kind's Pod specs refer to the same things, and knows more of these: volumes of all types, runtime
classes, resource claims. IngressClasses are followed (kustomize has an error in their group).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Union

from kubectl_trainjob.kube.facts import jobset, ome, trainer
from kubectl_trainjob.kube.facts.kinds import KindRole, group_of, kinds_with

Target = tuple[str, str]
Fields = dict[str, Union["Reference", "Fields"]]
"""A tree of keys with a Reference at the end of each path."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A field that names an object of one of the `targets` (group, kind), also inside a mapping or a list.

    With `is_typed` the mapping around the name has kind and group; `usual_kind` is its default.
    """

    targets: tuple[Target, ...]
    is_typed: bool = False
    usual_kind: str = ""


_ADMISSION = "admissionregistration.k8s.io"
_RBAC = "rbac.authorization.k8s.io"
_CONFIG_MAP = ("", "ConfigMap")
_SECRET = ("", "Secret")
_SERVICE = ("", "Service")
_SERVICE_ACCOUNT = ("", "ServiceAccount")
_CLAIM = ("", "PersistentVolumeClaim")
_VOLUME = ("", "PersistentVolume")
_STORAGE_CLASS = ("storage.k8s.io", "StorageClass")
_SCALED = (("apps", "Deployment"), ("apps", "StatefulSet"), ("apps", "ReplicaSet"), ("", "ReplicationController"))

Table = dict[Target, tuple[str, ...]]

_IN_ENV: Table = {_CONFIG_MAP: ("valueFrom configMapKeyRef name",), _SECRET: ("valueFrom secretKeyRef name",)}
_IN_ENV_FROM: Table = {_CONFIG_MAP: ("configMapRef name",), _SECRET: ("secretRef name",)}
_IN_VOLUMES: Table = {
    _CONFIG_MAP: ("configMap name", "projected sources configMap name"),
    _SECRET: (
        "secret secretName",
        "projected sources secret name",
        "azureFile secretName",
        "cephfs secretRef name",
        "cinder secretRef name",
        "csi nodePublishSecretRef name",
        "flexVolume secretRef name",
        "iscsi secretRef name",
        "rbd secretRef name",
        "scaleIO secretRef name",
        "storageos secretRef name",
    ),
    _CLAIM: ("persistentVolumeClaim claimName",),
    _STORAGE_CLASS: ("ephemeral volumeClaimTemplate spec storageClassName",),
}
_IN_POD: Table = {
    _SECRET: ("imagePullSecrets name",),
    _SERVICE_ACCOUNT: ("serviceAccountName", "serviceAccount"),
    ("scheduling.k8s.io", "PriorityClass"): ("priorityClassName",),
    ("node.k8s.io", "RuntimeClass"): ("runtimeClassName",),
    ("resource.k8s.io", "ResourceClaim"): ("resourceClaims resourceClaimName",),
    ("resource.k8s.io", "ResourceClaimTemplate"): ("resourceClaims resourceClaimTemplateName",),
}
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")

_WORKLOADS = ("Deployment", "ReplicaSet", "DaemonSet", "StatefulSet", "ReplicationController", "Job")
_RUNTIMES = tuple((kind.group, kind.name) for kind in kinds_with(KindRole.RUNTIME))
_OME_RUNTIMES = ((ome.GROUP, ome.CLUSTER_TRAINING_RUNTIME), (ome.GROUP, ome.TRAINING_RUNTIME))
_OME_MODELS = ((ome.GROUP, ome.BASE_MODEL), (ome.GROUP, ome.CLUSTER_BASE_MODEL))
_OME_STORAGES = ("spec datasets", "spec modelConfig outputModel")
_IN_JOBSET = "replicatedJobs template spec template spec"
_PODS: tuple[tuple[str | None, str, str], ...] = (
    (None, "Pod", "spec"),
    (None, "PodTemplate", "template spec"),
    *((None, kind, "spec template spec") for kind in _WORKLOADS),
    (None, "CronJob", "spec jobTemplate spec template spec"),
    ("serving.knative.dev", "Service", "spec template spec"),
    (group_of(jobset.API_VERSION), jobset.KIND, f"spec {_IN_JOBSET}"),
    *((group, kind, f"spec template spec {_IN_JOBSET}") for group, kind in (*_RUNTIMES, *_OME_RUNTIMES)),
    (trainer.GROUP, trainer.TRAIN_JOB, "spec podSpecOverrides"),
    (trainer.GROUP, trainer.TRAIN_JOB, "spec podTemplateOverrides spec"),
    (trainer.GROUP, trainer.TRAIN_JOB, f"spec runtimePatches trainingRuntimeSpec template spec {_IN_JOBSET}"),
)
"""Where kinds have Pod specs: (group, None for any; kind; path)."""


def _names(target: Target, *paths: str) -> tuple[Reference, tuple[str, ...]]:
    """The fields that name objects of one kind."""
    return Reference((target,)), paths


_RUNTIME_REF = Reference(_RUNTIMES, is_typed=True, usual_kind=trainer.CLUSTER_TRAINING_RUNTIME)
_INITIALIZERS = ("spec initializer dataset", "spec initializer model")
_CLASS_OF_CLAIMS = "volumeClaimPolicies templates spec storageClassName"
_SUBJECTS = (Reference((_SERVICE_ACCOUNT,), is_typed=True), ("subjects",))
_CLUSTER_ROLE = (_RBAC, "ClusterRole")
_WEBHOOKS = (_names(_SERVICE, "webhooks clientConfig service"),)
_PARAMETERS = tuple(f"parameters {key}" for key in ("secretName", "adminSecretName", "userSecretName", "secretRef"))

_OTHERS: dict[str, tuple[tuple[Reference, tuple[str, ...]], ...]] = {
    "HorizontalPodAutoscaler": ((Reference(_SCALED, is_typed=True), ("spec scaleTargetRef name",)),),
    "Node": (_names(_CONFIG_MAP, "spec configSource configMap"),),
    "Role": ((Reference((_CONFIG_MAP, _SECRET)), ("rules resourceNames",)),),
    "ClusterRole": ((Reference((_CONFIG_MAP, _SECRET, _VOLUME)), ("rules resourceNames",)),),
    "RoleBinding": (_SUBJECTS, (Reference(((_RBAC, "Role"), _CLUSTER_ROLE), is_typed=True), ("roleRef name",))),
    "ClusterRoleBinding": (_SUBJECTS, (Reference((_CLUSTER_ROLE,), is_typed=True), ("roleRef name",))),
    "Ingress": (
        _names(_CONFIG_MAP, "metadata annotations nginx.ingress.kubernetes.io/fastcgi-params-configmap"),
        _names(
            _SECRET,
            "spec tls secretName",
            "metadata annotations ingress.kubernetes.io/auth-secret",
            "metadata annotations nginx.ingress.kubernetes.io/auth-secret",
            "metadata annotations nginx.ingress.kubernetes.io/auth-tls-secret",
        ),
        _names(
            _SERVICE,
            "spec rules http paths backend serviceName",
            "spec backend serviceName",
            "spec rules http paths backend service name",
            "spec defaultBackend service name",
        ),
        _names(("networking.k8s.io", "IngressClass"), "spec ingressClassName"),
    ),
    "ServiceAccount": (_names(_SECRET, "imagePullSecrets name"),),
    "StorageClass": (_names(_SECRET, *_PARAMETERS),),
    "PersistentVolume": (_names(_SECRET, "spec azureFile secretName"), _names(_STORAGE_CLASS, "spec storageClassName")),
    "PersistentVolumeClaim": (_names(_VOLUME, "spec volumeName"), _names(_STORAGE_CLASS, "spec storageClassName")),
    "StatefulSet": (
        _names(_SERVICE, "spec serviceName"),
        _names(_STORAGE_CLASS, "spec volumeClaimTemplates spec storageClassName"),
    ),
    "APIService": (_names(_SERVICE, "spec service name"),),
    "ValidatingWebhookConfiguration": _WEBHOOKS,
    "MutatingWebhookConfiguration": _WEBHOOKS,
    "ValidatingAdmissionPolicyBinding": (_names((_ADMISSION, "ValidatingAdmissionPolicy"), "spec policyName"),),
}
"""Fields of Kubernetes' own kinds other than those of Pod specs: what they name, and their paths."""

_OURS: dict[Target, tuple[tuple[Reference, tuple[str, ...]], ...]] = {
    (trainer.GROUP, trainer.TRAIN_JOB): (
        (_RUNTIME_REF, ("spec runtimeRef name",)),
        _names(_SECRET, *(f"{each} secretRef name" for each in _INITIALIZERS)),
        *(
            _names(target, *(f"{each} env {path}" for each in ("spec trainer", *_INITIALIZERS) for path in paths))
            for target, paths in _IN_ENV.items()
        ),
    ),
    (ome.GROUP, ome.TRAINING_JOB): (
        (Reference(_OME_RUNTIMES, is_typed=True, usual_kind=ome.CLUSTER_TRAINING_RUNTIME), ("spec runtimeRef name",)),
        (Reference(_OME_MODELS), ("spec modelConfig inputModel",)),
        _names(_SECRET, *(f"{each} {key}" for each in _OME_STORAGES for key in ("storageKey", "key"))),
        *(_names(target, *(f"spec trainer env {path}" for path in paths)) for target, paths in _IN_ENV.items()),
    ),
    **dict.fromkeys(_OME_MODELS, (_names(_SECRET, "spec storage storageKey", "spec storage key"),)),
    (group_of(jobset.API_VERSION), jobset.KIND): (_names(_STORAGE_CLASS, f"spec {_CLASS_OF_CLAIMS}"),),
    **dict.fromkeys(_RUNTIMES, (_names(_STORAGE_CLASS, f"spec template spec {_CLASS_OF_CLAIMS}"),)),
}
"""The same of Trainer's and JobSet's kinds, by group and kind."""


@lru_cache(maxsize=256)
def fields_of(group: str, kind: str) -> Fields:
    """The fields of a kind that name other objects, empty for most kinds."""
    fields: Fields = {}
    for owner_group, owner_kind, pod in _PODS:
        if owner_kind == kind and owner_group in (None, group):
            for target, path in _pod_fields():
                _plant(fields, f"{pod} {path}", Reference((target,)))
    for reference, paths in (*_OTHERS.get(kind, ()), *_OURS.get((group, kind), ())):
        for path in paths:
            _plant(fields, path, reference)
    return fields


def _pod_fields() -> Iterator[tuple[Target, str]]:
    """The fields of a Pod spec: what they name, and their paths in it."""
    parts = [("", _IN_POD), ("volumes ", _IN_VOLUMES)]
    for container in _CONTAINERS:
        parts += [(f"{container} env ", _IN_ENV), (f"{container} envFrom ", _IN_ENV_FROM)]
    for where, table in parts:
        for target, paths in table.items():
            for path in paths:
                yield target, f"{where}{path}"


def _plant(fields: Fields, path: str, reference: Reference) -> None:
    *way, last = path.split()
    for key in way:
        below = fields.setdefault(key, {})
        assert isinstance(below, dict)  # no path leads through another's end
        fields = below
    there = fields.get(last)
    if isinstance(there, Reference):
        reference = replace(there, targets=(*there.targets, *reference.targets))
    fields[last] = reference
