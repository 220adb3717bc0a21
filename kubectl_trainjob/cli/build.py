"""`build`: files with runtimes and TrainJobs in, what the controllers would create out."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import click

from kubectl_trainjob.cli import options
from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.streams import (
    emit,
    is_quiet,
    note_no_objects,
    note_skipped,
    note_unread_overlays,
    print_error,
    print_findings,
)

if TYPE_CHECKING:
    from kubectl_trainjob.cli.session import Session
    from kubectl_trainjob.compiler.compilation import Compilation, Findings, Reading
    from kubectl_trainjob.compiler.printing import AnyObject, PrintedJob
    from kubectl_trainjob.model.limits import Limits
    from kubectl_trainjob.repository.files.find_root import CurrentDirectory


_MOST_SECRETS = 100  # in the notes


def _directory(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str:
    if value == "":
        raise click.BadParameter("the directory has no name; write -O DIR (is a variable unset?)")
    return value or ""


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """The options, by their names."""

    paths: tuple[str, ...]
    filenames: tuple[str, ...]
    output: Literal["yaml", "json"]
    output_directory: str
    namespace: str
    trainer_version: str
    emit: str
    strict: bool
    allow_empty: bool
    consumer: str


@click.command(cls=ManualCommand)
@options.paths()
@options.output_format("yaml", "json", help_text="Print a stream of YAML documents, or one JSON List.")
@click.option(
    "-O",
    "--output-directory",
    callback=_directory,
    type=options.PathType("dir"),
    metavar="DIR",
    help="Write one file per object to DIR instead, and remove files of earlier builds that are out of date.",
)
@options.namespace("Namespace for objects without a namespace.")
@options.emit("Print JobSets, for clusters without Trainer, or the checked TrainJobs, for clusters with Trainer.")
@options.trainer_version
@click.option("--strict", is_flag=True, help="Also reject JobSets whose Jobs the API server will reject.")
@click.option("--allow-empty", is_flag=True, help="Accept inputs without any object to print.")
@click.option(
    "--for",
    "consumer",
    type=click.Choice(["argocd"]),
    callback=lambda _context, _parameter, value: value or "",
    help="Build as the plugin of Argo CD does (`help argocd`).",
)
def build(**given: Any) -> int:
    """Compile, then write: findings and notes to stderr, the objects to stdout or to files if there is no error."""
    request = BuildRequest(**given)
    if request.output_directory and request.output == "json":
        raise click.UsageError("files are written as YAML; remove -o json or -O")
    if request.consumer:
        return _build_for_argocd(request)
    from kubectl_trainjob.cli.session import open_session
    from kubectl_trainjob.compiler.printing import build_findings, printed_objects
    from kubectl_trainjob.model.diagnostic import has_errors

    with open_session() as session:
        compilation = _compile(request, session)
    findings = build_findings(
        compilation, is_strict=request.strict, is_set=bool(request.output_directory), namespace=request.namespace
    )
    print_findings(findings)
    if has_errors(findings):
        return 1
    objects, reading = list(printed_objects(compilation)), compilation.reading
    if not objects and not request.allow_empty:
        print_error("error: nothing to print: the inputs have no object except runtimes (see --allow-empty)")
        _note_overlays(reading)
        if reading.is_empty and not reading.unread_overlays:
            note_no_objects()
        return 1
    _note(compilation)
    del compilation  # each body is freed when it has been printed
    if request.output_directory:
        _write_files(objects, request.output_directory, reading, session.workspace.files.current)
    else:
        _print(objects, request.output, reading.limits)
    return 0


def _build_for_argocd(request: BuildRequest) -> int:
    """Print only a complete, strict build that is not empty: Argo CD deletes what the output lacks."""
    from kubectl_trainjob.cli import argocd
    from kubectl_trainjob.compiler.printing import build_findings, printed_objects
    from kubectl_trainjob.model.diagnostic import has_errors

    if request.allow_empty or request.output_directory or len(request.paths + request.filenames) > 1:
        raise click.UsageError("--for argocd builds one directory to stdout; remove --allow-empty, -O and other paths")
    call = argocd.plugin_call(os.environ, os.getcwd(), *request.paths, *request.filenames)
    with argocd.plugin_session(call) as session:
        compilation = _compile(replace(request, paths=(call.path,), filenames=()), session)
        findings = build_findings(compilation, is_strict=True)
        argocd.print_one_line_each(findings)
        if has_errors(findings):
            return 1
        objects = argocd.objects_for_argocd(printed_objects(compilation))
        if not objects:
            print_error(f"error: {call.path} has no object to print; Argo CD would delete all objects")
            return 1
        _print(objects, request.output, compilation.reading.limits)
    return 0


def _compile(request: BuildRequest, session: Session) -> Compilation[PrintedJob]:
    from kubectl_trainjob.compiler import pipeline
    from kubectl_trainjob.model.stages import BuildOptions
    from kubectl_trainjob.repository.files.read import deployed_paths, read
    from kubectl_trainjob.repository.output.render import printer

    options = BuildOptions(request.namespace, request.trainer_version, request.emit)
    paths, finish = request.paths + request.filenames or deployed_paths(session.workspace), printer(request.output)
    is_lenient = not (request.strict or request.output_directory)  # -O removes files that a build does not generate now
    documents = partial(read, paths, session.workspace, is_lenient=is_lenient)
    return pipeline.build(documents(), options, finish, session.context)  # the only reference


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
    for word, changed in () if is_quiet() else counts:
        for path in changed:
            print_error(f"{word} {directory.rstrip('/')}/{path}")
    if result.unchanged:
        print_error(f"note: {len(result.unchanged)} of {len(paths)} files unchanged")


def _warn(findings: Findings) -> None:
    """One line for all Jobs that the API server will reject; lint reports each of them."""
    from kubectl_trainjob.repository.positions import Locator

    jobs = {(each.subject.namespace, each.subject.object): each for each in findings if each.subject}
    first = next(iter(jobs.values()))
    count = "a JobSet" if len(jobs) == 1 else f"{len(jobs)} JobSets"
    where = f"{Locator().resolve(first.place)}: {first.rule.id} {first.message}"
    print_error(f"warning: {count} will be accepted and never start ({where}); kubectl trainjob lint shows all")


def _note(compilation: Compilation[PrintedJob]) -> None:
    from kubectl_trainjob.compiler.printing import creation_findings, required_secrets

    findings = creation_findings(compilation)
    if findings:
        _warn(findings)
    secrets = sorted({(s.namespace, s.name, s.purpose) for s in required_secrets(compilation)})
    for namespace, name, purpose in secrets[:_MOST_SECRETS]:
        where = f"{namespace}/{name}" if namespace else name
        print_error(f"note: Secret {where} must exist: {purpose}")
    if len(secrets) > _MOST_SECRETS:
        print_error(f"note: {len(secrets) - _MOST_SECRETS} more Secrets must exist")
    reading = compilation.reading
    _note_overlays(reading)
    if reading.ignored:
        what = "1 document" if reading.ignored == 1 else f"{reading.ignored} documents"
        print_error(f"note: {what} without apiVersion and kind ignored")


def _note_overlays(reading: Reading) -> None:
    note_skipped(reading.skipped)
    note_unread_overlays(reading.unread_overlays, "built")
