"""The order of the stages: read → overlay → check → admit → resolve → expand → admit the result. Start reading here.

`prepare` does what concerns all inputs of a unit together, `compile_job` does one TrainJob. Neither raises for what is
in a user's files: every problem is a `Diagnostic`, and one broken object does not hide another's problems. `Origins`
expands a job again, recorded, when a caller needs the origins of its values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, Generic, NamedTuple

from kubectl_trainjob.compiler.compilation import Compilation, CompiledJob, Findings, Job, Note
from kubectl_trainjob.compiler.executor import IN_PROCESS, BuildContext
from kubectl_trainjob.compiler.job import compile_job, trace_compiled, trace_job, trace_object
from kubectl_trainjob.compiler.prepare import ManifestFilter, PreparedUnit, prepare
from kubectl_trainjob.compiler.printing import PrintedJob, print_job
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Origin, Place, Pointer, Source
from kubectl_trainjob.model.stages import Body, BuildOptions, ObjectId, Tracing, is_same
from kubectl_trainjob.model.units import Documents


class Task(NamedTuple):
    """A TrainJob to compile. `twin` is the same job of the base, where head and base have the same."""

    job: Job
    prepared: PreparedUnit
    keeps_objects: bool
    twin: Job | None = None


class Compiler(NamedTuple, Generic[Note]):
    """How to compile: `examine` gets each job in the process that compiles it, and its result is the job's note."""

    examine: Callable[[CompiledJob[None], Task], Note]
    context: BuildContext = IN_PROCESS

    def compile_all(self, tasks: list[Task]) -> Iterator[CompiledJob[Note]]:
        """Every task in order; the list is emptied, and each job is freed when it is done."""
        count = len(tasks)
        executor, progress = self.context
        shared = partial(_shared, [task.job for task in tasks] if executor.is_remote(count) else [])
        work = partial(_compile_task, examine=self.examine)
        return executor.map(work, tasks, shared, lambda done: progress("compiling TrainJobs", done, count))


def _compile_task(task: Task, examine: Callable[[CompiledJob[None], Task], Note]) -> CompiledJob[Note]:
    job = compile_job(task.job, task.prepared.target, task.prepared.admitted)
    note = examine(job, task)
    return job.examined(note, keeps_objects=task.keeps_objects, is_shared=task.twin is not None)


def build(
    documents: Documents,
    options: BuildOptions,
    finish: Callable[[Body], bytes] | None = None,
    context: BuildContext = IN_PROCESS,
) -> Compilation[PrintedJob]:
    """What the inputs compile to, ready to print: `finish` makes the text of a body, where other processes help."""
    prepared = prepare(documents, options)
    del documents  # from here on each parsed TrainJob is freed when it has been compiled
    remote = finish if context.executor.is_remote(len(prepared.jobs)) else None
    examine = partial(print_job, target=prepared.target, finish=remote)
    return compile_unit(prepared, Compiler(lambda job, _task: examine(job), context), keeps_inputs=False)


def compile_unit(prepared: PreparedUnit, compiler: Compiler[Note], *, keeps_inputs: bool = True) -> Compilation[Note]:
    """One unit of one tree, without the generated objects; the list of prepared jobs is emptied."""
    tasks = [Task(job, prepared, keeps_objects=False) for job in prepared.jobs]
    prepared.jobs.clear()
    jobs = compiler.compile_all(tasks)
    return _compilation(prepared, jobs if keeps_inputs else (job.without_inputs() for job in jobs))


def compile_sides(
    base: PreparedUnit, head: PreparedUnit, compiler: Compiler[Note]
) -> tuple[Compilation[Note], Compilation[Note]]:
    """One unit of base and head. A TrainJob that both have, with the same runtime and target, is compiled once.

    Such a job keeps no objects. Its note and its findings are those of the head; the findings of the base have the
    lines of the base.
    """
    twins = _twins(base, head)
    tasks = [Task(job, head, job.manifest.id not in twins, twins.get(job.manifest.id)) for job in head.jobs]
    tasks += [Task(job, base, keeps_objects=True) for job in base.jobs if job.manifest.id not in twins]
    compiled = list(compiler.compile_all(tasks))
    of_head, of_base = compiled[: len(head.jobs)], compiled[len(head.jobs) :]
    shared = [_at_twin(job, twins[job.source.id]) for job in of_head if job.is_shared]
    return _compilation(base, [*shared, *of_base]), _compilation(head, of_head)


def _twins(base: PreparedUnit, head: PreparedUnit) -> dict[ObjectId, Job]:
    """The jobs of the base that the head has, too, with the same content, runtime and target."""
    known = {job.manifest.id: job for job in base.jobs} if base.target == head.target else {}
    counts = Counter(job.manifest.id for job in (*base.jobs, *head.jobs))  # duplicates have no twin
    found = ((job, known.get(job.manifest.id)) for job in head.jobs if counts[job.manifest.id] == 2)
    return {job.manifest.id: twin for job, twin in found if twin and _are_same(job, twin)}


def _are_same(job: Job, twin: Job) -> bool:
    runtimes = [(each.runtime and each.runtime.body, each.is_ambiguous) for each in (job, twin)]
    return is_same(job.manifest.body, twin.manifest.body) and is_same(*runtimes)


def _at_twin(job: CompiledJob[Note], twin: Job) -> CompiledJob[Note]:
    """The same job with its findings at the lines of the base."""
    moved = findings_at(job.findings, job, twin), findings_at(job.creation_findings, job, twin)
    return replace(
        job, source=twin.manifest, runtime=twin.runtime, unit=twin.unit, findings=moved[0], creation_findings=moved[1]
    )


def findings_at(
    findings: Iterable[Diagnostic],
    job: CompiledJob[Any],
    twin: Job,
    others: Mapping[Source, Source] = MappingProxyType({}),
) -> Findings:
    """Findings in a job and its runtime, at the same places of its twin; `others` has twins of more sources."""
    sources = {job.source.source: twin.manifest.source}
    if job.runtime and twin.runtime:
        sources[job.runtime.source] = twin.runtime.source

    def moved(place: Place) -> Place:
        return replace(place, source=sources.get(place.source) or others.get(place.source, place.source))

    def at_twin(finding: Diagnostic) -> Diagnostic:
        related = tuple(each._replace(place=moved(each.place)) for each in finding.related)
        return replace(finding, place=moved(finding.place), related=related)

    return tuple(map(at_twin, findings))


def _shared(jobs: list[Job]) -> dict[int, object]:
    """What findings refer to and must not be copied: the texts of files, and what overlays did."""
    libraries = {id(job.runtimes): job.runtimes for job in jobs}.values()
    manifests = [*(job.manifest for job in jobs), *(each for library in libraries for each in library.all())]
    sources = [manifest.source for manifest in manifests]
    things = [thing for source in sources for thing in (source, source.file, source.edits) if thing]
    return {id(thing): thing for thing in (*things, *manifests)}


def trace(documents: Documents, options: BuildOptions, wanted: ManifestFilter) -> Tracing:
    """The same stages for the chosen inputs, with a recorder: the origin of each value of the generated objects."""
    prepared = prepare(documents, options, wanted)
    jobs = [trace_job(job, prepared.target, prepared.admitted) for job in prepared.jobs if wanted(job.manifest)]
    return Tracing(
        trainer=prepared.target.trainer,
        jobs=tuple(jobs),
        others=tuple(map(trace_object, prepared.manifests)),
        diagnostics=tuple(dict.fromkeys(prepared.findings)),
        unread_overlays=prepared.reading.unread_overlays,
    )


def _compilation(prepared: PreparedUnit, jobs: Iterable[CompiledJob[Note]]) -> Compilation[Note]:
    return Compilation(
        prepared.target,
        tuple(jobs),
        tuple(prepared.others),
        tuple(prepared.manifests),
        tuple(prepared.findings),
        prepared.unread,
        prepared.reading,
    )


_MOST_KEPT = 64  # recorded objects


class Origins:
    """Finds the origins of the values of the objects of one tree."""

    def __init__(
        self,
        prepared: PreparedUnit,
        jobs: Iterable[CompiledJob[Any]],
        owners: Mapping[ObjectId, ObjectId] | None = None,
    ) -> None:
        """`jobs` are compiled; `owners` are the TrainJobs of generated objects, if the jobs did not keep these."""
        self._prepared = prepared
        self._jobs = {job.manifest.id: job for job in prepared.jobs}
        self._built = {job.source.id for job in jobs if job.is_built}
        self._owners = owners or {each.id: job.source.id for job in jobs for each in job.objects}
        self._others = {manifest.id: manifest for manifest in prepared.manifests}
        self._drafts: dict[ObjectId, Draft] = {}

    def origin(self, identity: ObjectId, pointer: Pointer) -> Origin | None:
        """The newest write of a value; None where the tree has no such object."""
        draft = self._draft(identity)
        return draft.origin(pointer) if draft else None

    def _draft(self, identity: ObjectId) -> Draft | None:
        if identity not in self._drafts:
            if len(self._drafts) > _MOST_KEPT:  # callers come job by job
                self._drafts.clear()
            self._drafts.update(self._traced(identity))
        return self._drafts.get(identity)

    def _traced(self, identity: ObjectId) -> Iterator[tuple[ObjectId, Draft]]:
        owner = self._jobs.get(self._owners.get(identity, identity))
        if owner is not None and owner.manifest.id in self._built:
            found = trace_compiled(owner, self._prepared.target, self._prepared.admitted)
            yield from ((each.identity, each.draft) for each in (found.train_job, *found.objects))
        elif owner is not None:
            yield identity, trace_object(owner.manifest).draft
        elif identity in self._others:
            yield identity, trace_object(self._others[identity]).draft
