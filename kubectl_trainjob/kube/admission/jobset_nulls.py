"""Fields that JobSet's mutating webhook turns into null, which the API server then refuses.

Mirrors the effect of encoding/json on k8s.io/api/core/v1 (v0.36): the webhook decodes a JobSet and writes it again, and
these are the fields without `omitempty` that JobSet's CRD (v0.12) neither requires nor lets be null.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.jobset import pod_spec
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import MISSING_FIELD
from kubectl_trainjob.model.source import Pointer

_SOURCES = ("dataSource", "dataSourceRef")


def null_problems(spec: Mapping[str, Any]) -> Iterator[Problem]:
    """A projected volume without sources, a volume claim's data source without apiGroup."""
    for index, job in enumerate(spec.get("replicatedJobs") or ()):
        for number, volume in enumerate(job["template"]["spec"]["template"]["spec"].get("volumes") or ()):
            place = (*pod_spec(index), "volumes", number)
            if "projected" in volume and not volume["projected"].get("sources"):
                yield _problem((*place, "projected"), "projected", "sources")
            claim = (volume.get("ephemeral") or {}).get("volumeClaimTemplate") or {}
            yield from _claim(claim, (*place, "ephemeral", "volumeClaimTemplate"))
    for index, policy in enumerate(spec.get("volumeClaimPolicies") or ()):
        for number, template in enumerate(policy.get("templates") or ()):
            yield from _claim(template, ("spec", "volumeClaimPolicies", index, "templates", number))


def _claim(claim: Mapping[str, Any], place: Pointer) -> Iterator[Problem]:
    for field in _SOURCES:
        source = (claim.get("spec") or {}).get(field)
        if source is not None and source.get("apiGroup") is None:
            yield _problem((*place, "spec", field), field, "apiGroup")


def _problem(pointer: Pointer, owner: str, field: str) -> Problem:
    message = f"{owner} has no {field}, so JobSet's webhook writes null there and the API server refuses it; add it"
    return Problem(MISSING_FIELD, pointer, message, "key")
