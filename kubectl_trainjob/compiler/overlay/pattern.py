"""Regular expressions that users write, matched against whole texts in linear time, without backtracking.

The syntax is the common part of RE2's (Go's `regexp/syntax`, which kustomize uses): literals, escapes, `.`, classes,
groups, `|`, repetition, `^` and `$`. A pattern becomes an automaton after Thompson; the sets of its states that a text
leads to are remembered, so that most characters cost one lookup.
"""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_trainjob.compiler.overlay.regular import Chars, Choice, Edge, Node, PatternError, Repeat, parse
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.kube.schemas.messages import quoted

__all__ = ["Pattern", "PatternError", "compile_pattern"]

MOST_STATES = 5000

_SPECIAL = frozenset("\\.[](){}*+?|^$")
_ROOM = 100_000
_CHARACTERS = 8  # of a text that are read in one step, where the states that they lead to are known

States = frozenset[int]


class _State:
    """One state: it takes one of `chars` to the next state, leads to `targets`, waits at an edge, or is the end."""

    __slots__ = ("chars", "edge", "targets")

    def __init__(self, chars: Chars | None = None, targets: Iterable[int] = (), edge: Edge | None = None) -> None:
        self.chars = chars
        self.targets = list(targets)
        self.edge = edge


class _Automaton:
    """The states of a pattern, numbered; the last one accepts. At most `_ROOM` numbers of states are remembered.

    A step is a state that is made, or looked at.
    """

    def __init__(self, node: Node, steps: Steps) -> None:
        self._count = steps
        self._states: list[_State] = []
        self._emit(node)
        self._end = self._add(_State())
        steps.take(len(self._states))
        self._first = self._closure((0,), at_start=True, at_end=False)
        self._steps: dict[States, dict[str, States]] = {}
        self._room = _ROOM

    def accepts(self, text: str) -> bool:
        self._count.take(len(text) // _CHARACTERS)
        states = self._first
        for char in text:
            if not states:
                return False
            states = self._step(states, char)
        return self._end in self._closure(states, at_start=not text, at_end=True)

    def _step(self, states: States, char: str) -> States:
        known = self._steps.get(states)
        if known is not None and char in known:
            return known[char]
        self._count.take(len(states))
        taken = [number + 1 for number in states if _takes(self._states[number].chars, char)]
        new = self._closure(taken, at_start=False, at_end=False)
        self._room -= len(states) + len(new) + 1
        if self._room < 0:
            self._steps, self._room = {}, _ROOM
        self._steps.setdefault(states, {})[char] = new
        return new

    def _closure(self, numbers: Iterable[int], *, at_start: bool, at_end: bool) -> States:
        """All states that can be reached without a character and that do not just lead on."""
        seen: set[int] = set()
        waiting = list(numbers)
        while waiting:
            number = waiting.pop()
            if number not in seen:
                seen.add(number)
                state = self._states[number]
                waiting += state.targets
                if state.edge is not None and (at_end if state.edge.at_end else at_start):
                    waiting.append(number + 1)
        self._count.take(len(seen))
        return frozenset(number for number in seen if not self._states[number].targets)

    def _add(self, state: _State) -> int:
        if len(self._states) >= MOST_STATES:
            raise PatternError(f"is too large: its repetitions make more than {MOST_STATES} states")
        self._states.append(state)
        return len(self._states) - 1

    def _emit(self, node: Node) -> None:
        """Append the states of `node`; behind its last one stands what follows it."""
        if isinstance(node, Chars):
            self._add(_State(node))
        elif isinstance(node, Edge):
            self._add(_State(edge=node))
        elif isinstance(node, Choice):
            self._emit_choice(node)
        elif isinstance(node, Repeat):
            self._emit_repeat(node)
        else:
            self._pass()  # so that each node has a state and nested repetitions of nothing have a limit
            for each in node.items:
                self._emit(each)

    def _emit_choice(self, node: Choice) -> None:
        fork = self._add(_State())
        exits = []
        for option in node.options:
            self._states[fork].targets.append(len(self._states))
            self._emit(option)
            exits.append(self._add(_State()))
        self._join(exits)

    def _emit_repeat(self, node: Repeat) -> None:
        if node.most is None:
            self._emit_endless(node)
            return
        for _ in range(node.least):
            self._emit(node.item)
        forks = []
        for _ in range(node.most - node.least):
            forks.append(self._add(_State()))
            self._states[forks[-1]].targets.append(len(self._states))
            self._emit(node.item)
        self._join(forks)
        self._pass()

    def _emit_endless(self, node: Repeat) -> None:
        for _ in range(node.least - 1):
            self._emit(node.item)
        skip = self._add(_State())
        self._states[skip].targets.append(len(self._states))
        self._emit(node.item)
        self._add(_State(targets=(skip + 1, len(self._states) + 1)))
        if node.least == 0:
            self._join([skip])

    def _pass(self) -> None:
        self._add(_State(targets=(len(self._states) + 1,)))

    def _join(self, numbers: list[int]) -> None:
        for number in numbers:
            self._states[number].targets.append(len(self._states))


def _takes(chars: Chars | None, char: str) -> bool:
    return chars is not None and any(low <= char <= high for low, high in chars.ranges) != chars.is_negated


class Pattern:
    """A pattern that can be asked about texts. Most are plain names, or names with dots, and need no automaton.

    One that `is_plain` matches itself alone.
    """

    __slots__ = ("_automaton", "is_plain", "text")

    def __init__(self, text: str, steps: Steps) -> None:
        self.text = text
        special = _SPECIAL.intersection(text)
        self.is_plain = not special
        self._automaton = None if special <= {"."} else _Automaton(parse(text, MOST_STATES), steps)

    @property
    def length(self) -> int | None:
        """How long all texts are that it matches, where that is known."""
        return len(self.text) if self._automaton is None else None

    def matches(self, text: str) -> bool:
        """Whether the pattern matches all of `text`. Raises StepsError."""
        if self._automaton is not None:
            return self._automaton.accepts(text)
        if self.is_plain or text == self.text:
            return text == self.text
        return len(text) == len(self.text) and all(
            wanted == char or (wanted == "." and char != "\n") for wanted, char in zip(self.text, text, strict=True)
        )


def compile_pattern(text: str, steps: Steps) -> Pattern:
    """The pattern that `text` is. Raises PatternError with a whole sentence, and StepsError."""
    try:
        return Pattern(text, steps)
    except PatternError as error:
        raise PatternError(f"the pattern {quoted(text)} {error}") from None
