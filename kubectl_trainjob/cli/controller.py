"""`controller`: the loop in a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from kubectl_trainjob.cli import options
from kubectl_trainjob.cli.cluster_options import ClusterRequest, cluster_options
from kubectl_trainjob.cli.planning import api_errors
from kubectl_trainjob.cli.streams import emit, print_error

if TYPE_CHECKING:
    from kubectl_trainjob.cluster.controller.client import Client
    from kubectl_trainjob.cluster.controller.reconcile import LoopSource, Outcome
    from kubectl_trainjob.cluster.controller.source import SourceTree
    from kubectl_trainjob.cluster.controller.training_set import SetKey, TrainingSet
    from kubectl_trainjob.cluster.plan import ApplyPlan
    from kubectl_trainjob.cluster.protocol import Clock, Connection
    from kubectl_trainjob.model.diagnostic import Diagnostic

_MOST_ERRORS = 5

_HELP = """Apply what the TrainingSets of a cluster say.

A TrainingSet names a source and a path in it. The controller builds the path like `build --strict`, and applies it
like `apply`. `once` reconciles every TrainingSet one time, and prints a line for each.

\b
Examples:
  # The TrainingSets of one namespace, with files of this directory
  kubectl trainjob controller once -n research --directory jobs=.

Exit codes: 0 all are ready, 1 a TrainingSet is not ready, 2 the command failed.
"""


@dataclass(frozen=True, slots=True)
class LoopRequest(ClusterRequest):
    """The options of both commands, by their names."""

    mode: str
    namespace: str
    all_namespaces: bool
    directory: tuple[tuple[str, str], ...]
    default_service_account: str
    no_cross_namespace_refs: bool

    def check(self) -> None:
        """Raise a usage error for options that contradict each other."""
        if self.namespace and self.all_namespaces:
            raise click.UsageError("-n and -A cannot be used together")

    def connection(self, user: str) -> Connection:
        """The connection of a user, "" for the one that the options choose."""
        from kubectl_trainjob.cluster.connection import ConnectionOptions, KubeConnection

        groups = () if user else self.as_group
        return KubeConnection(ConnectionOptions(self.kubeconfig, self.context, user or self.as_user, groups))

    def source(self) -> LoopSource:
        """How sources are opened and built."""
        from kubectl_trainjob.cluster.controller.reconcile import LoopSource
        from kubectl_trainjob.cluster.controller.source import directories

        known = {name: os.path.abspath(path) for name, path in self.directory}
        crosses = not self.no_cross_namespace_refs
        return LoopSource(directories(known), built, self.default_service_account, crosses_namespaces=crosses)


class NamedDirectory(click.ParamType[tuple[str, str]]):
    """NAME=PATH."""

    name = "directory"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """The name and the path."""
        name, equals, path = str(value).partition("=")
        if not name or not equals or not path:
            self.fail(f'"{value}" is not NAME=PATH', param, ctx)
        return name, path


def _switch(name: str, help_text: str) -> Callable[[Any], Any]:
    """A flag that is on unless `=false` follows, as Flux has them."""
    return click.option(
        name,
        type=bool,
        is_flag=False,
        flag_value=True,
        default=True,
        show_default="true",
        metavar="BOOL",
        help=help_text,
    )


@click.command(help=_HELP)
@click.argument("mode", type=click.Choice(["once"]), metavar="once")
@options.namespace("Only the TrainingSets of this namespace. The default is the context's, or the Pod's.")
@click.option("-A", "--all-namespaces", is_flag=True, help="The TrainingSets of all namespaces.")
@click.option(
    "--directory",
    multiple=True,
    type=NamedDirectory(),
    metavar="NAME=PATH",
    help="A directory for sources of kind Directory. Can be repeated.",
)
@click.option(
    "--default-service-account",
    default="kubectl-trainjob",
    show_default=True,
    metavar="NAME",
    help="Service account of TrainingSets without one.",
)
@_switch("--no-cross-namespace-refs", "Reject sources in other namespaces.")
@cluster_options
def controller(**given: Any) -> int:
    """Reconcile each TrainingSet in turn."""
    from kubectl_trainjob.cluster.controller.client import Client

    request = LoopRequest(**given)
    request.check()
    client, clock, source = Client(request.connection, request.request_timeout), _clock(), request.source()
    with api_errors():
        keys = _keys(request, client, clock)
    outcomes = [_reconciled(key, source, client, clock) for key in keys]
    emit([f"{_line(each)}\n".encode() for each in outcomes if each.verdict])
    return 0 if all(each.verdict is None or each.verdict.is_ready for each in outcomes) else 1


def _reconciled(key: SetKey, source: LoopSource, client: Client, clock: Clock) -> Outcome:
    """The outcome, also if the TrainingSet itself cannot be read or written."""
    from kubectl_trainjob.cluster.controller.reconcile import Outcome, reconcile_once
    from kubectl_trainjob.cluster.controller.verdict import Verdict
    from kubectl_trainjob.cluster.errors import ApiError
    from kubectl_trainjob.model.faults import EnvironmentFault

    try:
        return reconcile_once(key, source, client, clock)
    except (ApiError, EnvironmentFault) as error:
        return Outcome(key, Verdict("ReconciliationFailed", str(error)))


def _clock() -> Clock:
    import random
    import time

    from kubectl_trainjob.cluster.protocol import Clock

    return Clock(time.monotonic, time.sleep, random.random)


def _keys(request: LoopRequest, client: Client, clock: Clock) -> Sequence[SetKey]:
    from kubectl_trainjob.cluster.controller.training_set import SetKey

    api = client.api("", clock, 0)
    namespace = "" if request.all_namespaces else request.namespace or api.connection.namespace
    found = api.list(api.resource(SetKey("", "").id), namespace)
    keys = sorted(SetKey(each["metadata"]["namespace"], each["metadata"]["name"]) for each in found)
    if not keys:
        print_error("note: there is no TrainingSet")
    return keys


def _line(outcome: Outcome) -> str:
    assert outcome.verdict
    namespace, name = outcome.key
    return (
        f"trainingset.kubectl-trainjob.dev/{name} in {namespace}: {outcome.verdict.reason}: {outcome.verdict.message}"
    )


@contextmanager
def built(tree: SourceTree, wanted: TrainingSet) -> Iterator[ApplyPlan]:
    """Build the path of a TrainingSet like any other directory; nothing above the source counts."""
    from kubectl_trainjob.cli.session import open_session
    from kubectl_trainjob.cluster.controller.source import SourceError
    from kubectl_trainjob.cluster.plan import EmptyPlanError, InvalidFilesError, PlanOptions, make_plan
    from kubectl_trainjob.compiler.executor import IN_PROCESS
    from kubectl_trainjob.model.faults import EnvironmentFault
    from kubectl_trainjob.model.stages import BuildOptions
    from kubectl_trainjob.repository.files.filesystem import Disk
    from kubectl_trainjob.repository.files.find_root import is_below
    from kubectl_trainjob.repository.files.read import read

    namespace, name = wanted.key
    plan_options = PlanOptions(BuildOptions(namespace, is_strict=True), name, parent="TrainingSet", home=namespace)
    with open_session(tree.directory) as session:
        workspace = replace(
            session.workspace, files=Disk(session.workspace.files.current, tree.directory), raises_limits=False
        )
        try:
            if not is_below(tree.directory, os.path.realpath(os.path.join(tree.directory, wanted.path))):
                raise EnvironmentFault(f"{wanted.path} is not below the root of the source")
            plan = make_plan(read((wanted.path,), workspace), plan_options, IN_PROCESS)
        except InvalidFilesError as error:
            raise SourceError(_errors(error.findings), "BuildFailed") from None
        except (EmptyPlanError, EnvironmentFault) as error:
            raise SourceError(str(error), "BuildFailed") from None
        yield plan


def _errors(findings: Sequence[Diagnostic]) -> str:
    """The first errors, at their lines."""
    from kubectl_trainjob.cluster.controller.verdict import shortened
    from kubectl_trainjob.model.rules import Severity
    from kubectl_trainjob.repository.positions import Locator

    resolve = Locator().resolve
    errors = [each for each in findings if each.severity is Severity.ERROR]
    lines = []
    for each in errors[:_MOST_ERRORS]:
        at = resolve(each.place)
        lines.append(f"{at.file.path}:{at.span.line}: {each.message} ({each.rule.id})")
    more = len(errors) - _MOST_ERRORS
    return shortened("; ".join([*lines, *([f"and {more} more errors"] if more > 0 else [])]))
