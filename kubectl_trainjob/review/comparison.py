"""Two sets of inputs through the same stages, compiled where they differ, and what each of them becomes.

A TrainJob that says the same on both sides, with the same runtime for the same Trainer, is compiled once, for the
totals and for what is wrong with it; of the others both sides' objects are kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kubectl_trainjob.compiler.job import compile_job, trace_job, traced
from kubectl_trainjob.compiler.parallel import shared_by
from kubectl_trainjob.compiler.prepare import Job, Prepared, prepare
from kubectl_trainjob.compiler.resolve.target import deciding
from kubectl_trainjob.compiler.workers import in_chunks, processes
from kubectl_trainjob.kube.facts.kinds import is_runtime
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Origin, Pointer
from kubectl_trainjob.model.stages import Body, BuildOptions, Claim, Manifest, ObjectId, drain, identity_of
from kubectl_trainjob.model.units import Documents
from kubectl_trainjob.review.diff.changes import Compiled, Difference, Group, Totals
from kubectl_trainjob.review.diff.objects import difference_of
from kubectl_trainjob.review.diff.pairing import Printed
from kubectl_trainjob.review.diff.queues import group_of
from kubectl_trainjob.review.diff.same import is_same
from kubectl_trainjob.review.diff.side import Measured, Side
from kubectl_trainjob.review.diff.totals import totals_of

Progress = Callable[[str, int, int], None]
Findings = tuple[Diagnostic, ...]

_MOST_KEPT = 64  # recorded objects


class Inputs(NamedTuple):
    """One side: what was read, and what it is compiled for."""

    documents: Documents
    options: BuildOptions


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """What differs, what is wrong with either side, and who wrote the values of each."""

    difference: Difference
    findings: tuple[Findings, Findings]
    origins: tuple[Origins, Origins]


class Origins:
    """Who wrote the values of one side's objects; a TrainJob is expanded again, recorded, when somebody asks."""

    def __init__(self, prepared: Prepared, owners: Mapping[ObjectId, ObjectId]) -> None:
        """`owners` has the TrainJob of each object that is made from one."""
        self._prepared = prepared
        self._owners = owners
        self._jobs = {job.manifest.id: job for job in prepared.jobs}
        self._others = {manifest.id: manifest for manifest in prepared.kept}
        self._drafts: dict[ObjectId, Draft] = {}

    def origin(self, identity: ObjectId, pointer: Pointer) -> Origin | None:
        """The newest write of a value; None where the side has no such object."""
        draft = self._draft(identity)
        return draft.origin(pointer) if draft else None

    def _draft(self, identity: ObjectId) -> Draft | None:
        if identity not in self._drafts:
            if len(self._drafts) > _MOST_KEPT:  # who asks comes job by job
                self._drafts.clear()
            self._drafts.update(self._traced(identity))
        return self._drafts.get(identity)

    def _traced(self, identity: ObjectId) -> Iterator[tuple[ObjectId, Draft]]:
        owner = self._jobs.get(self._owners.get(identity, identity))
        if owner is not None:
            traced_job = trace_job(*owner, self._prepared.target, self._prepared.admitted)
            for each in (traced_job.train_job, *traced_job.objects):
                yield each.identity, each.draft
        elif identity in self._others:
            yield identity, traced(self._others[identity]).draft


class _Task(NamedTuple):
    """A TrainJob to compile; what it becomes is kept unless both sides have it."""

    job: Job
    side: Prepared
    is_shared: bool


class _Made(NamedTuple):
    """What became of a task. `objects` are those of a TrainJob that the other side does not have."""

    totals: Totals
    group: Group
    objects: tuple[Body, ...]
    findings: Findings


def compare(old: Inputs, new: Inputs, overlay: str, progress: Progress) -> Comparison:
    """What differs between what two sides of a unit become; `overlay` is the directory of the one that is built."""
    before, after = _prepared(old), _prepared(new)
    tasks = list(_tasks(before, after))
    made = list(zip(tasks, _compiled(list(tasks), progress), strict=True))
    shared = [(each.group, each.totals) for task, each in made if task.is_shared and not has_errors(each.findings)]
    return Comparison(
        difference_of(_side(before, made, old), _side(after, made, new), shared, overlay),
        (_findings(before, made), _findings(after, made)),
        (Origins(before, _owners(before, made)), Origins(after, _owners(after, made))),
    )


def built(inputs: Inputs) -> dict[ObjectId, str]:
    """What overlays make of the objects of a side, each in one spelling, before TrainJobs are compiled."""
    prepared = _prepared(inputs)
    manifests = [*(job.manifest for job in prepared.jobs), *(each for each in prepared.kept if not is_runtime(each))]
    return {each.id: json.dumps(each.body, sort_keys=True, default=str) for each in manifests}


def _prepared(inputs: Inputs) -> Prepared:
    return prepare(inputs.documents, inputs.options, _every)


def _every(_manifest: Manifest) -> bool:
    return True


def _tasks(before: Prepared, after: Prepared) -> Iterator[_Task]:
    known = {job.manifest.id: job for job in before.jobs} if before.target == after.target else {}
    shared = set[ObjectId]()
    for job in after.jobs:
        old = known.get(job.manifest.id)
        is_shared = old is not None and _says_the_same(old, job)
        if is_shared:
            shared.add(job.manifest.id)
        yield _Task(job, after, is_shared)
    for job in before.jobs:
        if job.manifest.id not in shared:
            yield _Task(job, before, is_shared=False)


def _says_the_same(old: Job, new: Job) -> bool:
    runtimes = [job.runtimes.meant(job.manifest) for job in (old, new)]
    bodies = [runtime.body if runtime else None for runtime in runtimes]
    return is_same(old.manifest.body, new.manifest.body) and is_same(*bodies)


def _compiled(tasks: list[_Task], progress: Progress) -> Iterator[_Made]:
    """What became of each task, whose list is emptied."""
    count = len(tasks)
    if processes(count) == 1:
        for number, task in enumerate(drain(tasks)):
            if number % 64 == 0:
                progress("compiling TrainJobs", number, count)
            yield _make(task)
        return
    known = shared_by([task.job for task in tasks])
    for chunk in in_chunks(_make_all, tasks, known, lambda done: progress("compiling TrainJobs", done, count)):
        yield from chunk


def _make_all(tasks: Sequence[_Task]) -> list[_Made]:
    return [_make(task) for task in tasks]


def _make(task: _Task) -> _Made:
    expanded = compile_job(*task.job, task.side.target, task.side.admitted)
    compiled = _with_runtime(task.job, expanded.objects)
    objects = () if task.is_shared else expanded.objects
    return _Made(totals_of(compiled), group_of(compiled), objects, expanded.diagnostics)


def _with_runtime(job: Job, objects: tuple[Body, ...]) -> Compiled:
    return Compiled(job.manifest, job.runtimes.meant(job.manifest), objects)


_Results = Sequence[tuple[_Task, _Made]]


def _of(side: Prepared, results: _Results) -> Iterator[tuple[_Task, _Made]]:
    return ((task, made) for task, made in results if task.side is side or task.is_shared)


def _side(prepared: Prepared, results: _Results, inputs: Inputs) -> Side:
    own = [(task, made) for task, made in results if task.side is prepared and not task.is_shared]
    return Side(
        trainer=prepared.trainer,
        emit=prepared.target.emit,
        jobs=tuple(Measured(_with_runtime(task.job, made.objects), made.totals, made.group) for task, made in own),
        others=tuple(_other(claim) for claim in prepared.plain),
        find=Origins(prepared, _owners(prepared, results)).origin,
        unbuilt=frozenset(task.job.manifest.id for task, made in _of(prepared, results) if has_errors(made.findings)),
        is_complete=not has_errors(prepared.diagnostics),
        settings=deciding(inputs.documents.settings, inputs.options),
    )


def _other(claim: Claim) -> Printed:
    content = claim.output.content
    assert not isinstance(content, bytes)  # only what is compiled in another process may be one
    return Printed(claim.output.identity, content, claim.place.source)


def _findings(prepared: Prepared, results: _Results) -> Findings:
    made = (finding for _, each in _of(prepared, results) for finding in each.findings)
    return tuple(dict.fromkeys((*prepared.diagnostics, *made)))


def _owners(prepared: Prepared, results: _Results) -> dict[ObjectId, ObjectId]:
    return {identity_of(body): task.job.manifest.id for task, made in _of(prepared, results) for body in made.objects}
