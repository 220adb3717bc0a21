"""One run of lint: the findings of every unit of one tree, after settings and suppressions."""

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
from kubectl_trainjob.compiler.printing import PrintedJob, print_job
from kubectl_trainjob.lint.registry import JOB_CHECKS, UPDATE_RULES
from kubectl_trainjob.lint.selection import RuleChoice, Selection, setting_problems
from kubectl_trainjob.lint.stale import OutputFindings, check_built
from kubectl_trainjob.lint.suppressions import Suppressions
from kubectl_trainjob.lint.unit import LintedUnit, UnitChecks, UnitFinding
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.finding import Finding, LintReport, UncheckedRules
from kubectl_trainjob.model.message import Message, joined, say
from kubectl_trainjob.model.rules import RULES, Category
from kubectl_trainjob.model.stages import BuildOptions, JobId, Manifest, ObjectId
from kubectl_trainjob.model.units import Documents, LintSettings, SkippedEntry
from kubectl_trainjob.repository.files.find_root import CurrentDirectory
from kubectl_trainjob.repository.findings import FindingBuilder
from kubectl_trainjob.repository.output.built_index import built_directories
from kubectl_trainjob.repository.positions import Locator
from kubectl_trainjob.repository.trees import TreePair

_MOST_NAMED = 2  # TrainJobs that cannot be built


class LintOptions(NamedTuple):
    """What a tree is compiled for, and how its findings are filtered.

    Shown paths are relative to `current`; `today` decides which suppressions expired; without `suppresses` none works.
    `chosen` are the rules of the command line.
    """

    build: BuildOptions
    current: CurrentDirectory
    today: date
    suppresses: bool = True
    chosen: RuleChoice = RuleChoice()


class LintNote(NamedTuple):
    """The findings in a job while it is compiled, and what is printed for it if built files are compared."""

    findings: Findings
    printed: PrintedJob | None


class TreeFindings(NamedTuple):
    """Findings that a single unit does not show: of updates by the overlay of the unit, with a base, and of files."""

    updates: Mapping[str, tuple[UnitFinding, ...]] = MappingProxyType({})
    outdated: OutputFindings = OutputFindings()
    has_base: bool = False


@dataclass(slots=True, eq=False)
class LintRun:
    """The findings that are not suppressed, and the counts of all.

    `diagnostics` has the diagnostic of each finding, `jobs` the findings in each TrainJob.
    """

    results: list[Finding] = field(default_factory=list)
    diagnostics: dict[Finding, Diagnostic] = field(default_factory=dict)
    jobs: dict[JobId, list[Finding]] = field(default_factory=dict)
    suppressed: int = 0
    existing: int = 0
    train_jobs: int = 0
    is_empty: bool = True
    unbuilt: list[ObjectId] = field(default_factory=list)
    unchecked: tuple[UncheckedRules, ...] = ()
    unread_overlays: tuple[str, ...] = ()
    skipped: tuple[SkippedEntry, ...] = ()

    def fixable(self, results: Iterable[Finding]) -> list[Diagnostic]:
        """The diagnostics of those findings that have a fix."""
        return [self.diagnostics[result] for result in results if result.fix]

    def report(self) -> LintReport:
        """The run as a report."""
        unchecked = (*_unchecked_rules(self.unbuilt), *self.unchecked)
        return LintReport(tuple(self.results), unchecked, self.train_jobs, self.suppressed, existing=self.existing)


def lint_tree(read: Iterable[TreePair], options: LintOptions, context: BuildContext) -> LintRun:
    """Lint the head of what was read, as `BaseAndHead.read` reads it."""
    units, unread_overlays = list[tuple[str, Documents]](), tuple[str, ...]()
    for both in read:
        unread_overlays += both.unread_overlays
        units.append((both.overlay, both.new))
    built = built_directories(documents for _, documents in units)
    linted, builds = list[LintedUnit](), dict[str, Compilation[PrintedJob]]()
    for overlay, documents in units:
        unit, compilation = lint_unit(documents, options.build, context, overlay, is_printed=bool(built))
        linted.append(unit)
        builds[overlay] = compilation.noted(lambda note: note.printed or PrintedJob(()))
    run = collect(linted, options, TreeFindings(outdated=check_built(built, builds)))
    run.unread_overlays = unread_overlays
    return run


def lint_unit(
    documents: Documents, options: BuildOptions, context: BuildContext, overlay: str = "", *, is_printed: bool = False
) -> tuple[LintedUnit, Compilation[LintNote]]:
    """One unit compiled and checked; with `is_printed` its notes hold what a build prints."""
    prepared = prepare(documents, options, every)
    of_unit = UnitChecks(prepared, documents)
    examine = partial(_examine, checks=of_unit, is_printed=is_printed)
    compilation = compile_unit(prepared, Compiler(examine, context))
    return of_unit.linted(overlay, compilation, lambda job: job.note.findings), compilation


def _examine(job: CompiledJob[None], task: Task, checks: UnitChecks, is_printed: bool) -> LintNote:
    return LintNote(checks.of_job(job, task), print_job(job, task.prepared.target, None) if is_printed else None)


def collect(
    units: Sequence[LintedUnit], options: LintOptions, others: TreeFindings, builder: FindingBuilder | None = None
) -> LintRun:
    """The findings of one tree, each once, sorted by position. Suppressed ones are only counted."""
    collector = _Collector(units, options, builder or FindingBuilder(Locator().resolve))
    for unit in units:
        collector.add_unit(unit, others.updates.get(unit.overlay, ()))
    run = collector.run
    problems = collector.suppressions.problems(_partly_checked(run, has_base=others.has_base))
    for diagnostic in (*others.outdated.diagnostics, *problems, *_setting_problems(units)):
        collector.add(diagnostic, collector.builder.finding(diagnostic, {})[0])
    run.results = sorted(dict.fromkeys(run.results), key=_order)
    run.unchecked += others.outdated.unchecked
    run.skipped = tuple(dict.fromkeys(each for unit in units for each in unit.documents.skipped))
    return run


class _Collector:
    """Collects the findings that are not suppressed."""

    def __init__(self, units: Sequence[LintedUnit], options: LintOptions, builder: FindingBuilder) -> None:
        self.run = LintRun()
        self.builder = builder
        self.suppressions = Suppressions(options.today)
        settings = {each.source.file.path: each.lint for unit in units for each in unit.documents.settings}
        chosen = {path.rpartition("/")[0]: options.chosen.over(lint) for path, lint in settings.items()}
        chosen.setdefault("/", options.chosen.over(LintSettings()))  # for files without settings
        selections = [Selection(lint, directory, options.current) for directory, lint in chosen.items()]
        self._selections = sorted(selections, key=lambda each: len(each.root), reverse=True)  # innermost first
        for unit in units if options.suppresses else ():
            self.suppressions.add_unit(unit)

    def add_unit(self, unit: LintedUnit, updates: Iterable[UnitFinding]) -> None:
        """Add the findings of a unit."""
        run = self.run
        run.train_jobs += len(unit.train_jobs)
        run.unbuilt += unit.unbuilt
        run.is_empty = run.is_empty and not (unit.documents.inputs or unit.documents.units)
        for found in (*unit.findings, *updates):
            finding, location = self.builder.finding(found.diagnostic, unit.objects, found.train_jobs)
            if self.suppressions.hides(found, location):
                run.suppressed += 1
                continue
            kept = self.add(found.diagnostic, finding)
            if kept is not None:
                for job in _jobs(found, unit):
                    run.jobs.setdefault(JobId(job.id, unit.overlay), []).append(kept)

    def add(self, diagnostic: Diagnostic, finding: Finding) -> Finding | None:
        """Add a finding with the severity of the settings; None if the settings suppress it."""
        selection = next((each for each in self._selections if each.covers(finding.position.path)), None)
        kept = selection.apply(finding) if selection else finding
        if kept is None:
            self.run.suppressed += 1
        else:
            self.run.results.append(kept)
            self.run.diagnostics[kept] = diagnostic
        return kept


def _jobs(found: UnitFinding, unit: LintedUnit) -> Iterable[Manifest]:
    """The TrainJobs that a finding is about: if it has none, the object at its place, which may be one."""
    written = unit.objects.get(found.diagnostic.place.source)
    return found.train_jobs or ((written,) if written else ())


def _partly_checked(run: LintRun, *, has_base: bool) -> frozenset[str]:
    """Rules that were not checked, or not for every TrainJob."""
    rules = [] if has_base else [*UPDATE_RULES]
    if run.unbuilt:
        rules += (check.rule for check in JOB_CHECKS)
        rules += (rule for rule in RULES.values() if rule.category is Category.LATE)
    return frozenset(rule.id for rule in rules)


def _setting_problems(units: Iterable[LintedUnit]) -> Iterator[Diagnostic]:
    for settings in {each.source.file.path: each for unit in units for each in unit.documents.settings}.values():
        yield from setting_problems(settings)


def _order(result: Finding) -> tuple[object, ...]:
    span = result.position.span
    return (result.position.path, span.line, span.column, result.rule.id, result.object, result.message, result.pointer)


def _unchecked_rules(unbuilt: Sequence[ObjectId]) -> tuple[UncheckedRules, ...]:
    """TrainJobs that cannot be built: their generated objects could not be checked."""
    if not unbuilt:
        return ()
    names = [_with_namespace(each) for each in dict.fromkeys(unbuilt)]
    if len(names) > _MOST_NAMED + 1:
        names[_MOST_NAMED:] = [say("{} more", len(names) - _MOST_NAMED)]
    cause = say("{} cannot be built", joined(names, last=" and "))
    return (UncheckedRules(cause, tuple(check.rule.id for check in JOB_CHECKS)),)


def _with_namespace(job: ObjectId) -> Message:
    return say("{} in namespace {}", str(job), job.namespace) if job.namespace else say("{}", str(job))
