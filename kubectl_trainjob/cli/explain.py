"""`explain`: why a value of an object is what it is."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from kubectl_trainjob.cli import candidates, options
from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.streams import emit, has_colour, print_error

if TYPE_CHECKING:
    from kubectl_trainjob.explain.field import TracedFields
    from kubectl_trainjob.explain.target import FoundObject
    from kubectl_trainjob.model.source import Pointer


@click.command(cls=ManualCommand)
@click.argument("words", nargs=-1, required=True, metavar="[KIND/]NAME [PATH]", shell_complete=candidates.objects)
@options.filenames(
    "Manifest, directory or overlay. Can be repeated. The default is the current repository.",
    "Of a kind or a field: print the fields of fields, too. Directories are always read recursively.",
)
@options.document_output
@options.namespace("Namespace of the object, and for objects without a namespace. The default is any.")
@options.trainer_version
def explain(  # the options, by their names
    words: tuple[str, ...], filenames: tuple[str, ...], output: str, namespace: str, trainer_version: str
) -> int:
    """Find the object, follow the path, print the origin of the value; or the type of a field."""
    from kubectl_trainjob.cli.schema import explain_field

    if explain_field(words, trainer_version):
        return 0
    from kubectl_trainjob.cli.tracing import look_up, target_of
    from kubectl_trainjob.explain.path import PathError
    from kubectl_trainjob.kube.facts.kinds import means_kind
    from kubectl_trainjob.model.stages import BuildOptions

    name, others = target_of(words, namespace, "JobSet/llama")
    if len(others) > 1:
        raise click.UsageError(f'"{others[1]}" follows the path; write KIND/NAME [PATH]')
    path = "".join(others)
    found, _, has_errors = look_up(name, filenames, BuildOptions(namespace, trainer_version))
    if found is None:
        return 1
    has_kind = means_kind(name.kind, found.object.identity.kind)  # else the word is a namespace, as in dev/bert
    try:
        fields, pointer = _resolve_path(found, path, with_generated=not has_kind)
    except PathError as error:
        print_error(f"error: {error}")
        _offer(found, path, trainer_version)
        return 1
    emit([_render(fields, pointer, output).encode()])
    return int(has_errors)


def _resolve_path(found: FoundObject, path: str, *, with_generated: bool) -> tuple[TracedFields, Pointer]:
    """The path in the object, or else in one that is generated from it. Raises PathError."""
    from kubectl_trainjob.explain.field import TracedFields
    from kubectl_trainjob.explain.path import PathError, resolve

    fields = TracedFields(found)
    try:
        return fields, resolve(fields.body, path)
    except PathError:
        for each in found.job.objects if with_generated and found.job else ():
            with suppress(PathError):
                return _resolve_path(found._replace(object=each), path, with_generated=False)
        raise


def _render(fields: TracedFields, pointer: Pointer, output: str) -> str:
    if output == "json":
        from kubectl_trainjob.report.explain_json import as_json

        return as_json(fields, pointer)
    from kubectl_trainjob.report.explain_document import document
    from kubectl_trainjob.report.render import render

    return render(document(fields, pointer, output), output, colour=has_colour(sys.stdout))


def _offer(found: FoundObject, path: str, trainer_version: str) -> None:
    """Name the field that the path means, if it has no value, and the paths that end like this one."""
    from kubectl_trainjob.cli.schema import has_field
    from kubectl_trainjob.explain.field import TracedFields
    from kubectl_trainjob.explain.notation import PathError, steps
    from kubectl_trainjob.explain.path import paths_that_end

    fields, kind = list[str](), found.object.identity.kind
    with suppress(PathError):
        fields = [step.text for step in steps(path) if step.form == "dotted"]
    if fields and has_field(kind, fields, trainer_version):
        field = ".".join((kind.lower(), *fields))
        print_error(f"note: the field has no value here; to read about it, run: kubectl trainjob explain {field}")
    for each in paths_that_end(TracedFields(found).body, path):
        print_error(f"note: this path exists: {each}")
