"""`-O DIR`: a build as files. Only what changed is written, only what is ours is removed.

What is ours stands in the index, a file in DIR. A file is ours as long as its content is what the index says. Other
files are left alone; where one stands in our way, or a file of ours was edited meanwhile, nothing is written at all and
the message names it.

The index names a file before the file is there and forgets it only when the file is gone: while files are written it
holds what was and what will be. So when a write is cut off anywhere, the next one knows all that is ours and finishes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.limits import size as in_words
from kubectl_trainjob.repository.files.current import CurrentDirectory
from kubectl_trainjob.repository.files.find_root import DiskLinks, real_path
from kubectl_trainjob.repository.files.root import SecureRoot, TooLargeError, UnsafePathError
from kubectl_trainjob.repository.files.walk import INDEX_FILE
from kubectl_trainjob.repository.output import built_index as index
from kubectl_trainjob.repository.output.built_index import Index
from kubectl_trainjob.repository.output.folder import Folder, opened

_NEW = ".kubectl-trainjob-new"  # what is being written, until it gets its name; all that a crash can leave
_FOREIGN = "it is not in the index of what was built here; move it away"
_EDITED = "it was edited since it was built; change its source instead, then remove or restore it"


@dataclass(frozen=True, slots=True)
class DirectoryResult:
    """What became of the files: paths relative to the directory, sorted."""

    created: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]


def _real(target: str, current: CurrentDirectory) -> str:
    """Where the target is. Raises EnvironmentFault where a link in a repository leads out of that."""
    try:
        real = real_path(target, current, DiskLinks())
        if any(name.casefold() == ".git" for name in real.split(os.sep)):
            raise UnsafePathError("it belongs to git itself; name another directory")
        return real
    except (UnsafePathError, OSError) as error:
        raise EnvironmentFault(f"{target}: {getattr(error, 'strerror', None) or error}") from None


class _Step(NamedTuple):
    """What is to be done at a path: `data` None removes the file; `before` is the digest of what is there."""

    path: str
    before: str | None
    data: bytes | None


class _InTheWayError(Exception):
    """What stands at a path is not ours to replace or remove; says why, and what to do."""


def write_directory(
    target: str,
    files: Iterable[tuple[str, str]],
    inputs: Sequence[str],
    current: CurrentDirectory,
    most: int = LIMITS.output_bytes,
) -> DirectoryResult:
    """Make the directory `target` hold `files`, pairs of a path and a text of at most `most` bytes together.

    Paths are those of `emit.layout`. `inputs` are the files and directories that the build reads ("-" is none): a
    target that lies in one of the directories is refused, and so is one where a file of ours is, or lies in, an input.
    The directory is made where there is none.

    Raises EnvironmentFault when it refuses, with nothing written, and when writing fails; the message says how far it
    came. What is done then is whole files, and the next call goes on from there.
    """
    contents = _encoded(files, most)
    real = _real(target, current)
    _refuse_inside(target, real, inputs, current)
    try:
        os.makedirs(real, exist_ok=True)
        with opened(real) as top:
            present = _Present(target, SecureRoot(real))
            before = present.index()
            after = {path: frozenset((index.digest(data),)) for path, data in contents.items()}
            _refuse_inputs(present, {*before, *after}, [current.real(path) for path in inputs if path != "-"])
            steps = _plan(present, contents, before, after)
            _Writer(present, top).write(steps, before, after)
    except FileExistsError:
        raise EnvironmentFault(f"{target}: it is no directory") from None
    except OSError as error:
        raise EnvironmentFault(f"{target}: {error.strerror}; nothing was written") from error
    return _result(contents, steps)


def _encoded(files: Iterable[tuple[str, str]], most: int) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    size = 0
    for path, text in files:
        if not index.PATH.fullmatch(path) or path in contents:
            raise ValueError(f"{path!r} is no path of a layout, or comes twice")
        contents[path] = text.encode()
        size += len(contents[path])
        if size > most:
            limit = f"{in_words(most)}, the limit (limits.outputBytes)"
            raise EnvironmentFault(f"the result is larger than {limit}; build fewer TrainJobs")
    return contents


def _result(contents: Mapping[str, bytes], steps: Sequence[_Step]) -> DirectoryResult:
    created = [step.path for step in steps if step.before is None]
    changed = [step.path for step in steps if step.before is not None and step.data is not None]
    removed = [step.path for step in steps if step.data is None]
    unchanged = sorted(contents.keys() - {*created, *changed})
    return DirectoryResult(tuple(created), tuple(changed), tuple(unchanged), tuple(removed))


def _refuse_inside(target: str, real: str, inputs: Sequence[str], current: CurrentDirectory) -> None:
    for path in inputs:
        if path != "-" and _relative(real, current.join(path)) is not None:
            reason = f'it lies in the input "{path}", so that the next build would read its own result'
            raise EnvironmentFault(f"{target}: {reason}; name a directory outside")


def _refuse_inputs(present: _Present, ours: Iterable[str], inputs: Sequence[str]) -> None:
    found = [_relative(path, present.root.directory) for path in inputs]
    below = {path.casefold() for path in found if path is not None}
    for path in sorted(ours) if below else ():
        if any(path == other or path.startswith(f"{other}/") for other in below):
            raise EnvironmentFault(f"{present.shown(path)}: it is an input of this build; name another directory")


def _relative(path: str, above: str) -> str | None:
    """A real path relative to a directory above it, "" for the directory itself; None when it lies elsewhere.

    Files are compared, not names: there are file systems that know one directory by several.
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
    except OSError:  # one of them is not there yet
        return False


class _Present:
    """What the directory holds now; `target` is what people call it."""

    def __init__(self, target: str, root: SecureRoot) -> None:
        self.target = target
        self.root = root

    def shown(self, path: str) -> str:
        return os.path.join(self.target, path)

    def index(self) -> Index:
        """What is ours, as the index says."""
        try:
            return index.parse(self.index_text() or "")
        except (UnsafePathError, TooLargeError, ValueError) as error:
            reason = str(error) or "it is too large"
            advice = "remove it and all files that were built, then build again"
            raise EnvironmentFault(f"{self.shown(INDEX_FILE)}: {reason}; {advice}") from None

    def index_text(self) -> str | None:
        """The index itself; None where there is none. Git on Windows changes line ends."""
        try:
            return self.root.read(INDEX_FILE, LIMITS.output_bytes).decode(errors="replace").replace("\r\n", "\n")
        except FileNotFoundError:
            return None

    def find(self, path: str) -> str | None:
        """The digest of the file at a path; None where there is nothing."""
        try:
            return index.digest(self.root.read(path, LIMITS.output_bytes))
        except FileNotFoundError:
            return None
        except NotADirectoryError:
            raise _InTheWayError("one of the folders in its path is a file; move that away") from None
        except UnsafePathError as error:
            raise _InTheWayError(f"{error}; move it away") from None
        except TooLargeError:
            raise _InTheWayError(_FOREIGN) from None


def _plan(present: _Present, contents: Mapping[str, bytes], before: Index, after: Index) -> list[_Step]:
    """What has to be done, removals last: what a crash leaves is rather too much than too little."""
    steps: list[_Step] = []
    refused: list[str] = []
    for path in sorted({*before, *after}):
        try:
            found = present.find(path)
            if found not in after.get(path, (None,)):
                _refuse_foreign(found, path, before)
                steps.append(_Step(path, found, contents.get(path)))
        except _InTheWayError as error:
            refused.append(f"{present.shown(path)}: {error}")
    if refused:
        more = f" ({len(refused) - 1} more of this kind)" if len(refused) > 1 else ""
        raise EnvironmentFault(f"{refused[0]}; nothing was written{more}")
    return sorted(steps, key=lambda step: step.data is None)


def _refuse_foreign(found: str | None, path: str, before: Index) -> None:
    if found is not None and found not in before.get(path, ()):
        raise _InTheWayError(_EDITED if path in before else _FOREIGN)


class _Writer:
    """Carries out a plan."""

    def __init__(self, present: _Present, top: Folder) -> None:
        self._present = present
        self._top = top
        self._done = 0
        self._at = _NEW

    def write(self, steps: Sequence[_Step], before: Index, after: Index) -> None:
        """Raises EnvironmentFault that says how far it came."""
        try:
            self._discard_new()
            if steps:
                self._put_index(index.union(before, after))
            self._take(steps)
            self._remove_folders(before.keys() - after.keys())
            self._put_index(after)
        except (OSError, UnsafePathError, _InTheWayError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            state = f"{self._done} of {len(steps)} changes were made, each of them whole"
            raise EnvironmentFault(
                f"{self._present.shown(self._at)}: {reason}; {state}; build again to finish"
            ) from error

    def _take(self, steps: Sequence[_Step]) -> None:
        for (is_removal, folder), group in groupby(steps, key=lambda s: (s.data is None, os.path.dirname(s.path))):
            self._at = folder
            with self._top.below(folder, make=not is_removal) as below:
                for step in group:
                    self._take_one(step, below)
                    self._done += 1

    def _take_one(self, step: _Step, folder: Folder) -> None:
        self._at = step.path
        if self._present.find(step.path) != step.before:
            raise _InTheWayError("it was changed by somebody else meanwhile")
        name = os.path.basename(step.path)
        if step.data is None:
            folder.remove(name)
        else:
            self._put(folder, name, step.data)

    def _put_index(self, following: Index) -> None:
        self._at = INDEX_FILE
        text = index.to_text(following)
        if text != self._present.index_text():
            self._put(self._top, INDEX_FILE, text.encode())

    def _put(self, folder: Folder, name: str, data: bytes) -> None:
        try:
            self._top.create(_NEW, data)
            self._top.move(_NEW, folder, name)
        except BaseException:
            with suppress(OSError):
                self._top.remove(_NEW)
            raise

    def _discard_new(self) -> None:
        with suppress(FileNotFoundError):
            self._top.remove(_NEW)

    def _remove_folders(self, stale: Iterable[str]) -> None:
        """The folders of files that are no longer ours, where nothing else is left in them."""
        folders = {folder for path in stale for folder in _folders(path)}
        for folder in sorted(folders, reverse=True):
            above, name = os.path.split(folder)
            with suppress(OSError), self._top.below(above) as parent:
                parent.remove_folder(name)


def _folders(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]
