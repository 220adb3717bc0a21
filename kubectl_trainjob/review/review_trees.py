"""A review of two trees: base and head compiled once, compared and linted; or only its new findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

from kubectl_trainjob.compiler.executor import BuildContext
from kubectl_trainjob.compiler.printing import PrintedJob
from kubectl_trainjob.lint.baseline import fingerprints, split_by_baseline
from kubectl_trainjob.lint.registry import UPDATE_RULES
from kubectl_trainjob.lint.run import LintOptions, LintRun, TreeFindings, collect
from kubectl_trainjob.lint.selection import RuleChoice
from kubectl_trainjob.lint.stale import OutputFindings, check_built
from kubectl_trainjob.model.stages import BuildOptions
from kubectl_trainjob.model.units import BuiltDirectory
from kubectl_trainjob.repository.files.find_root import CurrentDirectory
from kubectl_trainjob.repository.findings import FindingBuilder
from kubectl_trainjob.repository.output.built_index import built_directories
from kubectl_trainjob.repository.trees import BaseAndHead, TreePair
from kubectl_trainjob.review.compare_trees import TreeComparison, compare_trees, report_of
from kubectl_trainjob.review.compare_unit import CompareOptions
from kubectl_trainjob.review.result import Review
from kubectl_trainjob.review.updates import update_findings
from kubectl_trainjob.review.verdict import review_of


class ReviewOptions(NamedTuple):
    """The options of base and head, and the day that decides which suppressions expired.

    Without `suppresses` no suppression applies. `with_lines` adds the source of each value to the difference. `chosen`
    are the rules of the command line.
    """

    old: BuildOptions
    new: BuildOptions
    current: CurrentDirectory
    today: date
    suppresses: bool = True
    with_lines: bool = True
    chosen: RuleChoice = RuleChoice()


def review_trees(sides: BaseAndHead, read: Iterable[TreePair], options: ReviewOptions, context: BuildContext) -> Review:
    """The review of base and head, as `BaseAndHead.read` reads them. Raises EnvironmentFault."""
    units = list(read)
    found, run = _examine(units, options, context)
    report = report_of(sides, found, with_lines=options.with_lines)
    of_updates = {rule.id for rule in UPDATE_RULES}
    return review_of(report, run.report(), run.jobs, of_updates, found.unread_overlays)


def lint_since(read: Iterable[TreePair], options: ReviewOptions, context: BuildContext) -> LintRun:
    """The findings of the head that the base does not have."""
    _, run = _examine(list(read), options, context)
    return run


def _examine(
    units: Sequence[TreePair], options: ReviewOptions, context: BuildContext
) -> tuple[TreeComparison, LintRun]:
    built = built_directories(both.old for both in units), built_directories(both.new for both in units)
    compared = CompareOptions(options.old, options.new, has_checks=True, has_built=any(built))
    found = compare_trees(units, compared, context)
    linted = {overlay: (unit, unit.linted[1].train_jobs) for overlay, unit in found.units.items() if unit.linted}
    updates = {overlay: tuple(update_findings(*each, found.locator.resolve)) for overlay, each in linted.items()}
    of_base = TreeFindings({}, _outdated_files(found, 0, built[0]), has_base=True)
    of_head = TreeFindings(updates, _outdated_files(found, 1, built[1]), has_base=True)
    builder = FindingBuilder(found.locator.resolve)  # one for base and head, which have most texts in common
    base, head = (_collect(found, side, options, each, builder) for side, each in enumerate((of_base, of_head)))
    divided = split_by_baseline(head.results, fingerprints(base.results), with_build_errors=True)
    head.results, head.existing, head.unread_overlays = divided.new, divided.known, found.unread_overlays
    return found, head


def _collect(
    found: TreeComparison, side: int, options: ReviewOptions, others: TreeFindings, builder: FindingBuilder
) -> LintRun:
    """The findings of one tree."""
    linted = [comparison.linted[side] for comparison in found.units.values() if comparison.linted]
    build = (options.old, options.new)[side]
    of_side = LintOptions(build, options.current, options.today, options.suppresses, options.chosen)
    return collect(linted, of_side, others, builder)


def _outdated_files(found: TreeComparison, side: int, built: Sequence[BuiltDirectory]) -> OutputFindings:
    compilations = {
        overlay: unit.compilations[side].noted(lambda note: note.printed or PrintedJob(()))
        for overlay, unit in found.units.items()
    }
    return check_built(built, compilations)
