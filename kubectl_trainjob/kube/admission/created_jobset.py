"""Admission of a JobSet that a user wrote, as `kubectl create` sends it.

Unlike an expanded JobSet, it may have nulls, empty values, missing fields and no name. The API server names it
(k8s.io/apiserver pkg/storage/names). JobSet's mutating webhook decodes it into Go structs and writes these: nulls are
dropped, and missing fields without `omitempty` get their zero value. The API server validates the result.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from kubectl_trainjob.kube.admission.jobset import JOBSET_SCHEMAS, admit_jobset, jobset_schema
from kubectl_trainjob.kube.admission.jobset_claims import null_problem
from kubectl_trainjob.kube.admission.jobset_defaults import webhook_defaults
from kubectl_trainjob.kube.admission.metadata import NAME
from kubectl_trainjob.kube.facts.jobset import SPEC_TYPE
from kubectl_trainjob.kube.facts.types import marshal
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.problem import Problem, without_consequences
from kubectl_trainjob.model.rules import EXPLICIT_NULL, INVALID_TYPE_OR_ENUM, MISSING_FIELD, UNKNOWN_FIELD
from kubectl_trainjob.model.source import Pointer, show_pointer, value_at, values
from kubectl_trainjob.model.stages import Body

_LONGEST_PREFIX = 58
_SUFFIX = "bcdfg"  # of the length and the letters that the API server chooses from


class CreatedJobSet(NamedTuple):
    """The JobSet as the cluster stores it, None if a value is not of its type; why it is rejected; explicit nulls."""

    stored: Body | None
    problems: tuple[Problem, ...]
    nulls: tuple[Problem, ...]


def create_jobset(body: Body, schemas: str = JOBSET_SCHEMAS) -> CreatedJobSet:
    """Admit a JobSet with any content."""
    # Programs write the creation time null, in Go.
    nulls = tuple(_null(at) for at, value in values(body) if value is None and at[-1] != "creationTimestamp")
    given = jobset_schema(schemas).check(_with_name(body))
    unknown = [each for each in given.problems if each.rule is UNKNOWN_FIELD]
    mistyped = {each for each in given.mistyped if value_at(body, each) is not None}  # null items get zero values
    if mistyped:
        invalid = (each for each in given.problems if each.pointer in mistyped)
        return CreatedJobSet(None, _distinct((*unknown, *invalid)), nulls)
    spec = marshal(given.value.get("spec", {}), SPEC_TYPE)
    stored, found = admit_jobset(webhook_defaults({"metadata": {}, **given.value, "spec": spec}), schemas)
    written_null = [null_problem(each[:-1], str(each[-1])) for each in stored.nulls]
    problems = (_as_written(each, body) for each in written_null or found)
    return CreatedJobSet(stored.value, tuple(without_consequences(_distinct((*unknown, *problems)))), nulls)


def _with_name(body: Body) -> Body:
    """The API server names an object with generateName before it validates it."""
    prefix = _prefix(body)
    return {**body, "metadata": {**body["metadata"], "name": prefix[:_LONGEST_PREFIX] + _SUFFIX}} if prefix else body


def _prefix(body: Body) -> str:
    metadata = body.get("metadata")
    prefix = metadata.get("generateName") if isinstance(metadata, dict) and not metadata.get("name") else ""
    return prefix if isinstance(prefix, str) else ""


def _as_written(problem: Problem, body: Body) -> Problem:
    """Report a zero value that Go wrote as a missing field, and the name at generateName."""
    *above, field = problem.pointer
    if problem.pointer == NAME and _prefix(body):
        return replace(problem, shown=("metadata", "generateName"))
    if problem.rule is not INVALID_TYPE_OR_ENUM or value_at(body, problem.pointer) is not None:
        return problem
    message = say("{} has no {}; add it", show_pointer(tuple(above[-2:])), show_pointer((field,)))
    return Problem(MISSING_FIELD, problem.pointer, message, "key")


def _null(pointer: Pointer) -> Problem:
    name = show_pointer(pointer[-2:] if isinstance(pointer[-1], int) else pointer[-1:])
    message = say("{} is null: a create ignores it, but a server-side apply rejects it; remove it, or set it", name)
    return Problem(EXPLICIT_NULL, pointer, message, "key")


def _distinct(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(dict.fromkeys(problems))
