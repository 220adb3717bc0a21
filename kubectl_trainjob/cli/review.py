"""`review`: one report for a pull request: what it changes, what a cluster says to that, and what is new wrong."""

from __future__ import annotations

import gc
import sys
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kubectl_trainjob.cli import options
from kubectl_trainjob.cli.outputs import Output, output, write_all
from kubectl_trainjob.cli.streams import complain, has_colour

if TYPE_CHECKING:
    from kubectl_trainjob.repository.files.filesystem import FileSystem
    from kubectl_trainjob.repository.trees import Sides
    from kubectl_trainjob.review.view import Review

FORMATS = ("text", "markdown", "json", "html", "sarif", "github", "junit", "gitlab")
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

Exit code 1 means: a cluster rejects an update, a changed object cannot be built, or a new finding reaches --fail-on.
With --fail-on never, the exit code is never 1. Exit codes: 0 passed, 1 problems, 2 the command failed.
"""


@dataclass(frozen=True, slots=True)
class _Request:
    """What was asked for; the names are those of the options."""

    sides: tuple[str, ...]
    filenames: tuple[str, ...]
    output: tuple[Output, ...]
    namespace: str
    trainer_version: tuple[str, str]
    emit: str
    fail_on: str


@click.command(help=_HELP)
@click.argument("sides", nargs=-1, metavar="[REF|A..B|A...B|OLD_DIR NEW_DIR]")
@options.filenames("Manifest, directory or overlay. Can be repeated. The default is the whole repository.")
@output(FORMATS)
@options.namespace("Namespace for objects without a namespace.")
@options.emit("Review JobSets, or the TrainJobs and runtimes for a cluster with Trainer.")
@options.trainer_versions
@options.fail_on("Minimum severity of a new finding for exit code 1.")
def review(**given: Any) -> int:
    """Read both sides once, compare, lint, report."""
    gc.disable()  # as in build: a short life, in which nearly everything is kept
    request = _Request(**given)
    found = _reviewed(request)
    if found.left_out:
        complain(f"note: overlays are reviewed only when named: -f {', -f '.join(found.left_out)}")
    _write(found, request.output)
    return _exit_code(found, request.fail_on)


def _reviewed(request: _Request) -> Review:
    from datetime import date

    from kubectl_trainjob.cli.workers import Forked
    from kubectl_trainjob.cli.workspace import open_workspace
    from kubectl_trainjob.compiler.executor import BuildContext
    from kubectl_trainjob.model.stages import BuildOptions
    from kubectl_trainjob.review.run import Wanted, reviewed

    old, new = (BuildOptions(request.namespace, version, request.emit) for version in request.trainer_version)
    with_lines = any(each.format in _WITH_LINES for each in request.output)
    wanted = Wanted(old, new, date.today(), with_lines=with_lines)
    with open_workspace() as workspace, closing(_sides(request, workspace.files)) as both:
        context = BuildContext(Forked(), workspace.progress)
        return reviewed(both, both.read(request.filenames, workspace), wanted, context)


def _sides(request: _Request, disk: FileSystem) -> Sides:
    from kubectl_trainjob.repository.trees import WrongArguments, sides

    try:
        return sides(request.sides, request.trainer_version, disk)
    except WrongArguments as fault:
        raise click.UsageError(str(fault)) from None


def _write(review: Review, outputs: tuple[Output, ...]) -> None:
    from kubectl_trainjob.report.review import written

    def text(form: str, is_shown: bool) -> str:
        return written(review, form, colour=is_shown and has_colour(sys.stdout))

    write_all(outputs, text, default="text")


def _exit_code(review: Review, fail_on: str) -> int:
    is_bad = any(options.is_as_bad(result.severity, fail_on) for result in review.results)
    return int(is_bad or (review.is_broken and fail_on != "never"))
