"""The fixes of findings, made: a fix as a whole or not at all.

The same edit of several findings, of a runtime that TrainJobs share say, is made once. Of two fixes that want different
things of one entry the first wins.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kubectl_trainjob.lint.fix.homes import Home, Homes
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.repository.output.changed_files import FileChange
from kubectl_trainjob.repository.yaml.edit import REMOVE, Change, EditedText, RefusedError, opened

Edits = tuple[tuple[Home, str | None], ...]


@dataclass(frozen=True, slots=True)
class NotFixed:
    """A fix that was not made; `reason` says why and what to do."""

    diagnostic: Diagnostic
    reason: str


@dataclass(frozen=True, slots=True)
class Fixing:
    """The files that change, by path, the findings that this mends, and those whose fix could not be made.

    A finding without a fix that was asked for is in neither.
    """

    files: tuple[FileChange, ...] = ()
    fixed: tuple[Diagnostic, ...] = ()
    refused: tuple[NotFixed, ...] = ()


def fix(diagnostics: Iterable[Diagnostic], *, with_unsafe: bool = False) -> Fixing:
    """What the safe fixes of the findings make of the files, and the unsafe ones if asked for.

    The files are those on disk as they were read; findings in files of a commit are not for here.
    """
    wanted = [each for each in dict.fromkeys(diagnostics) if _is_wanted(each, with_unsafe)]
    plan = _Plan()
    for each in wanted:
        plan.add(each)
    state = _made(plan)
    files = [FileChange(path, text.original, text.text) for path, text in sorted(state.texts.items())]
    return Fixing(
        tuple(each for each in files if each.old != each.new),
        tuple(each for each in wanted if each not in plan.refused),
        tuple(NotFixed(each, plan.refused[each]) for each in wanted if each in plan.refused),
    )


def _is_wanted(diagnostic: Diagnostic, with_unsafe: bool) -> bool:
    fix = diagnostic.fix
    return fix is not None and bool(fix.edits) and (fix.is_safe or with_unsafe)


class _Plan:
    """The edits of each fix that can be tried, and why the others cannot."""

    def __init__(self) -> None:
        self.edits: dict[Diagnostic, Edits] = {}
        self.refused: dict[Diagnostic, str] = {}
        self._taken: dict[tuple[str, int], dict[Home, str | None]] = {}
        self._homes = Homes()

    def add(self, diagnostic: Diagnostic) -> None:
        assert diagnostic.fix is not None
        try:
            edits = tuple((self._homes.home(each), each.value) for each in diagnostic.fix.edits)
            self._refuse_conflict(edits)
        except RefusedError as error:
            self.refused[diagnostic] = str(error)
            return
        self.edits[diagnostic] = edits
        for home, value in edits:
            self._taken.setdefault(home.root, {})[home] = value

    def _refuse_conflict(self, edits: Edits) -> None:
        """Raises RefusedError where an earlier fix wants something else of an entry."""
        for home, value in edits:
            taken = self._taken.get(home.root, {})
            if (home not in taken or taken[home] != value) and any(other.overlaps(home) for other in taken):
                raise RefusedError("another fix changes the same entry; look at the result, then fix again")


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """The files as edited so far, by path, and the texts that stand inside them."""

    texts: Mapping[str, EditedText] = field(default_factory=dict)
    inner: Mapping[Home, EditedText] = field(default_factory=dict)
    made: frozenset[tuple[Home, str | None]] = frozenset()

    def after(self, edits: Edits) -> _State:
        """With the edits of one fix, or several, each once. Raises RefusedError."""
        state = self
        for home, changes in _grouped(each for each in dict.fromkeys(edits) if each not in self.made):
            state = state._with(home, changes)
        return replace(state, made=self.made.union(edits))

    def _with(self, home: Home, changes: Sequence[Change]) -> _State:
        if home.outer is None:
            text = self.texts.get(home.path) or opened(home.text)
            if text.original != home.text:
                raise RefusedError("the file was changed while it was read; run again")
            return replace(self, texts={**self.texts, home.path: text.with_changes(home.document, changes)})
        key = home._replace(pointer=(), document=0)
        inner = (self.inner.get(key) or opened(home.text)).with_changes(home.document, changes)
        outer = self._with(home.outer, [Change(home.outer.pointer, inner.text)])
        return replace(outer, inner={**outer.inner, key: inner})


def _grouped(edits: Iterable[tuple[Home, str | None]]) -> Iterable[tuple[Home, list[Change]]]:
    """The edits of each document together."""
    groups: dict[Home, list[Change]] = {}
    for home, value in edits:
        change = Change(home.pointer, REMOVE if value is None else json.loads(value))
        groups.setdefault(home._replace(pointer=()), []).append(change)
    return groups.items()


def _made(plan: _Plan) -> _State:
    """The files with all fixes; where they cannot be made together, with those that can one after another."""
    try:
        return _State().after(tuple(edit for edits in plan.edits.values() for edit in edits))
    except RefusedError:
        state = _State()
    for diagnostic, edits in plan.edits.items():
        try:
            state = state.after(edits)
        except RefusedError as error:
            plan.refused[diagnostic] = str(error)
    return state
