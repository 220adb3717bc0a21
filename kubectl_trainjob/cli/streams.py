"""Standard input, output and error of a command."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

import click

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.limits import size as in_words

if TYPE_CHECKING:
    from kubectl_trainjob.cli.options import Output
    from kubectl_trainjob.model.diagnostic import Diagnostic
    from kubectl_trainjob.model.units import SkippedEntry
    from kubectl_trainjob.repository.positions import ResolvePlace

_QUIET = "kubectl_trainjob.quiet"  # in the meta of a context
_WIDTH, _WIDEST = 80, 100  # columns of a page
_MOST_NAMED = 20  # entries that were skipped
_SKIPPED = {
    "built": "built files",
    "template": "for the overlays that list it",
    "foreign": "template of another tool",
    "link": "link",
    "large": "too large",
    "chart": "",
    "broken": "",
}


def of_every_command() -> tuple[click.Option, ...]:
    """`-q` and `--color`, whose values are in the context."""
    return (
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            expose_value=False,
            callback=lambda context, _parameter, value: context.meta.update({_QUIET: True} if value else {}),
            help="Print no notes and no progress.",
        ),
        click.Option(
            ["--color"],
            type=click.Choice(["auto", "always", "never"]),
            expose_value=False,
            callback=_set_colour,
            help="Colour of text: auto means on a terminal.",
        ),
    )


def _set_colour(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    if value:
        context.color = {"always": True, "never": False}.get(value)


def standard_input(most: int) -> bytes:
    """The bytes of standard input; one byte more than `most` if it is longer."""
    if sys.stdin is None:
        raise EnvironmentFault('standard input is closed, so "-" has nothing to read')
    return sys.stdin.buffer.read(most + 1)


def emit(chunks: Iterable[bytes], most: int = LIMITS.output_bytes) -> None:
    """Write the result, of at most `most` bytes, to stdout.

    Raises BrokenPipeError if the reader closed the pipe.
    """
    parts = list(_limit_size(chunks, most))  # all of them before the first byte: never half a result
    if not parts:
        return
    if sys.stdout is None:
        raise EnvironmentFault("standard output is closed, so the result has nowhere to go")
    try:
        sys.stdout.buffer.writelines(parts)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        redirect_to_devnull(sys.stdout)
        raise EnvironmentFault(f"the result could not be written: {error.strerror}") from error


def emit_after_writes(text: str) -> bool:
    """Write the result of a command that may have changed the cluster; False if that fails, with an error."""
    try:
        emit([text.encode()])
    except EnvironmentFault as error:
        print_error(f"error: {error}")
        return False
    return True


def _limit_size(chunks: Iterable[bytes], most: int) -> Iterator[bytes]:
    """The chunks; a few large runtimes that thousands of TrainJobs use could fill any memory."""
    size = 0
    for part in chunks:
        size += len(part)
        if size > most:
            limit = in_words(most)
            raise EnvironmentFault(
                f"the result is larger than {limit}, the limit (limits.outputBytes); build fewer TrainJobs"
            )
        yield part


def print_findings(findings: Collection[Diagnostic], resolve: ResolvePlace | None = None) -> None:
    """Write findings to stderr, with the lines that `resolve` finds."""
    if findings:
        from kubectl_trainjob.report.diagnostics import report
        from kubectl_trainjob.repository.positions import Locator

        write_stderr(report(findings, resolve or Locator().resolve, colour=has_colour(sys.stderr)))


def note_no_objects() -> None:
    """Say what to do where there are no TrainJobs and no runtimes."""
    print_error("note: no TrainJob here; create an example with: kubectl trainjob init")


def note_unread_overlays(paths: Sequence[str], what: str) -> None:
    """Name the overlays below a directory that were not read."""
    if paths:
        print_error(f"note: overlays are only {what} if passed with -f: {', '.join(paths)}")


def note_skipped(skipped: Sequence[SkippedEntry]) -> None:
    """Name what reading directories skipped."""
    paths = {reason: [each.path for each in skipped if each.reason == reason] for reason in _SKIPPED}
    charts, broken = paths.pop("chart"), paths.pop("broken")
    others = [f"{path} ({_SKIPPED[reason]})" for reason, found in paths.items() for path in found]
    if others:
        print_error(f"note: skipped: {_enumerate_names(others)}")
    if broken:
        print_error(f"warning: skipped because of errors, without an object of Trainer: {_enumerate_names(broken)}")
    if charts:
        example = f"helm template {charts[0]} | kubectl trainjob build -"
        print_error(f"note: Helm charts are not rendered: {_enumerate_names(charts)}; build one: {example}")


def _enumerate_names(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names) if more < 2 else f"{', '.join(names[:_MOST_NAMED])} and {more} more"


def print_error(line: str) -> None:
    """Write one line to stderr, with `-q` no note.

    Characters that a terminal or the log of a CI system interprets are escaped.
    """
    if line.startswith("note: ") and is_quiet():
        return
    from kubectl_trainjob.report.phrases import shown_lines

    write_stderr(shown_lines([line]))


@contextmanager
def interruption(state: str) -> Iterator[None]:
    """Say on the last line what an interrupted command leaves."""
    try:
        yield
    except KeyboardInterrupt:
        print_error(f"interrupted: {state}")
        raise


def write_stderr(text: str) -> None:
    """Write text to stderr that is safe for a terminal already."""
    if sys.stderr is not None and text:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:  # there is no place for an error
            redirect_to_devnull(sys.stderr)


def redirect_to_devnull(*streams: TextIO) -> None:
    """Point streams at the null device: then the last flush of the interpreter cannot fail."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        try:
            os.dup2(nothing, stream.fileno())
        except (AttributeError, OSError, ValueError):  # closed, or replaced by an object without a file
            continue


def has_colour(stream: TextIO | None) -> bool:
    """Whether to write colour: `--color`, else NO_COLOR, else FORCE_COLOR, else whether a terminal has it."""
    context = click.get_current_context(silent=True)
    if context is not None and context.color is not None:
        return context.color
    if os.environ.get("NO_COLOR") or os.environ.get("FORCE_COLOR"):
        return not os.environ.get("NO_COLOR")
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def is_ci_log(stream: TextIO) -> bool:
    """Whether a CI system may read a stream and run what looks like its commands; it reads no file."""
    if not any(os.environ.get(name) for name in ("CI", "TF_BUILD", "TEAMCITY_VERSION")):
        return False
    try:
        return not stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:  # a stream in memory
        return False


def is_quiet() -> bool:
    """Whether `-q` omits notes and progress."""
    context = click.get_current_context(silent=True)
    return context is not None and _QUIET in context.meta


def page_width() -> int:
    """The columns of the terminal, in bounds; a fixed number without one."""
    from shutil import get_terminal_size

    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return min(get_terminal_size((_WIDTH, 0)).columns, _WIDEST) if is_terminal else _WIDTH


def rendered_page(markdown: str) -> str:
    """A page of a manual as the terminal shows it."""
    from kubectl_trainjob.report.manual_text import as_text

    return as_text(markdown, page_width(), colour=has_colour(sys.stdout))


def write_outputs(outputs: Sequence[Output], written: Callable[..., str], report: object, default: str) -> None:
    """Write a report in every format; `written` makes the text. Raises EnvironmentFault.

    Files come first: nothing is on stdout if one of them cannot be written.
    """
    on_stdout = [each.format for each in outputs if not each.file] or [default]
    colour = has_colour(sys.stdout)
    shown = [written(report, form, colour=colour).encode("utf-8", "backslashreplace") for form in on_stdout]
    for path, text in [(each.file, written(report, each.format, colour=False)) for each in outputs if each.file]:
        write_file(path, text)
    emit(shown)


def write_file(path: str, text: str) -> None:
    """Write a file that the user names. Raises EnvironmentFault."""
    from kubectl_trainjob.repository.files.find_root import CurrentDirectory
    from kubectl_trainjob.repository.output.named_file import write_named

    write_named(path, text.encode("utf-8", "backslashreplace"), CurrentDirectory(os.getcwd()))
