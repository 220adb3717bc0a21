"""`review`: one report for a pull request: what it changes, what a cluster rejects, and new findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kubectl_trainjob.cli import candidates, options
from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.streams import note_unread_overlays, write_outputs
from kubectl_trainjob.cli.trees import TreesRequest, open_trees

if TYPE_CHECKING:
    from kubectl_trainjob.review.result import Review

FORMATS = ("text", "markdown", "json", "html", "sarif", "github", "junit", "gitlab")
_VERDICTS = ("reruns", "ends", "changes")
_WITH_LINES = ("markdown", "json", "html")


@dataclass(frozen=True, slots=True)
class ReviewRequest(TreesRequest):
    """The options, by their names."""

    output: tuple[options.Output, ...]
    fail_on: str


@click.command(cls=ManualCommand)
@click.argument("trees", nargs=-1, metavar="[REF|A..B|A...B|OLD_DIR NEW_DIR]", shell_complete=candidates.references)
@options.filenames("Manifest, directory or overlay. Can be repeated. The default is the whole repository.")
@options.output(FORMATS)
@options.namespace("Namespace for objects without a namespace.")
@options.emit("Review JobSets, or the TrainJobs and runtimes for a cluster with Trainer.")
@options.trainer_versions
@options.fail_on("Minimum severity of a new finding, or mildest verdict, for exit code 1.", *_VERDICTS)
def review(**given: Any) -> int:
    """Review the change, write the reports."""
    request = ReviewRequest(**given)
    from kubectl_trainjob.report.review import format_report

    found = _review(request)
    note_unread_overlays(found.unread_overlays, "reviewed")
    write_outputs(request.output, format_report, found, default="text")
    return _exit_code(found, request.fail_on)


def _review(request: ReviewRequest) -> Review:
    from datetime import date

    from kubectl_trainjob.review.review_trees import ReviewOptions, review_trees

    with_lines = any(each.format in _WITH_LINES for each in request.output)
    with open_trees(request) as (trees, units, session):
        current, today = session.workspace.files.current, date.today()
        review_options = ReviewOptions(*request.build_options(), current, today, with_lines=with_lines)
        return review_trees(trees, units, review_options, session.context)


def _exit_code(review: Review, fail_on: str) -> int:
    if fail_on in _VERDICTS:
        return int(review.is_at_least(fail_on))
    has_reached = any(options.reaches(result.severity, fail_on) for result in review.results)
    return int(has_reached or (review.is_broken and fail_on != "never"))
