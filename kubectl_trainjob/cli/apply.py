"""`apply`: compile the repository, then make the cluster match it, without harm to what runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

from kubectl_trainjob.cli import options
from kubectl_trainjob.cli.cluster_options import USUAL_TIMEOUT, cluster_options, connect, timeout
from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.planning import NoPlan, PlanRequest, api_errors, applyset, parent_named, plan_files
from kubectl_trainjob.cli.streams import emit, emit_after_writes, interruption, print_error
from kubectl_trainjob.model.printable import printable

if TYPE_CHECKING:
    from kubectl_trainjob.cli.session import Session
    from kubectl_trainjob.cluster.api import Api
    from kubectl_trainjob.cluster.plan import ApplyPlan
    from kubectl_trainjob.cluster.result import ApplyResult
    from kubectl_trainjob.cluster.steps import ApplyOptions
    from kubectl_trainjob.cluster.wait import Goal

_POLICIES = ("never", "when-terminal", "when-suspended", "always")

_GOALS = ("started", "finished")


@dataclass(frozen=True, slots=True)
class ApplyRequest(PlanRequest):
    """The options, by their names."""

    prune: bool
    prune_running: bool
    prune_many: bool
    recreate: str
    rerun: tuple[str, ...]
    adopt: bool
    adopt_from: str
    force_conflicts: bool
    dry_run: str
    wait: Goal | None
    timeout: float | None
    output: str

    @property
    def seconds(self) -> float:
        """The longest time of the command, 0 for no limit."""
        if self.timeout is None:
            return 0.0 if self.wait == "finished" else USUAL_TIMEOUT
        return self.timeout

    def check(self) -> None:
        """Raise a usage error for options that contradict each other."""
        if self.prune and self.selector:
            raise click.UsageError("--prune needs the whole build; remove -l")
        if self.prune and not self.applyset:
            raise click.UsageError("--prune needs the name of the set; add --applyset NAME")
        if (self.prune_running or self.prune_many) and not self.prune:
            raise click.UsageError("--prune-running and --prune-many need --prune")
        for text in filter(None, (self.applyset, self.adopt_from)):
            parent_named(text)

    def apply_options(self, api: Api, namespace: str) -> ApplyOptions:
        """The options of the engine."""
        from kubectl_trainjob.cluster.marks import POLICIES
        from kubectl_trainjob.cluster.steps import ApplyOptions
        from kubectl_trainjob.cluster.stores import inherited_of, store_of

        other = store_of(api, namespace, self.adopt_from) if self.adopt_from else None
        return ApplyOptions(
            policy=next(each for each in POLICIES if each == self.recreate),
            reruns=frozenset(self.rerun),
            adopt=self.adopt,
            adopt_from=other.name.id if other else "",
            inherited=inherited_of(other) if other else {},
            force_conflicts=self.force_conflicts,
            prune=self.prune,
            prune_running=self.prune_running,
            prune_many=self.prune_many,
            is_dry_run=self.dry_run == "server",
        )


class _ApplyCommand(ManualCommand):
    """`--wait` without a state means started. As in kubectl, a PATH may follow it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments."""
        pairs = pairwise([*args, ""])
        words = [f"--wait={_GOALS[0]}" if word == "--wait" and after not in _GOALS else word for word, after in pairs]
        return super().parse_args(ctx, words)


@click.command(cls=_ApplyCommand)
@options.paths()
@options.namespace("Namespace for objects without a namespace. The default is the context's.")
@options.selector("Only TrainJobs and objects with these labels.")
@options.emit("Apply JobSets, for clusters without Trainer, or TrainJobs and runtimes, for clusters with Trainer.")
@options.trainer_version
@applyset
@click.option("--prune", is_flag=True, help="Delete objects of the set that the files no longer have.")
@click.option("--prune-running", is_flag=True, help="Also delete runs that have not ended.")
@click.option("--prune-many", is_flag=True, help="Allow the deletion of more than half of the set.")
@click.option(
    "--recreate",
    type=click.Choice(_POLICIES),
    default="never",
    show_default=True,
    metavar="POLICY",
    help=f"When a change needs a new run, delete the run and create it again: {', '.join(_POLICIES)}.",
)
@click.option("--rerun", multiple=True, metavar="JOB", help="Run this job once more if it ended. Can be repeated.")
@click.option("--adopt", is_flag=True, help="Take over existing objects that belong to no set.")
@click.option("--adopt-from", default="", metavar="SET", help="Take over objects of this set.")
@click.option("--force-conflicts", is_flag=True, help="Take over fields from other field managers.")
@click.option(
    "--dry-run", type=click.Choice(["none", "server"]), default="none", show_default=True, help="Write nothing."
)
@click.option("--wait", type=click.Choice(_GOALS), help="Wait until all runs have started, or have ended.")
@timeout("Longest time of the whole command. The default is 5m, and with --wait=finished no limit.", default=None)
@options.output_format("text", "json", "yaml", "name")
@cluster_options
def apply(**given: Any) -> int:
    """Build, connect, apply, report."""
    request = ApplyRequest(**given)
    request.check()
    from kubectl_trainjob.cli.session import open_session
    from kubectl_trainjob.report.cluster.apply import format_errors, format_report

    api = connect(request, request.seconds)
    with interruption("not all objects may be applied; apply again to continue"), open_session() as session:
        plan = plan_files(request, session, request.namespace or api.connection.namespace)
        if not isinstance(plan, NoPlan):
            plan = _with_known_jobs(request.rerun, plan)
        if isinstance(plan, NoPlan):
            emit([format_errors(plan.findings, plan.error, request.output).encode()])
            return 1
        result = _apply(request, session, api, plan)
    if request.wait and not result.is_dry_run:
        result = _wait_for_runs(api, result, request.wait)
    is_shown = emit_after_writes(format_report(result, request.output))
    _report_places(result)
    return 0 if result.is_fine and is_shown else 1


def _apply(request: ApplyRequest, session: Session, api: Api, plan: ApplyPlan) -> ApplyResult:
    from kubectl_trainjob.cluster.apply import apply as apply_plan
    from kubectl_trainjob.cluster.guards import check_no_trainer
    from kubectl_trainjob.cluster.other_namespaces import sets_that_stay
    from kubectl_trainjob.cluster.stores import ConfigMapStore, store_of

    progress = session.context.progress
    with api_errors():
        store = store_of(api, plan.namespace, request.parent)
        if plan.emit == "jobset" and (note := check_no_trainer(api)):
            print_error(f"note: {note}")
        result = apply_plan(plan, request.apply_options(api, plan.namespace), store, api, progress)
    is_of_files = plan.namespace not in (request.namespace, api.connection.namespace)
    if is_of_files and isinstance(store, ConfigMapStore) and store.is_new:
        for each in sets_that_stay(api, store.name, result.objects):
            print_error(f"note: {each}")
    return result


def _wait_for_runs(api: Api, result: ApplyResult, goal: Goal) -> ApplyResult:
    from kubectl_trainjob.cli.session import ProgressLine
    from kubectl_trainjob.cluster.wait import wait

    with interruption("the objects are applied, and the runs go on"), ProgressLine() as progress:
        return wait(api, result, goal, progress)


def _with_known_jobs(names: Iterable[str], plan: ApplyPlan) -> ApplyPlan | NoPlan:
    """The plan, if the files have each job of `--rerun`; if not, an error is printed."""
    unknown = [name for name in names if not any(each.is_run and each.answers_to(name) for each in plan.objects)]
    errors = [f'--rerun: the files have no job "{printable(name)}"' for name in unknown]
    for error in errors:
        print_error(f"error: {error}")
    return NoPlan(error="; ".join(errors)) if errors else plan


def _report_places(result: ApplyResult) -> None:
    """The lines to edit of all that was not applied, on stderr."""
    from kubectl_trainjob.repository.positions import Locator

    resolve = Locator().resolve
    for each in result.objects:
        if each.action in ("failed", "refused") and each.place:
            verb = "failed" if each.action == "failed" else f"was {each.action}"
            paths = f" ({', '.join(each.fields)})" if each.fields and each.reason in ("Frozen", "Running") else ""
            print_error(f"{resolve(each.place)}: {each.id} {verb}: {each.message}{paths}")
