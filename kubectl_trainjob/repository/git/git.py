"""Git, run so that it runs no program of a repository and reads no settings but the repository's own.

What a hostile repository could have started has no part in the few commands that we use (rev-parse, merge-base,
for-each-ref, cat-file, check-ignore), and is turned off besides: hooks, file monitors, credential helpers, whatever
fetches. Filters, text conversions and attributes have no part in `cat-file --batch` without --filters. Nothing is
fetched, nothing is written, no lock is taken. Replacements (`git replace`) and grafts are not heeded: they change what
a commit says.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.repository.files.find_root import upward

_SECONDS = 60  # for a command that answers at once, save in a very long history
_PROGRAM = "git.exe" if sys.platform == "win32" else "git"
# What Git's own processes need. GIT_DIR and its like are left out: a hook that runs us has them from its repository.
_KEPT = ("HOME", "LD_LIBRARY_PATH", "SYSTEMROOT", "USERPROFILE")
_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_ALLOW_PROTOCOL": "",  # none
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
_SETTINGS = {
    "advice.graftFileDeprecated": "false",
    "core.alternateRefsCommand": "",
    "core.attributesFile": os.devnull,
    "core.bigFileThreshold": "1m",  # larger files are sent while they are unpacked, so that we can end it
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "credential.helper": "",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "safe.directory": "*",  # its reason is what a repository of another person could start, and that is nothing here
}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended; the texts without white space around them."""

    code: int
    out: str
    err: str

    @property
    def reason(self) -> str:
        """What git says of its failure."""
        fatal = [line for line in self.err.splitlines() if line.startswith("fatal: ")]
        return fatal[-1].removeprefix("fatal: ") if fatal else f"git ends with {self.code}"


class Git:
    """Git on one repository. `top` is the real path of its working tree, or of itself if it has none."""

    def __init__(self, directory: str) -> None:
        """For the repository that a directory (a real path) lies in. Raises EnvironmentFault where there is none."""
        self.top, own = _repository(directory)
        self.is_bare = self.top == own
        self._command = [_program(), "--no-pager", *(word for pair in _SETTINGS.items() for word in _setting(*pair))]
        self._environment = _environment() | {"GIT_DIR": own, "GIT_WORK_TREE": self.top}
        asked = self.run("rev-parse", "--is-shallow-repository")
        if asked.code:
            raise EnvironmentFault(f"{own}: {asked.reason}")
        self.is_shallow = asked.out == "true"  # whether the history of this clone ends early

    def run(self, *arguments: str) -> Ended:
        """Run a command that ends by itself. Raises EnvironmentFault when it does not."""
        try:
            done = subprocess.run(
                [*self._command, *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                cwd=self.top,
                env=self._environment,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise EnvironmentFault(f"git {arguments[0]} does not end within {_SECONDS} seconds") from None
        except (OSError, ValueError) as error:
            raise EnvironmentFault(f"git cannot be started: {error}") from None
        return Ended(done.returncode, os.fsdecode(done.stdout).strip(), os.fsdecode(done.stderr).strip())

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a command with pipes to and from it. Raises EnvironmentFault."""
        try:
            return subprocess.Popen(
                [*self._command, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # nobody would read it meanwhile
                bufsize=0,
                cwd=self.top,
                env=self._environment,
            )
        except (OSError, ValueError) as error:
            raise EnvironmentFault(f"git cannot be started: {error}") from None

    @property
    def is_partial(self) -> bool:
        """Whether this clone was made without some objects (`git clone --filter`)."""
        pattern = r"^(extensions\.partialclone|remote\..*\.promisor)$"
        return bool(self.run("config", "--local", "--get-regexp", pattern).out)


def _setting(name: str, value: str) -> tuple[str, str]:
    return "-c", f"{name}={value}"


def _repository(directory: str) -> tuple[str, str]:
    """The top of the repository that a directory lies in, and where git keeps it.

    As everywhere the nearest `.git` tells: a directory that only looks like a repository of git's is content, unless
    there is none. The settings of a repository (core.worktree) do not move its top.
    """
    for above in upward(directory):
        if os.path.lexists(own := os.path.join(above, ".git")):
            return above, own
    for above in upward(directory):
        if all(os.path.exists(os.path.join(above, name)) for name in ("HEAD", "objects", "refs")):
            return above, above
    raise EnvironmentFault(f"{directory}: this is no git repository; name two directories instead")


def _program() -> str:
    """Git's path. Only absolute entries of PATH count: the others lead into a repository."""
    for directory in _absolute_path():
        path = os.path.join(directory, _PROGRAM)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise EnvironmentFault("revisions need git, which is not installed; install it, or name two directories instead")


def _absolute_path() -> list[str]:
    return [entry for entry in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(entry)]


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, **_ENVIRONMENT, "PATH": os.pathsep.join(_absolute_path())}
