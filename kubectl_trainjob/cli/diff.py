"""`diff`: what a change of the files does to TrainJobs, and which updates a cluster rejects."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

import click

from kubectl_trainjob.cli import candidates, options
from kubectl_trainjob.cli.cluster_options import (
    USUAL_REQUEST_TIMEOUT,
    USUAL_TIMEOUT,
    ClusterRequest,
    cluster_options,
    connect,
)
from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.planning import NoPlan, PlanRequest, api_errors, plan_files
from kubectl_trainjob.cli.streams import emit, has_colour, note_unread_overlays, print_error, print_findings
from kubectl_trainjob.cli.trees import TreesRequest, open_trees

if TYPE_CHECKING:
    from kubectl_trainjob.repository.trees import BaseAndHead
    from kubectl_trainjob.review.compare_trees import TreeComparison
    from kubectl_trainjob.review.diff.view import Report


@dataclass(frozen=True, slots=True)
class DiffRequest(TreesRequest):
    """The options, by their names."""

    output: Literal["text", "markdown", "json", "html"]
    why: bool
    live: bool
    selector: str
    applyset: str
    connection: dict[str, Any]

    def live_request(self) -> PlanRequest:
        """The options of `--live`; the arguments are paths."""
        version, _ = self.trainer_version
        return PlanRequest(
            **self.connection,
            paths=self.trees,
            filenames=self.filenames,
            namespace=self.namespace,
            selector=self.selector,
            emit=self.emit,
            trainer_version=version,
            applyset=self.applyset,
        )

    def check(self) -> None:
        """Raise a usage error for options that `--live` has, or does not have."""
        if self.live and (self.why or self.output == "html" or self.trainer_version[0] != self.trainer_version[1]):
            raise click.UsageError("--live compares with the cluster; remove --why, -o html and a second version")
        defaults = ClusterRequest("", "", "", (), USUAL_REQUEST_TIMEOUT)
        if not self.live and (self.selector or self.applyset or ClusterRequest(**self.connection) != defaults):
            raise click.UsageError("the options of the cluster need --live")


@click.command(cls=ManualCommand)
@click.argument(
    "trees", nargs=-1, metavar="[REF|A..B|A...B|OLD_DIR NEW_DIR|PATH...]", shell_complete=candidates.references
)
@options.filenames("Manifest, directory or overlay. Can be repeated. The default is the whole repository.")
@options.document_output
@click.option("--why", is_flag=True, help="Show the source line of each value, in base and head. JSON always does.")
@options.namespace("Namespace for objects without a namespace.")
@options.emit("Compare JobSets, or the TrainJobs and runtimes for a cluster with Trainer.")
@options.trainer_versions
@click.option("--live", is_flag=True, help="Compare the files at the PATHs with the cluster, as an apply would.")
@options.selector("With --live: only objects with these labels.")
@click.option("--applyset", default="", metavar="NAME", help="With --live: name of the set.")
@cluster_options
def diff(**given: Any) -> int:
    """Compare the base and the head, and write what differs."""
    names = [each.name for each in fields(ClusterRequest)]
    request = DiffRequest(**{"connection": {name: given.pop(name) for name in names}, **given})
    request.check()
    if request.live:
        return _diff_live(request.live_request(), request.output)
    from kubectl_trainjob.review.compare_trees import compare_trees, report_of
    from kubectl_trainjob.review.compare_unit import CompareOptions

    with open_trees(request) as (trees, units, session):
        found = compare_trees(units, CompareOptions(*request.build_options()), session.context)
        report = report_of(trees, found, with_lines=request.why or request.output == "json")
    _print_errors(trees, found)
    note_unread_overlays(found.unread_overlays, "compared")
    _write(report, request.output)
    if found.has_errors:
        return 2
    return int(bool(report.objects or report.difference.summary.changed))


def _diff_live(request: PlanRequest, output: str) -> int:
    """Compare, and write what an apply would change: the exit code."""
    from kubectl_trainjob.cli.session import open_session
    from kubectl_trainjob.cluster.live_diff import live_diff
    from kubectl_trainjob.cluster.steps import ApplyOptions
    from kubectl_trainjob.cluster.stores import store_of
    from kubectl_trainjob.report.cluster.live_diff import format_report

    api = connect(request, USUAL_TIMEOUT)
    with open_session() as session:
        plan = plan_files(request, session, request.namespace or api.connection.namespace)
        if isinstance(plan, NoPlan):
            return 2
        with api_errors():
            store = store_of(api, plan.namespace, request.parent)
            found = live_diff(plan, ApplyOptions(), store, api, session.context.progress)
    emit([format_report(found, output, colour=output == "text" and has_colour(sys.stdout)).encode()])
    return int(bool(found))


def _print_errors(trees: BaseAndHead, found: TreeComparison) -> None:
    """What cannot be built; build and lint report the other findings."""
    old, both, new = found.errors
    groups = (
        ("base and head", both, ""),
        (f"the head, {trees.new.whole},", new, "" if both or old else "; the base can"),
        (f"the base, {trees.old.whole},", old, "" if both or new else "; the head can"),
    )
    for what, errors, other in groups:
        if errors:
            print_error(f"error: {what} cannot be built in full{other}:")
            print_findings(errors, found.locator.resolve)


def _write(report: Report, output: str) -> None:
    if output == "text":
        from kubectl_trainjob.cli import external_diff

        command = external_diff.command_of(os.environ)
        if command and report.objects:
            external_diff.show_with(command, report.difference.changes)
    from kubectl_trainjob.report.diff import format_report

    text = format_report(report, output, colour=output == "text" and has_colour(sys.stdout))
    emit([text.encode()])
