"""`migrate`: jobs of older operators and older spellings of Trainer in, today's objects out."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from kubectl_trainjob.cli import options
from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.streams import emit, note_skipped, print_error, print_findings
from kubectl_trainjob.kube.facts.supported import LATEST_TRAINER, TRAINER_VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubectl_trainjob.cli.session import Session
    from kubectl_trainjob.model.diagnostic import Diagnostic
    from kubectl_trainjob.repository.files.find_root import CurrentDirectory
    from kubectl_trainjob.repository.output.changed_files import FileChange
    from kubectl_trainjob.repository.output.migration import Migration


@dataclass(frozen=True, slots=True)
class MigrateRequest:
    """The options, by their names."""

    paths: tuple[str, ...]
    filenames: tuple[str, ...]
    output: Literal["yaml", "json"] | None
    output_directory: str
    to: str
    check: bool
    diff: bool
    write: bool
    force: bool


@click.command(cls=ManualCommand)
@options.paths()
@click.option("-o", "--output", type=click.Choice(["yaml", "json"]), help="Print YAML, the default, or one JSON List.")
@click.option(
    "-O",
    "--output-directory",
    default="",
    type=options.PathType("dir"),
    metavar="DIR",
    help="Write all files to DIR, which must not have them.",
)
@click.option(
    "--to",
    type=click.Choice(TRAINER_VERSIONS),
    default=LATEST_TRAINER,
    show_default=True,
    help="Write objects of Trainer for this version.",
)
@click.option("--check", is_flag=True, help="Print nothing; exit with 1 if something would change.")
@click.option("--diff", is_flag=True, help="Print the changes of the files.")
@click.option("--write", is_flag=True, help="Change the files. Comments and layout of other objects stay.")
@click.option("--force", is_flag=True, help="With --write: also change files that git cannot restore.")
def migrate(**given: Any) -> int:
    """Read, migrate, then write; the report goes to stderr."""
    request = MigrateRequest(**given)
    _reject_contradictions(request)
    from kubectl_trainjob.cli.session import open_session

    with open_session() as session:
        return _migrate(request, session)


def _reject_contradictions(request: MigrateRequest) -> None:
    modes = [request.check, request.diff, request.write, bool(request.output_directory)]
    if sum(modes) > 1:
        raise click.UsageError("--check, --diff, --write and -O exclude each other; choose one")
    if any(modes) and request.output:
        raise click.UsageError("-o is for the printed objects; remove it")
    if request.force and not request.write:
        raise click.UsageError("--force is for --write; add it")


def _migrate(request: MigrateRequest, session: Session) -> int:
    from kubectl_trainjob.compiler.migration_check import build_errors
    from kubectl_trainjob.repository.files.input_files import read_files
    from kubectl_trainjob.repository.output.migration import migrate_files

    paths = request.paths + request.filenames
    contents = read_files(paths, session.workspace)
    migration = migrate_files(contents, request.to)
    noted = {each.place for each in migration.findings if _needs_user([each])}
    errors = [each for each in build_errors(migration.built, request.to) if each.place not in noted]
    findings = (*contents.diagnostics, *migration.findings, *errors)
    shown, repeated = _without_repeated_notes(findings)
    print_findings(shown)
    _write(request, migration, session)
    if repeated:
        print_error(f"note: the same differences are in other jobs: {repeated} more")
    _note_jobs(request, migration)
    _note_rules(request, migration)
    note_skipped(contents.skipped)
    if contents.ignored:
        print_error(f"note: documents without apiVersion and kind are not migrated: {contents.ignored}")
    return int(_needs_user(findings) or (request.check and bool(migration.changes)))


def _without_repeated_notes(findings: Sequence[Diagnostic]) -> tuple[list[Diagnostic], int]:
    """The findings, each difference that needs nothing only once; and how many were omitted."""
    from kubectl_trainjob.model.rules import Severity

    first: dict[object, Diagnostic] = {}
    for each in findings:
        key: object = (each.rule.id, each.message) if each.severity is Severity.INFO else id(each)
        first.setdefault(key, each)
    return list(first.values()), len(findings) - len(first)


def _needs_user(findings: Iterable[Diagnostic]) -> bool:
    from kubectl_trainjob.model.rules import Severity

    return any(each.severity is not Severity.INFO for each in findings)


def _write(request: MigrateRequest, migration: Migration, session: Session) -> None:
    if request.diff:
        from kubectl_trainjob.lint.fix.diff import diff_lines
        from kubectl_trainjob.report.phrases import as_lines

        emit([as_lines(diff_lines(migration.changes)).encode("utf-8", "backslashreplace")])
    elif request.write:
        _change_files(migration.changes, session, force=request.force)
    elif request.output_directory:
        from kubectl_trainjob.repository.output.new_files import NewFile, NewFiles

        files = [NewFile(_inside(each.path), each.new) for each in migration.files]
        NewFiles(request.output_directory, files, session.workspace.files.current).create()
    elif not request.check:
        emit(_printed(migration, request.output or "yaml"))


def _inside(path: str) -> str:
    """The path of a file below the directory of `-O`, also for one above the current directory."""
    return "/".join(name for name in path.replace(os.sep, "/").split("/") if name not in ("", ".", ".."))


def _change_files(changes: Sequence[FileChange], session: Session, *, force: bool) -> None:
    from kubectl_trainjob.model.faults import EnvironmentFault
    from kubectl_trainjob.repository.output.changed_files import write

    current = session.workspace.files.current
    if any(each.path == "-" for each in changes):
        raise EnvironmentFault("standard input cannot be changed; remove --write")
    if not force:
        _reject_losses([current.real(each.path) for each in changes], current)
    write(changes, session.workspace.files)


def _reject_losses(paths: Sequence[str], current: CurrentDirectory) -> None:
    """An error if git cannot restore the old content of a file."""
    from kubectl_trainjob.model.faults import EnvironmentFault
    from kubectl_trainjob.repository.git.uncommitted_files import find_outside, find_uncommitted

    if outside := find_outside(paths):
        names = ", ".join(current.relative(path) for path in outside)
        lost = f"{'is' if len(outside) == 1 else 'are'} not in a git repository, so the old content would be lost"
        raise EnvironmentFault(f"{names} {lost}; use -O DIR, or --force")
    if changed := find_uncommitted(paths):
        names = ", ".join(current.relative(path) for path in changed)
        raise EnvironmentFault(f"these files have changes that are not committed: {names}; commit, or use --force")


def _printed(migration: Migration, fmt: Literal["yaml", "json"]) -> Iterable[bytes]:
    from kubectl_trainjob.repository.output.render import joined, printer

    if fmt == "json":
        return joined(map(printer("json"), migration.objects()), "json")
    return (text.encode("utf-8", "backslashreplace") for text in migration.stream())


def _note_jobs(request: MigrateRequest, migration: Migration) -> None:
    from kubectl_trainjob.model.message import listed

    if not migration.jobs and not migration.kept:
        return
    jobs = "1 job" if migration.jobs == 1 else f"{migration.jobs} jobs"
    left = f"; not migrated: {listed(migration.kept, template='{}')}" if migration.kept else ""
    if request.check or request.diff:
        print_error(f"note: {jobs} to migrate{_advice(migration)}{left}")
    elif request.write and migration.jobs:
        paths = [each.path for each in migration.changes]
        place, linted = (
            (paths[0], (paths[0],)) if len(paths) == 1 else (f"{len(paths)} files", request.paths + request.filenames)
        )
        print_error(f"note: {jobs} migrated, in {place}{left}; next: kubectl trainjob {shlex.join(['lint', *linted])}")
    else:
        print_error(f"note: {jobs} migrated{left}")


def _advice(migration: Migration) -> str:
    """How to write the jobs; standard input cannot be written."""
    if not migration.jobs or any(each.path == "-" for each in migration.changes):
        return ""
    return f"; write {'it' if migration.jobs == 1 else 'them'} with --write"


def _note_rules(request: MigrateRequest, migration: Migration) -> None:
    if migration.rules:
        from kubectl_trainjob.frontends.older.table import rule_class

        counts = (f"{count} {rule} ({rule_class(rule)})" for rule, count in sorted(migration.rules.items()))
        done = "to rewrite" if request.check or request.diff else "rewritten"
        print_error(f"note: older spellings {done}: {', '.join(counts)}")
