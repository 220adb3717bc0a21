"""Options that several commands have, with the same meaning in each."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from kubectl_trainjob.kube.facts.supported import EMITS, LATEST_TRAINER, TRAINER_VERSIONS, supported_version

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Command = TypeVar("Command", bound=Callable[..., Any])

_OVERLAYS = "kubectl_trainjob.overlays"  # in the meta of a context
_RECURSIVE = "Read directories recursively, which is always so. kubectl has this option."
_SEVERITIES = ("error", "warning", "info")


class Output(NamedTuple):
    """One `-o FORMAT[=FILE]`; without a file it goes to stdout."""

    format: str
    file: str


def output(formats: Sequence[str]) -> Callable[[Command], Command]:
    """`-o FORMAT[=FILE]`, any number of times; the first format goes to stdout if no other one does."""

    def parsed(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[Output, ...]:
        return _parse_outputs(values, formats)

    words = f"Format: {', '.join(formats)}. Can be repeated, each with a file. The default is {formats[0]}, on stdout."
    return click.option("-o", "--output", multiple=True, callback=parsed, metavar="FORMAT[=FILE]", help=words)


def _parse_outputs(values: Sequence[str], formats: Sequence[str]) -> tuple[Output, ...]:
    outputs = tuple(Output(*value.partition("=")[::2]) for value in values)
    for each, value in zip(outputs, values, strict=True):
        if each.format not in formats:
            raise click.BadParameter(f'unknown format "{each.format}"; use {", ".join(formats)}')
        if "=" in value and not each.file:
            raise click.BadParameter(f'"{value}" has no file name')
    files = [os.path.abspath(each.file) for each in outputs if each.file]
    if len(set(files)) < len(files):
        raise click.BadParameter("two reports cannot go to one file; use a file for each")
    if sum(not each.file for each in outputs) > 1:
        example = f"{outputs[-1].format}=report.{outputs[-1].format}"
        raise click.BadParameter(f"only one report can go to stdout; write others to files: -o {example}")
    return outputs


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


def filenames(help_text: str, of_recursive: str = _RECURSIVE) -> Callable[[Command], Command]:
    """`-f PATH` and `-k DIR`, any number of times, and `-R`, as kubectl has them; both give `filenames`."""

    return together(
        click.option(
            *("-f", "--filename", "filenames"),
            multiple=True,
            callback=_with_overlays,
            type=PathType(),
            metavar="PATH",
            help=help_text,
        ),
        _KUSTOMIZE,
        click.option("-R", "--recursive", is_flag=True, expose_value=False, help=of_recursive),
    )


def paths(metavar: str = "[PATH...]") -> Callable[[Command], Command]:
    """The arguments `paths`, and the options of `filenames`."""
    argument = click.argument("paths", nargs=-1, type=PathType(), metavar=metavar)
    return together(argument, filenames("Same as PATH. Can be repeated."))


def together(*parameters: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Several options and arguments as one decorator, in their order in the help text."""

    def add(command: Command) -> Command:
        for parameter in reversed(parameters):
            command = parameter(command)
        return command

    return add


_KUSTOMIZE = click.option(
    "-k",
    "--kustomize",
    multiple=True,
    is_eager=True,
    expose_value=False,
    callback=lambda context, _parameter, values: context.meta.update({_OVERLAYS: values}),
    type=PathType("dir"),
    metavar="DIR",
    help="Directory of an overlay. Can be repeated.",
)


def _with_overlays(context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """The paths of `-f`, or the directories of `-k`."""
    overlays: tuple[str, ...] = context.meta.get(_OVERLAYS, ())
    if overlays and values:
        raise click.UsageError("only one of -f or -k can be specified; pass overlays with -f, too")
    for each in overlays:
        _check_overlay(each)
    return overlays or values


def _check_overlay(directory: str) -> None:
    """Raise a usage error for a directory without an overlay; one that does not exist may be in a commit."""
    if not os.path.isdir(directory) or os.path.lexists(os.path.join(directory, "overlay.yaml")):
        return
    if any(name.lower().startswith("kustomization") for name in os.listdir(directory)):
        piped = f"kubectl kustomize {directory} | kubectl trainjob build -"
        raise click.UsageError(f"{directory} has a kustomization and no overlay.yaml; build it with kubectl: {piped}")
    raise click.UsageError(f"{directory} has no overlay.yaml; pass plain manifests with -f")


def namespace(help_text: str) -> Callable[[Command], Command]:
    """`-n NAMESPACE`, "" where it is not given."""
    return click.option("-n", "--namespace", default="", callback=_namespace, metavar="NAMESPACE", help=help_text)


def selector(help_text: str) -> Callable[[Command], Command]:
    """`-l SELECTOR`, "" where it is not given."""
    return click.option("-l", "--selector", default="", callback=_selector, metavar="SELECTOR", help=help_text)


def _trainer_version(metavar: str, callback: Callable[..., Any], meaning: str) -> Callable[[Command], Command]:
    return click.option(
        "--trainer-version",
        default="",
        callback=callback,
        shell_complete=complete_versions,
        metavar=metavar,
        help=f"Trainer version: {', '.join(TRAINER_VERSIONS)}. {meaning}",
    )


def emit(help_text: str) -> Callable[[Command], Command]:
    """`--emit jobset|trainjob`, "" where it is not given."""
    return click.option(
        "--emit",
        type=click.Choice(EMITS),
        callback=lambda _context, _parameter, value: value or "",
        help=f"{help_text} The default is the setting in trainjob.yaml, else jobset.",
    )


def output_format(*formats: str, help_text: str = "Format.") -> Callable[[Command], Command]:
    """`-o FORMAT`, one of them; the default is the first."""
    choice = click.Choice(formats)
    return click.option("-o", "--output", type=choice, default=formats[0], show_default=True, help=help_text)


document_output = output_format("text", "markdown", "json", "html")


def fail_on(help_text: str, *more: str) -> Callable[[Command], Command]:
    """`--fail-on error|warning|info|never` and `more`; see `reaches`."""
    choice = click.Choice([*_SEVERITIES, *more, "never"])
    return click.option("--fail-on", type=choice, default="error", show_default=True, help=help_text)


def reaches(severity: str, fail_on: str) -> bool:
    """Whether a severity reaches the level of `--fail-on`."""
    return fail_on != "never" and _SEVERITIES.index(severity) <= _SEVERITIES.index(fail_on)


def complete_versions(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """The versions of Trainer that begin so."""
    return [version for version in TRAINER_VERSIONS if version.startswith(incomplete)]


def _versions(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, str]:
    old, dots, new = value.partition("..")
    if not value:
        return "", ""
    versions = (old, new) if dots else (value, value)
    return _supported_trainer(versions[0]), _supported_trainer(versions[1])


def _selector(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if value:
        from kubectl_trainjob.compiler.overlay.select import SelectorError, compile_selector
        from kubectl_trainjob.compiler.overlay.steps import Steps
        from kubectl_trainjob.model.limits import LIMITS
        from kubectl_trainjob.model.units import Selector

        try:
            compile_selector(Selector(label_selector=value), Steps(LIMITS))
        except SelectorError as error:
            raise click.BadParameter(str(error)) from None
    return value


def _namespace(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if value and not re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", value):
        raise click.BadParameter(f'"{value}" is not a valid namespace; use up to 63 lower case letters, digits and "-"')
    return value


def version(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    """The version that has the data for a value such as v2.3.0. Raises a usage error."""
    return _supported_trainer(value) if value else ""


def _supported_trainer(value: str) -> str:
    version = supported_version("trainer", value)
    if not version:
        raise click.BadParameter(f'Trainer "{value}" is not supported; supported: {", ".join(TRAINER_VERSIONS)}')
    return version


trainer_version = _trainer_version(
    "VERSION", version, f"The default is the target in trainjob.yaml, else {LATEST_TRAINER}."
)
"""`--trainer-version VERSION`, "" where it is not given."""
trainer_versions = _trainer_version(
    "VERSION[..VERSION]", _versions, "OLD..NEW sets one for the base and one for the head."
)
"""`--trainer-version VERSION[..VERSION]`, one for each tree; "" where none is given."""
