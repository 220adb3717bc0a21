"""What the paths of a reading mean: the files on disk, as here, or those of a commit (`revision`)."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from kubectl_trainjob.repository.files.current import CurrentDirectory
from kubectl_trainjob.repository.files.find_root import DiskLinks, find_root, is_below, is_configured, real_path
from kubectl_trainjob.repository.files.root import Files, SecureRoot, UnsafePathError

if TYPE_CHECKING:
    from kubectl_trainjob.repository.files.reread import Parsed
    from kubectl_trainjob.repository.templates.render import Renderer


class Named(NamedTuple):
    """What a PATH leads to, by its real path. A stream can be read once: standard input, a pipe or the like."""

    real: str
    kind: Literal["file", "directory", "stream"]


class FileSystem(Protocol):
    """Where paths lead. Directories are real paths, those that the files have or would have on disk."""

    is_disk: bool
    current: CurrentDirectory

    def named(self, path: str) -> Named:
        """What a path of the user leads to, from the current directory; "-" is standard input.

        Raises UnsafePathError, OSError, ValueError, and EnvironmentFault for what this one cannot have.
        """

    def root_of(self, directory: str) -> str:
        """The root that a directory lies in."""

    def below(self, root: str) -> Files:
        """The files below a root. Raises UnsafePathError."""

    def is_configured(self, directory: str) -> bool:
        """Whether a directory has a `trainjob.yaml` of ours."""


class Disk:
    """The files as they are now, the working tree of a repository."""

    is_disk = True

    def __init__(self, current: CurrentDirectory) -> None:
        self.current = current

    def named(self, path: str) -> Named:
        """What a PATH leads to. Raises UnsafePathError, OSError, ValueError."""
        if path == "-":
            return Named(path, "stream")
        real = real_path(path, self.current, DiskLinks())
        mode = os.stat(self.current.join(path)).st_mode
        if stat.S_ISDIR(mode):
            return Named(real, "directory")
        return Named(real, "file" if stat.S_ISREG(mode) else "stream")  # a pipe: `build <(generate)`

    def root_of(self, directory: str) -> str:
        """The root that a directory lies in."""
        return find_root(directory)

    def below(self, root: str) -> Files:
        """The files below a root. Raises UnsafePathError."""
        files = SecureRoot(root)
        if files.directory != root:
            raise UnsafePathError("a link was put in its place meanwhile")
        return files

    def is_configured(self, directory: str) -> bool:
        """Whether a directory has a `trainjob.yaml` of ours."""
        return is_configured(directory)


class Progress(Protocol):
    """Shows how far a command is, until it is left as a context manager."""

    def __call__(self, stage: str, done: int, total: int, /) -> None:
        """Show how much of how much is done, 0 for an unknown total."""

    def __enter__(self) -> object: ...

    def __exit__(self, *_error: object) -> None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Workspace:
    """Where a run reads: its file system, standard input (`stdin` gets the most bytes to read, and may give one more),
    the renderer of templates, and where the progress is shown.

    Two readings that are compared share `parsed`; `base` is the directory from which both have the same paths, "" for
    the current one.
    """

    files: FileSystem
    stdin: Callable[[int], bytes]
    renderer: Callable[[], Renderer]
    progress: Progress
    parsed: Parsed | None = None
    base: str = ""


def current_root(files: FileSystem) -> str:
    """The root of the current directory, as seen from there."""
    return files.current.relative(files.root_of(files.current.real(".")))


def paths_below(base: str, current: CurrentDirectory) -> Callable[[str], str]:
    """Makes of a path as shown the one below the base; "" for the base "" and for the base itself.

    A path shown may lead through the base as it was named, or as it really is. What lies elsewhere is the same for both
    sides, by its absolute path.
    """
    if not base:
        return lambda _shown: ""
    bases = dict.fromkeys((current.absolute(base), current.real(base)))

    def below(shown: str) -> str:
        path = current.absolute(shown)
        above = next((each for each in bases if is_below(each, path)), None)
        return path if above is None else path[len(above) :].lstrip(os.sep)

    return below
