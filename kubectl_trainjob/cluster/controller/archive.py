"""Unpacks the archive of an artifact: a tar file in gzip, whose content is not trusted.

Only regular files and directories are created, below a directory that only this process writes. As no link is ever
created, no path leads out of it. An archive with anything else, or without an end, is invalid as a whole.
"""

from __future__ import annotations

import gzip
import os
import tarfile
import zlib
from typing import BinaryIO

_MOST_FILES = 100_000  # with directories
_MOST_BYTES = 1 << 30
_RATIO, _SLACK = 100, 64 << 20  # bytes for each packed byte, and bytes that are allowed anyway
_MOST_AT_ONCE = 1 << 20  # a header is shorter
_PART = 1 << 16
_BLOCK = 512


class ArchiveError(Exception):
    """An archive is invalid or too large."""


def unpack(file: BinaryIO, directory: str) -> None:
    """Unpack an archive into an empty directory. Raises ArchiveError, and OSError for the disk."""
    packed = os.fstat(file.fileno()).st_size
    content = _Content(file, min(_MOST_BYTES, _SLACK + _RATIO * packed))
    try:
        with tarfile.TarFile(fileobj=content) as archive:  # type: ignore[arg-type]
            _unpack_members(archive, _Destination(directory))
        if content.last.strip(b"\0") or len(content.last) != _BLOCK:
            raise ArchiveError("it has no end, or its headers are damaged")
    except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise ArchiveError(f"it is damaged: {' '.join(str(error).split())[:200]}") from None


class _Content:
    """The unpacked bytes, which are read forward only, with a limit. `last` are those that were read last."""

    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file, self._most, self._at = gzip.GzipFile(fileobj=file), most, 0
        self.last = b""

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int) -> None:
        if offset < self._at:
            raise ArchiveError("it is damaged: a size is negative")
        while self._at < offset and self.read(min(_PART, offset - self._at)):
            pass

    def read(self, size: int) -> bytes:
        if not 0 <= size <= _MOST_AT_ONCE:
            raise ArchiveError("a header is too long" if size > 0 else "it is damaged: a size is negative")
        self.last = self._file.read(size)
        self._at += len(self.last)
        if self._at > self._most:
            raise ArchiveError(f"its content is larger than {self._most >> 20} MiB")
        return self.last


class _Destination:
    """The directory that is filled, and what it has."""

    def __init__(self, directory: str) -> None:
        self._directory, self._made, self._files = directory, {""}, 0

    def make(self, names: list[str]) -> str:
        """Create a directory and those above it: its path."""
        for end in range(1, len(names) + 1):
            name = "/".join(names[:end])
            if name not in self._made:
                self._count()
                os.mkdir(os.path.join(self._directory, name), 0o700)
                self._made.add(name)
        return os.path.join(self._directory, *names)

    def create(self, names: list[str]) -> BinaryIO:
        """Create a file, which must not exist."""
        self._count()
        path = os.path.join(self.make(names[:-1]), names[-1])
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")

    def _count(self) -> None:
        self._files += 1
        if self._files > _MOST_FILES:
            raise ArchiveError(f"it has more than {_MOST_FILES} files")


def _unpack_members(archive: tarfile.TarFile, target: _Destination) -> None:
    while (member := archive.next()) is not None:
        archive.members.clear()  # type: ignore[attr-defined]  # else it keeps them all
        names = _names(member.name)
        try:
            if member.size < 0:
                raise ArchiveError("it is damaged: a size is negative")
            if member.type == tarfile.DIRTYPE:
                target.make(names)
            elif member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and not member.issparse() and names:
                _copy(archive, member, target.create(names))
            else:
                raise ArchiveError(f"{member.name!r} is neither a regular file nor a directory")
        except (FileExistsError, NotADirectoryError):
            raise ArchiveError(f"it has {member.name!r} twice, as different things") from None


def _names(path: str) -> list[str]:
    """The components of a path below the root."""
    names = [each for each in path.split("/") if each not in ("", ".")]
    if path.startswith("/") or ".." in names or "\0" in path:
        raise ArchiveError(f"{path!r} is not below the root")
    return names


def _copy(archive: tarfile.TarFile, member: tarfile.TarInfo, to: BinaryIO) -> None:
    with to:
        content = archive.extractfile(member)
        left = member.size
        while content and left:
            part = content.read(min(_PART, left))
            if not part:
                raise ArchiveError(f"{member.name!r} ends too early")
            to.write(part)
            left -= len(part)
