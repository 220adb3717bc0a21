"""Which files are not in git, or not committed: of these, `git checkout` does not restore the old content."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.repository.files.find_root import upward
from kubectl_trainjob.repository.git.git import Git

_SHA1_DIGITS = 40


def find_outside(paths: Iterable[str]) -> list[str]:
    """Those of the real paths of files that are in no git repository."""
    return [path for path in paths if not _is_in_git(os.path.dirname(path))]


def find_uncommitted(paths: Iterable[str]) -> list[str]:
    """Those of the real paths of files whose bytes are not those of HEAD; none outside of git repositories."""
    found = []
    by_directory: dict[str, list[str]] = {}
    for path in paths:
        by_directory.setdefault(os.path.dirname(path), []).append(path)
    for directory, files in by_directory.items():
        if _is_in_git(directory):
            found += _changed_files(Git(directory), files)
    return found


def _is_in_git(directory: str) -> bool:
    return any(os.path.lexists(os.path.join(above, ".git")) for above in upward(directory))


def _changed_files(git: Git, files: list[str]) -> list[str]:
    inside = {os.path.relpath(file, git.top).replace(os.sep, "/"): file for file in files}
    listed = git.run("ls-tree", "-z", "HEAD", "--", *inside)
    committed = dict(_entry(line) for line in listed.out.split("\0") if line)
    return [file for path, file in inside.items() if committed.get(path) != _blob(file, committed.get(path, ""))]


def _entry(line: str) -> tuple[str, str]:
    """The path and the id of the content in a line of `git ls-tree -z`."""
    head, _, path = line.partition("\t")
    return path, head.split()[-1]


def _blob(path: str, like: str) -> str:
    """The id that git gives to the content of a file, by the hash function of another id."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise EnvironmentFault(f"{path}: {error.strerror}") from None
    header = b"blob %d\0" % len(data)
    return (hashlib.sha256 if len(like) > _SHA1_DIGITS else hashlib.sha1)(header + data).hexdigest()
