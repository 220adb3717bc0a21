"""Commands about one object: `KIND/NAME` to the object with who wrote its values, or the reason why there is none."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from kubectl_trainjob.cli.streams import complain, stderr_has_colour, tell

if TYPE_CHECKING:
    from kubectl_trainjob.compiler.prepare import Wanted
    from kubectl_trainjob.explain.target import FoundObject, ObjectName
    from kubectl_trainjob.model.diagnostic import Diagnostic
    from kubectl_trainjob.model.stages import BuildOptions, Manifest, ObjectId, Traced, Tracing
    from kubectl_trainjob.repository.files.filesystem import Workspace

_MOST_NAMED = 20
_LONGEST = 100  # characters of what is no target


def target_of(text: str, namespace: str, example: str) -> ObjectName:
    """The target that an argument means. Raises a usage error, which shows the example."""
    from kubectl_trainjob.explain.target import parse_target

    target = parse_target(text, namespace)
    if os.path.exists(text):
        raise click.UsageError(f'"{text}" is a path; write -f {text} {example}')
    if target is None:
        raise click.UsageError(f'"{text[:_LONGEST]}" is no object; write KIND/NAME, for example {example}')
    return target


class _Request(NamedTuple):
    """What is traced: paths, for a target, in a workspace."""

    paths: Sequence[str]
    options: BuildOptions
    workspace: Workspace

    def trace(self, wanted: Wanted, names: Collection[str] | None) -> Tracing:
        """The objects that are `wanted`; with `names` only files that may hold one of them are parsed."""
        from kubectl_trainjob.compiler import pipeline
        from kubectl_trainjob.repository.files.read import read

        with self.workspace.progress:
            return pipeline.trace(read(self.paths, self.workspace, names=names), self.options, wanted)


class Seen(NamedTuple):
    """What a look-up found: the object that was meant, if it was clear, and all that was traced."""

    found: FoundObject | None
    tracing: Tracing
    has_errors: bool


def look_up(target: ObjectName, paths: Sequence[str], options: BuildOptions, beside: Collection[str] = ()) -> Seen:
    """As `_look_up`, in a workspace of its own."""
    from kubectl_trainjob.cli.workspace import open_workspace

    with open_workspace() as workspace:
        return _look_up(target, _Request(paths, options, workspace), beside)


def _look_up(target: ObjectName, request: _Request, beside: Collection[str]) -> Seen:
    """The one object that is meant; stderr is told of what is wrong, and why there is none.

    Objects of the kinds `beside` are traced, too; without, files that cannot matter are not parsed.
    """
    from kubectl_trainjob.explain.target import find

    def wanted(manifest: Manifest) -> bool:
        return target.may_come_from(manifest) or manifest.id.kind in beside

    tracing = request.trace(wanted, target.input_names if target.is_usual and not beside else None)
    has_errors = _report([*(finding for job in tracing.jobs for finding in job.diagnostics), *tracing.diagnostics])
    found = find(target, tracing)
    if target.namespace and len(found) > 1:  # -n also fills in the namespace of objects that state none
        found = [each for each in found if _states_namespace(each.object)] or found
    if len(found) > 1:
        _tell_rivals(target, [each.object for each in found])
    elif not found and tracing.jobs:
        _tell_what_is_made(target, tracing)
    elif not found:
        _tell_what_is_there(target, request)
    _note_what_was_not_looked_at(target, tracing, found)
    return Seen(found[0] if len(found) == 1 else None, tracing, has_errors)


def _report(diagnostics: list[Diagnostic]) -> bool:
    """Tell what is wrong, errors first, and whether there are any; a large tree may be full of other things."""
    from kubectl_trainjob.model.diagnostic import has_errors

    if diagnostics:
        from kubectl_trainjob.report.diagnostics import report
        from kubectl_trainjob.repository.positions import Locator

        shown = sorted(diagnostics, key=lambda each: not has_errors([each]))[:_MOST_NAMED]
        tell(report(shown, Locator().settle, colour=stderr_has_colour()))
        if len(diagnostics) > len(shown):
            complain(f"note: {len(diagnostics) - len(shown)} more findings; build tells them")
    return has_errors(diagnostics)


def _states_namespace(traced: Traced) -> bool:
    """Whether a file says which namespace the object is in."""
    from kubectl_trainjob.repository.positions import Locator

    origin = traced.draft.origin(("metadata", "namespace"))
    place = origin.first_place() if origin else None
    while place is not None and place.source.edits is not None:
        place = place.source.edits.origin(place.pointer).first_place()
    return place is not None and Locator().has(place)


def _note_what_was_not_looked_at(target: ObjectName, tracing: Tracing, found: Sequence[FoundObject]) -> None:
    if tracing.left_out:
        complain(f"note: overlays are looked at only when named: -f {', -f '.join(tracing.left_out[:_MOST_NAMED])}")
    if len(found) == 1 and found[0].object.identity.name == target.name:
        also = [
            each.identity
            for job in tracing.jobs
            for each in (job.train_job, *job.objects)
            if each is not found[0].object and target.is_met_by(each.identity, *each.names, "")
        ]
        if also:
            complain(f"note: overlays renamed others of this name: {_named(also)}")


def _tell_rivals(target: ObjectName, rivals: Sequence[Traced]) -> None:
    complain(f"error: {target} may mean {len(rivals)} objects; choose with -n, or name their files with -f:")
    for each in rivals[:_MOST_NAMED]:
        namespace = each.identity.namespace
        stated = f"in namespace {namespace}" if namespace else "without a namespace"
        complain(f"  {each.identity} {stated}{_where(each)}")
    if len(rivals) > _MOST_NAMED:
        complain(f"  and {len(rivals) - _MOST_NAMED} more")


def _where(traced: Traced) -> str:
    from kubectl_trainjob.repository.positions import Locator

    origin = traced.draft.origin(("metadata", "name"))
    place = origin.first_place() if origin else None
    spot = Locator().settle(place) if place else None
    return f" ({spot.file.path}:{spot.span.line})" if spot else ""


def _tell_what_is_made(target: ObjectName, tracing: Tracing) -> None:
    made = [each.identity for job in tracing.jobs for each in job.objects]
    job = tracing.jobs[0].train_job.identity
    if made:
        complain(f"error: {job} makes no {target}; it makes {_named(made)}")
    else:
        complain(f"error: {job} cannot be built, so there is no {target}")


def _tell_what_is_there(target: ObjectName, request: _Request) -> None:
    there: dict[ObjectId, tuple[str, ...]] = {}

    def note(manifest: Manifest) -> bool:
        there[manifest.id] = (manifest.id.name, *(manifest.source.edits.names if manifest.source.edits else ()))
        return False

    if all(os.path.isfile(path) or os.path.isdir(path) for path in request.paths):  # a pipe cannot be read twice
        request.trace(note, None)
    from kubectl_trainjob.model.nearest import nearest

    same = [identity for identity, names in there.items() if target.name in names]
    meant = nearest(target.name, {name for names in there.values() for name in names})
    hint = f'; did you mean "{meant}"?' if meant and not same else ""
    where = f" in namespace {target.namespace}" if target.namespace else ""
    complain(f"error: there is no {target}{where}{hint}")
    if same:
        complain(f"note: these are: {_named(same)}")


def _named(identities: Sequence[ObjectId]) -> str:
    shown = ", ".join(
        f"{each} in namespace {each.namespace}" if each.namespace else str(each) for each in identities[:_MOST_NAMED]
    )
    return shown if len(identities) <= _MOST_NAMED else f"{shown} and {len(identities) - _MOST_NAMED} more"
