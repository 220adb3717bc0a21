"""What kube-apiserver will say to the Jobs of a JobSet.

Mirrors the creation of a Job in kube-apiserver 1.36: defaults, what gates drop, validation. Of each replicatedJob its
first Job is judged, as the JobSet controller (sigs.k8s.io/jobset pkg/controllers, constructJob, addVolumes) makes it.
"""

from __future__ import annotations

from kubectl_trainjob.kube.pods.job import job
from kubectl_trainjob.kube.pods.memo import LateMemo
from kubectl_trainjob.kube.pods.visit import Visit
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.stages import Body


def late_problems(jobset: Body, memo: LateMemo | None = None) -> list[Problem]:
    """Why Jobs of a JobSet that JobSet's admission accepts will be refused, with pointers into the JobSet.

    `memo` knows parts that were judged before (see `learn`).
    """
    return _visited(jobset["metadata"].get("name", ""), jobset["spec"], memo or LateMemo()).refused


def learn(spec: Body, memo: LateMemo) -> None:
    """Remember the parts of a runtime's JobSet spec that are right, before its jobs' JobSets are judged with `memo`."""
    memo.learning = True
    _visited("", spec, memo)
    memo.learning = False


def _visited(name: str, spec: Body, memo: LateMemo) -> Visit:
    visit = Visit(memo, _claimed(spec))
    for index, replicated in enumerate(spec.get("replicatedJobs") or ()):
        visit.trail = ["spec", "replicatedJobs", index, "template"]
        job(f"{name}-{replicated['name']}-0", replicated.get("template") or {}, visit)
    return visit


def _claimed(spec: Body) -> frozenset[str]:
    """The volumes of volumeClaimPolicies, which are called as their claims' templates."""
    policies = spec.get("volumeClaimPolicies") or ()
    templates = [template for policy in policies for template in policy.get("templates") or ()]
    return frozenset((template.get("metadata") or {}).get("name", "") for template in templates)
