"""`env`: one TrainJob in, what the processes in its Pods will find out, as text or as JSON."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

import click

from kubectl_trainjob.cli import options
from kubectl_trainjob.cli.streams import emit, has_colour

if TYPE_CHECKING:
    from kubectl_trainjob.model.stages import ObjectId, TracedJob

_HELP = """Show what the processes of a TrainJob will find in their Pods.

For each role, that is, each replicatedJob of the JobSet: environment, command line, ports, the names of the Pods, and
how many processes run and why. Then the world size, MPI's hostfile, where the processes meet, which Secrets and
ConfigMaps must exist, and what disagrees. Each value has the line to edit, or what wrote it. References to Secrets and
ConfigMaps are shown as references, and $(NAME), which the kubelet expands, as it is written; nothing is looked up in a
cluster. Flags of torchrun and mpirun count before what Trainer sets, where they are plainly in the command.

\b
Examples:
  # A job of the repository that the current directory lies in
  kubectl trainjob env TrainJob/bert
\b
  # As an overlay makes it
  kubectl trainjob env -f overlays/prod TrainJob/bert-prod
\b
  # For another program
  kubectl trainjob env TrainJob/bert -o json | jq .worldSize.value

Exit codes: 0 shown, 1 a problem in the files (there may be no such TrainJob), 2 could not run.
"""


@click.command(help=_HELP)
@click.argument("name", metavar="TrainJob/NAME")
@options.filenames("What to read, as PATH of build; may be repeated. By default the current directory's repository.")
@options.namespace("The TrainJob's namespace, and that of objects that state none. By default any.")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
@options.trainer_version
def env(name: str, filenames: tuple[str, ...], namespace: str, output: str, trainer_version: str) -> int:
    """Trace the TrainJob, then describe it; findings go to stderr."""
    gc.disable()  # as in build: a short life, in which nearly everything is kept
    from kubectl_trainjob.cli.tracing import look_up, target_of
    from kubectl_trainjob.kube.facts.trainer import TRAIN_JOB
    from kubectl_trainjob.model.stages import BuildOptions

    target = target_of(name, namespace, "TrainJob/llama")
    if not target.is_kind(TRAIN_JOB):
        raise click.UsageError(f'"{name}" is no TrainJob; write TrainJob/{target.name}')
    seen = look_up(target, filenames, BuildOptions(namespace, trainer_version), beside=("Secret", "ConfigMap"))
    job = seen.found.job if seen.found else None
    if job is None or not job.objects:
        return 1
    _print(job, frozenset(each.identity for each in seen.tracing.others), seen.tracing.trainer, output)
    return int(seen.has_errors)


def _print(job: TracedJob, inputs: frozenset[ObjectId], version: str, output: str) -> None:
    from kubectl_trainjob.explain.environment.describe import describe
    from kubectl_trainjob.repository.positions import Locator

    environment, settle = describe(job, inputs), Locator().settle
    if output == "json":
        from kubectl_trainjob.report.env_json import as_json

        emit([as_json(environment, version, settle).encode()])
        return
    from kubectl_trainjob.report.env_text import as_text

    emit([as_text(environment, version, settle, colour=has_colour(sys.stdout)).encode()])
