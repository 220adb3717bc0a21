"""`-o FORMAT[=FILE]`, any number of times: reports that go to files, and one at most that goes to stdout."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import click

from kubectl_trainjob.cli.streams import emit

Command = TypeVar("Command", bound=Callable[..., Any])


class Output(NamedTuple):
    """One `-o FORMAT[=FILE]`; without a file it is for stdout."""

    format: str
    file: str


def output(formats: Sequence[str]) -> Callable[[Command], Command]:
    """The option; the first format is what stdout gets where no other one goes there."""

    def parsed(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[Output, ...]:
        return _parsed(values, formats)

    words = f"Format: {', '.join(formats)}. Can be repeated, each with a file. The default is {formats[0]}, on stdout."
    return click.option("-o", "--output", multiple=True, callback=parsed, metavar="FORMAT[=FILE]", help=words)


def _parsed(values: Sequence[str], formats: Sequence[str]) -> tuple[Output, ...]:
    outputs = tuple(Output(*value.partition("=")[::2]) for value in values)
    for each, value in zip(outputs, values, strict=True):
        if each.format not in formats:
            raise click.BadParameter(f'"{each.format}" is no format; there are {", ".join(formats)}')
        if "=" in value and not each.file:
            raise click.BadParameter(f'"{value}" names no file')
    files = [os.path.abspath(each.file) for each in outputs if each.file]
    if len(set(files)) < len(files):
        raise click.BadParameter("two reports cannot go to one file; name one for each")
    if sum(not each.file for each in outputs) > 1:
        example = f"{outputs[-1].format}=report.{outputs[-1].format}"
        raise click.BadParameter(f"only one report can go to stdout; write others to files: -o {example}")
    return outputs


def write_all(outputs: Sequence[Output], text: Callable[[str, bool], str], default: str) -> None:
    """Write every report; `text` makes one of a format, for stdout or not. Raises EnvironmentFault.

    Files come first, so that nothing stands on stdout when one of them cannot be written.
    """
    on_stdout = [each.format for each in outputs if not each.file] or [default]
    shown = [text(form, True).encode("utf-8", "backslashreplace") for form in on_stdout]
    for path, report in [(each.file, text(each.format, False)) for each in outputs if each.file]:
        write_file(path, report)
    emit(shown)


def write_file(path: str, text: str) -> None:
    """Write a file. Raises EnvironmentFault."""
    from kubectl_trainjob.model.faults import EnvironmentFault

    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.write(text)
    except (OSError, ValueError) as error:
        raise EnvironmentFault(f"{path}: {getattr(error, 'strerror', None) or error}") from None
