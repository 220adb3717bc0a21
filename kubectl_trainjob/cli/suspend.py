"""`suspend`: stop the Pods of jobs, and keep the jobs. It also has what `resume` shares with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kubectl_trainjob.cli import candidates, options
from kubectl_trainjob.cli.cluster_options import ClusterRequest, cluster_options, connect, named_jobs, timeout
from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.planning import api_errors
from kubectl_trainjob.cli.streams import emit_after_writes, print_error

if TYPE_CHECKING:
    from kubectl_trainjob.cluster.suspend import SuspendResult


@dataclass(frozen=True, slots=True)
class SuspendRequest(ClusterRequest):
    """The options, by their names."""

    jobs: tuple[str, ...]
    namespace: str
    dry_run: str
    wait: bool
    timeout: float


def suspend_options(waits: str) -> Callable[[options.Command], options.Command]:
    """The options of both commands; `waits` is what `--wait` does."""
    return options.together(
        click.argument("jobs", nargs=-1, required=True, metavar="JOB...", shell_complete=candidates.jobs),
        options.namespace("Namespace of the jobs. The default is the context's."),
        click.option(
            "--dry-run",
            type=click.Choice(["none", "server"]),
            default="none",
            show_default=True,
            help="Only send a dry run.",
        ),
        click.option("--wait", is_flag=True, help=waits),
        timeout("Longest time of the whole command. The default is 5m."),
        cluster_options,
    )


@click.command(cls=ManualCommand)
@suspend_options("Wait until the Pods have ended.")
def suspend(**given: Any) -> int:
    """Suspend each job."""
    return suspend_or_resume(SuspendRequest(**given), wanted=True)


def suspend_or_resume(request: SuspendRequest, *, wanted: bool) -> int:
    """Suspend or resume each job, and report: the exit code."""
    api = connect(request, request.timeout)
    with api_errors():
        jobs, errors = named_jobs(api, request.namespace, request.jobs)
        is_dry_run = request.dry_run == "server"
        from kubectl_trainjob.cluster.suspend import set_suspended
        from kubectl_trainjob.cluster.wait import missed_goals

        results = [set_suspended(api, job, wanted, dry_run=is_dry_run) for job in jobs]
        text = "".join(_line(each, is_dry_run) for each in results if each.outcome != "failed")
        is_shown = emit_after_writes(text)
        errors += [f"{each.id}: {each.message}" for each in results if each.outcome == "failed"]
        if request.wait and not errors and not is_dry_run:
            missed = missed_goals(api, {each.id for each in jobs}, "stopped" if wanted else "resumed")
            errors += [f"{run}: {reason}: {message}" for run, (reason, message) in missed.items()]
    for error in errors:
        print_error(f"error: {error}")
    return 0 if is_shown and not errors else 1


def _line(result: SuspendResult, is_dry_run: bool) -> str:
    from kubectl_trainjob.report.cluster.apply import name
    from kubectl_trainjob.report.phrases import shown_lines

    return shown_lines([f"{name(result.id)} {result.outcome}{' (server dry run)' if is_dry_run else ''}"])
