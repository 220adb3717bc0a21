"""TrainJobs and runtimes as the API server accepts them.

Mirrors k8s.io/apiextensions-apiserver/pkg/registry/customresource (creation with strict field validation) and Trainer's
validating webhook of runtimes (kubeflow/trainer pkg/webhooks).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from kubectl_trainjob.kube.admission.jobset import JOBSET_SCHEMAS
from kubectl_trainjob.kube.admission.metadata import NAME, metadata_problems
from kubectl_trainjob.kube.facts.kinds import is_runtime
from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.kube.schemas.walk import SchemaResult
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.problem import Problem, without_consequences
from kubectl_trainjob.model.rules import EXPLICIT_NULL, GENERATE_NAME, INVALID_TYPE_OR_ENUM
from kubectl_trainjob.model.source import show_pointer
from kubectl_trainjob.model.stages import AdmittedObject, Body, Manifest

Webhook = Callable[[Body], Iterator[Problem]]
"""The problems that a validating webhook reports of a body with defaults."""


@dataclass(frozen=True, slots=True)
class Admission:
    """How one Trainer version admits its kinds, and JobSet its JobSets: the packaged schemas, and the webhooks."""

    schemas: str
    runtime: Webhook
    train_job: Webhook = lambda _: iter(())
    jobset: str = JOBSET_SCHEMAS


def admit(manifest: Manifest, admission: Admission) -> tuple[AdmittedObject | None, list[Diagnostic]]:
    """The object with the CRD's defaults and without nulls, None if it is rejected; and all that is found.

    For kinds of trainer.kubeflow.org/v1alpha1.
    """
    checked = _check_schema(manifest, admission)
    every = (*_problems(checked, admission, of_runtime=is_runtime(manifest)), *_nulls(checked))
    found = without_consequences(every)
    # Reversed: of several findings of one rule at one place, the first one is kept.
    problems = list({(problem.pointer, problem.rule.id): problem for problem in reversed(found)}.values())[::-1]
    if any(problem.rule is GENERATE_NAME for problem in problems):
        problems = [problem for problem in problems if problem.pointer != NAME]
    diagnostics = [problem.located(lambda pointer: manifest.place(*pointer)) for problem in problems]
    if has_errors(diagnostics):
        return None, diagnostics
    return AdmittedObject(manifest, checked.value), diagnostics


def readable(manifest: Manifest, admission: Admission) -> AdmittedObject | None:
    """The object as `admit` returns it, despite errors other than types: later stages can report more."""
    checked = _check_schema(manifest, admission)
    return AdmittedObject(manifest, checked.value) if checked.is_readable else None


def _check_schema(manifest: Manifest, admission: Admission) -> SchemaResult:
    """CRDs do not require `spec`: a runtime without one is an empty runtime, a TrainJob lacks its runtimeRef."""
    schema, body = schema_for(admission.schemas, manifest.id.api_version, manifest.id.kind), manifest.body
    if not is_runtime(manifest) and body.get("spec") is None:
        body = {**body, "spec": {}}
    checked = schema.check(body)
    if checked.problems:
        from kubectl_trainjob.kube.schemas.other_versions import with_versions  # it reads the schemas of all versions

        checked = replace(checked, problems=tuple(with_versions(each, schema, body) for each in checked.problems))
    return checked if "spec" in checked.value else replace(checked, value={**checked.value, "spec": {}})


def _problems(checked: SchemaResult, admission: Admission, *, of_runtime: bool) -> Iterator[Problem]:
    yield from checked.problems
    if checked.is_well_formed:
        yield from (admission.runtime if of_runtime else admission.train_job)(checked.value)
    if not any(each.rule is INVALID_TYPE_OR_ENUM and each.pointer[0] == "metadata" for each in checked.problems):
        # Last: TrainJobs have a rule for the name that is stricter than the server's own, and it says more.
        yield from metadata_problems(checked.value.get("metadata", {}), any_subdomain=True)


def _nulls(checked: SchemaResult) -> Iterator[Problem]:
    for pointer in checked.nulls:
        name = show_pointer(pointer[-1:])
        message = say(
            "{} is null: the build ignores it, but a server-side apply rejects it; remove it, or set it", name
        )
        yield Problem(EXPLICIT_NULL, pointer, message, "key")
