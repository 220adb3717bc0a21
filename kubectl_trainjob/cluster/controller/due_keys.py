"""A queue of keys that are due at a time: each key is once in it, and is worked on by one thread at a time."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from threading import Condition
from typing import Generic, TypeVar

Key = TypeVar("Key")


class DueKeys(Generic[Key]):
    """Keys with the time at which they are due, by a monotonic clock in seconds."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._due: dict[Key, float] = {}
        self._queue: list[tuple[float, int, Key]] = []  # a heap of them, with some that are no longer due then
        self._number = count()
        self._active: set[Key] = set()
        self._is_closed = False
        self._changed = Condition()

    def __len__(self) -> int:
        """How many keys are due now."""
        with self._changed:
            now = self._monotonic()
            return sum(each <= now for each in self._due.values())

    def add(self, key: Key, delay: float = 0.0) -> None:
        """Let a key be due, or due earlier than before."""
        with self._changed:
            due = self._monotonic() + delay
            self._due[key] = min(due, self._due.get(key, due))
            self._enqueue(key)

    def take(self) -> Key | None:
        """The next key, once it is due; None after `close`. `done` must follow."""
        with self._changed:
            while not self._is_closed:
                while self._queue and not self._is_free(*self._queue[0]):
                    heappop(self._queue)
                left = self._queue[0][0] - self._monotonic() if self._queue else None
                if left is not None and left <= 0:
                    key = heappop(self._queue)[2]
                    del self._due[key]
                    self._active.add(key)
                    return key
                self._changed.wait(left)
            return None

    def done(self, key: Key) -> None:
        """Let others work on a key."""
        with self._changed:
            self._active.discard(key)
            if key in self._due:
                self._enqueue(key)

    def close(self) -> None:
        """Let every `take` return None."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _enqueue(self, key: Key) -> None:
        heappush(self._queue, (self._due[key], next(self._number), key))
        self._changed.notify()

    def _is_free(self, due: float, _number: int, key: Key) -> bool:
        return self._due.get(key) == due and key not in self._active
