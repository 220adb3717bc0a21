"""KTJ819: The result of `build -O DIR` was committed, and then a user changed the inputs or the result."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import BuiltFile, LintedOutput
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import Place, Source, SourceFile, Span

_DELETED = 'the built file "{}" does not exist; rebuild into this directory'
_NO_SOURCE = 'no source generates "{}"; rebuild into this directory'
_NOT_BUILT = 'a build generates "{}", which does not exist here; rebuild into this directory'
_OUT_OF_DATE = '"{}" is out of date; rebuild into this directory'


def find(output: LintedOutput) -> Iterator[Hit]:
    """Built files that differ from a build of the current inputs."""
    for built in output.files:
        if built.file is None:
            if built.fresh:
                yield Hit(say(_DELETED, built.path), _line(output.index, 1))
        elif not built.fresh:
            yield Hit(say(_NO_SOURCE, built.path), _line(built.file, 1))
        else:
            yield from _compare(built, built.file)
    for path in output.missing:
        yield Hit(say(_NOT_BUILT, path), _line(output.index, 1))


def _compare(built: BuiltFile, file: SourceFile) -> Iterator[Hit]:
    """The first difference, unless one of the builds gives the same. Git on Windows changes line ends."""
    lines = file.text.replace("\r\n", "\n").split("\n")
    differing = [_first_difference(lines, text.split("\n")) for text in built.fresh]
    if 0 not in differing:
        yield Hit(say(_OUT_OF_DATE, built.path), _line(file, max(differing)))


def _first_difference(lines: list[str], others: list[str]) -> int:
    """The first line that differs, 0 for none."""
    if lines == others:
        return 0
    pairs = zip(lines, others, strict=False)
    same = next((index for index, (one, other) in enumerate(pairs) if one != other), min(len(lines), len(others)))
    return min(same + 1, len(lines))


def _line(file: SourceFile, number: int) -> Place:
    return Place(Source(file), span=Span(number, 1, number, 2))
