"""`status`: what the jobs in a cluster do, and what keeps them from starting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kubectl_trainjob.cli import candidates, options
from kubectl_trainjob.cli.cluster_options import ClusterRequest, cluster_options, connect
from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.planning import api_errors, parent_named
from kubectl_trainjob.cli.streams import emit, print_error

if TYPE_CHECKING:
    from kubectl_trainjob.cluster.api import Api
    from kubectl_trainjob.cluster.jobs.find import JobQuery
    from kubectl_trainjob.cluster.jobs.status import JobStatus


@dataclass(frozen=True, slots=True)
class StatusRequest(ClusterRequest):
    """The options, by their names."""

    jobs: tuple[str, ...]
    filenames: tuple[str, ...]
    namespace: str
    all_namespaces: bool
    applyset: str
    selector: str
    watch: bool
    output: str

    def check(self) -> None:
        """Raise a usage error for options that contradict each other."""
        if self.all_namespaces and self.jobs:
            raise click.UsageError("-A shows all jobs of all namespaces; remove JOB")
        if self.applyset:
            parent_named(self.applyset)

    def query(self, home: str) -> JobQuery:
        """The query of the command; `home` is the namespace of the context."""
        from kubectl_trainjob.cluster.jobs.find import JobQuery

        namespace = self.namespace or home
        return JobQuery("" if self.all_namespaces else namespace, namespace, self.jobs, self.selector, self.applyset)


@click.command(cls=ManualCommand)
@click.argument("jobs", nargs=-1, metavar="[JOB...]", shell_complete=candidates.jobs)
@options.filenames("Files of the jobs: the result has their source lines. Can be repeated.")
@options.namespace("Namespace of the jobs. The default is the context's.")
@click.option("-A", "--all-namespaces", is_flag=True, help="Show the jobs of all namespaces.")
@click.option("--applyset", default="", metavar="NAME", help="Only the jobs of this set: NAME or trainingset/NAME.")
@options.selector("Only jobs with these labels.")
@click.option("-w", "--watch", is_flag=True, help="Watch the jobs: show them again when they change, until Ctrl-C.")
@options.output_format("text", "wide", "name", "json", "yaml")
@cluster_options
def status(**given: Any) -> int:
    """Read, decide, report; with --watch again."""
    request = StatusRequest(**given)
    request.check()
    api = connect(request, 0.0)
    look = _Look(api, request)
    with api_errors():
        errors = look()
        for error in errors:
            print_error(f"error: {error}")
        if request.watch and not errors:
            look.for_ever()
    return int(bool(errors))


class _Look:
    """Reads the jobs, and writes those that have changed."""

    def __init__(self, api: Api, request: StatusRequest) -> None:
        from kubectl_trainjob.report.cluster.status import StatusWriter

        self._api, self._request = api, request
        self._query = request.query(api.connection.namespace)
        self._writer = StatusWriter(request.output, has_namespaces=request.all_namespaces)
        self._add_lines = _lines_of(request, api)
        self._known: dict[Any, Any] = {}
        self._is_first = True
        self._spaces = {self._query.namespace}
        self._notes: set[str] = set()

    def __call__(self) -> list[str]:
        """Write the jobs, and the errors for names without a job."""
        from kubectl_trainjob.cluster.jobs.find import find_jobs
        from kubectl_trainjob.cluster.jobs.seen import see
        from kubectl_trainjob.cluster.jobs.status import status_of

        choice = find_jobs(self._api, self._query, self._note)
        found = [self._add_lines(status_of(job)) for job in see(self._api, choice.jobs, self._note)]
        changed = [job for job in found if self._known.get(job.id) != _visible_state(job)]
        is_first, self._is_first = self._is_first, False
        self._known = {job.id: _visible_state(job) for job in found}
        self._spaces.update(job.id.namespace for job in found if self._query.namespace)
        if changed or (is_first and not choice.errors):
            emit([self._writer.written(changed).encode("utf-8", "backslashreplace")])
        if not found and not choice.errors and is_first:
            self._note(f"no jobs found in {self._query.namespace or 'any namespace'}")
        return choice.errors

    def for_ever(self) -> None:
        """Write what changes, until the user ends the command."""
        from kubectl_trainjob.cluster.jobs.changes import Changes

        changes = Changes(self._api)
        while True:
            changes.watch(self._spaces)
            changes.wait()
            self._again()

    def _again(self) -> None:
        """Write what has changed; a server that does not answer is asked again later."""
        from kubectl_trainjob.cluster.errors import ApiError

        try:
            self()
        except ApiError as error:
            if error.reason not in ("Unavailable", "Timeout"):
                raise
            self._note(error.message)

    def _note(self, text: str) -> None:
        """Say something once."""
        if text not in self._notes:
            self._notes.add(text)
            print_error(f"note: {text}")


def _visible_state(job: JobStatus) -> tuple[Any, ...]:
    """What makes a job appear again."""
    return job.state, job.reason, job.message, job.uid, job.roles, job.is_suspended


def _lines_of(request: StatusRequest, api: Api) -> Callable[[JobStatus], JobStatus]:
    """The function that adds source lines."""
    if not request.filenames:
        return lambda job: job
    from kubectl_trainjob.cli.session import open_session
    from kubectl_trainjob.cluster.jobs.lines import with_place
    from kubectl_trainjob.cluster.plan import file_runs
    from kubectl_trainjob.model.stages import BuildOptions
    from kubectl_trainjob.repository.files.read import read

    with open_session() as session:
        documents = read(request.filenames, session.workspace)
        namespace = request.namespace or api.connection.namespace
        files = file_runs(documents, BuildOptions(namespace), session.context)
    return lambda job: with_place(job, files)
