"""The order of the stages: read → overlay → check → admit → resolve → expand → admit what was made. Start reading here.

`build` never raises for what stands in a user's files: every problem is a `Diagnostic`, and one broken object does not
hide another's problems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from kubectl_trainjob import catalogue
from kubectl_trainjob.api.kinds import print_order
from kubectl_trainjob.compilation import AdmittedRuntimes, compile_job
from kubectl_trainjob.findings.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.findings.mpi import FLUX_NAMESPACE
from kubectl_trainjob.findings.references import RUNTIME_NOT_FOUND
from kubectl_trainjob.limits import Limits
from kubectl_trainjob.resolve.objects import check, collisions, in_namespace
from kubectl_trainjob.resolve.runtime import Runtimes
from kubectl_trainjob.resolve.target import emitted, targeted
from kubectl_trainjob.stages import (
    Body,
    Build,
    Claim,
    Expanded,
    Manifest,
    ObjectId,
    Output,
    RequiredSecret,
    drain,
    identity_of,
    is_runtime,
    is_train_job,
)
from kubectl_trainjob.units import Documents
from kubectl_trainjob.versions import VERSIONS
from kubectl_trainjob.workers import in_chunks, processes


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """`namespace` fills missing ones, "" leaves them out; "" for the others means what the repositories state."""

    namespace: str = ""
    trainer_version: str = ""
    emit: str = ""


def _tell_nobody(_stage: str, _done: int, _total: int) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Means:
    """What a build may use. `finish` makes of a body what the caller wants in the end: where other processes help, they
    do it, too. `progress` is told the stage, and how many TrainJobs of how many are through.
    """

    finish: Callable[[Body], Any] | None = None
    progress: Callable[[str, int, int], None] = _tell_nobody


def build(documents: Documents, options: BuildOptions, means: Means = Means()) -> Build:
    """All that the inputs become, in the order in which it is printed, and all that is wrong with them.

    An output holds its body, or what `means.finish` made of it.
    """
    prepared = _prepare(documents, options)
    del documents  # from here on each parsed TrainJob goes when it has been compiled
    return _result(prepared, _compiled(prepared, means))


def _compiled(prepared: _Prepared, means: Means) -> Iterator[_Made]:
    jobs, total = prepared.jobs, len(prepared.jobs)

    def compiled(job: _Job) -> _Made:
        return _made(job.manifest, compile_job(*job, prepared.admitted), prepared.admitted.emit)

    if means.finish is None or processes(total) == 1:
        for number, job in enumerate(drain(jobs)):
            if number % 64 == 0:
                means.progress("compiling TrainJobs", number, total)
            yield compiled(job)
        return
    finish = means.finish

    def finished(chunk: Sequence[_Job]) -> list[_Made]:
        return [_finished(compiled(job), finish) for job in chunk]

    for chunk in in_chunks(
        finished, jobs, _shared(jobs), lambda done: means.progress("compiling TrainJobs", done, total)
    ):
        yield from chunk


class _Made(NamedTuple):
    """What became of one TrainJob."""

    claims: list[Claim]
    secrets: tuple[RequiredSecret, ...]
    diagnostics: tuple[Diagnostic, ...]


class _Job(NamedTuple):
    """A TrainJob, and the runtimes that it may refer to."""

    manifest: Manifest
    runtimes: Runtimes


@dataclass(frozen=True, slots=True, eq=False)
class _Prepared:
    """The inputs after overlays: what is to be compiled, what is printed as it is, and what is wrong so far."""

    admitted: AdmittedRuntimes
    usual_emit: str
    jobs: list[_Job]
    plain: list[Claim]
    diagnostics: list[Diagnostic]
    unread: tuple[Diagnostic, ...]
    ignored: int
    left_out: tuple[str, ...]
    passed_by: tuple[str, ...]
    read_from: tuple[str, ...]
    limits: Limits


def _prepare(documents: Documents, options: BuildOptions) -> _Prepared:
    version, conflict = targeted(documents.settings, options.trainer_version)
    usual, _ = emitted(documents.settings, "")
    emit, other_conflict = emitted(documents.settings, options.emit)
    prepared = _Prepared(
        AdmittedRuntimes(VERSIONS[version], emit),
        usual,
        [],
        [],
        [*documents.diagnostics, *conflict, *other_conflict],
        documents.library_diagnostics,
        documents.ignored,
        documents.left_out,
        documents.passed_by,
        documents.read_from,
        documents.limits,
    )
    library = [
        [in_namespace(manifest, options.namespace) for manifest in place if is_runtime(manifest)]
        for place in (documents.inputs, documents.library, documents.catalogue)
    ]
    for group in _groups(documents, prepared.diagnostics):
        manifests = [in_namespace(manifest, options.namespace) for manifest in group]
        _prepare_group(manifests, library, options.namespace, prepared)
    return prepared


def _groups(documents: Documents, diagnostics: list[Diagnostic]) -> Iterator[Iterable[Manifest]]:
    """Manifests that are built together: those that no overlay lies over, then those of each overlay."""
    yield documents.inputs
    if not documents.units:
        return
    from kubectl_trainjob.overlay.apply import overlaid  # what most builds have no use for costs start-up time
    from kubectl_trainjob.overlay.steps import Steps

    steps = Steps(documents.limits)
    for unit in documents.units:
        manifests, found = overlaid(unit, steps)
        diagnostics += found
        yield manifests


def _prepare_group(group: list[Manifest], library: list[list[Manifest]], namespace: str, prepared: _Prepared) -> None:
    admitted = prepared.admitted
    own = [manifest for manifest in group if is_runtime(manifest)]
    prepared.diagnostics.extend(check(group))
    prepared.diagnostics.extend(finding for each in own for finding in admitted.admit(each).diagnostics)
    runtimes = Runtimes([own, *library], namespace, catalogue.names)
    jobs = [_named(manifest, runtimes, prepared.usual_emit) for manifest in group if is_train_job(manifest)]
    runtimes.hint_for(jobs)
    prepared.jobs.extend(_Job(job, runtimes) for job in jobs)
    for manifest in group:
        if _is_other(manifest) or (is_runtime(manifest) and admitted.emit == "trainjob"):
            prepared.plain.append(Claim(Output(manifest.id, manifest.body), manifest.place("metadata", "name")))


def _is_other(manifest: Manifest) -> bool:
    return not is_train_job(manifest) and not is_runtime(manifest)


def _named(job: Manifest, runtimes: Runtimes, usual_emit: str) -> Manifest:
    """The TrainJob under its final name, which the runtime's content is part of where no Trainer keeps what it was.

    That is a matter of the repository: a name does not change because somebody wants to see the JobSet once.
    """
    if job.name_hash is None:
        return job
    from kubectl_trainjob.overlay.name_hash import with_hash

    runtime = runtimes.meant(job) if usual_emit == "jobset" else None
    return with_hash(job, [runtime.body] if runtime else [])


def _made(job: Manifest, expanded: Expanded, emit: str) -> _Made:
    """What is printed for a TrainJob; if it is the TrainJob itself, what Trainer will make of it is only claimed."""
    place = job.place("metadata", "name")
    if emit == "jobset":
        made = [Claim(Output(identity_of(body), body), place, is_made=True) for body in expanded.objects]
        return _Made(made, expanded.secrets, expanded.diagnostics)
    claims = [
        Claim(Output(identity_of(body), None), place, is_made=True, is_printed=False) for body in expanded.objects
    ]
    diagnostics = tuple(finding for finding in expanded.diagnostics if finding.rule != FLUX_NAMESPACE)
    return _Made([*claims, Claim(Output(job.id, job.body), place)], (), diagnostics)


def _shared(jobs: list[_Job]) -> dict[int, object]:
    """What diagnostics refer to and nobody wants copied: the texts of files, and what overlays did."""
    libraries = {id(job.runtimes): job.runtimes for job in jobs}.values()
    manifests = [*(job.manifest for job in jobs), *(each for library in libraries for each in library.all())]
    sources = [manifest.source for manifest in manifests]
    shared = [thing for source in sources for thing in (source, source.file, source.edits) if thing]
    return {id(thing): thing for thing in shared}


def _finished(made: _Made, finish: Callable[[Body], Any]) -> _Made:
    return made._replace(
        claims=[_finished_claim(claim, finish) if claim.is_printed else claim for claim in made.claims]
    )


def _finished_claim(claim: Claim, finish: Callable[[Body], Any]) -> Claim:
    return replace(claim, output=replace(claim.output, content=finish(claim.output.content)))


def _result(prepared: _Prepared, compiled: Iterable[_Made]) -> Build:
    claims, secrets, diagnostics = list(_distinct(prepared.plain)), list[RequiredSecret](), prepared.diagnostics
    for made in compiled:
        claims += made.claims
        secrets += made.secrets
        diagnostics += made.diagnostics
    if not has_errors(diagnostics):
        diagnostics += collisions(claims)
    if any(finding.rule == RUNTIME_NOT_FOUND for finding in diagnostics):
        diagnostics += prepared.unread  # the runtime may stand in a document that could not be read
    return Build(
        outputs=tuple(sorted((claim.output for claim in claims if claim.is_printed), key=_print_key)),
        secrets=tuple(secrets),
        diagnostics=tuple(dict.fromkeys(diagnostics)),  # a runtime's findings come with each of its jobs
        ignored=prepared.ignored,
        left_out=prepared.left_out,
        passed_by=prepared.passed_by,
        read_from=prepared.read_from,
        limits=prepared.limits,
    )


def _distinct(claims: list[Claim]) -> Iterator[Claim]:
    """Each object once: two overlays may lie over the same ConfigMap."""
    first: dict[ObjectId, Claim] = {}
    for claim in claims:
        earlier = first.setdefault(claim.output.identity, claim)
        if earlier is claim or earlier.output.content != claim.output.content:
            yield claim


def _print_key(output: Output) -> tuple[Any, ...]:
    identity = output.identity
    return print_order(identity.kind), identity.kind, identity.api_version, identity.namespace, identity.name
