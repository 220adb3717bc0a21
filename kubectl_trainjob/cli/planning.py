"""The shared part of `apply` and `diff --live`: from the options to the desired objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import click

from kubectl_trainjob.cli.cluster_options import ClusterRequest
from kubectl_trainjob.cli.streams import print_error, print_findings
from kubectl_trainjob.model.faults import EnvironmentFault

if TYPE_CHECKING:
    from kubectl_trainjob.cli.session import Session
    from kubectl_trainjob.cluster.plan import ApplyPlan
    from kubectl_trainjob.model.diagnostic import Diagnostic

DEFAULT_SET = "kubectl-trainjob"


@dataclass(frozen=True, slots=True)
class PlanRequest(ClusterRequest):
    """The options that choose the files and the set, by their names."""

    paths: tuple[str, ...]
    filenames: tuple[str, ...]
    namespace: str
    selector: str
    emit: str
    trainer_version: str
    applyset: str

    @property
    def parent(self) -> str:
        """The parent of the set, as a user names it."""
        return self.applyset or DEFAULT_SET


applyset = click.option(
    "--applyset", default="", metavar="NAME", help=f"The set: NAME or trainingset/NAME. The default is {DEFAULT_SET}."
)


class NoPlan(NamedTuple):
    """Why there is nothing to apply: errors of the files, or one of the whole build."""

    findings: Sequence[Diagnostic] = ()
    error: str = ""


def plan_files(request: PlanRequest, session: Session, namespace: str) -> ApplyPlan | NoPlan:
    """What the files want in the cluster; if they have errors, these are printed.

    `namespace` is that of objects without one.
    """
    from kubectl_trainjob.cluster.plan import EmptyPlanError, InvalidFilesError, PlanOptions, make_plan
    from kubectl_trainjob.model.stages import BuildOptions
    from kubectl_trainjob.repository.files.read import deployed_paths, read

    build = BuildOptions(namespace, request.trainer_version, request.emit)
    paths = request.paths + request.filenames or deployed_paths(session.workspace)
    documents = read(paths, session.workspace)
    kind, name = parent_named(request.parent)
    home = namespace if kind == "TrainingSet" else ""
    plan_options = PlanOptions(build, name, request.namespace, request.selector, kind, home)
    try:
        plan = make_plan(documents, plan_options, session.context)
        print_findings(plan.findings)
        return plan
    except InvalidFilesError as error:
        print_findings(error.findings)
        return NoPlan(error.findings)
    except EmptyPlanError as error:
        print_error(f"error: {error}")
        return NoPlan(error=str(error))


def parent_named(text: str) -> tuple[str, str]:
    """The kind and the name of the parent of a set. Raises a usage error for other kinds."""
    from kubectl_trainjob.cluster.stores import kind_and_name

    try:
        return kind_and_name(text)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


@contextmanager
def api_errors() -> Iterator[None]:
    """Errors of the API server that end a command before its first write."""
    from kubectl_trainjob.cluster.errors import ApiError

    try:
        yield
    except ApiError as error:
        raise EnvironmentFault(f"{error.reason}: {error.message}") from None
