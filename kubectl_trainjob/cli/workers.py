"""Work on many items in forked processes, where there are processors for it; the results are those of one process.

A child inherits what was read, works on its share and sends what it made through a pipe.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from kubectl_trainjob.compiler.executor import SerialExecutor
from kubectl_trainjob.model.faults import EnvironmentFault

Item = TypeVar("Item")
Result = TypeVar("Result")

_FEWEST = 500  # items; below, starting processes costs more than it saves
_MANY = 8000  # items; above, one process needs less memory: it can let go of what is done with
_CHUNK = 64  # items whose results are sent together
_MOST = 8  # processes
_LENGTH = 8  # bytes of the length of a message


class _Child(NamedTuple):
    pid: int
    pipe: int
    turns: int


def processes(items: int) -> int:
    """The number of processes for so many items; 1 where forking is not safe."""
    if not _FEWEST <= items <= _MANY or sys.platform != "linux" or _has_threads():
        return 1
    return min(len(os.sched_getaffinity(0)), _MOST)


def _has_threads() -> bool:
    """Whether this process has threads: a child of such a process may wait forever for a lock that no thread frees."""
    threading = sys.modules.get("threading")  # a process that did not import it has none
    return threading is not None and threading.active_count() > 1


class ForkedExecutor:
    """The executor of commands: forked processes for many items, else this process."""

    def is_remote(self, items: int) -> bool:
        """Whether so many items are shared out to other processes."""
        return processes(items) > 1

    def map(
        self,
        work: Callable[[Item], Result],
        items: list[Item],
        shared: Callable[[], dict[int, object]],
        done: Callable[[int], None],
    ) -> Iterator[Result]:
        """As `Executor.map`. Raises EnvironmentFault where a process was killed."""
        if not self.is_remote(len(items)):
            yield from SerialExecutor().map(work, items, shared, done)
            return
        for chunk in in_chunks(lambda some: list(map(work, some)), items, shared(), done):
            yield from chunk


def in_chunks(
    work: Callable[[Sequence[Item]], Result], items: list[Item], known: dict[int, object], done: Callable[[int], None]
) -> Iterator[Result]:
    """`work` of each chunk of items, in order, by several processes; `items` is emptied.

    `known` has objects by id that parent and children have and that results may refer to. `done` gets the number of
    finished items. Raises EnvironmentFault if a process was killed.
    """
    count = processes(len(items))
    chunks = [items[start : start + _CHUNK] for start in range(0, len(items), _CHUNK)]
    items.clear()
    turns = len(chunks)
    with _processes() as children:
        with _interrupts_held():
            children += [_start(work, chunks[first::count], known) for first in range(count)]
        chunks.clear()  # the children have them
        results = _gather(children, known, done)
    if any(len(found) < child.turns for found, child in zip(results, children, strict=True)):
        raise EnvironmentFault("a worker process was killed, perhaps for lack of memory; build fewer TrainJobs at once")
    for number in range(turns):
        yield results[number % count][number // count]


@contextmanager
def _processes() -> Iterator[list[_Child]]:
    """The processes; all end with the block."""
    import signal

    children: list[_Child] = []
    try:
        yield children
    except BaseException:
        for child in children:
            os.kill(child.pid, signal.SIGKILL)
        raise
    finally:
        for child in children:
            os.close(child.pipe)
            os.waitpid(child.pid, 0)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Delay an interrupt until the processes that it must end are known."""
    import signal

    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(work: Callable[[Sequence[Item]], Result], chunks: list[list[Item]], known: dict[int, object]) -> _Child:
    receiving, sending = os.pipe()
    pid = os.fork()
    if pid:
        os.close(sending)
        return _Child(pid, receiving, len(chunks))
    try:
        os.close(receiving)
        with os.fdopen(sending, "wb", buffering=1 << 16) as pipe:
            _work(work, chunks, known, pipe)
    finally:
        os._exit(0)  # nothing of the parent's is flushed or cleaned up twice


def _work(
    work: Callable[[Sequence[Item]], Result], chunks: list[list[Item]], known: dict[int, object], pipe: Any
) -> None:
    import io
    import pickle
    import traceback

    class Pickler(pickle.Pickler):
        def persistent_id(self, each: object) -> int | None:
            return id(each) if id(each) in known else None

    for chunk in chunks:
        buffer = io.BytesIO()
        try:
            Pickler(buffer, protocol=5).dump(work(chunk))
        except Exception:  # a bug, to be shown by the process that has a stderr
            buffer = io.BytesIO(pickle.dumps(_Bug(traceback.format_exc())))
        data = buffer.getvalue()
        pipe.write(len(data).to_bytes(_LENGTH, "big") + data)
        pipe.flush()


class _Bug(NamedTuple):
    traceback: str


def _gather(children: list[_Child], known: dict[int, object], done: Callable[[int], None]) -> list[list[Any]]:
    """The results of each child in its order; fewer than its chunks where it was killed."""
    import select

    data = {child.pipe: bytearray() for child in children}
    open_pipes = list(data)
    results: dict[int, list[Any]] = {child.pipe: [] for child in children}
    while open_pipes:
        for pipe in select.select(open_pipes, [], [])[0]:
            part = os.read(pipe, 1 << 20)
            if not part:
                open_pipes.remove(pipe)
            data[pipe] += part
            results[pipe] += _receive(data[pipe], known)
        done(sum(map(len, results.values())) * _CHUNK)
    return [results[child.pipe] for child in children]


def _receive(data: bytearray, known: dict[int, object]) -> Iterator[Any]:
    """The complete results at the front of the bytes so far, which are removed."""
    import io
    import pickle

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, pid: Any) -> object:
            return known[pid]

    start = 0
    while len(data) >= start + _LENGTH:
        end = start + _LENGTH + int.from_bytes(data[start : start + _LENGTH], "big")
        if len(data) < end:
            break
        result = Unpickler(io.BytesIO(data[start + _LENGTH : end])).load()
        if isinstance(result, _Bug):
            raise RuntimeError(f"in a worker process:\n{result.traceback}")
        yield result
        start = end
    del data[:start]
