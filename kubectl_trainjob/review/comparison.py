"""One build unit of base and head, compiled and compared.

A TrainJob that both have, with the same runtime and target, is compiled once: for the totals and for its findings. Of
the others the objects of both sides are kept.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from kubectl_trainjob.compiler.compilation import Compilation, CompiledJob, Findings
from kubectl_trainjob.compiler.executor import BuildContext
from kubectl_trainjob.compiler.origins import Origins
from kubectl_trainjob.compiler.pipeline import Compiler, Task, compile_sides, findings_at
from kubectl_trainjob.compiler.prepare import Prepared, every, prepare
from kubectl_trainjob.compiler.printing import Printed, print_job
from kubectl_trainjob.compiler.resolve.target import deciding
from kubectl_trainjob.kube.facts.kinds import is_runtime
from kubectl_trainjob.lint.unit import Linted, UnitChecks
from kubectl_trainjob.model.diagnostic import has_errors
from kubectl_trainjob.model.stages import BuildOptions, ObjectId
from kubectl_trainjob.model.units import Documents
from kubectl_trainjob.review.diff.changes import Compiled, Difference, Group, Totals
from kubectl_trainjob.review.diff.objects import difference_of
from kubectl_trainjob.review.diff.pairing import PlainObject
from kubectl_trainjob.review.diff.queues import group_of
from kubectl_trainjob.review.diff.side import Measured, Side
from kubectl_trainjob.review.diff.totals import totals_of


class Input(NamedTuple):
    """One side of a unit: what was read, what it is compiled for, and the result of preparing it once."""

    documents: Documents
    options: BuildOptions
    prepared: Prepared


class Examination(NamedTuple):
    """What `compare` asks for: `has_checks` lints both sides, `has_built` prints what built files are compared with."""

    has_checks: bool = False
    has_built: bool = False


class JobNote(NamedTuple):
    """What is known of a job on both sides: its size and queue, the findings of each side, what is printed for it."""

    totals: Totals
    group: Group
    base: Findings
    head: Findings
    printed: Printed | None


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The compilations of base and head, what differs, the problems of each side and the origins of its values.

    `linted` is None where no checks were asked for.
    """

    compilations: tuple[Compilation[JobNote], Compilation[JobNote]]
    difference: Difference
    findings: tuple[Findings, Findings]
    origins: tuple[Origins, Origins]
    linted: tuple[Linted, Linted] | None = None


def input_of(documents: Documents, options: BuildOptions) -> Input:
    """A side of a unit, prepared."""
    return Input(documents, options, prepare(documents, options, every))


def compare(base: Input, head: Input, overlay: str, wanted: Examination, context: BuildContext) -> Comparison:
    """What differs between what both sides of a unit compile to; `overlay` is the directory of the overlay."""
    checks = [UnitChecks(each.prepared, each.documents) for each in (base, head)] if wanted.has_checks else []
    examine = partial(_examine, base=base.prepared, checks=checks, is_printed=wanted.has_built)
    before, after = compile_sides(base.prepared, head.prepared, Compiler(examine, context))
    shared = [(job.note.group, job.note.totals) for job in after.jobs if job.is_shared and job.is_built]
    origins = Origins(base.prepared, before.jobs), Origins(head.prepared, after.jobs)
    linted = None
    if checks:
        old, new = checks
        linted = (
            old.linted(overlay, before, lambda job: job.note.base),
            new.linted(overlay, after, lambda job: job.note.head),
        )
    return Comparison(
        (before, after),
        difference_of(_side(before, base, origins[0]), _side(after, head, origins[1]), shared, overlay),
        (_findings(before, after), _findings(after, after)),
        origins,
        linted,
    )


def contents(prepared: Prepared) -> dict[ObjectId, str]:
    """The objects of a side after overlays, each in one spelling, before TrainJobs are compiled."""
    others = (each for each in prepared.manifests if not is_runtime(each))
    manifests = [*(job.manifest for job in prepared.jobs), *others]
    return {each.id: json.dumps(each.body, sort_keys=True, default=str) for each in manifests}


def _examine(job: CompiledJob[None], task: Task, base: Prepared, checks: list[UnitChecks], is_printed: bool) -> JobNote:
    compiled = _compiled(job)
    old, new = Findings(), Findings()
    if checks and (task.prepared is base or task.twin):
        old = checks[0].of_job(job, task)
        old = findings_at(old, job, task.twin) if task.twin else old
    if checks and task.prepared is not base:
        new = checks[1].of_job(job, task)
    printed = print_job(job, task.prepared.target, None) if is_printed else None
    return JobNote(totals_of(compiled), group_of(compiled), old, new, printed)


def _compiled(job: CompiledJob[JobNote] | CompiledJob[None]) -> Compiled:
    return Compiled(job.source, job.runtime, tuple(each.body for each in job.objects))


def _side(compilation: Compilation[JobNote], given: Input, origins: Origins) -> Side:
    own = (job for job in compilation.jobs if not job.is_shared)
    return Side(
        trainer=compilation.target.trainer,
        emit=compilation.target.emit,
        jobs=tuple(Measured(_compiled(job), job.note.totals, job.note.group) for job in own),
        others=tuple(PlainObject(each.id, each.body, each.place.source) for each in compilation.others),
        find=origins.origin,
        unbuilt=frozenset(job.source.id for job in compilation.jobs if not job.is_built),
        is_complete=not has_errors(compilation.findings),
        settings=deciding(given.documents.settings, given.options),
    )


def _findings(side: Compilation[JobNote], head: Compilation[JobNote]) -> Findings:
    """The problems of a side, each once; those of a job that both sides have are told at the lines of the head."""
    shared = {job.source.id: job for job in head.jobs if job.is_shared}
    jobs = (shared.get(job.source.id, job) if job.is_shared else job for job in side.jobs)
    return tuple(dict.fromkeys((*side.findings, *(each for job in jobs for each in job.findings))))
