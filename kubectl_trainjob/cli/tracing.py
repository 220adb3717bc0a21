"""Commands about one object: `KIND/NAME` to the object with who wrote its values, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from kubectl_trainjob.cli.progress import Progress
from kubectl_trainjob.cli.streams import complain, standard_input, stderr_has_colour, tell

if TYPE_CHECKING:
    from kubectl_trainjob.explain.target import Found, Target
    from kubectl_trainjob.findings.diagnostic import Diagnostic
    from kubectl_trainjob.preparation import Wanted
    from kubectl_trainjob.stages import BuildOptions, Manifest, ObjectId, Traced, Tracing

_MOST_NAMED = 20


def target_of(text: str, namespace: str) -> Target:
    """The target that an argument means. Raises a usage error."""
    from kubectl_trainjob.explain.target import parse_target

    target = parse_target(text, namespace)
    if target is None:
        raise click.UsageError(f'"{text}" is no object; write KIND/NAME, for example JobSet/llama')
    return target


class Seen(NamedTuple):
    """What a look-up found: the object that was meant, if it was clear, and all that was traced."""

    found: Found | None
    tracing: Tracing
    has_errors: bool


def look_up(target: Target, paths: Sequence[str], options: BuildOptions, beside: Collection[str] = ()) -> Seen:
    """The one object that is meant; stderr is told of what is wrong, and why there is none.

    Objects of the kinds `beside` are traced, too; without, files that cannot matter are not parsed.
    """
    from kubectl_trainjob.explain.target import find

    def wanted(manifest: Manifest) -> bool:
        return target.may_come_from(manifest) or manifest.id.kind in beside

    tracing = _trace(paths, options, wanted, None if beside else target.input_names)
    has_errors = _report([*tracing.diagnostics, *(finding for job in tracing.jobs for finding in job.diagnostics)])
    found = find(target, tracing)
    if len(found) == 1:
        return Seen(found[0], tracing, has_errors)
    if found:
        _tell_rivals(target, [each.object for each in found])
    elif tracing.jobs:
        _tell_what_is_made(target, tracing)
    else:
        _tell_what_is_there(target, paths, options, tracing.left_out)
    return Seen(None, tracing, has_errors)


def _trace(paths: Sequence[str], options: BuildOptions, wanted: Wanted, names: Collection[str] | None) -> Tracing:
    from kubectl_trainjob import pipeline
    from kubectl_trainjob.repo.read import read

    progress = Progress()
    try:
        return pipeline.trace(read(paths, standard_input, progress=progress, names=names), options, wanted)
    finally:
        progress.clear()


def _report(diagnostics: list[Diagnostic]) -> bool:
    """Tell what is wrong, and whether there are errors."""
    from kubectl_trainjob.findings.diagnostic import has_errors

    if diagnostics:
        from kubectl_trainjob.cli.report import report
        from kubectl_trainjob.yamlio.spans import Locator

        tell(report(diagnostics, Locator().settle, colour=stderr_has_colour()))
    return has_errors(diagnostics)


def _tell_rivals(target: Target, rivals: Sequence[Traced]) -> None:
    from kubectl_trainjob.yamlio.spans import Locator

    complain(f"error: {target} may mean {len(rivals)} objects; choose with -n, or name their files with -f:")
    locator = Locator()
    for each in rivals[:_MOST_NAMED]:
        origin = each.draft.origin(("metadata", "name"))
        place = origin.first_place() if origin else None
        settled = locator.settle(place) if place else None
        where = f" ({settled.source.file.path}:{settled.span.line})" if settled and settled.span else ""
        namespace = each.identity.namespace
        complain(f"  {each.identity} {f'in namespace {namespace}' if namespace else 'without a namespace'}{where}")
    if len(rivals) > _MOST_NAMED:
        complain(f"  and {len(rivals) - _MOST_NAMED} more")


def _tell_what_is_made(target: Target, tracing: Tracing) -> None:
    made = [each.identity for job in tracing.jobs for each in job.objects]
    job = tracing.jobs[0].train_job.identity
    if made:
        complain(f"error: {job} makes no {target}; it makes {_named(made)}")
    else:
        complain(f"error: {job} cannot be built, so there is no {target}")


def _tell_what_is_there(target: Target, paths: Sequence[str], options: BuildOptions, left_out: Sequence[str]) -> None:
    there: list[ObjectId] = []

    def note(manifest: Manifest) -> bool:
        there.append(manifest.id)
        return False

    if "-" not in paths:  # which cannot be read twice
        _trace(paths, options, note, None)
    from kubectl_trainjob.yamlio.nearest import nearest

    meant = nearest(target.name, {each.name for each in there})
    same = [each for each in there if each.name == target.name]
    hint = f'; did you mean "{meant}"?' if meant and not same else ""
    where = f" in namespace {target.namespace}" if target.namespace else ""
    complain(f"error: there is no {target}{where}{hint}")
    if same:
        complain(f"note: these are: {_named(same)}")
    if left_out:
        complain(f"note: overlays are looked at only when named: -f {', -f '.join(left_out[:_MOST_NAMED])}")


def _named(identities: Sequence[ObjectId]) -> str:
    shown = ", ".join(
        f"{each} in namespace {each.namespace}" if each.namespace else str(each) for each in identities[:_MOST_NAMED]
    )
    return shown if len(identities) <= _MOST_NAMED else f"{shown} and {len(identities) - _MOST_NAMED} more"
