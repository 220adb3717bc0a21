"""`lint`: what is wrong with runtimes and TrainJobs, at the line to edit."""

from __future__ import annotations

import gc
import sys
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kubectl_trainjob.cli import options
from kubectl_trainjob.cli.outputs import Output, output, write_all, write_file
from kubectl_trainjob.cli.streams import complain, has_colour

if TYPE_CHECKING:
    from kubectl_trainjob.lint.run import Run
    from kubectl_trainjob.model.finding import LintReport
    from kubectl_trainjob.repository.files.filesystem import FileSystem, Workspace
    from kubectl_trainjob.repository.trees import Sides

FORMATS = ("human", "json", "sarif", "github", "junit", "gitlab", "markdown")
_MOST_PASSES = 5  # of --fix

_HELP = """Find what a cluster rejects, what fails when Pods are created, and what runs differently than it seems.

PATH is a manifest, a directory, the directory of an overlay, or "-" for standard input. Without PATH, the command
checks the whole repository: the plain manifests and each overlay. It expands every TrainJob and checks the generated
objects, too. A finding points at the line to edit.

`lint rules` lists the rules, `lint explain KTJ301` prints the manual of one rule. The comment
`# trainjob: ignore[KTJ301] reason until=2027-01-31` in a file suppresses the rule for its line.

\b
Examples:
  # The whole repository
  kubectl trainjob lint

\b
  # Only new findings of this branch, as annotations and for GitHub's security tab
  kubectl trainjob lint --since origin/main -o github -o sarif=lint.sarif

\b
  # Show the safe fixes, then apply them
  kubectl trainjob lint --fix --diff
  kubectl trainjob lint --fix

\b
  # Record the findings of today, then report only new ones
  kubectl trainjob lint --write-baseline .trainjob-baseline.json
  kubectl trainjob lint --baseline .trainjob-baseline.json

Exit codes: 0 no finding at the level of --fail-on, 1 findings, 2 the command failed.
"""


@dataclass(frozen=True, slots=True)
class _Request:
    """What was asked for; the names are those of the options."""

    paths: tuple[str, ...]
    filenames: tuple[str, ...]
    output: tuple[Output, ...]
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


@click.command(help=_HELP)
@click.argument("paths", nargs=-1, type=options.PathType(), metavar="[PATH...|rules|explain RULE]")
@options.filenames("Same as PATH. Can be repeated.")
@output(FORMATS)
@options.namespace("Namespace for objects without a namespace.")
@options.trainer_version
@click.option("--since", metavar="REF", help="Report only findings that are new since this branch left REF.")
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
    """Read, look, report."""
    gc.disable()  # as in build: a short life, in which nearly everything is kept
    request = _Request(**given)
    if request.paths[:1] in (("rules",), ("explain",)):
        return _manual(request)
    _refuse_contradictions(request)
    from kubectl_trainjob.cli.workspace import open_workspace

    with open_workspace() as workspace:
        return _lint(request, workspace)


def _lint(request: _Request, workspace: Workspace) -> int:
    found = _run(request, workspace)
    if request.write_baseline:
        return _write_baseline(found, request.write_baseline)
    report = _without_baseline(found, request.baseline)
    if request.fix or request.unsafe_fixes:
        from kubectl_trainjob.cli.lint_fix import mend

        passes = 0
        while passes < _MOST_PASSES and mend(
            found.fixable(report.results), workspace.files, with_unsafe=request.unsafe_fixes, only_show=request.diff
        ):
            passes += 1  # what was refused may have hidden what can be mended now
            found = _run(request, workspace)
            report = _without_baseline(found, request.baseline)
        if request.diff:
            return _exit_code(request, report)
    _note(found)
    _write(report, request.output)
    if found.is_empty and request.fail_if_empty:
        complain("error: no object was found")
        return 1
    return _exit_code(request, report)


def _refuse_contradictions(request: _Request) -> None:
    mends = request.fix or request.unsafe_fixes
    if request.diff and not mends:
        raise click.UsageError("--diff shows what --fix would change; write --fix --diff")
    if request.diff and request.output:
        raise click.UsageError("--diff prints the changes instead of a report; leave out -o")
    if request.write_baseline and (request.baseline or request.since is not None or mends):
        raise click.UsageError("--write-baseline writes all findings; leave out --baseline, --since and --fix")


def _manual(request: _Request) -> int:
    from kubectl_trainjob.cli.lint_manual import explain_rule, list_rules, wants_json

    what, *names = request.paths
    if what == "rules" and not names:
        return list_rules(as_json=wants_json(request.output))
    if what == "explain" and len(names) == 1:
        return explain_rule(names[0], as_json=wants_json(request.output))
    raise click.UsageError("write `lint rules`, or `lint explain KTJ301`; a path of this name is ./rules or ./explain")


def _run(request: _Request, workspace: Workspace) -> Run:
    from datetime import date

    from kubectl_trainjob.cli.workers import Forked
    from kubectl_trainjob.compiler.executor import BuildContext
    from kubectl_trainjob.lint.run import Wanted, lint_tree
    from kubectl_trainjob.model.stages import BuildOptions

    options = BuildOptions(request.namespace, request.trainer_version)
    suppresses = not request.no_ignores
    with workspace.progress, closing(_sides(request, workspace.files)) as sides:
        context = BuildContext(Forked(), workspace.progress)
        read = sides.read(request.paths + request.filenames, workspace)
        if request.since is None:
            return lint_tree(read, Wanted(options, date.today(), suppresses), context)
        from kubectl_trainjob.review import run

        return run.lint_since(read, run.Wanted(options, options, date.today(), suppresses), context)


def _sides(request: _Request, disk: FileSystem) -> Sides:
    from kubectl_trainjob.repository import trees as sides

    if request.since is None:
        return sides.the_files(disk)
    if not request.since:
        raise click.UsageError("--since names no commit; is a variable unset?")
    return sides.since(request.since, disk)


def _without_baseline(found: Run, path: str) -> LintReport:
    if not path:
        return found.report()
    from dataclasses import replace

    from kubectl_trainjob.lint.known_findings import read_baseline, split

    divided = split(found.results, read_baseline(_read(path), path), with_refusals=False)
    if divided.gone:
        complain(f"note: {divided.gone} findings of {path} are gone; write it anew with --write-baseline {path}")
    return replace(found.report(), results=tuple(divided.new), baselined=divided.known)


def _read(path: str) -> str:
    from kubectl_trainjob.model.faults import EnvironmentFault

    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise EnvironmentFault(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _write_baseline(found: Run, path: str) -> int:
    from kubectl_trainjob.lint.known_findings import baseline_text

    write_file(path, baseline_text(found.results))
    complain(f"note: {path} written; refusals of build are never part of it")
    return 0


def _note(found: Run) -> None:
    if found.left_out:
        complain(f"note: overlays are looked at only when named: {', '.join(found.left_out)}")


def _write(report: LintReport, outputs: tuple[Output, ...]) -> None:
    from kubectl_trainjob.report.lint import written

    def text(form: str, is_shown: bool) -> str:
        return written(report, form, colour=is_shown and has_colour(sys.stdout))

    write_all(outputs, text, default="human")


def _exit_code(request: _Request, report: LintReport) -> int:
    if request.strict and report.unverifiable:
        return 1
    return int(any(options.is_as_bad(result.severity, request.fail_on) for result in report.results))
