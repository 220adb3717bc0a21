"""`doctor`: what is not in order in a cluster, before something is applied to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kubectl_trainjob.cli import options
from kubectl_trainjob.cli.cluster_options import USUAL_TIMEOUT, ClusterRequest, cluster_options, connect
from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.planning import api_errors
from kubectl_trainjob.cli.streams import emit

if TYPE_CHECKING:
    from kubectl_trainjob.cluster.doctor.facts import Requirements
    from kubectl_trainjob.model.units import Documents


@dataclass(frozen=True, slots=True)
class DoctorRequest(ClusterRequest):
    """The options, by their names."""

    paths: tuple[str, ...]
    namespace: str
    output: str


@click.command(cls=ManualCommand)
@click.argument("paths", nargs=-1, type=options.PathType(), metavar="[PATH...]")
@options.namespace("Namespace whose rights are checked. The default is the context's.")
@options.output_format("text", "json")
@cluster_options
def doctor(**given: Any) -> int:
    """Read, check, report."""
    request = DoctorRequest(**given)
    api = connect(request, USUAL_TIMEOUT)
    from kubectl_trainjob.cluster.doctor.checks import examine
    from kubectl_trainjob.cluster.doctor.facts import read_facts
    from kubectl_trainjob.report.cluster.doctor import format_report

    namespace = request.namespace or api.connection.namespace
    wanted = _requirements(request, namespace)
    with api_errors():
        report = examine(read_facts(api, namespace, wanted), wanted)
    emit([format_report(report, request.output).encode()])
    return int(report.has_errors)


def _requirements(request: DoctorRequest, namespace: str) -> Requirements:
    """What the files want; without files, the runtimes of the catalogue."""
    from kubectl_trainjob.cli.session import open_session
    from kubectl_trainjob.cluster.doctor.facts import Requirements
    from kubectl_trainjob.cluster.plan import EmptyPlanError, InvalidFilesError, PlanOptions, make_plan
    from kubectl_trainjob.kube.facts.supported import LATEST_TRAINER
    from kubectl_trainjob.model.stages import BuildOptions
    from kubectl_trainjob.repository import catalogue
    from kubectl_trainjob.repository.files.read import read

    with open_session() as session:
        documents = read(request.paths or (catalogue.directory(),), session.workspace)
        if not request.paths:
            return Requirements(LATEST_TRAINER, runtimes=_runtimes(documents, LATEST_TRAINER))
        try:
            plan = make_plan(documents, PlanOptions(BuildOptions(namespace), "doctor"), session.context)
        except InvalidFilesError as error:
            return Requirements(LATEST_TRAINER, errors=len(error.findings))
        except EmptyPlanError:
            return Requirements(LATEST_TRAINER, runtimes=_runtimes(documents, LATEST_TRAINER))
    objects = [(each.id, each.body) for each in plan.objects]
    return Requirements(plan.trainer, plan.emit, objects, _runtimes(documents, plan.trainer))


def _runtimes(documents: Documents, trainer: str) -> list[tuple[Any, Any]]:
    from kubectl_trainjob.kube.facts.kinds import is_runtime

    every = (*documents.inputs, *documents.library, *documents.catalogue(trainer))
    return [(each.id, each.body) for each in every if is_runtime(each)]
