"""`lint`: the errors of runtimes and TrainJobs, at the line to edit, and their fixes."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kubectl_trainjob.cli import candidates, options
from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.streams import (
    emit,
    note_no_objects,
    note_skipped,
    note_unread_overlays,
    print_error,
    write_file,
    write_outputs,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubectl_trainjob.cli.session import Session
    from kubectl_trainjob.lint.fix.fixes import FixResult
    from kubectl_trainjob.lint.run import LintRun
    from kubectl_trainjob.model.finding import Finding, LintReport
    from kubectl_trainjob.repository.files.filesystem import FileSystem

FORMATS = ("human", "json", "sarif", "github", "junit", "gitlab", "markdown", "html")
_MOST_SHOWN = 20  # findings that are not fixed
_MOST_PASSES = 5  # of --fix

_SELECT = "Report only these rules: ids, names or starts of ids such as KTJ3, and build errors. Can be repeated."
_IGNORE = "Omit these rules. Of --select and --ignore, the longer start of an id counts. Can be repeated."


@dataclass(frozen=True, slots=True)
class LintRequest:
    """The options, by their names."""

    paths: tuple[str, ...]
    filenames: tuple[str, ...]
    output: tuple[options.Output, ...]
    namespace: str
    trainer_version: str
    since: str | None
    fail_on: str
    fail_if_empty: bool
    fix: bool
    unsafe_fixes: bool
    diff: bool
    baseline: str
    write_baseline: str
    no_ignores: bool
    strict: bool
    select: tuple[str, ...]
    ignore: tuple[str, ...]


def _rule_names(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())


@click.command(cls=ManualCommand)
@options.paths("[PATH...|rules|explain RULE]")
@options.output(FORMATS)
@options.namespace("Namespace for objects without a namespace.")
@options.trainer_version
@click.option(
    "--select", multiple=True, callback=_rule_names, shell_complete=candidates.rules, metavar="RULE", help=_SELECT
)
@click.option(
    "--ignore", multiple=True, callback=_rule_names, shell_complete=candidates.rules, metavar="RULE", help=_IGNORE
)
@click.option(
    "--since",
    shell_complete=candidates.references,
    metavar="REF",
    help="Report only findings that are new since this branch left REF.",
)
@options.fail_on("Minimum severity of a finding for exit code 1.")
@click.option("--fail-if-empty", is_flag=True, help="Fail if the paths contain no object.")
@click.option("--fix", is_flag=True, help="Apply safe fixes. Comments and layout stay.")
@click.option("--unsafe-fixes", is_flag=True, help="Also apply fixes that can change the intended meaning.")
@click.option("--diff", is_flag=True, help="With --fix: print the changes, write no file.")
@click.option(
    "--baseline", default="", type=options.PathType(), metavar="FILE", help="Omit the findings that are in FILE."
)
@click.option(
    "--write-baseline", default="", type=options.PathType(), metavar="FILE", help="Write all findings to FILE and exit."
)
@click.option("--no-ignores", is_flag=True, help="Also report findings that comments and annotations suppress.")
@click.option("--strict", is_flag=True, help="Also fail if something could not be checked.")
def lint(**given: Any) -> int:
    """Check the files, fix them if requested, write the reports."""
    request = LintRequest(**given)
    if request.paths[:1] in (("rules",), ("explain",)):
        return _manual(request)
    _reject_contradictions(request)
    from kubectl_trainjob.cli.session import open_session

    with open_session() as session:
        return _lint(request, session)


def _lint(request: LintRequest, session: Session) -> int:
    from kubectl_trainjob.report.lint import format_report

    found = _run(request, session)
    if request.write_baseline:
        return _write_baseline(found, request.write_baseline)
    report = _without_baseline(found, request.baseline, session.workspace.files)
    if request.fix or request.unsafe_fixes:
        disk, passes = session.workspace.files, 0
        while passes < _MOST_PASSES and _apply_fixes(
            found, report.results, disk, with_unsafe=request.unsafe_fixes, only_show=request.diff
        ):
            passes += 1  # without an error, lint may find other fixable findings
            found = _run(request, session)
            report = _without_baseline(found, request.baseline, session.workspace.files)
        if request.diff:
            return _exit_code(request, report)
    note_skipped([each for each in found.skipped if each.reason in ("chart", "foreign", "broken")])
    note_unread_overlays(found.unread_overlays, "checked")
    write_outputs(request.output, format_report, report, default="human")
    if found.is_empty and request.fail_if_empty:
        print_error("error: the paths contain no object")
        return 1
    if found.is_empty and not found.unread_overlays:
        note_no_objects()
    return _exit_code(request, report)


def _reject_contradictions(request: LintRequest) -> None:
    fixes = request.fix or request.unsafe_fixes
    if request.since == "":
        raise click.UsageError("--since has no commit; write --since REF (is a variable unset?)")
    if request.diff and not fixes:
        raise click.UsageError("--diff shows what --fix would change; write --fix --diff")
    if request.diff and request.output:
        raise click.UsageError("--diff prints the changes instead of a report; remove -o")
    if request.write_baseline and (request.baseline or request.since is not None or fixes):
        raise click.UsageError("--write-baseline writes all findings; remove --baseline, --since and --fix")


def _manual(request: LintRequest) -> int:
    from kubectl_trainjob.cli.help import explain_rule, list_rules, wants_json

    what, *names = request.paths
    if what == "rules" and not names:
        return list_rules(as_json=wants_json(request.output))
    if what == "explain" and len(names) == 1:
        return explain_rule(names[0], as_json=wants_json(request.output))
    raise click.UsageError("write `lint rules`, or `lint explain KTJ301`; a path of this name is ./rules or ./explain")


def _run(request: LintRequest, session: Session) -> LintRun:
    from datetime import date

    from kubectl_trainjob.lint.run import LintOptions, lint_tree
    from kubectl_trainjob.lint.selection import RuleChoice
    from kubectl_trainjob.model.stages import BuildOptions
    from kubectl_trainjob.repository.trees import since, working_tree

    chosen = RuleChoice(request.select, request.ignore)
    if problem := chosen.problem():
        raise click.UsageError(str(problem))
    options, suppresses = BuildOptions(request.namespace, request.trainer_version), not request.no_ignores
    workspace, context = session
    disk, today = workspace.files, date.today()
    with workspace.progress, closing(since(request.since, disk) if request.since else working_tree(disk)) as trees:
        units = trees.read(request.paths + request.filenames, workspace)
        if not request.since:
            return lint_tree(units, LintOptions(options, disk.current, today, suppresses, chosen), context)
        from kubectl_trainjob.review.review_trees import ReviewOptions, lint_since

        review = ReviewOptions(options, options, disk.current, today, suppresses, chosen=chosen)
        return lint_since(units, review, context)


def _without_baseline(found: LintRun, path: str, files: FileSystem) -> LintReport:
    if not path:
        return found.report()
    from dataclasses import replace

    from kubectl_trainjob.lint.baseline import read_baseline, split_by_baseline

    divided = split_by_baseline(found.results, read_baseline(_read(path, files), path), with_build_errors=False)
    if divided.gone:
        ending, verb = ("", "exists") if divided.gone == 1 else ("s", "exist")
        gone = f"{divided.gone} finding{ending} of {path} no longer {verb}"
        print_error(f"note: {gone}; update it with --write-baseline {path}")
    return replace(found.report(), results=tuple(divided.new), baselined=divided.known)


def _read(path: str, files: FileSystem) -> str:
    from kubectl_trainjob.model.faults import EnvironmentFault
    from kubectl_trainjob.model.limits import LIMITS
    from kubectl_trainjob.repository.files.named_file import named_file
    from kubectl_trainjob.repository.files.root import TooLargeError, UnsafePathError, reason_of

    try:
        return named_file(path, files).read(LIMITS.output_bytes).decode(errors="replace")
    except (OSError, ValueError, UnsafePathError, TooLargeError) as error:
        raise EnvironmentFault(f"{path}: {reason_of(error)}") from None


def _write_baseline(found: LintRun, path: str) -> int:
    from kubectl_trainjob.lint.baseline import baseline_text

    write_file(path, baseline_text(found.results))
    print_error(f"note: {path} written; it omits errors of build, which always count")
    return 0


def _exit_code(request: LintRequest, report: LintReport) -> int:
    if request.strict and report.unchecked:
        return 1
    return int(any(options.reaches(result.severity, request.fail_on) for result in report.results))


def _apply_fixes(
    found: LintRun, results: Sequence[Finding], disk: FileSystem, *, with_unsafe: bool, only_show: bool
) -> bool:
    """Apply the fixes of the results, or print the changes; whether any file was written.

    Raises EnvironmentFault for a file that cannot be written.
    """
    from kubectl_trainjob.lint.fix.fixes import fix
    from kubectl_trainjob.model.message import plural

    fixing = fix(found.fixable(results), with_unsafe=with_unsafe)
    _print_rejected(fixing)
    if only_show:
        _show(fixing)
    elif fixing.files:
        from kubectl_trainjob.repository.output.changed_files import write

        write(fixing.files, disk)
    fixed = set(fixing.fixed)
    count = len({each.statement for each in results if found.diagnostics[each] in fixed})
    if not fixing.files:
        print_error(f"note: no {'' if with_unsafe else 'safe '}fix is left")
    elif not only_show:
        print_error(f"note: {plural(count, 'finding')} fixed in {plural(len(fixing.files), 'file')}")
    return bool(fixing.files) and not only_show


def _show(fixing: FixResult) -> None:
    from kubectl_trainjob.lint.fix.diff import diff_lines
    from kubectl_trainjob.report.phrases import as_lines

    emit([as_lines(diff_lines(fixing.files)).encode("utf-8", "backslashreplace")])


def _print_rejected(fixing: FixResult) -> None:
    from kubectl_trainjob.repository.positions import Locator

    resolve = Locator().resolve
    for each in fixing.not_fixed[:_MOST_SHOWN]:
        at, rule = resolve(each.diagnostic.place), each.diagnostic.rule
        print_error(f"note: {at}: {rule.id} {rule.name} is not fixed: {each.reason}")
    if len(fixing.not_fixed) > _MOST_SHOWN:
        print_error(f"note: {len(fixing.not_fixed) - _MOST_SHOWN} more are not fixed")
