"""What all commands share that talk to a cluster: kubectl's options, and the connection that they choose."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kubectl_trainjob.cli.options import PathType, together
from kubectl_trainjob.cli.streams import print_error

if TYPE_CHECKING:
    from kubectl_trainjob.cluster.api import Api
    from kubectl_trainjob.cluster.connection import KubeConnection
    from kubectl_trainjob.cluster.jobs.find import JobChoice

Command = TypeVar("Command", bound=Callable[..., Any])

USUAL_TIMEOUT, USUAL_REQUEST_TIMEOUT = 300.0, 30.0  # seconds


@dataclass(frozen=True, slots=True)
class ClusterRequest:
    """The options of the connection, by their names."""

    kubeconfig: str
    context: str
    as_user: str
    as_group: tuple[str, ...]
    request_timeout: float

    def connection(self) -> KubeConnection:
        """The connection that the options choose. Raises EnvironmentFault."""
        from kubectl_trainjob.cluster.connection import KubeConnection
        from kubectl_trainjob.cluster.login import ConnectionOptions

        if self.as_group and not self.as_user:
            raise click.UsageError("--as-group needs --as")
        return KubeConnection(ConnectionOptions(self.kubeconfig, self.context, self.as_user, self.as_group))


class Duration(click.ParamType[float]):
    """A time as kubectl writes it: `90s`, `5m`, `1h30m`; 0 means no limit. The value is seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The seconds."""
        if isinstance(value, float | int):
            return float(value)
        if re.fullmatch(r"\d+", value):
            return float(value)
        from kubectl_trainjob.cluster.times import parsed_duration

        seconds = parsed_duration(value)
        if seconds is None:
            self.fail(f'"{value}" is not a duration; write 30s, 5m or 1h30m', param, ctx)
        return seconds


class NamedDirectory(click.ParamType[tuple[str, str]]):
    """NAME=PATH."""

    name = "directory"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """The name and the path."""
        name, equals, path = str(value).partition("=")
        if not name or not equals or not path:
            self.fail(f'"{value}" is not NAME=PATH', param, ctx)
        return name, path


cluster_options = together(
    click.option("--context", default="", metavar="NAME", help="Context of the kubeconfig."),
    click.option("--kubeconfig", default="", type=PathType(), metavar="FILE", help="The kubeconfig file."),
    click.option("--as", "as_user", default="", metavar="USER", help="Act as this user."),
    click.option("--as-group", multiple=True, metavar="GROUP", help="Act as a member of this group. Can be repeated."),
    click.option(
        "--request-timeout",
        type=Duration(),
        default=USUAL_REQUEST_TIMEOUT,
        metavar="DURATION",
        help="Longest time of one request. The default is 30s.",
    ),
)
"""`--context`, `--kubeconfig`, `--as`, `--as-group` and `--request-timeout`, as kubectl has them."""


def timeout(help_text: str, default: float | None = USUAL_TIMEOUT) -> Callable[[Command], Command]:
    """`--timeout DURATION`."""
    return click.option("--timeout", type=Duration(), default=default, metavar="DURATION", help=help_text)


def connect(request: ClusterRequest, timeout: float) -> Api:
    """The API server that the options choose; no request was sent yet. Raises EnvironmentFault."""
    import random
    import time

    from kubectl_trainjob.cluster.api import Api
    from kubectl_trainjob.cluster.protocol import Clock

    clock = Clock(time.monotonic, time.sleep, random.random)
    return Api(request.connection(), clock, request.request_timeout, timeout)


def named_jobs(api: Api, namespace: str, names: tuple[str, ...]) -> JobChoice:
    """The jobs that a user names, "" for the namespace of the context; notes go to stderr."""
    from kubectl_trainjob.cluster.jobs.find import JobQuery, find_jobs

    namespace = namespace or api.connection.namespace
    return find_jobs(api, JobQuery(namespace, namespace, names), lambda note: print_error(f"note: {note}"))
