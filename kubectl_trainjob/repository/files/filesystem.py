"""Files by path: those on disk (here), or those of a commit (`revision`)."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.message import say
from kubectl_trainjob.repository.files.find_root import (
    CONFIG_FILE,
    CurrentDirectory,
    DiskLinks,
    find_root,
    is_below,
    is_configured,
    is_in_repository,
    real_path,
)
from kubectl_trainjob.repository.files.git_ignore import GitIgnore
from kubectl_trainjob.repository.files.root import Files, SecureRoot, UnsafePathError

if TYPE_CHECKING:
    from kubectl_trainjob.repository.files.parse_cache import ParseCache
    from kubectl_trainjob.repository.templates.render import Renderer


class PathTarget(NamedTuple):
    """The target of a PATH, by its real path. A stream can be read once: standard input, or a pipe."""

    real: str
    kind: Literal["file", "directory", "stream"]


class FileSystem(Protocol):
    """The targets of paths. Directories are real paths, those that the files have or would have on disk."""

    is_disk: bool
    current: CurrentDirectory

    def named(self, path: str) -> PathTarget:
        """The target of a path, from the current directory; "-" is standard input.

        Raises UnsafePathError, OSError, ValueError, and EnvironmentFault for what this file system cannot have.
        """

    def root_of(self, directory: str) -> str:
        """The root of a directory."""

    def below(self, root: str) -> Files:
        """The files below a root. Raises UnsafePathError."""

    def is_configured(self, directory: str) -> bool:
        """Whether a directory has a `trainjob.yaml` of this tool."""

    def git_ignore(self, root: str) -> GitIgnore:
        """What git ignores below a root."""


class Disk:
    """The files as they are now, the working tree of a repository; `top` is its top if that is known."""

    is_disk = True

    def __init__(self, current: CurrentDirectory, top: str = "") -> None:
        self.current = current
        self._top = top

    def named(self, path: str) -> PathTarget:
        """The target of a PATH. Raises UnsafePathError, OSError, ValueError."""
        if path == "-":
            return PathTarget(path, "stream")
        real = real_path(path, self.current, DiskLinks())
        mode = os.stat(self.current.join(path)).st_mode
        if stat.S_ISDIR(mode):
            return PathTarget(real, "directory")
        return PathTarget(real, "file" if stat.S_ISREG(mode) else "stream")  # a pipe: `build <(generate)`

    def root_of(self, directory: str) -> str:
        """The root of a directory."""
        return find_root(directory, self._top)

    def below(self, root: str) -> Files:
        """The files below a root. Raises UnsafePathError."""
        files = SecureRoot(root)
        if files.directory != root:
            raise UnsafePathError(say("it was replaced by a link while it was read; run again"))
        return files

    def is_configured(self, directory: str) -> bool:
        """Whether a directory has a `trainjob.yaml` of this tool."""
        return is_configured(directory)

    def git_ignore(self, root: str) -> GitIgnore:
        """What git ignores below a root."""
        return GitIgnore(root)


class Progress(Protocol):
    """Shows the progress of a command, until the end of its context."""

    def __call__(self, stage: str, done: int, total: int, /) -> None:
        """Show the progress; a total of 0 is unknown."""

    def __enter__(self) -> object: ...

    def __exit__(self, *_error: object) -> None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Workspace:
    """What a run may use: its file system, standard input, the renderer of templates, and the progress. `stdin` gets
    the most bytes to read, and may return one more.

    Two readings that are compared share `parsed`; both have the same paths below their `base`, "" for the current
    directory. Without `raises_limits`, the settings of a repository only lower limits.
    """

    files: FileSystem
    stdin: Callable[[int], bytes]
    renderer: Callable[[], Renderer]
    progress: Progress
    parsed: ParseCache | None = None
    base: str = ""
    raises_limits: bool = True


def current_root(files: FileSystem) -> str:
    """The root of the current directory, relative to it. Raises EnvironmentFault outside a repository."""
    here = files.current.real(".")
    if files.is_disk and not is_in_repository(here):
        advice = "pass the PATH of files, or create a repository with kubectl trainjob init"
        raise EnvironmentFault(f"no repository here: no {CONFIG_FILE} or .git in {here} or above; {advice}")
    return files.current.relative(files.root_of(here))


def paths_below(base: str, current: CurrentDirectory) -> Callable[[str], str]:
    """The function from a path as shown to the path below the base; "" for the base "" and for the base itself.

    A path as shown may have the base as it was passed, or its real path. Paths outside are equal for base and head, by
    their absolute form.
    """
    if not base:
        return lambda _shown: ""
    bases = dict.fromkeys((current.absolute(base), current.real(base)))

    def below(shown: str) -> str:
        path = current.absolute(shown)
        above = next((each for each in bases if is_below(each, path)), None)
        return path if above is None else path[len(above) :].lstrip(os.sep)

    return below
