"""All checks of one build unit, and the findings of all its stages.

In: a compilation and what was read for it. Out: `LintedUnit`. Nothing is filtered here: settings, suppressions and
baselines are applied later.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from kubectl_trainjob.compiler.compilation import Compilation, CompiledJob, Findings
from kubectl_trainjob.compiler.job import creation_findings_despite_runtime
from kubectl_trainjob.compiler.job_creation import is_jobset, of_jobset
from kubectl_trainjob.compiler.pipeline import Task
from kubectl_trainjob.compiler.prepare import PreparedUnit
from kubectl_trainjob.kube.facts.kinds import is_runtime
from kubectl_trainjob.lint.locate import at_reference, input_diagnostics, job_diagnostics
from kubectl_trainjob.lint.registry import JOB_CHECKS, RUNTIME_CHECKS, TREE_CHECKS
from kubectl_trainjob.lint.views import LintContext, LintedJob, LintedRuntime
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.rules import IMAGE_TAG_LATEST, UNBUILT_KUSTOMIZATION
from kubectl_trainjob.model.source import Source
from kubectl_trainjob.model.stages import Manifest, ObjectId, is_same
from kubectl_trainjob.model.units import Documents, LintSettings, manifests_of
from kubectl_trainjob.repository.files.find_root import upward


class UnitFinding(NamedTuple):
    """A diagnostic, and the TrainJobs that it was found with; none for one of other inputs."""

    diagnostic: Diagnostic
    train_jobs: tuple[Manifest, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class LintedUnit:
    """All findings of one unit, and its objects by their source.

    `unbuilt` are the TrainJobs that cannot be built: their generated objects were not checked.
    """

    overlay: str
    documents: Documents
    findings: tuple[UnitFinding, ...]
    objects: Mapping[Source, Manifest]
    train_jobs: tuple[Manifest, ...]
    unbuilt: tuple[ObjectId, ...] = ()

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The diagnostics of the findings."""
        return [each.diagnostic for each in self.findings]


class UnitChecks:
    """The checks of one unit of one tree: of each TrainJob while it is compiled, then of all other inputs."""

    def __init__(self, prepared: PreparedUnit, documents: Documents) -> None:
        self._prepared = prepared
        self._documents = documents
        self._catalogue = {id(each.source) for each in documents.catalogue(prepared.target.trainer)}
        self._context = _context(prepared, documents, self._catalogue)

    def of_job(self, job: CompiledJob[None], task: Task) -> Findings:
        """The findings in one TrainJob; if it cannot be built, those that are certain anyway."""
        if job.expansion is None:
            return creation_findings_despite_runtime(task.job, task.prepared.target, task.prepared.admitted)
        resolved, origin = job.expansion
        bodies = tuple(each.body for each in job.objects)
        view = LintedJob(resolved, bodies, self._prepared.target.trainer, self._context)
        hits = [(check.rule, hit) for check in JOB_CHECKS for hit in check.find(view)]
        found = job_diagnostics(view, hits, origin)
        if id(resolved.runtime.manifest.source) in self._catalogue:
            found = (at_reference(each, resolved) for each in found)
        return tuple(found)

    def twin_sources(self, base: UnitChecks) -> Mapping[Source, Source] | None:
        """The sources of the base by those of the head, if a shared job has the same findings in both; else None."""
        contexts = self._context, base._context
        head, old = ([*each.objects, *each.train_jobs] for each in contexts)
        settings = [(each.settings, each.emit) for each in contexts]
        if settings[0] != settings[1] or self._prepared.target != base._prepared.target or len(head) != len(old):
            return None
        pairs = list(zip(head, old, strict=True))
        if not all(one.id == other.id and is_same(one.body, other.body) for one, other in pairs):
            return None
        return {one.source: other.source for one, other in pairs}

    def linted(
        self, overlay: str, compilation: Compilation[Any], of_job: Callable[[CompiledJob[Any]], Findings]
    ) -> LintedUnit:
        """All findings; `of_job` returns those that were found in a job while it was compiled."""
        found = [UnitFinding(each) for each in compilation.findings]
        for job in compilation.jobs:
            found += [
                UnitFinding(each, (job.source,)) for each in (*job.findings, *job.creation_findings, *of_job(job))
            ]
        used = {job.runtime.source for job in compilation.jobs if job.runtime and job.is_built}
        found += map(UnitFinding, self._of_runtimes(used))
        for check in TREE_CHECKS:
            found += map(UnitFinding, input_diagnostics(check.rule, check.find(self._context)))
        for manifest in filter(is_jobset, self._context.objects):
            found += map(UnitFinding, of_jobset(manifest, self._prepared.target.version.admission.jobset))
        train_jobs = tuple(job.source for job in compilation.jobs)
        return LintedUnit(
            overlay,
            self._documents,
            tuple(_distinct(_certain(found))),
            {each.source: each for each in (*compilation.manifests, *train_jobs)},
            train_jobs,
            tuple(job.source.id for job in compilation.jobs if not job.is_built),
        )

    def _of_runtimes(self, used: set[Source]) -> Iterator[Diagnostic]:
        """The findings in runtimes that are inputs, or that a TrainJob refers to; not in packaged ones."""
        inputs = {each.source for each in self._documents.inputs}
        inputs |= {each.source for unit in self._documents.units for each in manifests_of(unit)}
        for manifest in filter(is_runtime, self._context.objects):
            if manifest.source in used or manifest.source in inputs or manifest.source.edits:
                admitted = self._prepared.admitted.admit(manifest)
                if admitted.runtime is not None and not has_errors(admitted.diagnostics):
                    view = LintedRuntime(admitted.runtime, self._prepared.target.trainer, self._context)
                    for check in RUNTIME_CHECKS:
                        yield from input_diagnostics(check.rule, check.find(view))


def _certain(found: list[UnitFinding]) -> Iterator[UnitFinding]:
    """All but the tags of images beside an unbuilt kustomization: its `images` sets them, or that of an overlay."""
    kustomizations = {_folder(each) for each in found if each.diagnostic.rule is UNBUILT_KUSTOMIZATION}
    for each in found:
        if each.diagnostic.rule is not IMAGE_TAG_LATEST or kustomizations.isdisjoint(upward(_folder(each))):
            yield each


def _folder(found: UnitFinding) -> str:
    return posixpath.dirname(found.diagnostic.place.source.file.path)


def _distinct(found: Iterable[UnitFinding]) -> Iterator[UnitFinding]:
    """Each diagnostic once: that of a runtime is found with each of its TrainJobs."""
    train_jobs: dict[Diagnostic, list[Manifest]] = {}
    for each in found:
        train_jobs.setdefault(each.diagnostic, []).extend(each.train_jobs)
    return (UnitFinding(diagnostic, tuple(jobs)) for diagnostic, jobs in train_jobs.items())


def _context(prepared: PreparedUnit, documents: Documents, catalogue: set[int]) -> LintContext:
    settings = next((each.lint for each in documents.settings), LintSettings())
    objects = tuple(each for each in prepared.manifests if id(each.source) not in catalogue)
    return LintContext(objects, tuple(job.manifest for job in prepared.jobs), settings, prepared.target.emit)
