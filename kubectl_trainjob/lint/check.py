"""The kinds of checks, by what they look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.views import LintedJob, LintedOutput, LintedRuntime, Surroundings
from kubectl_trainjob.model.rules import Rule


@dataclass(frozen=True, slots=True)
class RuntimeCheck:
    """Looks at each admitted runtime, whether a TrainJob refers to it or not."""

    rule: Rule
    find: Callable[[LintedRuntime], Iterator[Hit]]


@dataclass(frozen=True, slots=True)
class JobCheck:
    """Looks at each TrainJob that can be built, with what it becomes."""

    rule: Rule
    find: Callable[[LintedJob], Iterator[Hit]]


@dataclass(frozen=True, slots=True)
class TreeCheck:
    """Looks once at everything that is built together."""

    rule: Rule
    find: Callable[[Surroundings], Iterator[Hit]]


@dataclass(frozen=True, slots=True)
class OutputCheck:
    """Looks at each directory that an earlier build was written to."""

    rule: Rule
    find: Callable[[LintedOutput], Iterator[Hit]]


Check = RuntimeCheck | JobCheck | TreeCheck | OutputCheck
