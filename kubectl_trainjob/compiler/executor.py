"""Executors run a function on many items: in this process, or as the caller's executor does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol, TypeVar

from kubectl_trainjob.model.stages import pop_each

Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = Callable[[str, int, int], None]
"""Gets the stage, and how much of how much is done."""


def no_progress(_stage: str, _done: int, _total: int) -> None:
    """Ignore the progress."""


class Executor(Protocol):
    """Runs work on many items; the results and their order do not depend on who runs it."""

    def is_remote(self, items: int) -> bool:
        """Whether other processes do the work on so many items, and results are copied."""

    def map(
        self,
        work: Callable[[Item], Result],
        items: list[Item],
        shared: Callable[[], dict[int, object]],
        done: Callable[[int], None],
    ) -> Iterator[Result]:
        """`work` of each item in order; `items` is emptied.

        `shared` gives objects by their id that results may refer to and that are not copied; `done` gets the number of
        finished items.
        """


class SerialExecutor:
    """Runs everything in this process, one item after another."""

    def is_remote(self, items: int) -> bool:  # noqa: ARG002 - the protocol's signature
        """Never."""
        return False

    def map(
        self,
        work: Callable[[Item], Result],
        items: list[Item],
        shared: Callable[[], dict[int, object]],  # noqa: ARG002 - nothing is copied
        done: Callable[[int], None],
    ) -> Iterator[Result]:
        """As `Executor.map`."""
        for number, item in enumerate(pop_each(items)):
            if number % 64 == 0:
                done(number)
            yield work(item)


class BuildContext(NamedTuple):
    """The executor of one run, and the function that shows progress."""

    executor: Executor = SerialExecutor()
    progress: Progress = no_progress


IN_PROCESS = BuildContext()
