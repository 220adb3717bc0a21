"""The objects of a git repository, read through one `git cat-file --batch`.

One is requested at a time, therefore neither side can wait for the other; 1000 small ones take a few milliseconds.
"""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING, Literal

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.repository.files.root import TooLargeError

if TYPE_CHECKING:
    import subprocess

    from kubectl_trainjob.repository.git.git import Git

_SECONDS = 60  # without a byte
_CHUNK = 1 << 16
_LONGEST_HEAD = 4096

Kind = Literal["blob", "tree"]


class Objects:
    """Reads objects. The process is started for the first object, and again after one that was not read to its end."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""  # what was received and not used
        self._large: dict[str, int] = {}

    def read(self, name: str, kind: Kind, most: int) -> bytes:
        """A whole object, by its id or name. Raises TooLargeError, EnvironmentFault for a missing or invalid one."""
        if self._large.get(name, 0) > most:
            raise TooLargeError
        size = self._ask(name, kind)
        if size > most:
            self._large[name] = size
            self.close()
            raise TooLargeError
        return self._bytes(name, size + 1)[:-1]  # a line end follows the content

    def start(self, name: str, most: int) -> bytes:
        """The first bytes of a blob. Raises EnvironmentFault."""
        size = self._ask(name, "blob")
        if size <= most:
            return self._bytes(name, size + 1)[:-1]  # a line end follows the content
        start = self._bytes(name, most)
        self.close()
        return start

    def close(self) -> None:
        """End the process, which only reads."""
        process, self._process, self._rest = self._process, None, b""
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            pipe.close()
        process.kill()
        process.wait()

    def _ask(self, name: str, kind: Kind) -> int:
        """The size of an object, whose content follows."""
        if self._process is None:
            self._process = self._git.start("cat-file", "--batch")
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(name.encode() + b"\n")
        except OSError:
            raise self._broken_object(name) from None
        match self._head(name).split():
            case [_, found, size] if found.decode() == kind:
                return int(size)
            case [*_, b"missing"]:
                raise self._fault(name, "missing")
        raise self._broken_object(name)

    def _head(self, name: str) -> bytes:
        while b"\n" not in self._rest:
            if len(self._rest) > _LONGEST_HEAD:
                raise self._broken_object(name)
            self._rest += self._more(name)
        head, _, self._rest = self._rest.partition(b"\n")
        return head

    def _bytes(self, name: str, count: int) -> bytes:
        parts, left = [self._rest], count - len(self._rest)
        while left > 0:
            parts.append(self._more(name))
            left -= len(parts[-1])
        whole = b"".join(parts)
        self._rest = whole[count:]
        return whole[:count]

    def _more(self, name: str) -> bytes:
        assert self._process is not None
        assert self._process.stdout is not None
        handle = self._process.stdout.fileno()
        if hasattr(select, "poll") and not _has_more(handle):  # Windows has no limit of time
            self.close()
            raise EnvironmentFault(f"git does not send {name} within {_SECONDS} seconds; run the command again")
        received = os.read(handle, _CHUNK)
        if not received:
            raise self._broken_object(name)
        return received

    def _broken_object(self, name: str) -> EnvironmentFault:
        self.close()
        return self._fault(name, "broken")

    def _fault(self, name: str, reason: str) -> EnvironmentFault:
        advice = 'run "git fsck"'
        if self._git.is_partial:  # then git may end without an error
            reason = "missing"
            advice = 'the clone is partial, and nothing is fetched here: run "git fetch --refetch --no-filter"'
        return EnvironmentFault(f'git cannot read {name} in "{self._git.top}", it is {reason}; {advice}')


def _has_more(handle: int) -> bool:
    """Whether data arrives in a pipe within the time limit."""
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(_SECONDS * 1000))
