"""Completion of names: objects of the files, jobs of a cluster, git references and rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from kubectl_trainjob.model.stages import ObjectId

_SECONDS = 3.0  # for a cluster: users wait for the answer


def rules(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ids of rules, also after a comma."""
    from click.shell_completion import CompletionItem

    from kubectl_trainjob.model.rules import RULES

    before, comma, start = incomplete.rpartition(",")
    found = (rule for rule in RULES.values() if rule.id.startswith(start.upper()))
    return [CompletionItem(f"{before}{comma}{rule.id}", help=rule.name) for rule in found]


def references(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Branches and tags, also as the second of `A..B`."""
    from kubectl_trainjob.cli.session import open_session
    from kubectl_trainjob.repository.git.commits import Repository

    before, dots, start = incomplete.rpartition("..")
    dots += "." if start.startswith(".") else ""
    with open_session() as session, Repository(session.workspace.files.current) as repository:
        names = ["HEAD", *repository.names()]
    return [f"{before}{dots}{name}" for name in names if name.startswith(start.removeprefix("."))]


def objects(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The objects of the files as KIND/NAME, or as NAME after their kind."""
    from kubectl_trainjob.kube.facts.kinds import means_kind, means_training_job

    words = context.params.get(parameter.name or "") or ()
    only_jobs = context.info_name == "env"
    found = [each for each in _objects(context) if not only_jobs or means_training_job(each.kind)]
    if words:
        kind = words[0].partition(".")[0] if len(words) == 1 else ""
        names = [each.name for each in found if means_kind(kind, each.kind)]
    else:
        names = [f"{each.kind}/{each.name}" for each in found]
    return [name for name in dict.fromkeys(names) if name.lower().startswith(incomplete.lower())]


def _objects(context: click.Context) -> Iterator[ObjectId]:
    from kubectl_trainjob.cli.session import open_session
    from kubectl_trainjob.model.units import manifests_of
    from kubectl_trainjob.repository.files.read import read

    with open_session() as session:
        documents = read(context.params.get("filenames") or (), session.workspace, is_lenient=True)
    yield from (each.id for each in documents.inputs if each.id.name)
    yield from (each.id for unit in documents.units for each in manifests_of(unit) if each.id.name)


def jobs(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """The jobs in the namespace of the cluster, as `NAME`, or as `KIND/NAME` after a slash."""
    from dataclasses import fields

    from kubectl_trainjob.cli.cluster_options import ClusterRequest, connect
    from kubectl_trainjob.cluster.jobs.find import JobQuery, find_jobs

    given: dict[str, Any] = {each.name: context.params[each.name] for each in fields(ClusterRequest)}
    api = connect(ClusterRequest(**{**given, "request_timeout": _SECONDS}), _SECONDS)
    namespace = context.params.get("namespace") or api.connection.namespace
    found = find_jobs(api, JobQuery(namespace, namespace), lambda _note: None).jobs
    names = [str(job) if "/" in incomplete else job.id.name for job in found]
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]
