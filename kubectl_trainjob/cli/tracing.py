"""Commands about one object: from the name of an object to the object with its origins, or to an error."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import click

from kubectl_trainjob.cli.streams import note_no_objects, note_unread_overlays, print_error, print_findings

if TYPE_CHECKING:
    from kubectl_trainjob.compiler.prepare import ManifestFilter
    from kubectl_trainjob.explain.target import FoundObject, ObjectName
    from kubectl_trainjob.model.diagnostic import Diagnostic
    from kubectl_trainjob.model.stages import BuildOptions, Manifest, ObjectId, TracedObject, Tracing
    from kubectl_trainjob.repository.files.filesystem import Workspace

_MOST_NAMED = 20
_LONGEST = 100  # characters of an invalid target


def target_of(words: Sequence[str], namespace: str, example: str) -> tuple[ObjectName, list[str]]:
    """The target of the arguments, and the other arguments. Raises a usage error, which shows the example."""
    from kubectl_trainjob.explain.target import parse_target
    from kubectl_trainjob.kube.facts.kinds import object_words

    (text,), others = object_words(words, 1)
    target = parse_target(text, namespace)
    if os.path.exists(text) and (target is None or target.kind or os.path.splitext(text)[1]):
        raise click.UsageError(f'"{text}" is a path; write -f {text} {os.path.dirname(example)}/NAME')
    if target is None:
        raise click.UsageError(f'"{text[:_LONGEST]}" is not an object; write KIND/NAME, for example {example}')
    return target, others


class _Trace(NamedTuple):
    """What is traced: paths, for a target, in a workspace."""

    paths: Sequence[str]
    options: BuildOptions
    workspace: Workspace

    @property
    def is_repeatable(self) -> bool:
        """Whether the paths can be read twice: a pipe cannot."""
        return all(os.path.isfile(path) or os.path.isdir(path) for path in self.paths)

    def search(self, target: ObjectName, beside: Collection[str]) -> Tracing:
        """What the target may come from, and the objects of the kinds `beside`."""

        def wanted(manifest: Manifest) -> bool:
            return target.may_come_from(manifest) or manifest.id.kind in beside

        return self.trace(wanted, target.input_names if target.is_in_files and not beside else None)

    def files_of(self, target: ObjectName) -> tuple[str, ...]:
        """The files with what the target may come from."""
        files: dict[str, None] = {}

        def note(manifest: Manifest) -> bool:
            if target.may_come_from(manifest):
                files[manifest.source.file.path] = None
            return False

        self.trace(note, None)
        return tuple(files)

    def trace(self, wanted: ManifestFilter, names: Collection[str] | None) -> Tracing:
        """The objects that are `wanted`; with `names` only files that may hold one of them are parsed."""
        from kubectl_trainjob.compiler import pipeline
        from kubectl_trainjob.repository.files.read import read

        with self.workspace.progress:
            return pipeline.trace(read(self.paths, self.workspace, names=names, is_lenient=True), self.options, wanted)


class LookUpResult(NamedTuple):
    """What a look-up found: the object, if exactly one matches, and all that was traced."""

    found: FoundObject | None
    tracing: Tracing
    has_errors: bool


def look_up(
    target: ObjectName, paths: Sequence[str], options: BuildOptions, beside: Collection[str] = ()
) -> LookUpResult:
    """The object of a target; findings, and why there is no such object, go to stderr.

    Objects of the kinds `beside` are traced, too; without, files that cannot matter are not parsed.
    """
    from kubectl_trainjob.cli.session import open_session
    from kubectl_trainjob.explain.target import find

    with open_session() as session:
        seen = []
        for name, request in _attempts(target, _Trace(paths, options, session.workspace)):
            seen.append((request, name, request.search(name, beside)))
            if find(*seen[-1][1:]):
                return _result(*seen[-1])
        return _result(*next((each for each in seen if each[2].jobs), seen[0]))


def _attempts(target: ObjectName, request: _Trace) -> Iterator[tuple[ObjectName, _Trace]]:
    """What is deployed is searched first, then the files of the object; the name as KIND/NAME, then NAMESPACE/NAME."""
    from kubectl_trainjob.repository.files.read import deployed_paths

    deployed = () if request.paths else deployed_paths(request.workspace)
    other = target.as_namespaced if request.is_repeatable else None
    for name in (target, other) if other else (target,):
        yield name, request._replace(paths=deployed or request.paths)
        if deployed and (files := request.files_of(name)):
            yield name, request._replace(paths=files)


def _result(request: _Trace, target: ObjectName, tracing: Tracing) -> LookUpResult:
    from kubectl_trainjob.explain.target import find

    has_errors = _report([*(finding for job in tracing.jobs for finding in job.diagnostics), *tracing.diagnostics])
    found = find(target, tracing)
    if target.namespace and len(found) > 1:  # -n also fills in the namespace of objects without one
        found = [each for each in found if _sets_namespace(each.object)] or found
    if len(found) > 1:
        _print_candidates(target, found)
    elif not found and tracing.jobs:
        _print_generated(target, tracing)
    elif not found:
        _print_missing(target, request, has_unread=bool(tracing.unread_overlays))
    _note_other_objects(target, tracing, found)
    return LookUpResult(found[0] if len(found) == 1 else None, tracing, has_errors)


def _report(diagnostics: list[Diagnostic]) -> bool:
    """Print the findings, errors first; whether there are errors. A large tree may have many findings."""
    from kubectl_trainjob.model.diagnostic import has_errors

    print_findings(sorted(diagnostics, key=lambda each: not has_errors([each]))[:_MOST_NAMED])
    if len(diagnostics) > _MOST_NAMED:
        print_error(f"note: {len(diagnostics) - _MOST_NAMED} more findings; build shows them")
    return has_errors(diagnostics)


def _sets_namespace(traced: TracedObject) -> bool:
    """Whether a file sets the namespace of the object."""
    from kubectl_trainjob.repository.positions import Locator

    origin = traced.draft.origin(("metadata", "namespace"))
    place = origin.first_place() if origin else None
    while place is not None and place.source.edits is not None:
        place = place.source.edits.origin(place.pointer).first_place()
    return place is not None and Locator().has(place)


def _note_other_objects(target: ObjectName, tracing: Tracing, found: Sequence[FoundObject]) -> None:
    note_unread_overlays(tracing.unread_overlays[:_MOST_NAMED], "read")
    if found and found[0].object.identity.name == target.name:
        also = [
            each.identity
            for job in tracing.jobs
            for each in (job.train_job, *job.objects)
            if each.identity.name != target.name and target.is_met_by(each.identity, *each.names, "")
        ]
        if also:
            print_error(f"note: overlays renamed other objects of this name: {_list_names(also)}")


def _print_candidates(target: ObjectName, found: Sequence[FoundObject]) -> None:
    rivals = [each.object for each in found]
    overlays = {each.job.overlay for each in found if each.job and each.job.overlay}
    has_own_names = len({str(each.identity) for each in rivals}) == len(rivals)
    if len(overlays) == len(rivals) and not has_own_names:
        paths = [f"-f {each}" for each in sorted(overlays)[:_MOST_NAMED]]
        print_error(f"error: {target} is in {len(overlays)} overlays; pass {', '.join(paths[:-1])} or {paths[-1]}")
        return
    advice = "write the kind and name of one" if has_own_names else "choose one with -n, or pass its files with -f"
    print_error(f"error: {target} matches {len(rivals)} objects; {advice}:")
    for each in rivals[:_MOST_NAMED]:
        namespace = each.identity.namespace
        specified = f"in namespace {namespace}" if namespace else "without a namespace"
        print_error(f"  {each.identity} {specified}{_where(each)}")
    if len(rivals) > _MOST_NAMED:
        print_error(f"  and {len(rivals) - _MOST_NAMED} more")


def _where(traced: TracedObject) -> str:
    from kubectl_trainjob.repository.positions import Locator

    origin = traced.draft.origin(("metadata", "name"))
    place = origin.first_place() if origin else None
    return f" ({Locator().resolve(place)})" if place else ""


def _print_generated(target: ObjectName, tracing: Tracing) -> None:
    generated = [each.identity for job in tracing.jobs for each in job.objects]
    job = tracing.jobs[0].train_job.identity
    if generated:
        print_error(f"error: {job} generates no {target}; it generates {_list_names(generated)}")
    else:
        print_error(f"error: {job} cannot be built, therefore {target} does not exist")


def _print_missing(target: ObjectName, request: _Trace, *, has_unread: bool) -> None:
    there: dict[ObjectId, tuple[str, ...]] = {}

    def note(manifest: Manifest) -> bool:
        there[manifest.id] = (manifest.id.name, *(manifest.source.edits.names if manifest.source.edits else ()))
        return False

    if request.is_repeatable:
        request.trace(note, None)
    from kubectl_trainjob.model.nearest import nearest

    same = [identity for identity, names in there.items() if target.name in names]
    meant = nearest(target.name, {name for names in there.values() for name in names})
    hint = f'; did you mean "{meant}"?' if meant and not same else ""
    where = f" in namespace {target.namespace}" if target.namespace else ""
    print_error(f"error: {target} does not exist{where}{hint}")
    if not there and request.is_repeatable and not has_unread:
        note_no_objects()
    if same := same or ([] if meant else _of_its_kind(target, sorted(there))):
        print_error(f"note: these exist: {_list_names(same)}")


def _of_its_kind(target: ObjectName, identities: Sequence[ObjectId]) -> list[ObjectId]:
    """The objects of the kind of the target, then the training jobs, which generate objects."""
    from kubectl_trainjob.kube.facts.kinds import means_kind, means_training_job

    found = [[each for each in identities if means_kind(target.kind, each.kind)]]
    found.append([each for each in identities if means_training_job(each.kind)])
    return list(dict.fromkeys(chain(*found)))


def _list_names(identities: Sequence[ObjectId]) -> str:
    shown = ", ".join(
        f"{each} in namespace {each.namespace}" if each.namespace else str(each) for each in identities[:_MOST_NAMED]
    )
    return shown if len(identities) <= _MOST_NAMED else f"{shown} and {len(identities) - _MOST_NAMED} more"
