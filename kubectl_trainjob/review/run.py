"""Both sides of a pull request read once, compared and linted, as one review."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import NamedTuple

from kubectl_trainjob.kube.facts.kinds import is_train_job
from kubectl_trainjob.lint.registry import checks
from kubectl_trainjob.lint.run import Wanted as LintedFor
from kubectl_trainjob.lint.run import run
from kubectl_trainjob.model.stages import BuildOptions, Manifest
from kubectl_trainjob.model.units import manifests_of
from kubectl_trainjob.repository.trees import Both, Progress, Sides
from kubectl_trainjob.review.compared import Wanted as ComparedFor
from kubectl_trainjob.review.compared import compared, report_of
from kubectl_trainjob.review.conclusion import review_of
from kubectl_trainjob.review.view import Review


class Wanted(NamedTuple):
    """What each side is compiled for, and the day that decides which suppressions of findings are over. `with_lines`
    the difference says where each value comes from.
    """

    old: BuildOptions
    new: BuildOptions
    today: date
    with_lines: bool = True


def reviewed(sides: Sides, read: Iterable[Both], wanted: Wanted, progress: Progress) -> Review:
    """The review of what was read, as `Sides.read` reads it. Raises EnvironmentFault."""
    units = list(read)
    found = compared(units, ComparedFor(wanted.old, wanted.new), progress)
    told = run(units, LintedFor(wanted.new, wanted.today, base=wanted.old), progress, found.units)
    report = report_of(sides, found, with_lines=wanted.with_lines)
    of_updates = {check.rule.id for check in checks().of_changes}
    review = review_of(report, told.report(), told.jobs, of_updates, found.left_out)
    return replace(review, repeated=_repeated(units))


def _repeated(units: Sequence[Both]) -> int:
    """How many plain TrainJobs of the new side overlays list, too."""
    listed = {
        _where(manifest) for both in units if both.overlay for unit in both.new.units for manifest in manifests_of(unit)
    }
    plain = [manifest for both in units if not both.overlay for manifest in both.new.inputs]
    return sum(is_train_job(manifest) and _where(manifest) in listed for manifest in plain)


def _where(manifest: Manifest) -> tuple[object, ...]:
    return manifest.source.file.common_path, manifest.source.document, manifest.source.prefix
