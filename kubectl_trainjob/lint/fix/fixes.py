"""The fixes of findings as edited files: each fix is made completely or not at all.

The same edit of several findings, as of a runtime that TrainJobs share, is made once. If two fixes change one entry
differently, the first one is made.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from kubectl_trainjob.lint.fix.targets import EditTarget, EditTargets
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.repository.output.changed_files import FileChange
from kubectl_trainjob.repository.yaml.edit import REMOVE, DataChange, EditedText, EditError, open_text

Edits = tuple[tuple[EditTarget, str | None], ...]


class NotFixed(NamedTuple):
    """A fix that was not made; `reason` says why and what to do."""

    diagnostic: Diagnostic
    reason: str


class FixResult(NamedTuple):
    """The files that change, by path, the findings that are fixed, and those whose fix could not be made.

    A finding without a requested fix is in neither.
    """

    files: tuple[FileChange, ...] = ()
    fixed: tuple[Diagnostic, ...] = ()
    not_fixed: tuple[NotFixed, ...] = ()


def fix(diagnostics: Iterable[Diagnostic], *, with_unsafe: bool = False) -> FixResult:
    """The files after the safe fixes of the findings, and after the unsafe ones on request.

    The files are those on disk as they were read. Do not pass findings in files of a commit.
    """
    fixable = [each for each in dict.fromkeys(diagnostics) if _is_fixable(each, with_unsafe)]
    reasons: dict[Diagnostic, str] = {}
    state = _apply(_plan_edits(fixable, reasons), reasons)
    files = [FileChange(path, text.original, text.text) for path, text in sorted(state.texts.items())]
    return FixResult(
        tuple(each for each in files if each.old != each.new),
        tuple(each for each in fixable if each not in reasons),
        tuple(NotFixed(each, reasons[each]) for each in fixable if each in reasons),
    )


def _is_fixable(diagnostic: Diagnostic, with_unsafe: bool) -> bool:
    fix = diagnostic.fix
    return fix is not None and bool(fix.edits) and (fix.is_safe or with_unsafe)


def _plan_edits(diagnostics: Iterable[Diagnostic], reasons: dict[Diagnostic, str]) -> dict[Diagnostic, Edits]:
    """The edits of each fix that can be tried; `reasons` gets why the others cannot."""
    planned, targets = dict[Diagnostic, Edits](), EditTargets()
    taken = _TakenEntries()
    for diagnostic in diagnostics:
        assert diagnostic.fix is not None
        try:
            edits = tuple((targets.target(each), each.value) for each in diagnostic.fix.edits)
            taken.reject_conflict(edits)
        except EditError as error:
            reasons[diagnostic] = str(error)
            continue
        planned[diagnostic] = edits
        taken.add(edits)
    return planned


class _TakenEntries:
    """The entries that earlier fixes change, and every entry around them."""

    def __init__(self) -> None:
        self._values: dict[EditTarget, str | None] = {}
        self._entries: set[tuple[object, ...]] = set()
        self._around: set[tuple[object, ...]] = set()

    def add(self, edits: Edits) -> None:
        """Note the entries of a fix."""
        for target, value in edits:
            self._values[target] = value
            self._entries.add(target.way)
            self._around.update(_above(target.way))

    def reject_conflict(self, edits: Edits) -> None:
        """Raises EditError if an earlier fix changes an entry differently."""
        for target, value in edits:
            is_same = target in self._values and self._values[target] == value
            above = _above(target.way)
            if not is_same and (target.way in self._around or not self._entries.isdisjoint(above)):
                raise EditError("another fix changes the same entry; check the result, then fix again")


def _above(way: tuple[object, ...]) -> list[tuple[object, ...]]:
    """The ways to an entry and to all that contain it."""
    return [way[: length + 1] for length in range(len(way))]


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """The files as edited so far, by path, and the texts inside them."""

    texts: Mapping[str, EditedText] = field(default_factory=dict)
    inner: Mapping[EditTarget, EditedText] = field(default_factory=dict)
    edits_made: frozenset[tuple[EditTarget, str | None]] = frozenset()

    def after(self, edits: Edits) -> _State:
        """With the edits of one fix, or several, each once. Raises EditError."""
        state = self
        for target, changes in _group_by_document(each for each in dict.fromkeys(edits) if each not in self.edits_made):
            state = state._with(target, changes)
        return replace(state, edits_made=self.edits_made.union(edits))

    def _with(self, target: EditTarget, changes: Sequence[DataChange]) -> _State:
        if target.outer is None:
            text = self.texts.get(target.path) or open_text(target.text)
            if text.original != target.text:
                raise EditError("the file was changed while it was read; run again")
            return replace(self, texts={**self.texts, target.path: text.with_changes(target.document, changes)})
        key = target._replace(pointer=(), document=0)
        inner = (self.inner.get(key) or open_text(target.text)).with_changes(target.document, changes)
        outer = self._with(target.outer, [DataChange(target.outer.pointer, inner.text)])
        return replace(outer, inner={**outer.inner, key: inner})


def _group_by_document(edits: Iterable[tuple[EditTarget, str | None]]) -> Iterable[tuple[EditTarget, list[DataChange]]]:
    """The edits of each document together."""
    groups: dict[EditTarget, list[DataChange]] = {}
    for target, value in edits:
        change = DataChange(target.pointer, REMOVE if value is None else json.loads(value))
        groups.setdefault(target._replace(pointer=()), []).append(change)
    return groups.items()


def _apply(planned: Mapping[Diagnostic, Edits], reasons: dict[Diagnostic, str]) -> _State:
    """The files with all fixes; those that cannot be made together are halved, in order, until they can."""
    state, left = _State(), [list(planned)]
    while left:
        fixes = left.pop()
        try:
            state = state.after(tuple(edit for each in fixes for edit in planned[each]))
        except EditError as error:
            half = len(fixes) // 2
            if not half:
                reasons.update(dict.fromkeys(fixes, str(error)))
            left += [fixes[half:], fixes[:half]] if half else []
    return state
