"""`review`: one report for a pull request: what it changes, what a cluster rejects, and new findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kubectl_trainjob.cli import candidates, options
from kubectl_trainjob.cli.streams import note_unread_overlays, write_outputs
from kubectl_trainjob.cli.trees import TreesRequest, open_trees

if TYPE_CHECKING:
    from kubectl_trainjob.review.result import Review

FORMATS = ("text", "markdown", "json", "html", "sarif", "github", "junit", "gitlab")
_VERDICTS = ("reruns", "ends", "changes")
_WITH_LINES = ("markdown", "json", "html")

_HELP = """Review a change: build the base and the head, compare the objects, and report new findings, in one report.

The report begins with a verdict, such as "safe" or "cannot be built". Then it lists each job with its impact, its GPUs
and processes before and after, and its new findings. REF is a commit: it is compared with the working tree. A..B and
A...B are commits, as in "diff". Without an argument, the command reviews the changes of this branch. Commits are read
without a checkout, and no program of the repository runs.

\b
Examples:
  # What does my branch do?
  kubectl trainjob review

\b
  # A comment for a pull request and a file for code scanning, with the text in the log
  kubectl trainjob review origin/main...HEAD -o markdown=review.md -o sarif=review.sarif

\b
  # One environment, as a page for a browser
  kubectl trainjob review v1.2..v1.3 -f overlays/prod -o html=review.html

\b
  # Fail if a run ends or starts again
  kubectl trainjob review origin/main...HEAD --fail-on ends

Exit code 1 means: a cluster rejects an update, a changed object cannot be built, or a new finding reaches --fail-on.
With --fail-on reruns, ends or changes, it means that the verdict is this one or a more severe one. With --fail-on
never, the exit code is never 1. Exit codes: 0 passed, 1 problems, 2 the command failed.
"""


@dataclass(frozen=True, slots=True)
class ReviewRequest(TreesRequest):
    """The options, by their names."""

    output: tuple[options.Output, ...]
    fail_on: str


@click.command(help=_HELP)
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
