"""What is known of kinds beyond Trainer's own: scope, order of printing, and training kinds that are not expanded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.model.stages import Manifest

CLUSTER_SCOPED = frozenset(
    {
        "APIService",
        "AdmissionCheck",
        "CSIDriver",
        "CSINode",
        "CertificateSigningRequest",
        "ClusterQueue",
        "ClusterRole",
        "ClusterRoleBinding",
        "ClusterTrainingRuntime",
        "ClusterTrustBundle",
        "Cohort",
        "ComponentStatus",
        "CustomResourceDefinition",
        "DeviceClass",
        "FlowSchema",
        "IPAddress",
        "IngressClass",
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
        "MultiKueueCluster",
        "MultiKueueConfig",
        "MutatingWebhookConfiguration",
        "Namespace",
        "Node",
        "PersistentVolume",
        "PriorityClass",
        "PriorityLevelConfiguration",
        "ProvisioningRequestConfig",
        "ResourceFlavor",
        "ResourceSlice",
        "RuntimeClass",
        "ServiceCIDR",
        "StorageClass",
        "Topology",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
        "VolumeAttachment",
        "VolumeAttributesClass",
        "WorkloadPriorityClass",
    }
)
"""Kinds without a namespace; every other kind is taken for namespaced, as kustomize does."""

_FIRST = (
    "Namespace",
    "CustomResourceDefinition",
    "PriorityClass",
    "ServiceAccount",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "Secret",
    "ConfigMap",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "ClusterTrainingRuntime",
    "TrainingRuntime",
)
_LAST = ("PodGroup", "JobSet", "TrainJob")
_ORDER = {kind: index for index, kind in enumerate(_FIRST)} | {kind: 100 + index for index, kind in enumerate(_LAST)}

LARGEST_CONFIG_MAP = 1 << 20
"""The bytes of data that the API server accepts in one ConfigMap."""

LEGACY_TRAINING = {
    ("kubeflow.org", "PyTorchJob"): "write a TrainJob with a runtime that has mlPolicy.torch",
    ("kubeflow.org", "MPIJob"): "write a TrainJob with a runtime that has mlPolicy.mpi",
    ("kubeflow.org", "TFJob"): "write a TrainJob",
    ("kubeflow.org", "XGBoostJob"): "write a TrainJob with a runtime that has mlPolicy.xgboost",
    ("kubeflow.org", "JAXJob"): "write a TrainJob with a runtime that has mlPolicy.jax",
    ("kubeflow.org", "PaddleJob"): "write a TrainJob",
    ("kubeflow.org", "TrainJob"): "write apiVersion: trainer.kubeflow.org/v1alpha1",
    ("kubeflow.org", "TrainingRuntime"): "write apiVersion: trainer.kubeflow.org/v1alpha1",
    ("kubeflow.org", "ClusterTrainingRuntime"): "write apiVersion: trainer.kubeflow.org/v1alpha1",
    ("ome.io", "TrainingJob"): "write a TrainJob",
}
"""(group, kind) of training jobs that would pass through unexpanded, and what to do instead."""


def group_of(api_version: str) -> str:
    """The group of an apiVersion, "" for the core group."""
    return api_version.rpartition("/")[0]


def print_order(kind: str) -> int:
    """What is needed first is printed first: namespaces before what lives in them, PodGroups before JobSets."""
    return _ORDER.get(kind, 50)


def is_train_job(manifest: Manifest) -> bool:
    """Whether the object is a TrainJob that can be expanded."""
    return manifest.id.api_version == trainer.API_VERSION and manifest.id.kind == trainer.TRAIN_JOB


def is_runtime(manifest: Manifest) -> bool:
    """Whether the object is a runtime that TrainJobs can refer to."""
    return manifest.id.api_version == trainer.API_VERSION and manifest.id.kind in trainer.RUNTIME_KINDS


def runtime_ref(job: Manifest) -> Mapping[str, Any]:
    """The TrainJob's `spec.runtimeRef` as written, {} where there is none."""
    spec = job.body.get("spec")
    ref = spec.get("runtimeRef") if isinstance(spec, dict) else None
    return ref if isinstance(ref, dict) else {}
