"""One build unit past every check: all problems of it.

In: a compilation and what was read for it. Out: `Linted`, the findings of every stage. Nothing is filtered here;
settings, comments and baselines do that later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from kubectl_trainjob.compiler.compilation import Compilation, CompiledJob, Findings
from kubectl_trainjob.compiler.job import late_findings_despite_runtime
from kubectl_trainjob.compiler.late import is_jobset, of_jobset
from kubectl_trainjob.compiler.pipeline import Task
from kubectl_trainjob.compiler.prepare import Prepared
from kubectl_trainjob.kube.facts.kinds import is_runtime
from kubectl_trainjob.lint.locate import located, of_tree
from kubectl_trainjob.lint.registry import JOB_CHECKS, RUNTIME_CHECKS, TREE_CHECKS
from kubectl_trainjob.lint.views import LintedRuntime, Surroundings, linted_job, surroundings
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.source import Source
from kubectl_trainjob.model.stages import Manifest, ObjectId
from kubectl_trainjob.model.units import Documents, LintSettings, manifests_of


class Found(NamedTuple):
    """A finding, and the TrainJob without which there would be none, the first one if there are `others`."""

    diagnostic: Diagnostic
    train_job: Manifest | None = None
    others: tuple[Manifest, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Linted:
    """All findings of one unit, and its objects by their source.

    `unbuilt` are the TrainJobs that cannot be built: their generated objects were not checked.
    """

    overlay: str
    documents: Documents
    found: tuple[Found, ...]
    objects: Mapping[Source, Manifest]
    train_jobs: tuple[Manifest, ...]
    unbuilt: tuple[ObjectId, ...] = ()

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The findings themselves."""
        return [each.diagnostic for each in self.found]


class UnitChecks:
    """The checks of one unit of one side: of each TrainJob while it is compiled, then of all else."""

    def __init__(self, prepared: Prepared, documents: Documents) -> None:
        self._prepared = prepared
        self._documents = documents
        self._around = _surroundings(prepared, documents)

    def of_job(self, job: CompiledJob[None], task: Task) -> Findings:
        """The findings in one TrainJob that can be built; of others what is certain all the same."""
        if job.expansion is None:
            return late_findings_despite_runtime(task.job, task.prepared.target, task.prepared.admitted)
        resolved, written_by = job.expansion
        bodies = tuple(each.body for each in job.objects)
        view = linted_job(resolved, bodies, self._prepared.target.trainer, self._around)
        hits = [(check.rule, finding) for check in JOB_CHECKS for finding in check.find(view)]
        return tuple(located(view, hits, written_by)) if hits else ()

    def linted(
        self, overlay: str, compilation: Compilation[Any], of_job: Callable[[CompiledJob[Any]], Findings]
    ) -> Linted:
        """All findings; `of_job` returns those that were found in a job while it was compiled."""
        found = [Found(each) for each in compilation.findings]
        for job in compilation.jobs:
            found += [Found(each, job.source) for each in (*job.findings, *job.late, *of_job(job))]
        used = {job.runtime.source for job in compilation.jobs if job.runtime and job.is_built}
        found += map(Found, self._of_runtimes(used))
        found += map(Found, self._of_tree())
        jobsets = filter(is_jobset, self._around.objects)
        found += [Found(each) for manifest in jobsets for each in of_jobset(manifest)]
        train_jobs = tuple(job.source for job in compilation.jobs)
        return Linted(
            overlay,
            self._documents,
            tuple(_distinct(found)),
            {each.source: each for each in (*compilation.manifests, *train_jobs)},
            train_jobs,
            tuple(job.source.id for job in compilation.jobs if not job.is_built),
        )

    def _of_tree(self) -> Iterator[Diagnostic]:
        for check in TREE_CHECKS:
            yield from of_tree(check.rule, check.find(self._around))

    def _of_runtimes(self, used: set[Source]) -> Iterator[Diagnostic]:
        """The findings in runtimes that are inputs, or that a TrainJob refers to; not in packaged ones."""
        inputs = {each.source for each in self._documents.inputs}
        inputs |= {each.source for unit in self._documents.units for each in manifests_of(unit)}
        for manifest in filter(is_runtime, self._around.objects):
            if manifest.source in used or manifest.source in inputs or manifest.source.edits:
                admitted = self._prepared.admitted.admit(manifest)
                if admitted.runtime is not None and not has_errors(admitted.diagnostics):
                    view = LintedRuntime(admitted.runtime, self._prepared.target.trainer, self._around)
                    for check in RUNTIME_CHECKS:
                        yield from of_tree(check.rule, check.find(view))


def _distinct(found: Iterable[Found]) -> Iterator[Found]:
    """Each finding once: a runtime's come with each of its TrainJobs."""
    alike: dict[Diagnostic, list[Found]] = {}
    for each in found:
        alike.setdefault(each.diagnostic, []).append(each)
    for first, *others in alike.values():
        yield first._replace(others=tuple(each.train_job for each in others if each.train_job))


def _surroundings(prepared: Prepared, documents: Documents) -> Surroundings:
    settings = next((each.lint for each in documents.settings), LintSettings())
    catalogue = {id(each.source) for each in documents.catalogue}
    objects = tuple(each for each in prepared.manifests if id(each.source) not in catalogue)
    train_jobs = tuple(job.manifest for job in prepared.jobs)
    return surroundings(objects, train_jobs, settings, prepared.target.emit)
