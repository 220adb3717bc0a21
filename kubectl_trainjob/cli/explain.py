"""`explain`: why a value of an object is what it is."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from kubectl_trainjob.cli import options
from kubectl_trainjob.cli.streams import complain, emit

if TYPE_CHECKING:
    from kubectl_trainjob.explain.field import TracedFields

_HELP = """Show why a value of an object is what it is: its origin, its line, and the values that it replaced.

KIND/NAME is an object that "build" generates (JobSet, PodGroup, ConfigMap) or an object of the files. PATH leads to a
value in the object. It names items of lists by key or by index, or it is a JSON pointer. Without PATH, the command
prints the whole object with the origin of each line.

\b
Examples:
  # Why does the job run on so many nodes?
  kubectl trainjob explain JobSet/llama 'spec.replicatedJobs[node].template.spec.parallelism'

\b
  # Where does this variable come from, in one environment?
  kubectl trainjob explain -f overlays/prod JobSet/llama \\
    'spec.replicatedJobs[node].template.spec.template.spec.containers[node].env[PET_NNODES].value'

\b
  # The whole object with origins
  kubectl trainjob explain JobSet/llama

\b
  # Pass a JSON pointer, print JSON
  kubectl trainjob explain PodGroup/llama /spec/minMember -o json

Exit codes: 0 explained, 1 the files have errors or no such object or value, 2 the command failed.
"""


@dataclass(frozen=True, slots=True)
class _Request:
    """What was asked for; the names are those of the options."""

    target: str
    path: str
    filenames: tuple[str, ...]
    output: Literal["text", "json"]
    namespace: str
    trainer_version: str


@click.command(help=_HELP)
@click.argument("target", metavar="KIND/NAME")
@click.argument("path", metavar="[PATH]", default="")
@options.filenames("Manifest, directory or overlay. Can be repeated. The default is the current repository.")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Format.")
@options.namespace("Namespace of the object, and for objects without a namespace. The default is any.")
@options.trainer_version
def explain(**given: Any) -> int:
    """Find the object, follow the path, print what is known of what is there."""
    gc.disable()  # as in build: a short life, in which nearly everything is kept
    request = _Request(**given)
    from kubectl_trainjob.cli.tracing import look_up, target_of
    from kubectl_trainjob.explain.field import TracedFields
    from kubectl_trainjob.explain.path import PathError, resolve
    from kubectl_trainjob.model.stages import BuildOptions

    target = target_of(request.target, request.namespace, "JobSet/llama")
    wanted = BuildOptions(request.namespace, request.trainer_version)
    found, _, has_errors = look_up(target, request.filenames, wanted)
    if found is None:
        return 1
    fields = TracedFields(found)
    try:
        pointer = resolve(fields.body, request.path)
    except PathError as error:
        complain(f"error: {error}")
        _offer(fields, request.path)
        return 1
    if request.output == "json":
        from kubectl_trainjob.report.explain_json import as_json as write
    else:
        from kubectl_trainjob.report.explain_text import as_text as write
    emit([write(fields, pointer).encode()])
    return int(has_errors)


def _offer(fields: TracedFields, path: str) -> None:
    """Paths that somebody may have meant who wrote only the end of one."""
    from kubectl_trainjob.explain.path import paths_that_end

    for each in paths_that_end(fields.body, path):
        complain(f"note: there is {each}")
