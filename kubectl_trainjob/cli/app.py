"""The command group: loads subcommands when they are used, and turns each result into an exit code."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import click

from kubectl_trainjob import __version__
from kubectl_trainjob.cli.pages import summary
from kubectl_trainjob.cli.streams import of_every_command, print_error, redirect_to_devnull, write_stderr
from kubectl_trainjob.model.faults import EnvironmentFault

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


INTERRUPTED = 130
CLOSED_PIPE = 141
"""The exit codes of an interrupt, and after the reader closed the pipe."""

# The module `kubectl_trainjob.cli.NAME` has the command NAME. This is the order of the help text.
_COMMANDS = (
    "build",
    "diff",
    "env",
    "explain",
    "lint",
    "review",
    "apply",
    "secrets",
    "status",
    "logs",
    "suspend",
    "resume",
    "doctor",
    "controller",
    "migrate",
    "integrations",
    "init",
    "schema",
    "completion",
    "help",
    "version",
)


# What other tools call these commands.
_OTHER_NAMES = {"validate": "lint", "check": "lint", "template": "build", "render": "build", "plan": "diff"}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command's name, in the order of the help text."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now; None when there is none of that name."""
        return _load_command(cmd_name) if cmd_name in _COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that `args` begin with; a usage error names the nearest one."""
        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
            ctx.fail(_unknown(args[0]))
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names and summaries from the manual: completing imports no command."""
        from click.shell_completion import CompletionItem

        names = [CompletionItem(name, help=summary(name)) for name in _COMMANDS if name.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The help text's list of commands, from the manual instead of from the modules."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary(name)) for name in _COMMANDS])


@cache
def _load_command(name: str) -> click.Command:
    command = getattr(importlib.import_module(f"kubectl_trainjob.cli.{name}"), name)
    assert isinstance(command, click.Command)
    command.params += of_every_command()
    return command


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    from kubectl_trainjob.model.printable import printable

    nearest = [_OTHER_NAMES[name]] if name in _OTHER_NAMES else get_close_matches(name, _COMMANDS, n=1)
    hint = f'did you mean "{nearest[0]}"?' if nearest else f"the commands are: {', '.join(_COMMANDS)}"
    return f'unknown command "{printable(name)}"; {hint}'


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    no_args_is_help=True,
)
@click.version_option(__version__, message="kubectl-trainjob %(version)s")
def app() -> None:
    """Compile training runtimes and TrainJobs, offline, into exactly what the controllers create."""


app.params += of_every_command()


def _print_usage_error(error: click.ClickException) -> None:
    if isinstance(error, click.UsageError) and error.ctx is not None:
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            write_stderr(error.ctx.get_help() + "\n")
            return
        write_stderr(f"{error.ctx.get_usage()}\n")
    for line in error.format_message().splitlines():
        print_error(f"error: {line}")


def program_name(argv0: str) -> str:
    """How usage texts call the program: as a kubectl plugin where it is named like one, as kubectl's own plugins do."""
    name = os.path.basename(argv0)
    return "kubectl trainjob" if name.startswith("kubectl-") else "python -m kubectl_trainjob"


def run(argv0: str, arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; a bug is the only thing that leaves as an exception."""
    gc.disable()  # a short life in which nearly everything is kept: a collection frees nothing
    try:
        with app.make_context(program_name(argv0), list(arguments)) as context:
            return int(app.invoke(context) or 0)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        _print_usage_error(error)
        return 2
    except EnvironmentFault as fault:
        print_error(f"error: {fault}")
        return 2
    except (OSError, MemoryError) as error:
        return _unable(error)
    except (KeyboardInterrupt, click.Abort):
        redirect_to_devnull(sys.stdout, sys.stderr)
        return INTERRUPTED


def _unable(error: OSError | MemoryError) -> int:
    if isinstance(error, MemoryError):
        print_error("error: out of memory; build fewer files at a time")
        return 2
    if isinstance(error, BrokenPipeError):  # the reader closed the pipe (`| head`): end as SIGPIPE would
        redirect_to_devnull(sys.stdout, sys.stderr)
        return CLOSED_PIPE
    redirect_to_devnull(sys.stdout)  # the disk of stdout is full, or the current directory was removed
    print_error(f"error: {error.strerror or error}")
    return 2
