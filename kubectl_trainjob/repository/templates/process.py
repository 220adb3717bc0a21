"""The child process that renders templates: how it is started, used and ended.

It is a separate, isolated Python with an empty environment, in "/", in its own session. It has three pipes and no other
open file. It ends when its standard input ends, therefore always with the build.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.repository.templates.protocol import READY, ProtocolError, frame, read_frame

if TYPE_CHECKING:
    import subprocess

_MODULE = "kubectl_trainjob.repository.templates.child.server"
_START = f"import sys; sys.path += sys.argv[1:]; from {_MODULE} import main; main()"
_PACKAGES = ("jinja2", "markupsafe")
_SECONDS_TO_START = 60
_SECONDS_TO_END = 1


class Process:
    """A started child. Raises EnvironmentFault when it does not come up."""

    def __init__(self) -> None:
        self._child = _start(_command())
        self.is_late = False
        answer = None
        try:
            answer = self.exchange((), (len(READY),), _SECONDS_TO_START)
        finally:
            if answer != [READY]:  # or it was interrupted
                said = self._last_words()
        if answer != [READY]:
            raise EnvironmentFault(f"the process that renders templates does not start: {said}; install the tool again")

    def exchange(self, request: Sequence[bytes], sizes: Sequence[int], seconds: float) -> list[bytes] | None:
        """Send frames, and receive as many as `sizes` has items, none larger than its item.

        None when the child ends, sends something else or takes longer than `seconds` (`is_late`); then `end` it.
        """
        import threading

        alarm = threading.Timer(seconds, self._give_up)
        alarm.daemon = True
        try:
            alarm.start()
        except RuntimeError as error:
            raise EnvironmentFault(
                f"the time of templates cannot be limited: {error}; raise the limit of threads (ulimit -u)"
            ) from None
        try:
            return self._exchange(request, sizes)
        except (ProtocolError, OSError, ValueError):
            return None
        finally:
            alarm.cancel()
            alarm.join()

    def end(self) -> None:
        """Wait for the end of the child, or kill it and its children."""
        import subprocess

        for pipe in (self._child.stdin, self._child.stdout):
            _close(pipe)
        try:
            self._child.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._kill()
            self._child.wait()
        _close(self._child.stderr)

    def _exchange(self, request: Sequence[bytes], sizes: Sequence[int]) -> list[bytes]:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        for body in request:
            self._child.stdin.write(frame(body))
        self._child.stdin.flush()
        answer = [read_frame(self._child.stdout, size) for size in sizes]
        if None in answer:
            raise ProtocolError
        return [body for body in answer if body is not None]

    def _give_up(self) -> None:
        self.is_late = True
        self._kill()

    def _kill(self) -> None:
        import signal

        try:
            if sys.platform == "win32":
                self._child.kill()
            else:
                os.killpg(self._child.pid, signal.SIGKILL)
        except OSError:  # it has ended
            pass

    def _last_words(self) -> str:
        """The last line of the child on standard error; ends it."""
        self._kill()
        assert self._child.stderr is not None
        said = self._child.stderr.read(1 << 16).decode(errors="replace").split("\n")
        self.end()
        return next((line.strip() for line in reversed(said) if line.strip()), "it ended without a message")


def _start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    import subprocess

    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=os.path.abspath(os.sep),
            env=_environment(),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise EnvironmentFault(
            f"the process that renders templates cannot be started: {error}; free memory or processes, and run again"
        ) from None


def _command() -> list[str]:
    """This Python, isolated (-I), without site-packages (-S), with the directories of the few packages it needs."""
    if not sys.executable:
        raise EnvironmentFault(
            "templates need a separate Python interpreter, and its path is unknown; run the tool with a normal Python"
        )
    caches = [] if sys.pycache_prefix is None else ["-X", f"pycache_prefix={sys.pycache_prefix}"]
    caches += ["-B"] if sys.dont_write_bytecode else []
    return [sys.executable, "-I", "-S", "-W", "ignore", *caches, "-c", _START, *_folders()]


def _folders() -> list[str]:
    """The directories of our own package and of those that the child imports, each once."""
    from importlib.util import find_spec

    own = os.path.abspath(__file__)
    for _ in __name__.split("."):
        own = os.path.dirname(own)
    folders = [own]
    for name in _PACKAGES:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            raise EnvironmentFault(f"templates need the Python package {name}, which is not installed; install it")
        folders.append(os.path.dirname(os.path.dirname(os.path.abspath(spec.origin))))
    return list(dict.fromkeys(folders))


def _environment() -> dict[str, str]:
    """Empty, except for what a system needs to load Python; the child clears that, too."""
    return {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "SYSTEMROOT") if name in os.environ}


def _close(pipe: IO[bytes] | None) -> None:
    try:
        if pipe is not None:
            pipe.close()
    except OSError:  # unwritten data is dropped
        pass
