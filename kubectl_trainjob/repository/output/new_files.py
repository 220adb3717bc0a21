"""Writes new files: all of them, or none and the reason. Existing files are never replaced."""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.repository.files.find_root import CurrentDirectory, upward
from kubectl_trainjob.repository.output.folder import end_in_order, make_directory, open_directory


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to write; `path` is relative to the repository's root, with "/" between names."""

    path: str
    text: str


class NewFiles:
    """Files to create below one directory, which is created if missing; `take_back` undoes all of it."""

    def __init__(self, directory: str, files: Sequence[NewFile], current: CurrentDirectory) -> None:
        self._directory = directory
        self._place = current.absolute(directory)
        self._files = files
        self._created: list[NewFile] = []
        self._new_folders = _missing(self._place, files)

    def shown(self, file: NewFile) -> str:
        """The path of a file as users see it."""
        return os.path.normpath(os.path.join(self._directory, file.path))

    def create(self) -> None:
        """Write all files. Raises EnvironmentFault with all obstacles, or for an error of the disk; no file is left."""
        obstacles = dict.fromkeys(obstacle for file in self._files for obstacle in self._obstacles(file))
        if obstacles:
            raise EnvironmentFault(f"{'; '.join(obstacles)}; nothing was written")
        path = self._directory
        try:
            with end_in_order():
                make_directory(self._place)
                for file in self._files:
                    path = self.shown(file)
                    self._create(file)
        except OSError as error:
            raise EnvironmentFault(f"{path}: {error.strerror}; {self.take_back()}") from None
        except BaseException:  # an interrupt
            self.take_back()
            raise

    def take_back(self) -> str:
        """Remove what was created; returns a note for users about it."""
        for file in self._created:
            with suppress(OSError), open_directory(os.path.realpath(self._place)) as root:
                folder, name = posixpath.split(file.path)
                with root.below(folder) as below:
                    below.remove(name)
        for path in self._new_folders:
            with suppress(OSError):  # another process may have added a file
                os.rmdir(path)
        left = [self.shown(file) for file in self._created if os.path.lexists(self._at(file.path))]
        self._created = []
        return f"these were written and still exist: {', '.join(left)}" if left else "nothing was written"

    def _at(self, path: str) -> str:
        return os.path.normpath(os.path.join(self._place, path))

    def _create(self, file: NewFile) -> None:
        folder, name = posixpath.split(file.path)
        with open_directory(os.path.realpath(self._place)) as root, root.below(folder, make=True) as below:
            self._created.append(file)  # before it exists: an interrupt may come at any time
            try:
                below.create(name, file.text.encode())
            except FileExistsError:  # another process has just created it
                self._created.pop()
                raise

    def _obstacles(self, file: NewFile) -> Iterator[str]:
        """What prevents the creation of a file."""
        if os.path.lexists(self._place) and not os.path.isdir(self._place):
            yield f"{self._directory}: not a directory"
            return
        *folders, last = accumulate(file.path.split("/"), posixpath.join)
        for folder in folders:
            path = self._at(folder)
            if not os.path.lexists(path):
                return
            mode = os.lstat(path).st_mode
            if not stat.S_ISDIR(mode):
                is_link = stat.S_ISLNK(mode)
                shown = os.path.normpath(os.path.join(self._directory, folder))
                yield f"{shown}: {'a symbolic link, which is not followed' if is_link else 'not a directory'}"
                return
        if os.path.lexists(self._at(last)):
            yield f"{self.shown(file)}: already exists"


def _missing(directory: str, files: Sequence[NewFile]) -> list[str]:
    """The directories that must be created, the innermost first."""
    folders = {os.path.dirname(os.path.join(directory, file.path)) for file in files}
    return sorted({each for folder in folders for each in upward(folder) if not os.path.lexists(each)}, reverse=True)
