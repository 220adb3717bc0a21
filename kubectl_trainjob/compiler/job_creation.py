"""Jobs that the API server will reject although it accepts their JobSet, at the lines of origin."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from kubectl_trainjob.compiler.value_places import ValuePlaces
from kubectl_trainjob.kube.admission.created_jobset import create_jobset
from kubectl_trainjob.kube.facts.jobset import API_VERSION, KIND
from kubectl_trainjob.kube.pods.jobset import job_problems
from kubectl_trainjob.model.diagnostic import Diagnostic, Edit, Fix, Subject
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import EXTENDED_RESOURCE_LIMIT_MISSING, RESTART_POLICY_INVALID
from kubectl_trainjob.model.source import Place, value_at
from kubectl_trainjob.model.stages import Body, Manifest, ResolvedJob, identity_of

JOBSET_REJECTED = say("the API server will reject the JobSet")
_JOB_REJECTED = say("the API server will reject the Job")


def job_creation_diagnostics(
    resolved: ResolvedJob, jobset: Body, problems: list[Problem], place_of: ValuePlaces
) -> Iterator[Diagnostic]:
    """The problems of a TrainJob's JobSet."""
    identity = identity_of(jobset)
    name = resolved.job.manifest.place("metadata", "name")
    for problem in problems:
        subject = Subject(str(identity), identity.namespace, problem.pointer)
        diagnostic = problem.located(lambda pointer: place_of(0, pointer) or name, subject, _JOB_REJECTED)
        yield replace(diagnostic, fix=_fix(problem, diagnostic.place, resolved))


def is_jobset(manifest: Manifest) -> bool:
    """Whether this is a JobSet of a user."""
    return (manifest.id.api_version, manifest.id.kind) == (API_VERSION, KIND)


def of_jobset(manifest: Manifest, schemas: str) -> Iterator[Diagnostic]:
    """What the API server rejects: the user's JobSet itself, or the Jobs that it creates."""
    created = create_jobset(manifest.body, schemas)
    of_jobs = [] if created.problems or created.stored is None else job_problems(created.stored)
    for consequence, problems in ((JOBSET_REJECTED, created.problems), (_JOB_REJECTED, of_jobs), (None, created.nulls)):
        for problem in problems:
            subject = Subject(str(manifest.id), manifest.id.namespace, problem.pointer)
            yield problem.located(lambda pointer: manifest.place(*pointer), subject, consequence)


def _fix(problem: Problem, place: Place, resolved: ResolvedJob) -> Fix | None:
    """The safe fix, if the place is the value with the error."""
    if (problem.shown or problem.pointer)[-1:] != place.pointer[-1:]:
        return None
    if problem.rule is EXTENDED_RESOURCE_LIMIT_MISSING and place.pointer[-2:-1] == ("requests",):
        return _limit(place, resolved)
    if problem.rule is RESTART_POLICY_INVALID and place.pointer[-1] == "restartPolicy":
        return Fix(say("set restartPolicy to Never"), (Edit(place, json.dumps("Never")),))
    return None


def _limit(place: Place, resolved: ResolvedJob) -> Fix | None:
    """The request as a limit, in the same object and spelling."""
    owners = (resolved.job.manifest, resolved.runtime.manifest)
    body = next((owner.body for owner in owners if owner.source == place.source), None)
    if body is None:
        return None
    *above, _, name = place.pointer
    amount = value_at(body, place.pointer)
    has_limits = isinstance(value_at(body, (*above, "limits")), dict)
    at, value = ((*above, "limits", name), amount) if has_limits else ((*above, "limits"), {str(name): amount})
    return Fix(say("also set the limit of {}", name), (Edit(Place(place.source, at), json.dumps(value)),))
