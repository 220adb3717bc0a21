"""`secrets`: the Secrets that jobs need, which Trainer would generate."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from kubectl_trainjob.cli import options
from kubectl_trainjob.cli.cluster_options import cluster_options, connect, timeout
from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.planning import NoPlan, PlanRequest, api_errors, applyset, plan_files
from kubectl_trainjob.cli.streams import emit, emit_after_writes, print_error

if TYPE_CHECKING:
    from kubectl_trainjob.cli.session import Session
    from kubectl_trainjob.cluster.desired_objects import DesiredObject


@dataclass(frozen=True, slots=True)
class _Request(PlanRequest):
    """The options, by their names."""

    create: bool
    timeout: float
    output: str

    def check(self) -> None:
        """Raise a usage error for options that contradict each other."""
        if self.output != "text" and self.create:
            raise click.UsageError("-o prints new keys, and --create keeps them in the cluster; use one of them")
        if self.output != "text" and sys.stdout.isatty():
            raise click.UsageError("-o prints private keys; write them to a file or a pipe")


@click.command(cls=ManualCommand)
@options.paths()
@options.namespace("Namespace for TrainJobs without a namespace.")
@options.selector("Only TrainJobs with these labels.")
@options.trainer_version
@applyset
@click.option("--create", is_flag=True, help="Create those that do not exist.")
@options.output_format("text", "yaml", "json", help_text="A list, or new Secrets with keys.")
@timeout("Longest time of the whole command. The default is 5m.")
@cluster_options
def secrets(**given: Any) -> int:
    """List, create or print."""
    request = _Request(emit="", **given)
    request.check()
    from kubectl_trainjob.cli.session import open_session

    with open_session() as session:
        return _create(request, session) if request.create else _print(request, session)


def _print(request: _Request, session: Session) -> int:
    from kubectl_trainjob.report.cluster.secrets import format_report, list_secrets

    plan = plan_files(request, session, request.namespace)
    if isinstance(plan, NoPlan):
        return 1
    needed = [each for each in plan.objects if each.makes]
    is_list = request.output == "text"
    if not needed:
        print_error("note: no TrainJob needs a Secret")
    emit([(list_secrets(needed) if is_list else format_report(_generate(needed), request.output)).encode()])
    return 0


def _generate(needed: Sequence[DesiredObject]) -> list[Any]:
    from kubectl_trainjob.cluster.secrets import with_content

    return [with_content(each.unmarked, each.makes) for each in needed]


def _create(request: _Request, session: Session) -> int:
    from kubectl_trainjob.cluster.apply import apply
    from kubectl_trainjob.cluster.steps import ApplyOptions
    from kubectl_trainjob.cluster.stores import store_of
    from kubectl_trainjob.report.cluster.apply import format_report

    api = connect(request, request.timeout)
    plan = plan_files(request, session, request.namespace or api.connection.namespace)
    if isinstance(plan, NoPlan):
        return 1
    wanted = replace(plan, objects=[each for each in plan.objects if each.makes])
    with api_errors():
        store = store_of(api, plan.namespace, request.parent)
        result = apply(wanted, ApplyOptions(), store, api, session.context.progress)
    is_shown = emit_after_writes(format_report(result, "text"))
    return 0 if result.is_fine and is_shown else 1
