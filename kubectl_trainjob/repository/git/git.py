"""Runs git without any program of the repository, and with no settings except those of the repository.

The few commands that we use (rev-parse, merge-base, for-each-ref, cat-file, check-ignore) need no hook, file monitor,
credential helper or fetch; these are also turned off. `cat-file --batch` without --filters uses no filter, text
conversion or attribute. Nothing is fetched or written, no lock is taken. Replacements (`git replace`) and grafts are
ignored: they change the content of a commit.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.repository.files.find_root import upward

_SECONDS = 60  # only a very long history takes more than a moment
_PROGRAM = "git.exe" if sys.platform == "win32" else "git"
# What git's own processes need; not GIT_DIR and the like, which a hook that runs us has from its repository.
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
    "core.bigFileThreshold": "1m",  # larger files are sent while they are unpacked, therefore we can stop early
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "credential.helper": "",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "safe.directory": "*",  # it protects from programs of the repository, and none runs here
}


@dataclass(frozen=True, slots=True)
class GitResult:
    """The exit code of a command, and its stripped texts."""

    code: int
    out: str
    err: str

    @property
    def reason(self) -> str:
        """The error of git."""
        fatal = [line for line in self.err.splitlines() if line.startswith("fatal: ")]
        return fatal[-1].removeprefix("fatal: ") if fatal else f"git ends with {self.code}"


class Git:
    """Git on one repository. `top` is the real path of its working tree, or of itself if it has none."""

    def __init__(self, directory: str) -> None:
        """For the repository around a directory (a real path). Raises EnvironmentFault without one."""
        self.top, own = _repository(directory)
        self.is_bare = self.top == own
        self._command = [
            _program(),
            "--no-pager",
            *(word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")),
        ]
        self._environment = _environment() | {"GIT_DIR": own, "GIT_WORK_TREE": self.top}
        shallow = self.run("rev-parse", "--is-shallow-repository")
        if shallow.code:
            raise EnvironmentFault(f"{own}: {shallow.reason}; check the repository with: git fsck")
        self.is_shallow = shallow.out == "true"  # whether the history of this clone ends early

    def run(self, *arguments: str) -> GitResult:
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
            raise EnvironmentFault(
                f"git {arguments[0]} does not end within {_SECONDS} seconds; run the command again"
            ) from None
        except (OSError, ValueError) as error:
            raise EnvironmentFault(f"git cannot be started: {error}; check the installation of git") from None
        return GitResult(done.returncode, os.fsdecode(done.stdout).strip(), os.fsdecode(done.stderr).strip())

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a command with pipes to and from it. Raises EnvironmentFault."""
        try:
            return subprocess.Popen(
                [*self._command, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # it is not read
                bufsize=0,
                cwd=self.top,
                env=self._environment,
            )
        except (OSError, ValueError) as error:
            raise EnvironmentFault(f"git cannot be started: {error}; check the installation of git") from None

    @property
    def is_partial(self) -> bool:
        """Whether this clone was made without some objects (`git clone --filter`)."""
        pattern = r"^(extensions\.partialclone|remote\..*\.promisor)$"
        return bool(self.run("config", "--local", "--get-regexp", pattern).out)


def _repository(directory: str) -> tuple[str, str]:
    """The top of the repository around a directory, and its git directory.

    The nearest `.git` decides; only without one, a directory that looks like a bare repository. The settings of a
    repository (core.worktree) do not move its top.
    """
    for above in upward(directory):
        if os.path.lexists(own := os.path.join(above, ".git")):
            return above, own
    for above in upward(directory):
        if all(os.path.exists(os.path.join(above, name)) for name in ("HEAD", "objects", "refs")):
            return above, above
    advice = "pass two directories instead, or run git init and commit"
    raise EnvironmentFault(f"{directory}: not a git repository; {advice}")


def _program() -> str:
    """The path of git. Only absolute entries of PATH are used: others lead into a repository."""
    for directory in _absolute_path():
        path = os.path.join(directory, _PROGRAM)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise EnvironmentFault("revisions need git, which is not installed; install it, or pass two directories instead")


def _absolute_path() -> list[str]:
    return [entry for entry in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(entry)]


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, **_ENVIRONMENT, "PATH": os.pathsep.join(_absolute_path())}
