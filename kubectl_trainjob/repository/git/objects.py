"""The objects of a git repository, read through one `git cat-file --batch`.

One is asked for at a time, so that neither side can wait for the other; a thousand small ones take a few milliseconds.
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
    """Reads objects. The process is started when the first is wanted, and again where one has to be broken off."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""  # what was received and not used
        self._large: dict[str, int] = {}

    def read(self, name: str, kind: Kind, most: int) -> bytes:
        """A whole object, by its id or another name of ours. Raises TooLargeError, and EnvironmentFault where the
        repository does not have it or it is of another kind.
        """
        if self._large.get(name, 0) > most:
            raise TooLargeError
        size = self._ask(name, kind)
        if size > most:
            self._large[name] = size
            self.close()
            raise TooLargeError
        return self._body(name, size)

    def start(self, name: str, most: int) -> bytes:
        """The first bytes of a blob. Raises EnvironmentFault."""
        size = self._ask(name, "blob")
        if size <= most:
            return self._body(name, size)
        start = self._bytes(name, most)
        self.close()
        return start

    def close(self) -> None:
        """End the process, whatever it is about: it only reads."""
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
            raise self._broken(name) from None
        match self._head(name).split():
            case [_, found, size] if found.decode() == kind:
                return int(size)
            case [*_, b"missing"]:
                raise self._fault(name, "missing")
        raise self._broken(name)

    def _head(self, name: str) -> bytes:
        while b"\n" not in self._rest:
            if len(self._rest) > _LONGEST_HEAD:
                raise self._broken(name)
            self._rest += self._more(name)
        head, _, self._rest = self._rest.partition(b"\n")
        return head

    def _body(self, name: str, size: int) -> bytes:
        """The content, behind which stands a line end."""
        body = self._bytes(name, size + 1)
        return body[:-1]

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
        if not _has_more(handle):
            self.close()
            raise EnvironmentFault(f"git does not answer for {_SECONDS} seconds when asked for {name}")
        received = os.read(handle, _CHUNK)
        if not received:
            raise self._broken(name)
        return received

    def _broken(self, name: str) -> EnvironmentFault:
        self.close()
        return self._fault(name, "broken")

    def _fault(self, name: str, reason: str) -> EnvironmentFault:
        advice = 'ask "git fsck"'
        if self._git.is_partial:  # then git may end instead of saying that it is missing
            reason = "missing"
            advice = 'the clone is partial, and nothing is fetched here: run "git fetch --refetch --no-filter"'
        return EnvironmentFault(f'git cannot read {name} in "{self._git.top}", it is {reason}; {advice}')


def _has_more(handle: int) -> bool:
    """Whether something can be read from a pipe, within the time that there is; taken for granted on Windows."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(_SECONDS * 1000))
