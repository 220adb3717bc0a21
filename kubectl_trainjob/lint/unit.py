"""Inputs through the same stages as in a build, and past every check: all that is wrong with them.

In: what was read. Out: `Linted`, every finding of every stage. Nothing is left out here; what a team does not want to
hear is taken away behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from kubectl_trainjob.compiler.job import compile_job, late_anyway
from kubectl_trainjob.compiler.late import is_jobset, of_jobset
from kubectl_trainjob.compiler.parallel import shared_by
from kubectl_trainjob.compiler.prepare import Job, Prepared, prepare
from kubectl_trainjob.compiler.workers import in_chunks, processes
from kubectl_trainjob.kube.facts.kinds import is_runtime
from kubectl_trainjob.lint.locate import located, of_tree
from kubectl_trainjob.lint.registry import checks
from kubectl_trainjob.lint.views import LintedRuntime, Surroundings, linted_job, surroundings
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.source import Source
from kubectl_trainjob.model.stages import BuildOptions, Manifest, ObjectId
from kubectl_trainjob.model.units import Documents, LintSettings, manifests_of

Progress = Callable[[str, int, int], None]


class Found(NamedTuple):
    """A finding, and the TrainJob without which there would be none, the first one if there are `others`."""

    diagnostic: Diagnostic
    train_job: Manifest | None = None
    others: tuple[Manifest, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Linted:
    """Everything that was found in one unit, and by its source which object stands where.

    `unbuilt` are the TrainJobs that cannot be built, so that nobody looked at what they become.
    """

    found: tuple[Found, ...]
    objects: Mapping[Source, Manifest]
    train_jobs: tuple[Manifest, ...]
    unbuilt: tuple[ObjectId, ...] = ()

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The findings themselves."""
        return [each.diagnostic for each in self.found]


class _Judged(NamedTuple):
    """What was found in one TrainJob, and the runtime that it refers to; None where it cannot be built."""

    diagnostics: list[Diagnostic]
    runtime: Source | None


def lint(documents: Documents, options: BuildOptions, progress: Progress) -> Linted:
    """Everything that any stage and any check finds in what is built together."""
    prepared = prepare(documents, options, lambda _manifest: True)
    around = _around(prepared, documents)
    jobs = list(prepared.jobs)
    judged = list(zip(around.train_jobs, _judged(jobs, prepared, around, progress), strict=True))
    runtimes = {each.runtime for _, each in judged if each.runtime}
    found = [Found(each) for each in prepared.diagnostics]
    found += [Found(diagnostic, job) for job, each in judged for diagnostic in each.diagnostics]
    found += map(Found, _of_runtimes(prepared, documents, around, runtimes))
    found += map(Found, _of_tree(around))
    found += [Found(each) for manifest in around.objects if is_jobset(manifest) for each in of_jobset(manifest)]
    return Linted(
        tuple(_distinct(found)),
        {each.source: each for each in (*prepared.kept, *around.train_jobs)},
        around.train_jobs,
        tuple(job.id for job, each in judged if each.runtime is None),
    )


def _distinct(found: Iterable[Found]) -> Iterator[Found]:
    """Each finding once: a runtime's come with each of its TrainJobs."""
    alike: dict[Diagnostic, list[Found]] = {}
    for each in found:
        alike.setdefault(each.diagnostic, []).append(each)
    for first, *others in alike.values():
        yield first._replace(others=tuple(each.train_job for each in others if each.train_job))


def _of_tree(around: Surroundings) -> Iterator[Diagnostic]:
    for check in checks().of_trees:
        yield from of_tree(check.rule, check.find(around))


def _around(prepared: Prepared, documents: Documents) -> Surroundings:
    settings = next((each.lint for each in documents.settings), LintSettings())
    catalogue = {id(each.source) for each in documents.catalogue}
    objects = tuple(each for each in prepared.kept if id(each.source) not in catalogue)
    train_jobs = tuple(job.manifest for job in prepared.jobs)
    return surroundings(objects, train_jobs, settings, prepared.target.emit)


def _judged(jobs: list[Job], prepared: Prepared, around: Surroundings, progress: Progress) -> Iterator[_Judged]:
    total = len(jobs)
    judge = partial(_judge, prepared=prepared, around=around)
    if processes(total) == 1:
        for number, job in enumerate(jobs):
            if number % 64 == 0:
                progress("checking TrainJobs", number, total)
            yield judge(job)
        return
    shared = shared_by(jobs)

    def chunk(some: Sequence[Job]) -> list[_Judged]:
        return list(map(judge, some))

    for part in in_chunks(chunk, jobs, shared, lambda done: progress("checking TrainJobs", done, total)):
        yield from part


def _judge(job: Job, prepared: Prepared, around: Surroundings) -> _Judged:
    """One TrainJob through the stages and past the checks."""
    expanded = compile_job(*job, prepared.target, prepared.admitted)
    found = [*expanded.diagnostics, *expanded.late]
    if expanded.resolved is None or has_errors(expanded.diagnostics):
        if expanded.resolved is None:
            found += late_anyway(*job, prepared.target, prepared.admitted)
        return _Judged(found, None)
    view = linted_job(expanded.resolved, expanded.objects, prepared.trainer, around)
    hits = [(check, finding) for check in checks().of_jobs for finding in check.find(view)]
    if hits and expanded.written_by:
        found += located(view, [(check.rule, finding) for check, finding in hits], expanded.written_by)
    return _Judged(found, expanded.resolved.runtime.manifest.source)


def _of_runtimes(
    prepared: Prepared, documents: Documents, around: Surroundings, used: set[Source]
) -> Iterator[Diagnostic]:
    """What checks say of the runtimes that are inputs, or that a TrainJob refers to; not of packaged ones."""
    inputs = {each.source for each in documents.inputs}
    inputs |= {each.source for unit in documents.units for each in manifests_of(unit)}
    for manifest in around.objects:
        if is_runtime(manifest) and (manifest.source in used or manifest.source in inputs or manifest.source.edits):
            admitted = prepared.admitted.admit(manifest)
            if admitted.runtime is not None and not has_errors(admitted.diagnostics):
                view = LintedRuntime(admitted.runtime, prepared.trainer, around)
                for check in checks().of_runtimes:
                    yield from of_tree(check.rule, check.find(view))
