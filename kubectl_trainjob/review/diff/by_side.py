"""What is wrong with the inputs of one side, of the other, or of both: what was wrong before is no news."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.source import SourceFile, Span
from kubectl_trainjob.repository.positions import Settle
from kubectl_trainjob.repository.yaml.stream import LINE_END


class BySide(NamedTuple):
    """Findings: those of the old side alone, those of both as the new side has them, those of the new side alone."""

    old: tuple[Diagnostic, ...]
    both: tuple[Diagnostic, ...]
    new: tuple[Diagnostic, ...]


class _Key(NamedTuple):
    """What a finding is the same by on both sides. `line` is a text and no number: so lines may come and go above."""

    rule: str
    message: str
    path: str
    line: str


_Keyed = list[tuple[_Key, Diagnostic]]


def by_side(old: Iterable[Diagnostic], new: Iterable[Diagnostic], settle: Settle) -> BySide:
    """The findings of both sides, each once, in the order given, also where several overlays have it.

    It is the same finding if it has the same rule, message and file, and the text of its line is the same. Where a file
    has such a line several times, as many are the same as both sides have, the first with the first.
    """
    lines = _Lines(settle)
    before, after = lines.keyed(old), lines.keyed(new)
    gone, _ = _split(before, Counter(key for key, _ in after))
    came, same = _split(after, Counter(key for key, _ in before))
    return BySide(tuple(gone), tuple(same), tuple(came))


def _split(findings: _Keyed, others: Counter[_Key]) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """The findings that the other side does not have, and those that it has; `others` is used up."""
    own, shared = list[Diagnostic](), list[Diagnostic]()
    for key, finding in findings:
        is_shared = others[key] > 0
        others[key] -= is_shared
        (shared if is_shared else own).append(finding)
    return own, shared


class _Lines:
    """Finds the lines of findings; takes each file apart once."""

    def __init__(self, settle: Settle) -> None:
        self._settle = settle
        self._files: dict[SourceFile, list[str]] = {}

    def keyed(self, findings: Iterable[Diagnostic]) -> _Keyed:
        """The findings of one side with what they are known by, each place once."""
        found: dict[tuple[_Key, Span], tuple[_Key, Diagnostic]] = {}
        for finding in findings:
            spot = self._settle(finding.place)
            line = self._line(spot.file, spot.span.line)
            key = _Key(finding.rule.id, _message(finding, spot.file), spot.file.common_path, line)
            found.setdefault((key, spot.span), (key, finding))
        return list(found.values())

    def _line(self, file: SourceFile, number: int) -> str:
        if file not in self._files:
            self._files[file] = LINE_END.split(file.text)
        lines = self._files[file]
        return lines[number - 1].strip() if number <= len(lines) else ""


def _message(finding: Diagnostic, file: SourceFile) -> str:
    """The message as both sides have it: it may quote paths, and they begin as that of its file does."""
    base = file.path.removesuffix(file.common_path)
    if base in ("", file.path):
        return finding.message
    return finding.message.replace(f'"{base}', '"').replace(f'"{base.rstrip("/")}"', '"."')
