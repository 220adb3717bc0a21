"""`logs`: the output of one Pod of a job, by rank or role."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kubectl_trainjob.cli import candidates, options
from kubectl_trainjob.cli.cluster_options import ClusterRequest, cluster_options, connect, named_jobs
from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.planning import api_errors
from kubectl_trainjob.cli.streams import is_ci_log, print_error
from kubectl_trainjob.kube.facts.kinds import object_words
from kubectl_trainjob.model.faults import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubectl_trainjob.cluster.api import Api
    from kubectl_trainjob.cluster.jobs.find import FoundJob
    from kubectl_trainjob.cluster.logs.slots import PodSlot


@dataclass(frozen=True, slots=True)
class LogsRequest(ClusterRequest):
    """The options, by their names."""

    job: tuple[str, ...]
    namespace: str
    rank: int | None
    role: str
    index: int | None
    container: str
    follow: bool
    previous: bool
    tail: int | None

    def check(self) -> None:
        """Raise a usage error for options that contradict each other."""
        if len(object_words(self.job)[0]) > 1:
            raise click.UsageError(f'logs prints one job; remove "{self.job[-1]}"')
        if self.role and self.rank is not None:
            raise click.UsageError("--rank and --role both choose the Pod; remove one of them")
        if self.index is not None and not self.role:
            raise click.UsageError("--index needs --role")
        if self.follow and self.previous:
            raise click.UsageError("-p prints a log that has ended; remove -f")


_COUNT = click.IntRange(min=0)


@click.command(cls=ManualCommand)
@click.argument("job", nargs=-1, required=True, metavar="JOB", shell_complete=candidates.jobs)
@options.namespace("Namespace of the job. The default is the context's.")
@click.option("--rank", type=_COUNT, metavar="N", help="The Pod with this rank. The default is 0.")
@click.option("--role", default="", metavar="ROLE", help="A Pod of this replicatedJob.")
@click.option("--index", type=_COUNT, metavar="N", help="With --role: which Pod. The default is 0.")
@click.option(
    "-c", "--container", default="", metavar="CONTAINER", help="The container. The default is the one that trains."
)
@click.option("-f", "--follow", is_flag=True, help="Print lines as they come, also after restarts.")
@click.option("-p", "--previous", is_flag=True, help="Print the log before the last restart.")
@click.option("--tail", type=_COUNT, metavar="N", help="Only the last lines.")
@cluster_options
def logs(**given: Any) -> int:
    """Find the Pod, and print."""
    request = LogsRequest(**given)
    request.check()
    api = connect(request, 0.0)
    from kubectl_trainjob.cluster.logs.slots import NoSlotError

    try:
        with api_errors():
            job, error = _find_job(request, api)
            if job is None:
                print_error(f"error: {error}")
                return 1
            return _print(request, api, job)
    except NoSlotError as error:
        print_error(f"error: {error}")
        return 1


def _find_job(request: LogsRequest, api: Api) -> tuple[FoundJob | None, str]:
    choice = named_jobs(api, request.namespace, request.job)
    job = choice.jobs[0] if choice.jobs else None
    if job is not None and job.run is None:
        return None, f"{job} no longer exists, and neither do its Pods"
    return job, choice.errors[0] if choice.errors else ""


def _print(request: LogsRequest, api: Api, job: FoundJob) -> int:
    from kubectl_trainjob.cluster.errors import ApiError
    from kubectl_trainjob.cluster.logs.stream import LogOptions, LogReader

    slot = _slot(request, api, job)
    if slot.note:
        print_error(f"note: {slot.note}")
    wanted = LogOptions(request.container, request.follow, request.previous, request.tail)
    reader = LogReader(api, job, slot, wanted, _writer(), lambda note: print_error(f"note: {note}"))
    try:
        if request.follow:
            reader.follow()
        else:
            reader.read()
    except ApiError as error:
        if error.reason in ("Forbidden", "Unauthorized"):
            raise
        print_error(f"error: {error.message}")
        return 1
    return 0


def _slot(request: LogsRequest, api: Api, job: FoundJob) -> PodSlot:
    from kubectl_trainjob.cluster.logs.slots import slot_of_rank, slot_of_role
    from kubectl_trainjob.kube.launch.inferred_launch import mounted_config_map
    from kubectl_trainjob.model.stages import ObjectId

    if request.role:
        return slot_of_role(job, request.role, request.index or 0)
    name = mounted_config_map(job.jobset) if job.jobset else ""
    listed = api.get(ObjectId("v1", "ConfigMap", job.id.namespace, name)) if name else None
    objects = [each for each in (job.jobset, listed) if each is not None]
    return slot_of_rank(job, objects, request.rank or 0)


def _writer() -> Callable[[bytes], None]:
    """Writes lines at once. A pipe and a file get the bytes of the Pod, but a terminal and a CI system safe text."""
    if sys.stdout is None:
        raise EnvironmentFault("standard output is closed, so the result has nowhere to go")
    from kubectl_trainjob.report.phrases import log_line

    out, is_terminal = sys.stdout.buffer, sys.stdout.isatty()
    is_safe = not is_terminal and not is_ci_log(sys.stdout)

    def write(line: bytes) -> None:
        out.write(line + b"\n" if is_safe else log_line(line, is_terminal=is_terminal))
        out.flush()

    return write
