"""Every TrainJob compiled, in this process or in several; the results are the same.

In: what was prepared. Out: what became of each TrainJob, in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from kubectl_trainjob.compiler.job import Target, compile_job
from kubectl_trainjob.compiler.prepare import Job, Prepared
from kubectl_trainjob.compiler.workers import in_chunks, processes
from kubectl_trainjob.kube.admission.spelling import as_stored
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.rules.mpi import FLUX_NAMESPACE
from kubectl_trainjob.model.stages import Body, Claim, Expanded, Manifest, Output, RequiredSecret, drain, identity_of


def _tell_nobody(_stage: str, _done: int, _total: int) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Means:
    """What a build may use. `finish` makes the text of a body: where other processes help, they do it, too, and one
    process leaves it to the caller. `progress` is told the stage, and how many TrainJobs of how many are through.
    """

    finish: Callable[[Body], bytes] | None = None
    progress: Callable[[str, int, int], None] = _tell_nobody


class Made(NamedTuple):
    """What became of one TrainJob."""

    claims: list[Claim]
    secrets: tuple[RequiredSecret, ...]
    diagnostics: tuple[Diagnostic, ...]
    late: tuple[Diagnostic, ...] = ()


def compiled(prepared: Prepared, means: Means) -> Iterator[Made]:
    """What became of each TrainJob, whose list is emptied.

    Contents are bodies; what other processes made comes as `means.finish` left it.
    """
    jobs, total = prepared.jobs, len(prepared.jobs)

    def one(job: Job) -> Made:
        return _made(job.manifest, compile_job(*job, prepared.target, prepared.admitted), prepared.target)

    if means.finish is None or processes(total) == 1:
        for number, job in enumerate(drain(jobs)):
            if number % 64 == 0:
                means.progress("compiling TrainJobs", number, total)
            yield one(job)
        return
    finish = means.finish

    def finished(chunk: Sequence[Job]) -> list[Made]:
        return [_finished(one(job), finish) for job in chunk]

    for chunk in in_chunks(
        finished, jobs, shared_by(jobs), lambda done: means.progress("compiling TrainJobs", done, total)
    ):
        yield from chunk


def _made(job: Manifest, expanded: Expanded, target: Target) -> Made:
    """What is printed for a TrainJob; if it is the TrainJob itself, what Trainer will make of it is only claimed."""
    place = job.place("metadata", "name")
    if target.emit == "jobset":
        made = [Claim(Output(identity_of(body), body), place, is_made=True) for body in expanded.objects]
        return Made(made, expanded.secrets, expanded.diagnostics, expanded.late)
    claims = [Claim(Output(identity_of(body), {}), place, is_made=True, is_printed=False) for body in expanded.objects]
    diagnostics = tuple(finding for finding in expanded.diagnostics if finding.rule != FLUX_NAMESPACE)
    body = job.body if has_errors(diagnostics) else as_stored(job.body, target.version.admission.schemas)
    return Made([*claims, Claim(Output(job.id, body), place)], (), diagnostics, expanded.late)


def shared_by(jobs: list[Job]) -> dict[int, object]:
    """What diagnostics refer to and nobody wants copied: the texts of files, and what overlays did."""
    libraries = {id(job.runtimes): job.runtimes for job in jobs}.values()
    manifests = [*(job.manifest for job in jobs), *(each for library in libraries for each in library.all())]
    sources = [manifest.source for manifest in manifests]
    shared = [thing for source in sources for thing in (source, source.file, source.edits) if thing]
    return {id(thing): thing for thing in shared}


def _finished(made: Made, finish: Callable[[Body], bytes]) -> Made:
    return made._replace(claims=[_finished_claim(claim, finish) for claim in made.claims])


def _finished_claim(claim: Claim, finish: Callable[[Body], bytes]) -> Claim:
    content = claim.output.content
    if isinstance(content, bytes) or not claim.is_printed:
        return claim
    return replace(claim, output=replace(claim.output, content=finish(content)))
