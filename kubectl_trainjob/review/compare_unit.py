"""One build unit: base and head compiled together, linted and compared.

A TrainJob that base and head have, with the same runtime and target, is compiled once: for the totals and for its
findings. Of the others the objects of base and head are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from kubectl_trainjob.compiler.compilation import Compilation, CompiledJob, Findings
from kubectl_trainjob.compiler.executor import BuildContext
from kubectl_trainjob.compiler.pipeline import Compiler, Origins, Task, compile_sides, findings_at
from kubectl_trainjob.compiler.prepare import PreparedUnit, deciding, every, prepare
from kubectl_trainjob.compiler.printing import PrintedJob, print_job
from kubectl_trainjob.lint.unit import LintedUnit, UnitChecks
from kubectl_trainjob.model.diagnostic import has_errors
from kubectl_trainjob.model.source import Place, Pointer, leaves
from kubectl_trainjob.model.stages import BuildOptions, ObjectId
from kubectl_trainjob.model.units import Documents
from kubectl_trainjob.review.diff.changes import ComparedJob, Difference, Group, Totals
from kubectl_trainjob.review.diff.objects import Side, difference_of
from kubectl_trainjob.review.diff.renames import PlainObject
from kubectl_trainjob.review.diff.totals import group_of, totals_of
from kubectl_trainjob.review.same_errors import has_same_errors


class Input(NamedTuple):
    """One side of a unit: the documents, the options, and both prepared."""

    documents: Documents
    options: BuildOptions
    prepared: PreparedUnit


class CompareOptions(NamedTuple):
    """The options of base and head. `has_checks` lints both, `has_built` prints them for the check of built files."""

    old: BuildOptions
    new: BuildOptions
    has_checks: bool = False
    has_built: bool = False


class JobNote(NamedTuple):
    """A job in base and head: its size and queue, the findings of each tree, its printed objects."""

    totals: Totals
    group: Group
    base: Findings
    head: Findings
    printed: PrintedJob | None


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The compilations of base and head, the difference, the problems of each tree and the origins of its values.

    `linted` is None without checks.
    """

    compilations: tuple[Compilation[JobNote], Compilation[JobNote]]
    difference: Difference
    findings: tuple[Findings, Findings]
    origins: tuple[Origins, Origins]
    linted: tuple[LintedUnit, LintedUnit] | None = None

    def written(self, side: int, identity: ObjectId, pointer: Pointer | None, value: Any) -> Place | None:
        """The place of the inputs that a value of one tree comes from; None if it is unknown, or there is no value.

        A mapping or list whose values were written one by one comes from where the first of them does.
        """
        place = self._written_place(side, identity, pointer)
        leaf = next(leaves(value, pointer))[0] if pointer is not None else None
        below = self._written_place(side, identity, leaf) if leaf != pointer else place
        return place if place and below and below.source == place.source else below

    def _written_place(self, side: int, identity: ObjectId, pointer: Pointer | None) -> Place | None:
        origin = None if pointer is None else self.origins[side].origin(identity, pointer)
        return origin.first_place() if origin else None


def input_of(documents: Documents, options: BuildOptions) -> Input:
    """A side of a unit, prepared."""
    return Input(documents, options, prepare(documents, options, every))


def compare_unit(base: Input, head: Input, overlay: str, options: CompareOptions, context: BuildContext) -> Comparison:
    """The difference between the results of base and head; `overlay` is the directory of the overlay."""
    checks = _Checks(base, head) if options.has_checks else None
    examine = partial(_examine, checks=checks, is_printed=options.has_built)
    before, after = compile_sides(base.prepared, head.prepared, Compiler(examine, context))
    shared = [(job.note.group, job.note.totals) for job in after.jobs if job.is_shared and job.is_built]
    origins = Origins(base.prepared, before.jobs), Origins(head.prepared, after.jobs)
    is_same = has_same_errors((base.documents, before.findings), (head.documents, after.findings))
    sides = _side(before, base, origins[0], is_same), _side(after, head, origins[1], is_same)
    difference = difference_of(*sides, shared, overlay)
    return Comparison(
        (before, after),
        difference,
        (_findings(before, after), _findings(after, after)),
        origins,
        checks.linted(overlay, before, after) if checks else None,
    )


class _Checks:
    """The checks of base and head. If the context of a shared job is the same, its checks run once."""

    def __init__(self, base: Input, head: Input) -> None:
        self._base, self._head = (UnitChecks(each.prepared, each.documents) for each in (base, head))
        self._prepared = base.prepared
        self._twins = self._head.twin_sources(self._base)

    def of_job(self, job: CompiledJob[None], task: Task) -> tuple[Findings, Findings]:
        """The findings of base and head; none in a tree without the job."""
        if task.prepared is self._prepared:
            return self._base.of_job(job, task), Findings()
        found = self._head.of_job(job, task)
        if not task.twin:
            return Findings(), found
        before = found if self._twins is not None else self._base.of_job(job, task)
        return findings_at(before, job, task.twin, self._twins or {}), found

    def linted(
        self, overlay: str, before: Compilation[JobNote], after: Compilation[JobNote]
    ) -> tuple[LintedUnit, LintedUnit]:
        """All findings of base and head."""
        base = self._base.linted(overlay, before, lambda job: job.note.base)
        return base, self._head.linted(overlay, after, lambda job: job.note.head)


def _examine(job: CompiledJob[None], task: Task, checks: _Checks | None, is_printed: bool) -> JobNote:
    compiled = _compared_job(job)
    old, new = checks.of_job(job, task) if checks else (Findings(), Findings())
    printed = print_job(job, task.prepared.target, None) if is_printed else None
    return JobNote(totals_of(compiled), group_of(compiled), old, new, printed)


def _compared_job(job: CompiledJob[JobNote] | CompiledJob[None]) -> ComparedJob:
    return ComparedJob(job.source, job.runtime, tuple(each.body for each in job.objects))


def _side(compilation: Compilation[JobNote], given: Input, origins: Origins, has_same_errors: bool) -> Side:
    """One tree. A job that both have and cannot build is not a difference; the same errors hide the same from both."""
    own = (job for job in compilation.jobs if not job.is_shared)
    return Side(
        trainer=compilation.target.trainer,
        emit=compilation.target.emit,
        jobs=tuple(replace(_compared_job(job), totals=job.note.totals, group=job.note.group) for job in own),
        others=tuple(PlainObject(each.id, each.body, each.place.source) for each in compilation.others),
        find=origins.origin,
        unbuilt=frozenset(job.source.id for job in compilation.jobs if not (job.is_built or job.is_shared)),
        is_complete=has_same_errors or not has_errors(compilation.findings),
        settings=deciding(given.documents.settings, given.options),
    )


def _findings(side: Compilation[JobNote], head: Compilation[JobNote]) -> Findings:
    """The problems of a tree, each once; those of a job that base and head have are at the lines of the head."""
    shared = {job.source.id: job for job in head.jobs if job.is_shared}
    jobs = (shared.get(job.source.id, job) if job.is_shared else job for job in side.jobs)
    return tuple(dict.fromkeys((*side.findings, *(each for job in jobs for each in job.findings))))
