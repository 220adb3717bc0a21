"""`build`: files with runtimes and TrainJobs in, what the controllers would create out."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from kubectl_trainjob.cli import options
from kubectl_trainjob.cli.streams import complain, emit, stderr_has_colour, tell
from kubectl_trainjob.kube.facts.supported import EMITS

if TYPE_CHECKING:
    from kubectl_trainjob.model.limits import Limits
    from kubectl_trainjob.model.stages import Build, Output


_MOST_SECRETS = 100  # named one by one

_HELP = """Print the JobSets, PodGroups and ConfigMaps that the controllers create for TrainJobs.

PATH is a manifest, a directory, the directory of an overlay, or "-" for standard input. Directories are read
recursively. Without PATH, the command builds the repository of the current directory.

A TrainJob can use a runtime from the inputs or from the folder runtimes/ of the repository. Objects of other kinds
are printed unchanged. If any object has an error, nothing is printed.

\b
Examples:
  # Build one job
  kubectl trainjob build job.yaml
\b
  # Build an environment
  kubectl trainjob build overlays/prod
\b
  # Build a directory and compare the result with the cluster
  kubectl trainjob build jobs/ -n team-a | kubectl diff -f -
\b
  # Read standard input, print JSON
  cat job.yaml runtime.yaml | kubectl trainjob build -f - -o json
\b
  # Write one file per object, and remove files that are out of date
  kubectl trainjob build overlays/prod -O manifests/prod

Exit codes: 0 built, 1 the files have errors, 2 the command failed.
"""


def _directory(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str:
    if value == "":
        raise click.BadParameter("the directory has no name; is a variable unset?")
    return value or ""


def _or_nothing(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str:
    return value or ""


@dataclass(frozen=True, slots=True)
class _Request:
    """What was asked for; the names are those of the options."""

    paths: tuple[str, ...]
    filenames: tuple[str, ...]
    output: Literal["yaml", "json"]
    output_directory: str
    namespace: str
    trainer_version: str
    emit: str
    strict: bool
    allow_empty: bool


@click.command(help=_HELP)
@click.argument("paths", nargs=-1, type=options.PathType(), metavar="[PATH...]")
@options.filenames("Same as PATH. Can be repeated.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["yaml", "json"]),
    default="yaml",
    show_default=True,
    help="Print a stream of YAML documents, or one JSON List.",
)
@click.option(
    "-O",
    "--output-directory",
    callback=_directory,
    type=options.PathType("dir"),
    metavar="DIR",
    help="Write one file per object to DIR instead, and remove files of earlier builds that are out of date.",
)
@options.namespace("Namespace for objects without a namespace.")
@click.option(
    "--emit",
    type=click.Choice(EMITS),
    callback=_or_nothing,
    help="Print JobSets, for clusters without Trainer, or the checked TrainJobs, for clusters with Trainer. "
    "The default is the setting in trainjob.yaml, else jobset.",
)
@options.trainer_version
@click.option("--strict", is_flag=True, help="Also reject JobSets whose Jobs the API server will reject.")
@click.option("--allow-empty", is_flag=True, help="Accept inputs without any object to print.")
def build(**given: Any) -> int:
    """Run the stages, then write: diagnostics and notes to stderr, the result to stdout when there is no error."""
    gc.disable()  # one batch that keeps what it makes: collecting would only walk it again and again
    request = _Request(**given)
    if request.output_directory and request.output == "json":
        raise click.UsageError("files are written as YAML; leave out -o json, or -O")
    from kubectl_trainjob.cli.workspace import open_workspace
    from kubectl_trainjob.compiler import pipeline
    from kubectl_trainjob.compiler.parallel import Means
    from kubectl_trainjob.model.diagnostic import has_errors
    from kubectl_trainjob.model.stages import BuildOptions
    from kubectl_trainjob.repository.files.read import read
    from kubectl_trainjob.repository.output.render import printer

    wanted = BuildOptions(request.namespace, request.trainer_version, request.emit, request.strict)
    with open_workspace() as workspace:  # no name here keeps what was parsed
        means = Means(printer(request.output), workspace.progress)
        built = pipeline.build(read(request.paths + request.filenames, workspace), wanted, means)
    _report(built)
    if has_errors(built.diagnostics):
        return 1
    if not built.outputs and not request.allow_empty:
        complain("error: nothing to print: no TrainJob, and no other object besides runtimes (see --allow-empty)")
        _note_overlays(built)
        return 1
    _note(built)
    if request.output_directory:
        _write_files(built, request.output_directory)
    else:
        outputs, limits = list(built.outputs), built.limits
        del built  # each body goes when it has been printed
        _print(outputs, request.output, limits)
    return 0


def _print(outputs: list[Output], fmt: Literal["yaml", "json"], limits: Limits) -> None:
    from kubectl_trainjob.repository.output.render import joined, texts

    emit(joined(texts(outputs, fmt), fmt), limits.output_bytes)


def _write_files(built: Build, directory: str) -> None:
    from kubectl_trainjob.repository.output.directory import write_directory
    from kubectl_trainjob.repository.output.layout import layout
    from kubectl_trainjob.repository.output.render import texts

    paths = layout(output.identity for output in built.outputs)
    files = zip(paths, map(bytes.decode, texts(list(built.outputs), "yaml")), strict=True)
    result = write_directory(directory, files, built.read_from, built.limits.output_bytes)
    counts = (("created", result.created), ("changed", result.changed), ("removed", result.removed))
    for word, changed in counts:
        for path in changed:
            complain(f"{word} {directory.rstrip('/')}/{path}")
    complain(f"note: {len(result.unchanged)} of {len(paths)} files unchanged")


def _report(built: Build) -> None:
    if not built.diagnostics:
        return
    from kubectl_trainjob.report.diagnostics import report
    from kubectl_trainjob.repository.positions import Locator

    tell(report(built.diagnostics, Locator().settle, colour=stderr_has_colour()))


def _warn(built: Build) -> None:
    """One line for all Jobs that the API server will refuse; lint tells them one by one."""
    from kubectl_trainjob.repository.positions import Locator

    jobs = {(each.subject.namespace, each.subject.object): each for each in built.late if each.subject}
    first = next(iter(jobs.values()))
    spot = Locator().settle(first.place)
    count = "a JobSet" if len(jobs) == 1 else f"{len(jobs)} JobSets"
    where = f"{spot.file.path}:{spot.span.line}: {first.rule.id} {first.message}"
    complain(f"warning: {count} will be accepted and never start ({where}); kubectl trainjob lint tells all")


def _note(built: Build) -> None:
    if built.late:
        _warn(built)
    secrets = sorted({(s.namespace, s.name, s.purpose) for s in built.secrets})
    for namespace, name, purpose in secrets[:_MOST_SECRETS]:
        where = f"{namespace}/{name}" if namespace else name
        complain(f"note: Secret {where} must exist: {purpose}")
    if len(secrets) > _MOST_SECRETS:
        complain(f"note: Secrets that must exist besides these: {len(secrets) - _MOST_SECRETS}")
    _note_overlays(built)
    if built.ignored:
        what = "1 document" if built.ignored == 1 else f"{built.ignored} documents"
        complain(f"note: {what} without apiVersion and kind ignored")


def _note_overlays(built: Build) -> None:
    if built.passed_by:
        complain(f"note: not read: {', '.join(built.passed_by)}")
    if built.left_out:
        what = "an overlay is" if len(built.left_out) == 1 else "overlays are"
        complain(f"note: {what} built only when named: {', '.join(built.left_out)}")
