"""One run of lint: every unit of one tree of files, or of two, of which the older only says what is no news."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from kubectl_trainjob.lint.known_findings import fingerprints, split
from kubectl_trainjob.lint.known_rules import every_rule
from kubectl_trainjob.lint.outputs import judged
from kubectl_trainjob.lint.registry import checks
from kubectl_trainjob.lint.results import Results
from kubectl_trainjob.lint.selection import Selection, setting_problems
from kubectl_trainjob.lint.suppressions import Suppressions
from kubectl_trainjob.lint.unit import Found, Linted, Progress, lint
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.finding import LintReport, Result, Unverifiable
from kubectl_trainjob.model.rule import Rule, RuleClass
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.model.stages import BuildOptions, Manifest, ObjectId
from kubectl_trainjob.model.units import Documents, Unit
from kubectl_trainjob.repository.positions import Locator
from kubectl_trainjob.repository.trees import Both
from kubectl_trainjob.review.diff.changes import JobId

if TYPE_CHECKING:
    from kubectl_trainjob.review.comparison import Comparison


class Wanted(NamedTuple):
    """What is asked of a run. `base` is what the old side is compiled for; without it there is none to look at.

    `today` decides which suppressions are over; without `suppresses` none works.
    """

    options: BuildOptions
    today: date
    suppresses: bool = True
    base: BuildOptions | None = None


class _Unit(NamedTuple):
    """One unit of one side; `more` are findings that a single unit alone does not show."""

    overlay: str
    documents: Documents
    linted: Linted
    more: tuple[Found, ...] = ()


class _Besides(NamedTuple):
    """What is known of a side besides its units: whether it is compared, and what was found elsewhere."""

    has_base: bool
    found: tuple[Diagnostic, ...] = ()


@dataclass(slots=True, eq=False)
class Run:
    """What was found: every result that the team wants to hear of, and what there is to say besides.

    `found` has the finding that each result was, `jobs` what was found in each TrainJob.
    """

    results: list[Result] = field(default_factory=list)
    found: dict[Result, Diagnostic] = field(default_factory=dict)
    jobs: dict[JobId, list[Result]] = field(default_factory=dict)
    suppressed: int = 0
    before: int = 0
    train_jobs: int = 0
    is_empty: bool = True
    unbuilt: list[ObjectId] = field(default_factory=list)
    unverifiable: tuple[Unverifiable, ...] = ()
    left_out: tuple[str, ...] = ()

    def fixable(self, results: Iterable[Result]) -> list[Diagnostic]:
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


def run(
    read: Iterable[Both], wanted: Wanted, progress: Progress, compared: Mapping[str, Comparison] | None = None
) -> Run:
    """Lint what was read, as `Sides.read` reads it. With a base, findings are told that it does not have.

    `compared` are the units' comparisons, by their overlays, where somebody made them already.
    """
    old, new, left_out = list[_Unit](), list[_Unit](), tuple[str, ...]()
    for both in read:
        left_out += both.left_out
        linted = lint(both.new, wanted.options, progress)
        comparison = compared.get(both.overlay) if compared is not None else _compare(both, wanted, progress)
        changes = _changes(comparison, linted) if comparison else ()
        new.append(_Unit(both.overlay, both.new, linted, changes))
        if wanted.base:
            old.append(_Unit(both.overlay, both.old, lint(both.old, wanted.base, progress)))
    outdated = judged(_documents(new), wanted.options)
    told = _told(new, wanted, _Besides(bool(wanted.base), outdated.diagnostics))
    told.unverifiable += outdated.unverifiable
    told.left_out = left_out
    if wanted.base:
        known = fingerprints(_told(old, wanted, _Besides(has_base=True)).results)
        divided = split(told.results, known, with_refusals=True)
        told.results, told.before = divided.new, divided.known
    return told


def _compare(both: Both, wanted: Wanted, progress: Progress) -> Comparison | None:
    if wanted.base is None:
        return None
    from kubectl_trainjob.review.comparison import Inputs, compare

    return compare(Inputs(both.old, wanted.base), Inputs(both.new, wanted.options), both.overlay, progress)


def _changes(comparison: Comparison, linted: Linted) -> tuple[Found, ...]:
    """What is wrong with the step from the old side of a unit to the new one."""
    from kubectl_trainjob.review.update_findings import changes_found

    return tuple(changes_found(comparison, linted.train_jobs))


def _told(units: Sequence[_Unit], wanted: Wanted, besides: _Besides) -> Run:
    """The findings of one side: each once, as settings and comments want them."""
    told, locator = Run(), Locator()
    maker, suppressions = Results(locator), Suppressions(wanted.today)
    selections = _selections(units)
    for unit in units if wanted.suppresses else ():
        _note_suppressions(unit, suppressions)
    for unit in units:
        _tell(unit, told, maker, suppressions, selections)
    own = (*suppressions.problems(_unasked(told, has_base=besides.has_base)), *_setting_problems(units))
    for diagnostic in (*besides.found, *own):
        found = Found(diagnostic)
        _add(told, found, maker.result(found, {})[0], selections)
    told.results = sorted(dict.fromkeys(told.results), key=_order)
    return told


def _documents(units: Iterable[_Unit]) -> dict[str, Documents]:
    return {unit.overlay: unit.documents for unit in units}


def _unasked(told: Run, *, has_base: bool) -> frozenset[str]:
    """Rules that were not asked, or not of every TrainJob."""
    every = checks()
    unasked = [] if has_base else [check.rule for check in every.of_changes]
    if told.unbuilt:
        unasked += (check.rule for check in every.of_jobs)
        unasked += (rule for rule in every_rule().values() if rule.rule_class is RuleClass.LATE)
    return frozenset(_ids(unasked))


def _setting_problems(units: Iterable[_Unit]) -> Iterator[Diagnostic]:
    for settings in {each.source.file.path: each for unit in units for each in unit.documents.settings}.values():
        yield from setting_problems(settings)


def _tell(unit: _Unit, told: Run, maker: Results, suppressions: Suppressions, selections: list[Selection]) -> None:
    linted = unit.linted
    told.train_jobs += len(linted.train_jobs)
    told.unbuilt += linted.unbuilt
    told.is_empty = told.is_empty and not (unit.documents.inputs or unit.documents.units)
    for found in (*linted.found, *unit.more):
        result, spot = maker.result(found, linted.objects)
        if suppressions.hides(found, spot):
            told.suppressed += 1
            continue
        kept = _add(told, found, result, selections)
        if kept is not None:
            for job in _jobs(found, linted):
                told.jobs.setdefault(JobId(job.id, unit.overlay), []).append(kept)


def _jobs(found: Found, linted: Linted) -> Iterable[Manifest]:
    """The TrainJobs that a finding is about; of one in a document, which may be a TrainJob, what stands there."""
    if found.train_job:
        return found.train_job, *found.others
    written = linted.objects.get(found.diagnostic.place.source)
    return (written,) if written else ()


def _add(told: Run, found: Found, result: Result, selections: list[Selection]) -> Result | None:
    """Add the result as the team wants to hear of it; None where it does not."""
    selection = next((each for each in selections if each.covers(result.position.path)), None)
    kept = selection.told(result) if selection else result
    if kept is None:
        told.suppressed += 1
    else:
        told.results.append(kept)
        told.found[kept] = found.diagnostic
    return kept


def _selections(units: Iterable[_Unit]) -> list[Selection]:
    """The settings of each repository, that of the innermost first."""
    settings = {each.source.file.path: each for unit in units for each in unit.documents.settings}
    roots = {path.rpartition("/")[0]: each.lint for path, each in settings.items()}
    return [Selection(roots[root], root) for root in sorted(roots, key=len, reverse=True)]


def _note_suppressions(unit: _Unit, suppressions: Suppressions) -> None:
    for manifest in unit.linted.objects.values():
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


def _order(result: Result) -> tuple[object, ...]:
    span = result.position.span
    return (result.position.path, span.line, span.column, result.rule.id, result.object, result.message, result.pointer)


def _unverifiable(unbuilt: Sequence[ObjectId]) -> tuple[Unverifiable, ...]:
    """TrainJobs that cannot be built: what they would become could not be looked at."""
    if not unbuilt:
        return ()
    names = ", ".join(dict.fromkeys(map(str, unbuilt)))
    return (Unverifiable(f"cannot be built: {names}", tuple(_ids(check.rule for check in checks().of_jobs))),)


def _ids(rules: Iterable[Rule]) -> Iterator[str]:
    return (rule.id for rule in rules)
