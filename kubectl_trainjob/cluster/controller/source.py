"""Where the files of a TrainingSet come from: a directory on this machine that something else keeps up to date."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.controller.training_set import TrainingSet

_GIT = ".git"
_MOST_BYTES = 1 << 30


class SourceError(Exception):
    """A source cannot be read or built.

    `reason` is that of the condition, `time` that of an older artifact that a user requested.
    """

    def __init__(self, message: str, reason: str = "ArtifactFailed", time: str = "") -> None:
        super().__init__(message)
        self.reason, self.time = reason, time


class SourceTree(NamedTuple):
    """The files: their directory (a real path), their revision, and when they were made, "" if that is not known.

    `check` raises SourceError if the files changed since.
    """

    directory: str
    revision: str
    time: str
    check: Callable[[], None]


OpenSource = Callable[[TrainingSet, Api], AbstractContextManager[SourceTree]]
"""Opens the source of a TrainingSet. Raises SourceError, ApiError and EnvironmentFault."""


def directories(known: Mapping[str, str]) -> OpenSource:
    """Sources of kind Directory, by their names."""

    @contextmanager
    def open_directory(wanted: TrainingSet, _api: Api) -> Iterator[SourceTree]:
        path = known.get(wanted.source.name)
        if path is None:
            raise SourceError(f'directory "{wanted.source.name}" does not exist; start the controller with --directory')
        real = os.path.realpath(path)
        digest = digest_of(real)
        revision = f"{os.path.basename(real)}@{digest}" if os.path.islink(path.rstrip(os.sep)) else digest

        def check() -> None:
            if digest_of(real) != digest:
                raise SourceError("the files changed while they were read; they are read again")

        yield SourceTree(real, revision, "", check)

    return open_directory


def digest_of(directory: str) -> str:
    """The digest of the names and bytes of all files; of a link, its target. Raises SourceError."""
    digest, size = hashlib.sha256(), 0
    try:
        for name, path in sorted(_files(directory)):
            size += os.lstat(path).st_size
            if size > _MOST_BYTES:
                raise SourceError("the directory is larger than 1 GiB, the limit; use a directory with only the files")
            for part in (os.fsencode(name), _content(path)):
                digest.update(len(part).to_bytes(8, "big") + part)
    except OSError as error:
        raise SourceError(f"the directory cannot be read: {error.strerror}") from None
    return f"sha256:{digest.hexdigest()}"


def _files(directory: str) -> Iterator[tuple[str, str]]:
    """The names, relative to the directory, and the paths."""

    def stop(error: OSError) -> None:
        raise error

    for folder, folders, names in os.walk(directory, onerror=stop):
        links = [each for each in folders if os.path.islink(os.path.join(folder, each))]
        folders[:] = [each for each in folders if each != _GIT and each not in links]
        for name in (*names, *links):
            path = os.path.join(folder, name)
            if name != _GIT and (os.path.islink(path) or os.path.isfile(path)):
                yield os.path.relpath(path, directory), path


def _content(path: str) -> bytes:
    """The target of a link, or the digest of a file."""
    if os.path.islink(path):
        return os.fsencode(os.readlink(path))
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
