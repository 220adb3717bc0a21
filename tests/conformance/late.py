"""Holds what we expect kube-apiserver to reject late against what its own validation says.

Compared are the fields, job by job. Upstream spells some of them in its own way (a missing index, another name); both
sides are brought to one spelling, and the tables here are the whole list. What concerns only Pods of Windows, and the
form of values in volumes of types that Kubernetes deprecated or removed, we do not check.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from kubectl_trainjob.kube.pods.jobset import job_problems
from kubectl_trainjob.kube.pods.visit import PodCache
from kubectl_trainjob.model.source import Pointer, show_pointer

Fields = dict[str, set[str]]
Spellings = tuple[tuple[re.Pattern[str], str], ...]


def _spellings(*pairs: tuple[str, str]) -> Spellings:
    return tuple((re.compile(pattern), spelling) for pattern, spelling in pairs)


# A key of a mapping that no dot or slash makes upstream put into brackets, too.
_OURS = _spellings(
    (r"(\.metadata\.(?:labels|annotations))\.(.*)$", r"\1[\2]"),
    (r"(\.resources\.(?:limits|requests))\.(.*)$", r"\1[\2]"),
    (r"(\.overhead)(?:\.([^\[\]]*)|\[(.+)\])$", r"\1.limits[\2\3]"),
    (r"(\.volumes\[\d+\])\.downwardAPI$", r"\1.downwarAPI"),
    (r"(\.volumes\[\d+\])\.cephfs$", r"\1.cephFS"),
    (r"\.gcePersistentDisk\.", r".persistentDisk."),
    (r"(\.iscsi)\.initiatorName$", r"\1.initiatorname"),
    (r"(\.downwardAPI)\.items\[\d+\]", r"\1"),
    (r"(\.projected)\.sources\[\d+\]\.serviceAccountToken\.path$", r"\1.path"),
    (r"(\.volumeClaimTemplate\.spec\.resources)\.requests\[storage\]$", r"\1[storage]"),
    (r"\.namespaces\[\d+\]$", r".namespace"),
    (r"(\.volumeMounts)\[\d+\]\.(subPath|subPathExpr|mountPropagation|recursiveReadOnly)$", r"\1.\2"),
)
_THEIRS = _spellings(
    (r"^(spec\.template\.spec)\.securityContext\.shareProcessNamespace$", r"\1.shareProcessNamespace"),
    (r"^(spec\.template\.spec)\.Host(PID|IPC)$", r"\1.host\2"),
    (r"^spec\.template\.(?:metadata\.)?(labels|annotations)\b", r"spec.template.metadata.\1"),
    (r"^(spec\.template\.metadata\.(?:labels|annotations))\.(.+)$", r"\1[\2]"),
    (r"^(spec\.template\.spec)\.resources(\.containers\[\d+\])(\[.+\])\.limits$", r"\1\2.resources.limits\3"),
    (r"(\.volumeMounts)\[\d+\]\.(subPath|subPathExpr)$", r"\1.\2"),
    (r"(\.csi)\.name$", r"\1.nodePublishSecretRef.name"),
    (r"(\.podAffinityTerm|\.requiredDuringSchedulingIgnoredDuringExecution\[\d+\])(\[\d+\])$", r"\1.matchLabelKeys\2"),
    (r"(\.topologySpreadConstraints\[\d+\])(\[\d+\])$", r"\1.matchLabelKeys\2"),
    (r"(\.topologySpreadConstraints\[\d+\])\.\{topologyKey, whenUnsatisfiable\}$", r"\1"),
    (r"(scheduler\.alpha\.kubernetes\.io/tolerations)(\[\d+\]\.\w+)\]$", r"\1]\2"),
)


_UNCHECKED = re.compile(
    r"\.windowsOptions\b"
    r"|\.volumes\[\d+\]\.(?:quobyte\.|storageos\.(?!volumeName: Required)|azureDisk\.|flexVolume\.options)"
    r"|\.volumes\[\d+\]\.flocker(?:\.datasetName|: Required)"
    r"|: Forbidden: cannot be set for a windows pod$|hostProcess containers$"
)


def ours(jobset: Mapping[str, Any], cache: PodCache | None = None) -> Fields:
    """The fields that we expect to be rejected, by replicatedJob."""
    names = [job["name"] for job in jobset["spec"].get("replicatedJobs") or ()]
    found: Fields = {}
    for problem in job_problems(jobset, cache):
        of_one = problem.pointer[:2] == ("spec", "replicatedJobs")
        for name in [names[int(problem.pointer[2])]] if of_one else names:
            found.setdefault(name, set()).add(_field(problem.pointer))
    return found


def _field(pointer: Pointer) -> str:
    """A pointer into a JobSet as a field of a Job."""
    of_one = pointer[:2] == ("spec", "replicatedJobs")
    return _spelled(show_pointer(pointer[4:] if of_one else pointer), _OURS)


def theirs(late: Iterable[Mapping[str, str]], jobset: Mapping[str, Any]) -> Fields:
    """The fields that upstream rejects, by replicatedJob.

    A Job without labels gets its Pods'. The JobSet controller's Jobs always have some, the recorder's may have none:
    then what is said of these labels is left out, for it is said of the Pods', too.
    """
    jobs = jobset["spec"].get("replicatedJobs") or ()
    labelled = {job["name"] for job in jobs if (job["template"].get("metadata") or {}).get("labels")}
    found: Fields = {}
    for rejection in late:
        if _UNCHECKED.search(f"{rejection.get('field', '')}: {rejection.get('message', '')}"):
            continue
        field = _spelled(rejection.get("field", ""), _THEIRS)
        if field != "metadata.labels" or rejection["job"] in labelled:
            found.setdefault(rejection["job"], set()).add(field)
    return found


def _spelled(field: str, spellings: Spellings) -> str:
    for pattern, spelling in spellings:
        field = pattern.sub(spelling, field)
    return field
