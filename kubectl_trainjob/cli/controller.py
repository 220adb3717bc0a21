"""`controller`: the loop in a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from kubectl_trainjob.cli import options
from kubectl_trainjob.cli.cluster_options import Duration, NamedDirectory, cluster_options
from kubectl_trainjob.cli.loop_request import LoopRequest
from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.planning import api_errors
from kubectl_trainjob.cli.streams import emit_after_writes, print_error

if TYPE_CHECKING:
    from kubectl_trainjob.cluster.controller.client import Client
    from kubectl_trainjob.cluster.controller.reconcile import LoopSource, Outcome
    from kubectl_trainjob.cluster.controller.training_set import SetKey
    from kubectl_trainjob.cluster.protocol import Clock, Connection


def _switch(name: str, help_text: str) -> Callable[[Any], Any]:
    """A flag that is on unless `=false` follows, as Flux has them."""
    return click.option(
        name,
        type=bool,
        is_flag=False,
        flag_value=True,
        default=True,
        metavar="BOOL",
        help=f"{help_text} The default is true.",
    )


def _duration(name: str, seconds: float, shown: str, help_text: str) -> Callable[[Any], Any]:
    described = f"{help_text} The default is {shown}."
    return click.option(name, type=Duration(), default=seconds, metavar="DURATION", help=described)


def _address(name: str, default: str, help_text: str) -> Callable[[Any], Any]:
    return click.option(name, default=default, show_default=True, metavar="ADDRESS", help=help_text)


@click.command(cls=ManualCommand)
@click.argument("mode", type=click.Choice(["run", "once"]), metavar="run|once")
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
    "--concurrent",
    type=click.IntRange(1),
    metavar="N",
    default=2,
    show_default=True,
    help="With run: reconciles at the same time.",
)
@_duration("--resync", 600, "10m", "With run: time between two lists of all TrainingSets.")
@click.option(
    "--default-service-account",
    default="kubectl-trainjob",
    show_default=True,
    metavar="NAME",
    help="Service account of TrainingSets without one.",
)
@_switch("--no-cross-namespace-refs", "Reject sources in other namespaces.")
@click.option("--shadow", is_flag=True, help="Compare TrainJobs with what Trainer creates, and write only the result.")
@options.trainer_version
@_switch("--leader-elect", "With run: write only while this replica holds the Lease kubectl-trainjob-controller.")
@_duration("--leader-elect-lease-duration", 35, "35s", "Time after which another replica takes the Lease.")
@_duration("--leader-elect-renew-deadline", 30, "30s", "Time after which a holder that cannot renew it stops.")
@_duration("--leader-elect-retry-period", 5, "5s", "Time between two renewals.")
@click.option(
    "--lease-namespace",
    default="",
    metavar="NS",
    help="Namespace of the Lease. The default is that of -n, else the Pod's.",
)
@click.option(
    "--storage-path",
    default="",
    metavar="DIR",
    help="Directory for artifacts, which only this process writes. The default is the temporary one of the system.",
)
@_address("--storage-addr", ":9090", "With run: address that serves the artifacts of TrainingSets.")
@click.option(
    "--storage-adv-address",
    default="",
    metavar="HOST",
    help="With run: host, with a port except 80, where others find --storage-addr. Without it, none are served.",
)
@_address("--metrics-bind-address", ":8080", "With run: address of /metrics; 0 for none.")
@_address("--health-probe-bind-address", ":9440", "With run: address of /healthz and /readyz; 0 for none.")
@cluster_options
def controller(**given: Any) -> int:
    """Reconcile each TrainingSet in turn, or for ever."""
    request = LoopRequest(**given)
    request.check()
    return _run(request) if request.mode == "run" else _once(request)


def _once(request: LoopRequest) -> int:
    from kubectl_trainjob.cluster.controller.client import Client
    from kubectl_trainjob.report.phrases import shown_lines

    clock, source = _clock(), request.source(None)
    with api_errors():
        own = request.connection()
        client = Client(lambda user: own.as_user(user) if user else own, request.request_timeout)
        keys = _keys(request, client, clock)
    outcomes = [_reconciled(key, source, client, clock) for key in keys]
    is_shown = emit_after_writes(shown_lines(_line(each) for each in outcomes if each.verdict))
    left = [each.key.name for each in outcomes if each.is_left]
    if left:
        print_error(f"note: --shadow leaves TrainingSets of other sources unchanged: {', '.join(left)}")
    for note in sorted({each.note for each in outcomes} - {""}):
        print_error(f"note: {note}")
    return 0 if is_shown and all(each.verdict is None or each.verdict.is_ready for each in outcomes) else 1


def _run(request: LoopRequest) -> int:
    """Reconcile until a signal; the process ends at once if another replica has the Lease."""
    import gc
    import signal
    import sys

    from kubectl_trainjob.cluster.controller.client import Client, FencedConnection
    from kubectl_trainjob.cluster.controller.metrics import Metrics
    from kubectl_trainjob.cluster.controller.run import Loop, LoopOptions, measured, run
    from kubectl_trainjob.cluster.controller.serving import serve, serve_files

    gc.enable()
    metrics, clock, own = Metrics(), _clock(), request.connection()
    leader = request.leader(own, clock)

    def fenced(user: str) -> Connection:
        left = (lambda: leader.left) if leader else (lambda: float("inf"))
        return FencedConnection(own.as_user(user) if user else own, left, partial(metrics.count_request, own.host))

    client = Client(fenced, request.request_timeout)
    limits = LoopOptions(request.watched(own.namespace), request.concurrent, request.resync)
    storage = request.storage()
    loop = Loop(client, measured(request.source(storage), metrics, clock), clock, limits, metrics, print_error)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: loop.stop.set())
    if storage:
        serve_files(request.storage_addr, storage.find)
    serve(request.metrics_bind_address, {"/metrics": loop.page})
    probes = {"/healthz": lambda: _probe(loop.is_alive), "/readyz": lambda: _probe(loop.is_ready)}
    serve(request.health_probe_bind_address, probes)
    if run(loop, leader, request.leader_elect_retry_period):
        return 0
    print_error("error: the Lease was lost; another replica continues")
    sys.stderr.flush()
    os._exit(3)  # without waiting for threads, whose writes are no longer sent


def _probe(is_fine: bool) -> tuple[int, str]:
    return (200, "ok\n") if is_fine else (503, "not ok\n")


def _reconciled(key: SetKey, source: LoopSource, client: Client, clock: Clock) -> Outcome:
    """The result, also if the TrainingSet itself cannot be read or written."""
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

    boot = getattr(time, "CLOCK_BOOTTIME", None)  # unlike the monotonic one, it counts while the machine is suspended
    return Clock(partial(time.clock_gettime, boot) if boot else time.monotonic, time.sleep, random.random)


def _keys(request: LoopRequest, client: Client, clock: Clock) -> Sequence[SetKey]:
    from kubectl_trainjob.cluster.controller.training_set import SetKey

    api = client.api("", clock, 0)
    found = api.list(api.resource(SetKey("", "").id), request.watched(api.connection.namespace))
    keys = sorted(SetKey(each["metadata"]["namespace"], each["metadata"]["name"]) for each in found)
    if not keys:
        print_error("note: no TrainingSet exists")
    return keys


def _line(outcome: Outcome) -> str:
    assert outcome.verdict
    namespace, name = outcome.key
    return (
        f"trainingset.kubectl-trainjob.dev/{name} in {namespace}: {outcome.verdict.reason}: {outcome.verdict.message}"
    )
