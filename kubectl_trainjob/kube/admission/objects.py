"""TrainJobs and runtimes as the API server takes them.

Mirrors k8s.io/apiextensions-apiserver/pkg/registry/customresource (creation with strict field validation) and Trainer's
validating webhook of runtimes (kubeflow/trainer pkg/webhooks).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from kubectl_trainjob.kube.admission.metadata import NAME, metadata_problems
from kubectl_trainjob.kube.facts.kinds import is_runtime
from kubectl_trainjob.kube.schemas.load import Schema, schema_for
from kubectl_trainjob.kube.schemas.walk import Checked
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import EXPLICIT_NULL, GENERATE_NAME, INVALID_TYPE_OR_ENUM
from kubectl_trainjob.model.source import show_pointer
from kubectl_trainjob.model.stages import Admitted, Body, Manifest

Webhook = Callable[[Body], Iterator[Problem]]
"""What a validating webhook says of a body with its defaults."""


@dataclass(frozen=True, slots=True)
class Admission:
    """How one Trainer version admits its kinds: the name of the packaged schemas, the webhooks' checks."""

    schemas: str
    runtime: Webhook
    train_job: Webhook


def admit(manifest: Manifest, admission: Admission) -> tuple[Admitted | None, list[Diagnostic]]:
    """The object with the CRD's defaults and without nulls, None when it is refused; and everything to be told of it.

    For kinds of trainer.kubeflow.org/v1alpha1.
    """
    schema = schema_for(admission.schemas, manifest.id.api_version, manifest.id.kind)
    checked = _with_spec(schema, manifest)
    found = (*_problems(checked, admission, of_runtime=is_runtime(manifest)), *_nulls(checked))
    # Reversed, so that of several findings of one rule at one place the first is kept.
    problems = list({(problem.pointer, problem.rule.id): problem for problem in reversed(found)}.values())[::-1]
    if any(problem.rule is GENERATE_NAME for problem in problems):
        problems = [problem for problem in problems if problem.pointer != NAME]
    diagnostics = [problem.located(lambda pointer: manifest.place(*pointer)) for problem in problems]
    if has_errors(diagnostics):
        return None, diagnostics
    return Admitted(manifest, checked.value), diagnostics


def readable(manifest: Manifest, admission: Admission) -> Admitted | None:
    """The object as `admit` would give it if only types mattered: for who wants to go on past a refusal."""
    schema = schema_for(admission.schemas, manifest.id.api_version, manifest.id.kind)
    checked = _with_spec(schema, manifest)
    return Admitted(manifest, checked.value) if checked.is_readable else None


def _with_spec(schema: Schema, manifest: Manifest) -> Checked:
    """The CRDs ask for no `spec`: a runtime without one is an empty runtime, a TrainJob lacks its runtimeRef."""
    if not is_runtime(manifest) and manifest.body.get("spec") is None:
        return _checked(schema, {**manifest.body, "spec": {}})
    checked = _checked(schema, manifest.body)
    if "spec" in checked.value:
        return checked
    return replace(checked, value={**checked.value, "spec": {}})


def _checked(schema: Schema, body: Body) -> Checked:
    checked = schema.check(body)
    if not checked.problems:
        return checked
    from kubectl_trainjob.kube.schemas.other_versions import explained  # it reads the schemas of all versions

    return replace(checked, problems=tuple(explained(problem, schema, body) for problem in checked.problems))


def _problems(checked: Checked, admission: Admission, *, of_runtime: bool) -> Iterator[Problem]:
    yield from checked.problems
    if not any(
        problem.rule is INVALID_TYPE_OR_ENUM and problem.pointer[0] == "metadata" for problem in checked.problems
    ):
        # TrainJobs have a CEL rule for the name that is stricter than the server's own.
        yield from metadata_problems(checked.value.get("metadata", {}), any_subdomain=of_runtime)
    if checked.well_formed:
        yield from (admission.runtime if of_runtime else admission.train_job)(checked.value)


def _nulls(checked: Checked) -> Iterator[Problem]:
    for pointer in checked.nulls:
        message = f"{show_pointer(pointer[-1:])} is null: taken as absent, refused by a server-side apply; remove it"
        yield Problem(EXPLICIT_NULL, pointer, message, "key")
