"""`init`: a repository that builds at once, or one more runtime, job or overlay for one."""

from __future__ import annotations

import os
import shlex
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from kubectl_trainjob.cli import options
from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.streams import emit, print_error, print_findings
from kubectl_trainjob.kube.facts.supported import EMITS, LATEST_TRAINER, TRAINER_VERSIONS, distinct_versions

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.shell_completion import CompletionItem

    from kubectl_trainjob.cli.scaffold.existing import Existing
    from kubectl_trainjob.cli.scaffold.plans import Scaffold
    from kubectl_trainjob.model.diagnostic import Diagnostic

_RUNTIME_HELP = "Add a runtime of the catalogue to the repository of the current directory."
_JOB_HELP = """Add a TrainJob to the repository of the current directory: an example that fits its runtime.

The runtime is in the repository or in the catalogue. A runtime of the catalogue is added, too.
"""
_OVERLAY_HELP = "Add an overlay of the jobs to the repository of the current directory."


def _label(context: click.Context, _parameter: click.Parameter, value: str, *, starts_with_letter: bool = False) -> str:
    if value and not context.resilient_parsing:  # completion needs no check
        from kubectl_trainjob.kube.facts.validation import dns_1035_label, dns_1123_label

        error = (dns_1035_label if starts_with_letter else dns_1123_label)(value)
        if error:
            raise click.BadParameter(f'"{value}" {error}')
    return value


def _complete_runtimes(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name, help=about) for name, _, about in _catalogue() if name.startswith(incomplete)]


def _complete_directory(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    forms = [CompletionItem(name, help=form.help) for name, form in _FORMS.items() if name.startswith(incomplete)]
    return [*forms, CompletionItem(incomplete, type="dir")]


def _list_runtimes(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    rows = [("NAME", "TRAINER", "DESCRIPTION"), *_catalogue()]
    width = max(len(name) for name, _, _ in rows)
    emit([f"{name:{width}}   {versions:7}   {about}\n".encode() for name, versions, about in rows])
    context.exit()


def _catalogue() -> list[tuple[str, str, str]]:
    """The runtimes of the catalogue, each with the versions of Trainer that have it, and a description."""
    from kubectl_trainjob.repository import catalogue

    return [
        (name, _first_and_last(versions), _description(catalogue.read(name, versions[-1])))
        for name, versions in sorted(catalogue.versions().items())
    ]


def _first_and_last(versions: tuple[str, ...]) -> str:
    every = distinct_versions([*versions])
    return "-".join(dict.fromkeys((every[0], every[-1])))


def _description(manifest: str) -> str:
    comment = []
    for line in manifest.splitlines():
        if not line.startswith("#"):
            break
        comment.append(line.strip("# "))
    first, _, others = " ".join(comment).removesuffix(".").partition(". ")
    return f"{first} (Trainer's own)" if others.startswith("As released with Trainer") else first


_RUNTIME = click.option(
    "--runtime",
    default="",
    metavar="RUNTIME",
    shell_complete=_complete_runtimes,
    help="Runtime of the job, from the repository or the catalogue (init --list-runtimes). "
    "The default is the only one of the repository, else torch.",
)


@click.command("runtime", help=_RUNTIME_HELP)
@click.argument("name", shell_complete=_complete_runtimes)
def _runtime(name: str) -> int:
    from kubectl_trainjob.cli.scaffold import plans

    return _add(lambda known: plans.added_runtime(known, name), "'NAME'")


@click.command("job", help=_JOB_HELP)
@click.argument("name", callback=partial(_label, starts_with_letter=True))
@_RUNTIME
def _job(name: str, runtime: str) -> int:
    from kubectl_trainjob.cli.scaffold import plans

    return _add(lambda known: plans.added_job(known, name, runtime))


@click.command("overlay", help=_OVERLAY_HELP)
@click.argument("name", callback=_label)
@click.option(
    "-n",
    "--namespace",
    default="",
    callback=_label,
    metavar="NAMESPACE",
    help="Namespace of the jobs. The default is the name of the overlay.",
)
def _overlay(name: str, namespace: str) -> int:
    from kubectl_trainjob.cli.scaffold import plans

    return _add(lambda known: plans.added_overlay(known, name, namespace or name))


def _add(plan: Callable[[Existing], Scaffold], named_by: str = "'--runtime'") -> int:
    """Add a piece to the repository of the current directory."""
    from kubectl_trainjob.cli.scaffold.existing import existing
    from kubectl_trainjob.cli.session import open_session

    with open_session() as session:
        repository = existing(session.workspace)
    if repository.diagnostics:
        print_findings(repository.diagnostics)
        return 1
    return _carry_out(lambda: plan(repository), named_by)


_FORMS = {"runtime": _runtime, "job": _job, "overlay": _overlay}


class InitRequest(ManualCommand):
    """The whole repository, unless the first word is one of the pieces."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the form of the words."""
        if args and args[0] in _FORMS:
            return _FORMS[args[0]].make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(cls=InitRequest)
@click.argument("directory", default=".", metavar="[DIRECTORY]", shell_complete=_complete_directory)
@_RUNTIME
@click.option(
    "--name",
    default="train",
    show_default=True,
    callback=partial(_label, starts_with_letter=True),
    metavar="JOB",
    help="Name of the job.",
)
@click.option(
    "--emit",
    type=click.Choice(EMITS),
    default=EMITS[0],
    show_default=True,
    help="What builds print: JobSets, for clusters without Trainer, or TrainJobs, for clusters with Trainer.",
)
@click.option(
    "--trainer-version",
    default=LATEST_TRAINER,
    callback=options.version,
    shell_complete=options.complete_versions,
    metavar="|".join(TRAINER_VERSIONS),
    show_default=True,
    help="Trainer version of the cluster.",
)
@click.option(
    "--list-runtimes",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_runtimes,
    help="Print the runtimes of the catalogue and exit.",
)
def init(directory: str, runtime: str, name: str, emit: str, trainer_version: str) -> int:
    """Write a repository."""
    from kubectl_trainjob.cli.scaffold import plans

    runtime = runtime or plans.DEFAULT_RUNTIME
    return _carry_out(lambda: plans.repository(directory, runtime, name, trainer_version, emit))


def _carry_out(plan: Callable[[], Scaffold], named_by: str = "'--runtime'") -> int:
    """Write the planned files, check that they build, print what was done; files that do not build are removed."""
    from kubectl_trainjob.cli.scaffold.plans import RejectedRuntimeError, UnsuitableRuntimeError

    try:
        return _write(plan())
    except UnsuitableRuntimeError as error:
        raise click.BadParameter(str(error), param_hint=named_by) from None
    except RejectedRuntimeError as error:
        print_findings(error.diagnostics)
        return 1


def _write(plan: Scaffold) -> int:
    from kubectl_trainjob.cli.scaffold import plans
    from kubectl_trainjob.cli.session import open_session
    from kubectl_trainjob.repository.output.new_files import NewFiles

    with open_session() as session:
        new = NewFiles(plan.directory, plan.files, session.workspace.files.current)
        new.create()
        paths = [new.shown(file) for file in plan.files]
        try:
            builds = [os.path.normpath(os.path.join(plan.directory, path)) for path in plan.builds]
            found = plans.errors(builds, session.workspace)
        except BaseException:
            new.take_back()
            raise
    if found:
        return _reject(found, new.take_back(), mine=plans.only_in(paths, found))
    for path in paths:
        print_error(f"created {path}")
    _show_next(plan)
    return 0


def _reject(found: list[Diagnostic], outcome: str, *, mine: bool) -> int:
    """The result does not build: because of the arguments, or of the existing files."""
    if not mine:
        print_findings(found)
        print_error(f"error: the repository does not build; {outcome}")
        return 1
    for message in dict.fromkeys(finding.message for finding in found):
        print_error(f"error: {message}; {outcome}")
    return 2


def _show_next(plan: Scaffold) -> None:
    command, *words = plan.following
    if command == "build":
        words = [_as_argument(os.path.normpath(os.path.join(plan.directory, word))) for word in words]
    program = click.get_current_context().find_root().info_name
    print_error(f"next: {program} {command} {' '.join(map(shlex.quote, words))}")


def _as_argument(path: str) -> str:
    return os.path.join(os.curdir, path) if path.startswith("-") else path
