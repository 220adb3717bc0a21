"""Both sides of a pull request read once, compared and linted, as one review."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from kubectl_trainjob.compared import Wanted as ComparedFor
from kubectl_trainjob.compared import compared, report_of
from kubectl_trainjob.lint.registry import checks
from kubectl_trainjob.linting.run import Wanted as LintedFor
from kubectl_trainjob.linting.run import run
from kubectl_trainjob.review.conclusion import review_of
from kubectl_trainjob.review.told import Review
from kubectl_trainjob.sides import Both, Progress, Sides
from kubectl_trainjob.stages import BuildOptions


class Wanted(NamedTuple):
    """What each side is compiled for, and the day that decides which suppressions of findings are over. `with_lines`
    the difference says where each value comes from.
    """

    old: BuildOptions
    new: BuildOptions
    today: date
    with_lines: bool = True


class Reviewed(NamedTuple):
    """The review, and the overlays that were left out because they were not named."""

    review: Review
    left_out: tuple[str, ...]


def reviewed(sides: Sides, read: Iterable[Both], wanted: Wanted, progress: Progress) -> Reviewed:
    """The review of what was read, as `Sides.read` reads it. Raises EnvironmentFault."""
    units = list(read)
    found = compared(units, ComparedFor(wanted.old, wanted.new), progress)
    told = run(units, LintedFor(wanted.new, wanted.today, base=wanted.old), progress, found.units)
    report = report_of(sides, found, with_lines=wanted.with_lines)
    of_updates = {check.rule.id for check in checks().of_changes}
    return Reviewed(review_of(report, told.report(), told.jobs, of_updates), found.left_out)
