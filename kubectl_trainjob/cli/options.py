"""Options that every command which reads a repository takes, with one meaning."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kubectl_trainjob.kube.facts.supported import EMITS, LATEST_TRAINER, TRAINER_VERSIONS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Command = TypeVar("Command", bound=Callable[..., Any])

_SEVERITIES = ("error", "warning", "info")


class PathType(click.types.StringParamType):
    """Text that shells complete as the name of a file, or of a directory where `kind` is "dir"."""

    def __init__(self, kind: str = "file") -> None:
        self._kind = kind

    def shell_complete(
        self, _context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Ask the shell for names."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type=self._kind)]


def filenames(help_text: str) -> Callable[[Command], Command]:
    """`-f PATH`, any number of times."""
    return click.option("-f", "--filename", "filenames", multiple=True, type=PathType(), metavar="PATH", help=help_text)


def namespace(help_text: str) -> Callable[[Command], Command]:
    """`-n NAMESPACE`, "" where it is not given."""
    return click.option("-n", "--namespace", default="", callback=_namespace, metavar="NAMESPACE", help=help_text)


def trainer_version(command: Command) -> Command:
    """`--trainer-version VERSION`, "" where it is not given."""
    known = ", ".join(TRAINER_VERSIONS)
    return click.option(
        "--trainer-version",
        default="",
        callback=_version,
        shell_complete=_complete_versions,
        metavar="VERSION",
        help=f"Trainer version: {known}. The default is the target in trainjob.yaml, else {LATEST_TRAINER}.",
    )(command)


def trainer_versions(command: Command) -> Command:
    """`--trainer-version VERSION[..VERSION]`, one for each side; "" where none is given."""
    return click.option(
        "--trainer-version",
        default="",
        callback=_versions,
        shell_complete=_complete_versions,
        metavar="VERSION[..VERSION]",
        help=f"Trainer version: {', '.join(TRAINER_VERSIONS)}. OLD..NEW sets one for the base and one for the head.",
    )(command)


def emit(help_text: str) -> Callable[[Command], Command]:
    """`--emit jobset|trainjob`, "" where it is not given."""
    return click.option(
        "--emit",
        type=click.Choice(EMITS),
        callback=lambda _context, _parameter, value: value or "",
        help=f"{help_text} The default is the setting in trainjob.yaml, else jobset.",
    )


def fail_on(help_text: str) -> Callable[[Command], Command]:
    """`--fail-on error|warning|info|never`; `is_as_bad` says what that means."""
    choice = click.Choice([*_SEVERITIES, "never"])
    return click.option("--fail-on", type=choice, default="error", show_default=True, help=help_text)


def is_as_bad(severity: str, fail_on: str) -> bool:
    """Whether a finding of a severity is as bad as `--fail-on` says."""
    return fail_on != "never" and _SEVERITIES.index(severity) <= _SEVERITIES.index(fail_on)


def _complete_versions(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    return [version for version in TRAINER_VERSIONS if version.startswith(incomplete)]


def _versions(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, str]:
    old, dots, new = value.partition("..")
    versions = (old, new) if dots else (value, value)
    for version in versions:
        if value and version not in TRAINER_VERSIONS:
            known = ", ".join(TRAINER_VERSIONS)
            raise click.BadParameter(f'Trainer "{version}" is not supported; supported: {known}')
    return versions


def _namespace(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if value and not re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", value):
        raise click.BadParameter(f'"{value}" is no namespace: up to 63 lower case letters, digits and "-"')
    return value


def _version(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if value and value not in TRAINER_VERSIONS:
        raise click.BadParameter(f'Trainer "{value}" is not supported; supported: {", ".join(TRAINER_VERSIONS)}')
    return value
