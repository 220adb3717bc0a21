"""`diff`: what a change of the files does to TrainJobs, and what a cluster says to it."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from kubectl_trainjob.cli import options
from kubectl_trainjob.cli.streams import complain, emit, has_colour, stderr_has_colour, tell

if TYPE_CHECKING:
    from kubectl_trainjob.repository.files.filesystem import FileSystem
    from kubectl_trainjob.repository.trees import Sides
    from kubectl_trainjob.review.compared import Compared
    from kubectl_trainjob.review.diff.view import Report

_HELP = """Show what a change of the files does to TrainJobs: which ones change, and which updates a cluster rejects.

The command builds the base and the head, and compares the objects. REF is a commit: it is compared with the working
tree. A..B compares two commits. A...B compares B with the commit where B left A. Without an argument, the base is the
commit where this branch left its upstream branch. Two directories are compared as they are.

Commits are read without a checkout, and no program of the repository runs. Without -f, the command compares the plain
manifests and each overlay.

\b
Examples:
  # What does my branch change?
  kubectl trainjob diff

\b
  # Uncommitted changes, with the source line of each value
  kubectl trainjob diff HEAD --why

\b
  # One environment, between two tags
  kubectl trainjob diff v1.2..v1.3 -f overlays/prod

\b
  # What will an upgrade of Trainer change?
  kubectl trainjob diff --trainer-version 2.2..2.3

\b
  # For a pull request, and for a browser
  kubectl trainjob diff origin/main -o markdown
  kubectl trainjob diff origin/main -o html > diff.html

If KUBECTL_EXTERNAL_DIFF is set, -o text shows the objects with that program, as kubectl diff does.

Exit codes: 0 no difference, 1 differences, 2 the command failed or an object cannot be built.
"""


@dataclass(frozen=True, slots=True)
class _Request:
    """What was asked for; the names are those of the options."""

    sides: tuple[str, ...]
    filenames: tuple[str, ...]
    output: Literal["text", "markdown", "json", "html"]
    why: bool
    namespace: str
    trainer_version: tuple[str, str]
    emit: str


@click.command(help=_HELP)
@click.argument("sides", nargs=-1, metavar="[REF|A..B|A...B|OLD_DIR NEW_DIR]")
@options.filenames("Manifest, directory or overlay. Can be repeated. The default is the whole repository.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "markdown", "json", "html"]),
    default="text",
    show_default=True,
    help="Format of the report.",
)
@click.option("--why", is_flag=True, help="Show the source line of each value, in base and head. JSON always does.")
@options.namespace("Namespace for objects without a namespace.")
@options.emit("Compare JobSets, or the TrainJobs and runtimes for a cluster with Trainer.")
@options.trainer_versions
def diff(**given: Any) -> int:
    """Read both sides, compare them, write what differs."""
    gc.disable()  # as in build: a short life, in which nearly everything is kept
    request = _Request(**given)
    from kubectl_trainjob.cli.workers import Forked
    from kubectl_trainjob.cli.workspace import open_workspace
    from kubectl_trainjob.compiler.executor import BuildContext
    from kubectl_trainjob.model.stages import BuildOptions
    from kubectl_trainjob.review.compared import Wanted, compared, report_of

    old, new = (BuildOptions(request.namespace, each, request.emit) for each in request.trainer_version)
    with open_workspace() as workspace, closing(_sides(request, workspace.files)) as both:
        context = BuildContext(Forked(), workspace.progress)
        found = compared(both.read(request.filenames, workspace), Wanted(old, new), context)
        report = report_of(both, found, with_lines=request.why or request.output == "json")
    _tell(both, found)
    _write(report, request.output)
    if found.has_errors:
        return 2
    return int(bool(report.objects or report.difference.summary.changed))


def _sides(request: _Request, disk: FileSystem) -> Sides:
    from kubectl_trainjob.repository.trees import WrongArguments, sides

    try:
        return sides(request.sides, request.trainer_version, disk)
    except WrongArguments as fault:
        raise click.UsageError(str(fault)) from None


def _tell(both: Sides, found: Compared) -> None:
    """What cannot be built, on either side; what else is to be said of the files is for build and lint."""
    from kubectl_trainjob.report.diagnostics import report

    groups = (
        ("on both sides", found.errors.both),
        (f"on the new side only, {both.new.whole}", found.errors.new),
        (f"on the old side only, {both.old.whole}", found.errors.old),
    )
    for where, errors in groups:
        if errors:
            complain(f"error: not everything can be built, {where}:")
            tell(report(errors, found.locator.settle, colour=stderr_has_colour()))
    if found.left_out:
        complain(f"note: overlays are compared only when named: -f {', -f '.join(found.left_out)}")


def _write(report: Report, output: str) -> None:
    if output == "text":
        from kubectl_trainjob.cli import external_diff

        command = external_diff.command_of(os.environ)
        if command and report.objects:
            external_diff.show_with(command, report.difference.changes)
    from kubectl_trainjob.report.diff import written

    text = written(report, output, colour=output == "text" and has_colour(sys.stdout))
    emit([text.encode()])
