"""Limits of the process that renders one template.

On Linux and the BSDs: processor time, memory, no new file, process or core. macOS ignores the limit of memory: only the
wall clock and the size of the text limit a template. Windows has neither such limits nor fork: templates are rendered
in the server process, limited by the wall clock of the build.
"""

from __future__ import annotations

import contextlib
import faulthandler
import signal
import sys

_RESERVE = 32 << 20  # bytes to report that a template has used up its memory


def confine(seconds: int, wall: float, memory: int, report: int) -> None:
    """Limit this process to `seconds` of processor time, `wall` seconds, and `memory` bytes more than it has.

    At a limit of time, or if Python crashes, the running lines are written to the file descriptor `report`.
    """
    faulthandler.enable(report, all_threads=False)
    if sys.platform == "win32":
        return
    for limit in (signal.SIGXCPU, signal.SIGALRM):
        faulthandler.register(limit, report, all_threads=False, chain=True)
    signal.setitimer(signal.ITIMER_REAL, wall)
    size = _address_space()
    limits = {
        "RLIMIT_CPU": (seconds, seconds + 1),
        "RLIMIT_AS": (size + memory, size + memory + _RESERVE),
        "RLIMIT_FSIZE": (0, 0),
        "RLIMIT_CORE": (0, 0),
        "RLIMIT_NPROC": (0, 0),
        "RLIMIT_NOFILE": (0, 0),
    }
    for name, (soft, hard) in limits.items():
        _limit(name, soft, hard)


def release_reserve() -> None:
    """Let this process use the reserved memory."""
    if sys.platform != "win32":
        import resource

        with contextlib.suppress(ValueError, OSError):
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]
            resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def _limit(name: str, soft: int, hard: int) -> None:
    if sys.platform == "win32":
        return
    import resource

    kind = getattr(resource, name, None)
    if kind is None:
        return
    ceiling = resource.getrlimit(kind)[1]
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    with contextlib.suppress(ValueError, OSError):  # the system has no such limit
        resource.setrlimit(kind, (soft, hard))


def _address_space() -> int:
    """Bytes of addresses that this process has; a high estimate for systems without /proc."""
    import resource

    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 256 << 20
