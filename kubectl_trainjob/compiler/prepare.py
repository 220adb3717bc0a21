"""The first stages, for all inputs of a build unit together: overlay → check → admit the runtimes → resolve.

In: what was read. Out: each TrainJob under its final name, with the runtimes that it may refer to; all objects that are
copied unchanged. Must not: expand anything.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kubectl_trainjob.compiler.compilation import Job, Reading, Target
from kubectl_trainjob.compiler.front_ends import FrontEnds
from kubectl_trainjob.compiler.job import AdmittedRuntimes, run_content
from kubectl_trainjob.compiler.resolve.objects import check, in_namespace
from kubectl_trainjob.compiler.resolve.runtime import Runtimes
from kubectl_trainjob.compiler.versions import extended
from kubectl_trainjob.kube.facts.kinds import is_library_object, is_runtime, is_train_job
from kubectl_trainjob.kube.facts.supported import EMITS, LATEST_TRAINER
from kubectl_trainjob.model.diagnostic import Diagnostic, RelatedPlace
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import CONFLICTING_SETTINGS
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import BuildOptions, Conversion, Manifest, Object
from kubectl_trainjob.model.units import AllowSettings, Documents, Settings


def choose_target(settings: Sequence[Settings], specified: str) -> tuple[str, list[Diagnostic]]:
    """The requested version of Trainer, else the repositories' target, else the latest; and conflicts."""
    named = [(each.trainer, Place(each.source, ("target", "trainer"))) for each in settings if each.trainer]
    return _agreed(specified, named, say("target"), LATEST_TRAINER)


def choose_emit(settings: Sequence[Settings], specified: str) -> tuple[str, list[Diagnostic]]:
    """What is printed for a TrainJob, "jobset" by default; and conflicts."""
    named = [(each.emit, Place(each.source, ("emit",))) for each in settings if each.emit]
    return _agreed(specified, named, say("emit"), EMITS[0])


def allowed(settings: Sequence[Settings]) -> AllowSettings:
    """What the repositories of a build allow, each for itself and the others."""
    every = [each.allow for each in settings]
    return AllowSettings(any(each.elastic for each in every), any(each.extended_mpi for each in every))


def deciding(settings: Sequence[Settings], options: BuildOptions) -> dict[str, Place]:
    """Where configurations decide what the command line does not, by the settings' names."""
    found: dict[str, Place] = {}
    for each in settings:
        if each.trainer and not options.trainer_version:
            found.setdefault("target.trainer", Place(each.source, ("target", "trainer")))
        if each.emit and not options.emit:
            found.setdefault("emit", Place(each.source, ("emit",)))
    return found


def _agreed(
    specified: str, named: list[tuple[str, Place]], what: Message, default: str
) -> tuple[str, list[Diagnostic]]:
    if specified or not named:
        return specified or default, []
    first, place = named[0]
    other = next(((value, where) for value, where in named if value != first), None)
    if other is None:
        return first, []
    message = say(
        '{} "{}" here and "{}" in another repository of this build; set one value in both', what, other[0], first
    )
    return first, [
        Diagnostic(CONFLICTING_SETTINGS, message, other[1], (RelatedPlace(say("the other {}", what), place),))
    ]


ManifestFilter = Callable[[Manifest], bool]


@dataclass(frozen=True, slots=True, eq=False)
class PreparedUnit:
    """The inputs of a unit after overlays. `manifests` are the wanted objects other than TrainJobs; `usual_emit`
    is what the repository prints by default.
    """

    target: Target
    usual_emit: str
    admitted: AdmittedRuntimes
    reading: Reading
    jobs: list[Job] = field(default_factory=list)
    others: list[Object] = field(default_factory=list)
    manifests: list[Manifest] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)
    unread: tuple[Diagnostic, ...] = ()


def every(_manifest: Manifest) -> bool:
    """Wants each object."""
    return True


def prepare(documents: Documents, options: BuildOptions, wanted: ManifestFilter = lambda _: False) -> PreparedUnit:
    """All that precedes the expansion of single TrainJobs."""
    prepared = _empty(documents, options)
    places = [
        [in_namespace(manifest, options.namespace) for manifest in place if is_library_object(manifest)]
        for place in (documents.inputs, documents.library, documents.catalogue(prepared.target.trainer))
    ]
    packaged = {
        name: () if prepared.target.trainer in versions else versions for name, versions in documents.packaged.items()
    }
    front = FrontEnds(prepared.target, prepared.admitted, documents.settings, places)
    library = [tuple(filter(is_runtime, front.convert(place, [], prepared.usual_emit).objects)) for place in places]
    for unit, group in _groups(documents, prepared.findings):
        manifests = [in_namespace(manifest, options.namespace) for manifest in group]
        found = () if unit else documents.found
        is_set = bool(unit) or documents.is_declared
        prepared.findings.extend(check(manifests, prepared.target.version.admission, found, is_set=is_set))
        converted = front.convert(manifests, library, prepared.usual_emit)
        runtimes = Runtimes([filter(is_runtime, converted.objects), *library], options.namespace, packaged)
        swept = _swept(converted, runtimes, front, prepared)
        _prepare_group(swept, runtimes, unit, prepared)
        every = {each.source: each for each in (*manifests, *swept.objects)}.values()
        prepared.manifests.extend(each for each in every if not is_train_job(each) and wanted(each))
    prepared.manifests.extend(manifest for place in places[1:] for manifest in place if wanted(manifest))
    return prepared


def _empty(documents: Documents, options: BuildOptions) -> PreparedUnit:
    trainer, conflict = choose_target(documents.settings, options.trainer_version)
    usual, _ = choose_emit(documents.settings, "")
    emit, other_conflict = choose_emit(documents.settings, options.emit)
    version = extended(trainer, allowed(documents.settings) if emit == "jobset" else AllowSettings())
    return PreparedUnit(
        Target(trainer, version, emit),
        usual,
        AdmittedRuntimes(version.admission),
        Reading(
            documents.ignored,
            documents.unread_overlays,
            documents.skipped,
            documents.read_from,
            documents.settings,
            documents.limits,
            not (documents.inputs or documents.units),
        ),
        findings=[*documents.diagnostics, *conflict, *other_conflict],
        unread=documents.library_diagnostics,
    )


def _groups(documents: Documents, findings: list[Diagnostic]) -> Iterator[tuple[str, Iterable[Manifest]]]:
    """Manifests that are built together: the plain ones, then those of each overlay with its directory."""
    yield "", documents.inputs
    if not documents.units:
        return
    from kubectl_trainjob.compiler.overlay.apply import (
        apply_overlays,  # most builds need none, and it costs start-up time
    )
    from kubectl_trainjob.compiler.overlay.steps import Steps

    steps = Steps(documents.limits)
    for unit in documents.units:
        manifests, found = apply_overlays(unit, steps)
        findings += found
        yield posixpath.dirname(unit.overlay.source.file.path), manifests


def _swept(converted: Conversion, runtimes: Runtimes, front: FrontEnds, prepared: PreparedUnit) -> Conversion:
    """The objects with all TrainJobs under their final names, and trials in place of those that overlays sweep."""
    named = [
        _with_final_name(Job(each, runtimes), prepared) if is_train_job(each) else each for each in converted.objects
    ]
    parts = [front.sweep(each, runtimes) if each.sweep else Conversion((each,)) for each in named]
    return Conversion(
        tuple(each for part in parts for each in part.objects),
        (*converted.findings, *(each for part in parts for each in part.findings)),
        converted.printed,
    )


def _prepare_group(group: Conversion, runtimes: Runtimes, unit: str, prepared: PreparedUnit) -> None:
    prepared.findings.extend(group.findings)
    for own in filter(is_runtime, group.objects):
        prepared.findings.extend(prepared.admitted.admit(own).diagnostics)
    jobs = [manifest for manifest in group.objects if is_train_job(manifest)]
    runtimes.hint_for(jobs)
    prepared.jobs.extend(Job(job, runtimes, unit) for job in jobs)
    prints_runtimes = prepared.target.emit == "trainjob"
    for manifest in group.objects:
        is_printed = prints_runtimes or manifest.source in group.printed
        if _is_other(manifest) or (is_runtime(manifest) and is_printed):
            prepared.others.append(Object(manifest.id, manifest.place("metadata", "name"), unit, body=manifest.body))


def _is_other(manifest: Manifest) -> bool:
    return not is_train_job(manifest) and not is_runtime(manifest)


def _with_final_name(job: Job, prepared: PreparedUnit) -> Manifest:
    """The TrainJob under its final name, which may have a hash of what runs.

    The repository's own setting decides what that is: a name does not change because a user wants to see the JobSet
    once.
    """
    if job.manifest.name_hash is None:
        return job.manifest
    from kubectl_trainjob.compiler.overlay.names import with_hash

    usual = prepared.target._replace(emit=prepared.usual_emit)
    return with_hash(job.manifest, run_content(job, usual, prepared.admitted))
