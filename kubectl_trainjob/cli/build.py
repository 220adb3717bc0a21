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
    from kubectl_trainjob.compiler.compilation import Compilation, Findings, Reading
    from kubectl_trainjob.compiler.printing import AnyObject, Printed
    from kubectl_trainjob.model.limits import Limits
    from kubectl_trainjob.repository.files.current import CurrentDirectory
    from kubectl_trainjob.repository.files.filesystem import Workspace


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
    from kubectl_trainjob.compiler.printing import build_findings, printed_objects
    from kubectl_trainjob.model.diagnostic import has_errors

    with open_workspace() as workspace:
        compilation = _compiled(request, workspace)
    findings = build_findings(compilation, is_strict=request.strict)
    _report(findings)
    if has_errors(findings):
        return 1
    objects, reading = list(printed_objects(compilation)), compilation.reading
    if not objects and not request.allow_empty:
        complain("error: nothing to print: no TrainJob, and no other object besides runtimes (see --allow-empty)")
        _note_overlays(reading)
        return 1
    _note(compilation)
    del compilation  # each body is freed when it has been printed
    if request.output_directory:
        _write_files(objects, request.output_directory, reading, workspace.files.current)
    else:
        _print(objects, request.output, reading.limits)
    return 0


def _compiled(request: _Request, workspace: Workspace) -> Compilation[Printed]:
    from kubectl_trainjob.cli.workers import Forked
    from kubectl_trainjob.compiler import pipeline
    from kubectl_trainjob.compiler.executor import BuildContext
    from kubectl_trainjob.model.stages import BuildOptions
    from kubectl_trainjob.repository.files.read import read
    from kubectl_trainjob.repository.output.render import printer

    options = BuildOptions(request.namespace, request.trainer_version, request.emit)
    context, paths = BuildContext(Forked(), workspace.progress), request.paths + request.filenames
    return pipeline.build(read(paths, workspace), options, printer(request.output), context)


def _print(objects: list[AnyObject], fmt: Literal["yaml", "json"], limits: Limits) -> None:
    from kubectl_trainjob.repository.output.render import joined, texts

    emit(joined(texts(objects, fmt), fmt), limits.output_bytes)


def _write_files(objects: list[AnyObject], directory: str, reading: Reading, current: CurrentDirectory) -> None:
    from kubectl_trainjob.repository.output.directory import write_directory
    from kubectl_trainjob.repository.output.layout import layout
    from kubectl_trainjob.repository.output.render import texts

    paths = layout(each.id for each in objects)
    files = zip(paths, map(bytes.decode, texts(objects, "yaml")), strict=True)
    result = write_directory(directory, files, reading.read_from, current, reading.limits.output_bytes)
    counts = (("created", result.created), ("changed", result.changed), ("removed", result.removed))
    for word, changed in counts:
        for path in changed:
            complain(f"{word} {directory.rstrip('/')}/{path}")
    complain(f"note: {len(result.unchanged)} of {len(paths)} files unchanged")


def _report(findings: Findings) -> None:
    if not findings:
        return
    from kubectl_trainjob.report.diagnostics import report
    from kubectl_trainjob.repository.positions import Locator

    tell(report(findings, Locator().settle, colour=stderr_has_colour()))


def _warn(late: Findings) -> None:
    """One line for all Jobs that the API server will refuse; lint tells them one by one."""
    from kubectl_trainjob.repository.positions import Locator

    jobs = {(each.subject.namespace, each.subject.object): each for each in late if each.subject}
    first = next(iter(jobs.values()))
    spot = Locator().settle(first.place)
    count = "a JobSet" if len(jobs) == 1 else f"{len(jobs)} JobSets"
    where = f"{spot.file.path}:{spot.span.line}: {first.rule.id} {first.message}"
    complain(f"warning: {count} will be accepted and never start ({where}); kubectl trainjob lint tells all")


def _note(compilation: Compilation[Printed]) -> None:
    from kubectl_trainjob.compiler.printing import late_findings, required_secrets

    late = late_findings(compilation)
    if late:
        _warn(late)
    secrets = sorted({(s.namespace, s.name, s.purpose) for s in required_secrets(compilation)})
    for namespace, name, purpose in secrets[:_MOST_SECRETS]:
        where = f"{namespace}/{name}" if namespace else name
        complain(f"note: Secret {where} must exist: {purpose}")
    if len(secrets) > _MOST_SECRETS:
        complain(f"note: Secrets that must exist besides these: {len(secrets) - _MOST_SECRETS}")
    reading = compilation.reading
    _note_overlays(reading)
    if reading.ignored:
        what = "1 document" if reading.ignored == 1 else f"{reading.ignored} documents"
        complain(f"note: {what} without apiVersion and kind ignored")


def _note_overlays(reading: Reading) -> None:
    if reading.passed_by:
        complain(f"note: not read: {', '.join(reading.passed_by)}")
    if reading.left_out:
        what = "an overlay is" if len(reading.left_out) == 1 else "overlays are"
        complain(f"note: {what} built only when named: {', '.join(reading.left_out)}")
