"""Inputs compiled as `build` does it, as plain values for tests."""

from __future__ import annotations

from typing import Any, NamedTuple

from kubectl_trainjob.compiler import pipeline
from kubectl_trainjob.compiler.executor import IN_PROCESS
from kubectl_trainjob.compiler.printing import (
    AnyObject,
    build_findings,
    creation_findings,
    printed_objects,
    required_secrets,
)
from kubectl_trainjob.lint.run import lint_unit
from kubectl_trainjob.lint.unit import LintedUnit
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.stages import BuildOptions, PrintedObject, RequiredSecret
from kubectl_trainjob.model.units import Documents
from kubectl_trainjob.review.compare_unit import CompareOptions, Comparison, compare_unit, input_of


class Build(NamedTuple):
    """What a build prints and reports."""

    outputs: tuple[AnyObject, ...]
    diagnostics: tuple[Diagnostic, ...]
    late: tuple[Diagnostic, ...]
    secrets: tuple[RequiredSecret, ...]

    @property
    def objects(self) -> tuple[Any, ...]:
        """The bodies."""
        return tuple(each.text if isinstance(each, PrintedObject) else each.body for each in self.outputs)


def build(documents: Documents, options: BuildOptions, *, is_strict: bool = False) -> Build:
    """The inputs compiled in this process."""
    found = pipeline.build(documents, options)
    findings = build_findings(found, is_strict=is_strict)
    return Build(printed_objects(found), findings, creation_findings(found), required_secrets(found))


def lint(documents: Documents, options: BuildOptions) -> LintedUnit:
    """All findings of one unit, compiled in this process."""
    return lint_unit(documents, options, IN_PROCESS)[0]


def compare(base: Documents, head: Documents, options: BuildOptions) -> Comparison:
    """Two readings of one unit, compiled, compared and linted in this process."""
    sides = input_of(base, options), input_of(head, options)
    return compare_unit(*sides, "", CompareOptions(options, options, has_checks=True), IN_PROCESS)
