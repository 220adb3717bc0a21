"""TrainJobs and runtimes as the API server takes them.

Mirrors k8s.io/apiextensions-apiserver/pkg/registry/customresource (creation with strict field validation) and Trainer's
validating webhook of runtimes (kubeflow/trainer pkg/webhooks).
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.admission.metadata import NAME, metadata_problems
from kubectl_trainjob.admission.runtime import runtime_problems
from kubectl_trainjob.api.trainer import RUNTIME_KINDS
from kubectl_trainjob.findings.diagnostic import Diagnostic, Related, has_errors
from kubectl_trainjob.findings.naming import GENERATE_NAME
from kubectl_trainjob.findings.schema import EXPLICIT_NULL, INVALID_TYPE_OR_ENUM
from kubectl_trainjob.schemas.load import schema_for
from kubectl_trainjob.schemas.problem import Problem
from kubectl_trainjob.schemas.walk import Checked
from kubectl_trainjob.source import Place, show_pointer
from kubectl_trainjob.stages import Admitted, Manifest


def admit(manifest: Manifest, trainer: str = "2.3") -> tuple[Admitted | None, list[Diagnostic]]:
    """The object with the CRD's defaults and without nulls, None when it is refused; and everything to be told of it.

    For kinds of trainer.kubeflow.org/v1alpha1. `trainer` is the targeted version, as "2.3".
    """
    schema = schema_for(f"trainer-{trainer}", manifest.id.api_version, manifest.id.kind)
    checked = schema.check(manifest.body)
    found = (*_problems(checked, schema.kind), *_nulls(checked))
    # Reversed, so that of several findings of one rule at one place the first is kept.
    problems = list({(problem.pointer, problem.rule.id): problem for problem in reversed(found)}.values())[::-1]
    if any(problem.rule is GENERATE_NAME for problem in problems):
        problems = [problem for problem in problems if problem.pointer != NAME]
    diagnostics = [_diagnostic(problem, manifest) for problem in problems]
    if has_errors(diagnostics):
        return None, diagnostics
    return Admitted(manifest, checked.value), diagnostics


def _problems(checked: Checked, kind: str) -> Iterator[Problem]:
    yield from checked.problems
    is_runtime = kind in RUNTIME_KINDS
    if not any(
        problem.rule is INVALID_TYPE_OR_ENUM and problem.pointer[0] == "metadata" for problem in checked.problems
    ):
        # TrainJobs have a CEL rule for the name that is stricter than the server's own.
        yield from metadata_problems(checked.value.get("metadata", {}), any_subdomain=is_runtime)
    if is_runtime and checked.well_formed:
        yield from runtime_problems(checked.value)


def _nulls(checked: Checked) -> Iterator[Problem]:
    for pointer in checked.nulls:
        message = f"{show_pointer(pointer[-1:])} is null: taken as absent, refused by a server-side apply; remove it"
        yield Problem(EXPLICIT_NULL, pointer, message, "key")


def _diagnostic(problem: Problem, manifest: Manifest) -> Diagnostic:
    related = tuple(Related(message, manifest.place(*pointer)) for message, pointer in problem.related)
    return Diagnostic(problem.rule, problem.message, Place(manifest.source, problem.pointer, problem.on), related)
