"""`-O DIR`: a build as files. Only changed files are written, only files of earlier builds are removed.

The index, a file in DIR, lists the built files. A file is ours while its content has the digest in the index. Other
files are never touched. If one has a path of the build, or a built file was edited, nothing is written. The message
names it.

The index lists a file before the file exists, and until it is removed: during a build it has the old and the new
digests. Therefore the next build knows all of our files, even after a crash, and completes the work.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import LIMITS, size
from kubectl_trainjob.model.message import say
from kubectl_trainjob.repository.files.find_root import CurrentDirectory, DiskLinks, real_path
from kubectl_trainjob.repository.files.root import SecureRoot, TooLargeError, UnsafePathError, reason_of
from kubectl_trainjob.repository.files.walk import INDEX_FILE
from kubectl_trainjob.repository.output import built_index as index
from kubectl_trainjob.repository.output.built_index import Index
from kubectl_trainjob.repository.output.folder import Folder, make_directory, open_directory

_FOREIGN = "it is not in the index of what was built here; move it away"
_EDITED = "it was edited after it was built; change its source instead, then remove or restore it"


@dataclass(frozen=True, slots=True)
class DirectoryResult:
    """The paths of all files, relative to the directory, sorted."""

    created: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]


class _PlannedChange(NamedTuple):
    """A change at a path: `data` None removes the file; `before` is the digest of the existing file."""

    path: str
    before: str | None
    data: bytes | None


class _InTheWayError(Exception):
    """A file that is not ours to replace or remove; the message says why, and what to do."""


def write_directory(
    target: str,
    files: Iterable[tuple[str, str]],
    inputs: Sequence[str],
    current: CurrentDirectory,
    most: int = LIMITS.output_bytes,
) -> DirectoryResult:
    """Write `files`, pairs of a path and a text of at most `most` bytes together, as the content of `target`.

    Paths are those of `layout`. `inputs` are the files and directories that the build reads ("-" is ignored). A target
    in one of the directories is rejected. So is a target with a built file that is, or is in, an input. A missing
    directory is created.

    Raises EnvironmentFault: with nothing written for a rejected target, else the message says how many files were
    written. Written files are whole, and the next call completes the work.
    """
    contents = _encode(files, most)
    real = _real(target, current)
    _reject_inside(target, real, inputs, current)
    try:
        make_directory(real)
        with open_directory(real) as top:
            present = _Present(target, SecureRoot(real))
            before = present.index()
            after = {path: frozenset((index.digest(data),)) for path, data in contents.items()}
            _reject_inputs(present, {*before, *after}, [current.real(path) for path in inputs if path != "-"])
            changes = _plan(present, contents, before, after)
            _DirectoryWriter(present, top).write(changes, before, after)
    except FileExistsError:
        raise EnvironmentFault(f"{target}: it is not a directory") from None
    except OSError as error:
        raise EnvironmentFault(f"{target}: {error.strerror}; nothing was written") from error
    created = [change.path for change in changes if change.before is None]
    changed = [change.path for change in changes if change.before is not None and change.data is not None]
    removed = [change.path for change in changes if change.data is None]
    unchanged = sorted(contents.keys() - {*created, *changed})
    return DirectoryResult(tuple(created), tuple(changed), tuple(unchanged), tuple(removed))


def _encode(files: Iterable[tuple[str, str]], most: int) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    total = 0
    for path, text in files:
        if not index.PATH.fullmatch(path) or path in contents:
            raise ValueError(f"{path!r} is not a path of a layout, or a duplicate")
        contents[path] = text.encode()
        total += len(contents[path])
        if total > most:
            limit = f"{size(most)}, the limit (limits.outputBytes)"
            raise EnvironmentFault(f"the result is larger than {limit}; build fewer TrainJobs")
    return contents


def _real(target: str, current: CurrentDirectory) -> str:
    """The real path of the target. Raises EnvironmentFault for a link in a repository that leads out of it."""
    try:
        real = real_path(target, current, DiskLinks())
        if any(name.casefold() == ".git" for name in real.split(os.sep)):
            raise UnsafePathError(say("it belongs to git; choose another directory"))
        return real
    except (UnsafePathError, OSError) as error:
        raise EnvironmentFault(f"{target}: {reason_of(error)}") from None


def _reject_inside(target: str, real: str, inputs: Sequence[str], current: CurrentDirectory) -> None:
    for path in inputs:
        if path != "-" and _relative(real, current.join(path)) is not None:
            reason = f'it is in the input "{path}", therefore the next build would read its own result'
            raise EnvironmentFault(f"{target}: {reason}; choose a directory outside")


def _reject_inputs(present: _Present, ours: Iterable[str], inputs: Sequence[str]) -> None:
    found = [_relative(path, present.root.directory) for path in inputs]
    below = {path.casefold() for path in found if path is not None}
    for path in sorted(ours) if below else ():
        if any(path == other or path.startswith(f"{other}/") for other in below):
            raise EnvironmentFault(f"{present.shown(path)}: it is an input of this build; choose another directory")


def _relative(path: str, above: str) -> str | None:
    """A real path relative to a directory above it, "" for the directory itself; None when it is elsewhere.

    Files are compared, not names: some file systems have several names for one directory.
    """
    names: list[str] = []
    while not _is_same(path, above):
        path, name = os.path.split(path)
        if not name:
            return None
        names.append(name)
    return "/".join(reversed(names))


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:  # one of them does not exist yet
        return False


class _Present:
    """What the directory has now; `target` is its path as users see it."""

    def __init__(self, target: str, root: SecureRoot) -> None:
        self.target = target
        self.root = root

    def shown(self, path: str) -> str:
        return os.path.join(self.target, path)

    def index(self) -> Index:
        """The files of earlier builds."""
        try:
            return index.parse(self.index_text() or "")
        except (UnsafePathError, TooLargeError, ValueError) as error:
            advice = "remove it and all files that were built, then build again"
            raise EnvironmentFault(f"{self.shown(INDEX_FILE)}: {reason_of(error)}; {advice}") from None

    def index_text(self) -> str | None:
        """The index itself, None without one. Git on Windows changes line ends."""
        try:
            return self.root.read(INDEX_FILE, LIMITS.output_bytes).decode(errors="replace").replace("\r\n", "\n")
        except FileNotFoundError:
            return None

    def find(self, path: str) -> str | None:
        """The digest of the file at a path, None for no file."""
        try:
            return index.digest(self.root.read(path, LIMITS.output_bytes))
        except FileNotFoundError:
            return None
        except NotADirectoryError:
            raise _InTheWayError("a file has the name of a directory in its path; move the file away") from None
        except UnsafePathError as error:
            raise _InTheWayError(f"{error}; move it away") from None
        except TooLargeError:
            raise _InTheWayError(_FOREIGN) from None


def _plan(present: _Present, contents: Mapping[str, bytes], before: Index, after: Index) -> list[_PlannedChange]:
    """All changes, removals last: after a crash there are too many files rather than too few."""
    changes: list[_PlannedChange] = []
    rejected: list[str] = []
    for path in sorted({*before, *after}):
        try:
            found = present.find(path)
            if found not in after.get(path, (None,)):
                if found is not None and found not in before.get(path, ()):
                    raise _InTheWayError(_EDITED if path in before else _FOREIGN)
                changes.append(_PlannedChange(path, found, contents.get(path)))
        except _InTheWayError as error:
            rejected.append(f"{present.shown(path)}: {error}")
    if rejected:
        more = f" ({len(rejected) - 1} more of this kind)" if len(rejected) > 1 else ""
        raise EnvironmentFault(f"{rejected[0]}; nothing was written{more}")
    return sorted(changes, key=lambda change: change.data is None)


class _DirectoryWriter:
    """Makes the changes."""

    def __init__(self, present: _Present, top: Folder) -> None:
        self._present = present
        self._top = top
        self._done = 0
        self._at = INDEX_FILE

    def write(self, changes: Sequence[_PlannedChange], before: Index, after: Index) -> None:
        """Raises EnvironmentFault that says how many changes were made."""
        try:
            self._top.remove_new()
            if changes:
                self._put_index(index.union(before, after))
            self._make(changes)
            self._remove_folders(before.keys() - after.keys())
            self._put_index(after)
        except (OSError, UnsafePathError, _InTheWayError) as error:
            state = f"{self._done} of {len(changes)} changes were made, each of them whole"
            where = f"{self._present.shown(self._at)}: {reason_of(error)}"
            raise EnvironmentFault(f"{where}; {state}; build again to complete them") from error

    def _make(self, changes: Sequence[_PlannedChange]) -> None:
        for (is_removal, folder), group in groupby(changes, key=lambda c: (c.data is None, os.path.dirname(c.path))):
            self._at = folder
            with self._top.below(folder, make=not is_removal) as below:
                for change in group:
                    self._make_one(change, below)
                    self._done += 1

    def _make_one(self, change: _PlannedChange, folder: Folder) -> None:
        self._at = change.path
        if self._present.find(change.path) != change.before:
            raise _InTheWayError("another process changed it during the build")
        name = os.path.basename(change.path)
        if change.data is None:
            folder.remove(name)
        else:
            self._write_file(folder, name, change.data)

    def _put_index(self, following: Index) -> None:
        self._at = INDEX_FILE
        text = index.to_text(following)
        if text != self._present.index_text():
            self._write_file(self._top, INDEX_FILE, text.encode())

    def _write_file(self, folder: Folder, name: str, data: bytes) -> None:
        with self._top.new_file(data):
            self._top.move_new(folder, name)

    def _remove_folders(self, stale: Iterable[str]) -> None:
        """Remove the directories of removed files, if they are empty."""
        parts = [path.split("/") for path in stale]
        folders = {"/".join(each[:end]) for each in parts for end in range(1, len(each))}
        for folder in sorted(folders, reverse=True):
            above, name = os.path.split(folder)
            with suppress(OSError), self._top.below(above) as parent:
                parent.remove_folder(name)
