"""KTJ819: The result of `build -O DIR` was committed, and then the inputs changed, or a user edited the result."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import OutputCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.views import BuiltFile, LintedOutput
from kubectl_trainjob.model.rules import STALE_OUTPUT
from kubectl_trainjob.model.source import Place, Source, SourceFile, Span

_AGAIN = "build again into this directory"


def _find(output: LintedOutput) -> Iterator[Hit]:
    for built in output.files:
        if built.file is None:
            if built.fresh:
                yield Hit(f'"{built.path}" was built and is gone; {_AGAIN}', _line(output.index, 1))
        elif not built.fresh:
            yield Hit(f'nothing becomes "{built.path}" any more; {_AGAIN}', _line(built.file, 1))
        else:
            yield from _compared(built, built.file)
    for path in output.missing:
        yield Hit(f'a build makes "{path}", which is not here; {_AGAIN}', _line(output.index, 1))


def _compared(built: BuiltFile, file: SourceFile) -> Iterator[Hit]:
    """What differs, unless some build gives just that. Git on Windows changes line ends."""
    lines = file.text.replace("\r\n", "\n").split("\n")
    differing = [_first_difference(lines, text.split("\n")) for text in built.fresh]
    if 0 not in differing:
        message = f'"{built.path}" is not what its sources become now; {_AGAIN}'
        yield Hit(message, _line(file, max(differing)))


def _first_difference(lines: list[str], others: list[str]) -> int:
    """The first line that differs, 0 for none."""
    if lines == others:
        return 0
    pairs = zip(lines, others, strict=False)
    same = next((index for index, (one, other) in enumerate(pairs) if one != other), min(len(lines), len(others)))
    return min(same + 1, len(lines))


def _line(file: SourceFile, number: int) -> Place:
    return Place(Source(file), span=Span(number, 1, number, 2))


CHECK = OutputCheck(STALE_OUTPUT, _find)
