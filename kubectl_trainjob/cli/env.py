"""`env`: what the processes of one TrainJob will see in their Pods, as text or as JSON."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from kubectl_trainjob.cli import candidates, options
from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.streams import emit, has_colour

if TYPE_CHECKING:
    from kubectl_trainjob.model.stages import ObjectId, TracedJob


@click.command(cls=ManualCommand)
@click.argument("names", nargs=-1, required=True, metavar="[TrainJob] NAME", shell_complete=candidates.objects)
@options.filenames("Manifest, directory or overlay. Can be repeated. The default is the current repository.")
@options.namespace("Namespace of the TrainJob, and for objects without a namespace. The default is any.")
@options.document_output
@options.trainer_version
def env(names: tuple[str, ...], filenames: tuple[str, ...], namespace: str, output: str, trainer_version: str) -> int:
    """Trace the TrainJob, then describe it; findings go to stderr."""
    from dataclasses import replace

    from kubectl_trainjob.cli.tracing import look_up, target_of
    from kubectl_trainjob.kube.facts.trainer import TRAIN_JOB
    from kubectl_trainjob.model.stages import BuildOptions

    target, others = target_of(names, namespace, "TrainJob/llama")
    target = target.as_namespaced or target
    target = target if target.kind else replace(target, kind=TRAIN_JOB)
    if not target.is_training_job or others:
        raise click.UsageError(f'"{" ".join(names)}" is not a TrainJob; write TrainJob/{target.name}')
    seen = look_up(target, filenames, BuildOptions(namespace, trainer_version), beside=("Secret", "ConfigMap"))
    job = seen.found.job if seen.found else None
    if job is None or not job.objects:
        return 1
    _print(job, frozenset(each.identity for each in seen.tracing.others), seen.tracing.trainer, output)
    return int(seen.has_errors)


def _print(job: TracedJob, inputs: frozenset[ObjectId], version: str, output: str) -> None:
    from kubectl_trainjob.explain.environment.describe import describe
    from kubectl_trainjob.repository.positions import Locator

    environment, resolve = describe(job, inputs), Locator().resolve
    if output == "json":
        from kubectl_trainjob.report.env_json import as_json

        emit([as_json(environment, version, resolve).encode()])
        return
    from kubectl_trainjob.report.env_document import document
    from kubectl_trainjob.report.render import render

    described = document(environment, version, resolve)
    emit([render(described, output, colour=has_colour(sys.stdout)).encode()])
