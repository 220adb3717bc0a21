"""Names that JobSet owns. Mirrors sigs.k8s.io/jobset/api/jobset/v1alpha2."""

from __future__ import annotations

from kubectl_trainjob.model.source import Pointer

API_VERSION = "jobset.x-k8s.io/v1alpha2"
KIND = "JobSet"
SPEC_TYPE = "jobset/v1alpha2.JobSetSpec"
JOBSET_NAME_LABEL = "jobset.sigs.k8s.io/jobset-name"
"""The label of all Pods of a JobSet; the Service that JobSet creates for their host names selects it."""

REPLICATED_JOBS: Pointer = ("spec", "replicatedJobs")


def job_template(index: int) -> Pointer:
    """The pointer to the Job template of a replicatedJob in a JobSet."""
    return (*REPLICATED_JOBS, index, "template")


def pod_template(index: int) -> Pointer:
    """The pointer to the Pod template of a replicatedJob in a JobSet."""
    return (*REPLICATED_JOBS, index, "template", "spec", "template")


def pod_spec(index: int) -> Pointer:
    """The pointer to the Pod spec of a replicatedJob in a JobSet."""
    return (*REPLICATED_JOBS, index, "template", "spec", "template", "spec")
