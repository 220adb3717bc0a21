"""
The result of `build -O DIR` was committed, and then the inputs changed, or somebody edited the result. What is applied
is not what the sources say: a change that was reviewed has no effect, or one that nobody reviewed has. Build again into
the same directory, which also removes what nothing becomes any more. What a build is given on the command line alone,
such as a namespace, lint does not know: write it into `trainjob.yaml` or an overlay. A directory of which no build
makes any file now is told as one that cannot be judged; one that git ignores is not looked at.

Source:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
    data:
      epochs: "20"
Bad:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
    data:
      epochs: '10' # <- KTJ819
Good:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
    data:
      epochs: '20'
Versions: 2.0-2.3.
See: https://argo-cd.readthedocs.io/en/stable/user-guide/best_practices/
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import OutputCheck
from kubectl_trainjob.lint.views import BuiltFile, LintedOutput
from kubectl_trainjob.model.hit import Finding
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity
from kubectl_trainjob.model.source import Place, Source, SourceFile, Span

RULE = Rule("KTJ819", "stale-output", __doc__ or "", Severity.ERROR, RuleClass.MISBEHAVES)

_AGAIN = "build again into this directory"


def _find(output: LintedOutput) -> Iterator[Finding]:
    for built in output.files:
        if built.file is None:
            if built.fresh:
                yield Finding(f'"{built.path}" was built and is gone; {_AGAIN}', _line(output.index, 1))
        elif not built.fresh:
            yield Finding(f'nothing becomes "{built.path}" any more; {_AGAIN}', _line(built.file, 1))
        else:
            yield from _compared(built, built.file)
    for path in output.missing:
        yield Finding(f'a build makes "{path}", which is not here; {_AGAIN}', _line(output.index, 1))


def _compared(built: BuiltFile, file: SourceFile) -> Iterator[Finding]:
    """What differs, unless some build gives just that. Git on Windows changes line ends."""
    lines = file.text.replace("\r\n", "\n").split("\n")
    differing = [_first_difference(lines, text.split("\n")) for text in built.fresh]
    if 0 not in differing:
        message = f'"{built.path}" is not what its sources become now; {_AGAIN}'
        yield Finding(message, _line(file, max(differing)))


def _first_difference(lines: list[str], others: list[str]) -> int:
    """The first line that differs, 0 for none."""
    if lines == others:
        return 0
    pairs = zip(lines, others, strict=False)
    same = next((index for index, (one, other) in enumerate(pairs) if one != other), min(len(lines), len(others)))
    return min(same + 1, len(lines))


def _line(file: SourceFile, number: int) -> Place:
    return Place(Source(file), span=Span(number, 1, number, 2))


CHECK = OutputCheck(RULE, _find)
