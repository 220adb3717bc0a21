"""`build`: files with runtimes and TrainJobs in, what the controllers would create out."""

from __future__ import annotations

import gc
import re
from typing import TYPE_CHECKING, Literal

import click

from kubectl_trainjob.api.supported import TRAINER_VERSIONS
from kubectl_trainjob.cli.streams import complain, emit, standard_input, stderr_has_colour, tell

if TYPE_CHECKING:
    from kubectl_trainjob.stages import Build


_HELP = """Print the JobSets, PodGroups and ConfigMaps that the controllers would create.

PATH is a manifest, a directory (read recursively) or "-" for standard input. Runtimes that the inputs refer to are
also looked up in the folder runtimes/ of the repository. Other kinds of objects are printed unchanged. Nothing is
printed unless everything could be built.

\b
Examples:
  # Expand one job
  kubectl trainjob build job.yaml
\b
  # Expand a directory and compare with the cluster
  kubectl trainjob build jobs/ -n team-a | kubectl diff -f -
\b
  # Read from a pipe, print JSON
  cat job.yaml runtime.yaml | kubectl trainjob build -f - -o json

Exit codes: 0 built, 1 a problem in the files, 2 could not run.
"""


def _namespace(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if value and not re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", value):
        raise click.BadParameter(f'"{value}" is no namespace: up to 63 lower case letters, digits and "-"')
    return value


def _version(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if value and value not in TRAINER_VERSIONS:
        raise click.BadParameter(f'Trainer "{value}" is not supported; supported: {", ".join(TRAINER_VERSIONS)}')
    return value


@click.command(help=_HELP)
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option("-f", "--filename", "filenames", multiple=True, metavar="PATH", help="The same as PATH; may be repeated.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["yaml", "json"]),
    default="yaml",
    show_default=True,
    help="A stream of YAML documents, or one JSON List.",
)
@click.option(
    "-n",
    "--namespace",
    default="",
    callback=_namespace,
    metavar="NAMESPACE",
    help="Namespace of objects that state none.",
)
@click.option(
    "--trainer-version",
    default="",
    callback=_version,
    metavar="VERSION",
    help=f"The Trainer that is meant: {', '.join(TRAINER_VERSIONS)}. By default the repository's target or the last.",
)
@click.option("--allow-empty", is_flag=True, help="Accept inputs that give no object at all.")
def build(
    paths: tuple[str, ...],
    filenames: tuple[str, ...],
    output: Literal["yaml", "json"],
    namespace: str,
    trainer_version: str,
    allow_empty: bool,
) -> int:
    """Run the stages, then write: diagnostics and notes to stderr, the result to stdout when there is no error."""
    if not paths + filenames:
        raise click.UsageError("nothing to build: name a file, a directory or - for standard input")
    gc.disable()  # one batch that keeps what it makes: collecting would only walk it again and again

    from kubectl_trainjob import pipeline
    from kubectl_trainjob.emit.render import render
    from kubectl_trainjob.findings.diagnostic import has_errors
    from kubectl_trainjob.repo.read import read
    from kubectl_trainjob.stages import drain

    options = pipeline.BuildOptions(namespace, trainer_version)
    built = pipeline.build(read(paths + filenames, standard_input), options)  # no name here keeps what was parsed
    _report(built)
    if has_errors(built.diagnostics):
        return 1
    if not built.objects and not allow_empty:
        complain("error: nothing to print: no TrainJob, and no other object besides runtimes (see --allow-empty)")
        return 1
    _note(built)
    objects = list(built.objects)
    del built
    emit(render(drain(objects), output))
    return 0


def _report(built: Build) -> None:
    if not built.diagnostics:
        return
    from kubectl_trainjob.cli.report import report
    from kubectl_trainjob.yamlio.spans import Locator

    tell(report(built.diagnostics, Locator().settle, colour=stderr_has_colour()))


def _note(built: Build) -> None:
    for namespace, name, purpose in sorted({(s.namespace, s.name, s.purpose) for s in built.secrets}):
        where = f"{namespace}/{name}" if namespace else name
        complain(f"note: Secret {where} must exist: {purpose}")
    if built.ignored:
        what = "1 document" if built.ignored == 1 else f"{built.ignored} documents"
        complain(f"note: {what} without apiVersion and kind ignored")
