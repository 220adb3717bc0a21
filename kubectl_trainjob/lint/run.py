"""One run of lint: every unit of one tree of files, or of two, of which the older only says what is no news."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from kubectl_trainjob.compiler.compilation import Compilation, CompiledJob, Findings
from kubectl_trainjob.compiler.executor import BuildContext
from kubectl_trainjob.compiler.pipeline import Compiler, Task, compile_unit
from kubectl_trainjob.compiler.prepare import every, prepare
from kubectl_trainjob.compiler.printing import Printed, print_job
from kubectl_trainjob.lint.registry import JOB_CHECKS, UPDATE_RULES
from kubectl_trainjob.lint.results import Results
from kubectl_trainjob.lint.selection import Selection, setting_problems
from kubectl_trainjob.lint.stale import Judged, check_built
from kubectl_trainjob.lint.suppressions import Suppressions
from kubectl_trainjob.lint.unit import Found, Linted, UnitChecks
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.finding import Finding, LintReport, Unverifiable
from kubectl_trainjob.model.rules import RULES, Category, Rule
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.model.stages import BuildOptions, JobId, Manifest, ObjectId
from kubectl_trainjob.model.units import Documents, Unit
from kubectl_trainjob.repository.output.built_index import built_directories
from kubectl_trainjob.repository.positions import Locator
from kubectl_trainjob.repository.trees import Both


class Wanted(NamedTuple):
    """What a tree is compiled for; `today` decides which suppressions expired; without `suppresses` none works."""

    options: BuildOptions
    today: date
    suppresses: bool = True


class LintNote(NamedTuple):
    """What is found in a job while it is compiled, and what is printed for it, where built files are compared."""

    findings: Findings
    printed: Printed | None


class Elsewhere(NamedTuple):
    """Findings that a single unit does not show: of updates by the overlay of the unit, with a base, and of files."""

    updates: Mapping[str, tuple[Found, ...]] = MappingProxyType({})
    outdated: Judged = Judged()
    has_base: bool = False


@dataclass(slots=True, eq=False)
class Run:
    """What was found: every result that the team wants to hear of, and what there is to say besides.

    `found` has the finding that each result was, `jobs` what was found in each TrainJob.
    """

    results: list[Finding] = field(default_factory=list)
    found: dict[Finding, Diagnostic] = field(default_factory=dict)
    jobs: dict[JobId, list[Finding]] = field(default_factory=dict)
    suppressed: int = 0
    before: int = 0
    train_jobs: int = 0
    is_empty: bool = True
    unbuilt: list[ObjectId] = field(default_factory=list)
    unverifiable: tuple[Unverifiable, ...] = ()
    left_out: tuple[str, ...] = ()

    def fixable(self, results: Iterable[Finding]) -> list[Diagnostic]:
        """The findings of those results that have a fix."""
        return [self.found[result] for result in results if result.fix]

    def report(self) -> LintReport:
        """The run as it is told."""
        unverifiable = (*_unverifiable(self.unbuilt), *self.unverifiable)
        return LintReport(
            tuple(self.results),
            unverifiable,
            train_jobs=self.train_jobs,
            suppressed=self.suppressed,
            before=self.before,
        )


def lint_tree(read: Iterable[Both], wanted: Wanted, context: BuildContext) -> Run:
    """Lint the head of what was read, as `Sides.read` reads it."""
    units, left_out = list[tuple[str, Documents]](), tuple[str, ...]()
    for both in read:
        left_out += both.left_out
        units.append((both.overlay, both.new))
    built = built_directories(documents for _, documents in units)
    linted, builds = list[Linted](), dict[str, Compilation[Printed]]()
    for overlay, documents in units:
        found, compilation = lint_unit(documents, wanted.options, context, overlay, is_printed=bool(built))
        linted.append(found)
        builds[overlay] = compilation.noted(lambda note: note.printed or Printed(()))
    told = collect(linted, wanted, Elsewhere(outdated=check_built(built, builds)))
    told.left_out = left_out
    return told


def lint_unit(
    documents: Documents, options: BuildOptions, context: BuildContext, overlay: str = "", *, is_printed: bool = False
) -> tuple[Linted, Compilation[LintNote]]:
    """One unit compiled and checked; with `is_printed` its notes hold what a build prints."""
    prepared = prepare(documents, options, every)
    of_unit = UnitChecks(prepared, documents)
    examine = partial(_examine, checks=of_unit, is_printed=is_printed)
    compilation = compile_unit(prepared, Compiler(examine, context))
    return of_unit.linted(overlay, compilation, lambda job: job.note.findings), compilation


def _examine(job: CompiledJob[None], task: Task, checks: UnitChecks, is_printed: bool) -> LintNote:
    return LintNote(checks.of_job(job, task), print_job(job, task.prepared.target, None) if is_printed else None)


def collect(units: Sequence[Linted], wanted: Wanted, elsewhere: Elsewhere) -> Run:
    """The findings of one side: each once, as settings and comments want them."""
    told, locator = Run(), Locator()
    maker, suppressions = Results(locator), Suppressions(wanted.today)
    selections = _selections(units)
    for unit in units if wanted.suppresses else ():
        _note_suppressions(unit, suppressions)
    for unit in units:
        _tell(unit, elsewhere.updates.get(unit.overlay, ()), told, (maker, suppressions, selections))
    problems = suppressions.problems(_unasked(told, has_base=elsewhere.has_base))
    for diagnostic in (*elsewhere.outdated.diagnostics, *problems, *_setting_problems(units)):
        found = Found(diagnostic)
        _add(told, found, maker.result(found, {})[0], selections)
    told.results = sorted(dict.fromkeys(told.results), key=_order)
    told.unverifiable += elsewhere.outdated.unverifiable
    return told


def _unasked(told: Run, *, has_base: bool) -> frozenset[str]:
    """Rules that were not asked, or not of every TrainJob."""
    unasked = [] if has_base else [*UPDATE_RULES]
    if told.unbuilt:
        unasked += (check.rule for check in JOB_CHECKS)
        unasked += (rule for rule in RULES.values() if rule.category is Category.LATE)
    return frozenset(_ids(unasked))


def _setting_problems(units: Iterable[Linted]) -> Iterator[Diagnostic]:
    for settings in {each.source.file.path: each for unit in units for each in unit.documents.settings}.values():
        yield from setting_problems(settings)


def _tell(
    linted: Linted, updates: Iterable[Found], told: Run, means: tuple[Results, Suppressions, list[Selection]]
) -> None:
    maker, suppressions, selections = means
    told.train_jobs += len(linted.train_jobs)
    told.unbuilt += linted.unbuilt
    told.is_empty = told.is_empty and not (linted.documents.inputs or linted.documents.units)
    for found in (*linted.found, *updates):
        result, spot = maker.result(found, linted.objects)
        if suppressions.hides(found, spot):
            told.suppressed += 1
            continue
        kept = _add(told, found, result, selections)
        if kept is not None:
            for job in _jobs(found, linted):
                told.jobs.setdefault(JobId(job.id, linted.overlay), []).append(kept)


def _jobs(found: Found, linted: Linted) -> Iterable[Manifest]:
    """The TrainJobs that a finding is about; of one in a document, which may be a TrainJob, what stands there."""
    if found.train_job:
        return found.train_job, *found.others
    written = linted.objects.get(found.diagnostic.place.source)
    return (written,) if written else ()


def _add(told: Run, found: Found, result: Finding, selections: list[Selection]) -> Finding | None:
    """Add the result as the team wants to hear of it; None where it does not."""
    selection = next((each for each in selections if each.covers(result.position.path)), None)
    kept = selection.told(result) if selection else result
    if kept is None:
        told.suppressed += 1
    else:
        told.results.append(kept)
        told.found[kept] = found.diagnostic
    return kept


def _selections(units: Iterable[Linted]) -> list[Selection]:
    """The settings of each repository, that of the innermost first."""
    settings = {each.source.file.path: each for unit in units for each in unit.documents.settings}
    roots = {path.rpartition("/")[0]: each.lint for path, each in settings.items()}
    return [Selection(roots[root], root) for root in sorted(roots, key=len, reverse=True)]


def _note_suppressions(unit: Linted, suppressions: Suppressions) -> None:
    for manifest in unit.objects.values():
        suppressions.add_object(manifest)
    for file in _files(unit.documents):
        suppressions.add_file(_as_written(file))


def _files(documents: Documents) -> Iterator[SourceFile]:
    for manifest in (*documents.inputs, *documents.library):
        yield manifest.source.file
    for unit in documents.units:
        yield from _unit_files(unit)


def _unit_files(unit: Unit) -> Iterator[SourceFile]:
    yield unit.overlay.source.file
    for patch in unit.overlay.patches:
        yield patch.source.file
    for member in unit.members:
        if isinstance(member, Unit):
            yield from _unit_files(member)
        else:
            yield member.source.file


def _as_written(file: SourceFile) -> SourceFile:
    while file.written is not None:
        file = file.written.file
    return file


def _order(result: Finding) -> tuple[object, ...]:
    span = result.position.span
    return (result.position.path, span.line, span.column, result.rule.id, result.object, result.message, result.pointer)


def _unverifiable(unbuilt: Sequence[ObjectId]) -> tuple[Unverifiable, ...]:
    """TrainJobs that cannot be built: what they would become could not be looked at."""
    if not unbuilt:
        return ()
    names = ", ".join(dict.fromkeys(map(str, unbuilt)))
    return (Unverifiable(f"cannot be built: {names}", tuple(_ids(check.rule for check in JOB_CHECKS))),)


def _ids(rules: Iterable[Rule]) -> Iterator[str]:
    return (rule.id for rule in rules)
