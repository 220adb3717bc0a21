"""Both sides of a pull request, compiled once, compared and linted: a review, or only its new findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import NamedTuple

from kubectl_trainjob.compiler.executor import BuildContext
from kubectl_trainjob.compiler.printing import Printed
from kubectl_trainjob.kube.facts.kinds import is_train_job
from kubectl_trainjob.lint.known_findings import fingerprints, split
from kubectl_trainjob.lint.registry import UPDATE_RULES
from kubectl_trainjob.lint.run import Elsewhere, Run, collect
from kubectl_trainjob.lint.run import Wanted as LintedFor
from kubectl_trainjob.lint.stale import Judged, check_built
from kubectl_trainjob.lint.unit import Found
from kubectl_trainjob.model.stages import BuildOptions, Manifest
from kubectl_trainjob.model.units import BuiltDirectory, manifests_of
from kubectl_trainjob.repository.output.built_index import built_directories
from kubectl_trainjob.repository.trees import Both, Sides
from kubectl_trainjob.review.compared import Compared, compared, report_of
from kubectl_trainjob.review.compared import Wanted as ComparedFor
from kubectl_trainjob.review.comparison import Comparison, Examination
from kubectl_trainjob.review.conclusion import review_of
from kubectl_trainjob.review.update_findings import changes_found
from kubectl_trainjob.review.view import Review


class Wanted(NamedTuple):
    """What each side is compiled for, and the day that decides which suppressions expired. Without `suppresses` none
    works; `with_lines` the difference says where each value comes from.
    """

    old: BuildOptions
    new: BuildOptions
    today: date
    suppresses: bool = True
    with_lines: bool = True


def reviewed(sides: Sides, read: Iterable[Both], wanted: Wanted, context: BuildContext) -> Review:
    """The review of what was read, as `Sides.read` reads it. Raises EnvironmentFault."""
    units = list(read)
    found, run = _examined(units, wanted, context)
    report = report_of(sides, found, with_lines=wanted.with_lines)
    of_updates = {rule.id for rule in UPDATE_RULES}
    review = review_of(report, run.report(), run.jobs, of_updates, found.left_out)
    return replace(review, repeated=_repeated(units))


def lint_since(read: Iterable[Both], wanted: Wanted, context: BuildContext) -> Run:
    """The findings of the head that the base does not have."""
    _, run = _examined(list(read), wanted, context)
    return run


def _examined(units: Sequence[Both], wanted: Wanted, context: BuildContext) -> tuple[Compared, Run]:
    built = built_directories(both.old for both in units), built_directories(both.new for both in units)
    examination = Examination(has_checks=True, has_built=any(built))
    found = compared(units, ComparedFor(wanted.old, wanted.new, examination), context)
    updates = {overlay: _updates(comparison) for overlay, comparison in found.units.items()}
    base = _collected(found, 0, wanted, Elsewhere({}, _outdated(found, 0, built[0]), has_base=True))
    head = _collected(found, 1, wanted, Elsewhere(updates, _outdated(found, 1, built[1]), has_base=True))
    divided = split(head.results, fingerprints(base.results), with_refusals=True)
    head.results, head.before, head.left_out = divided.new, divided.known, found.left_out
    return found, head


def _updates(comparison: Comparison) -> tuple[Found, ...]:
    assert comparison.linted is not None
    return tuple(changes_found(comparison, comparison.linted[1].train_jobs))


def _collected(found: Compared, side: int, wanted: Wanted, elsewhere: Elsewhere) -> Run:
    """The findings of one side."""
    linted = [comparison.linted[side] for comparison in found.units.values() if comparison.linted]
    options = (wanted.old, wanted.new)[side]
    return collect(linted, LintedFor(options, wanted.today, wanted.suppresses), elsewhere)


def _outdated(found: Compared, side: int, built: Sequence[BuiltDirectory]) -> Judged:
    units = found.units.items()
    compilations = {
        overlay: unit.compilations[side].noted(lambda note: note.printed or Printed(())) for overlay, unit in units
    }
    return check_built(built, compilations)


def _repeated(units: Sequence[Both]) -> int:
    """How many plain TrainJobs of the head overlays list, too."""
    listed = {
        _where(manifest) for both in units if both.overlay for unit in both.new.units for manifest in manifests_of(unit)
    }
    plain = [manifest for both in units if not both.overlay for manifest in both.new.inputs]
    return sum(is_train_job(manifest) and _where(manifest) in listed for manifest in plain)


def _where(manifest: Manifest) -> tuple[object, ...]:
    return manifest.source.file.common_path, manifest.source.document, manifest.source.prefix
