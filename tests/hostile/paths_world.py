"""A repository, and beside it what it must not reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.paths_program import CANARY
from tests.hostile.paths_ways import Way

_GIT = f"[remote]\n\turl = https://x:{CANARY}@example.org\n"


@dataclass(frozen=True)
class World:
    """A repository with a slot, and a file or directory outside: `secret`, whose content would be valid in the slot."""

    repository: Path
    slot: Path
    secret: Path


def new_repository(directory: Path) -> Path:
    """A repository whose own `.git` holds a secret, too."""
    path = directory / "repo"
    write(path, {".git/config": _GIT})
    return path


def write(directory: Path, files: Mapping[str, str]) -> None:
    """Write files below a directory."""
    for path, text in files.items():
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def prepared(repository: Path, way: Way) -> World:
    """The repository without what stands in the slot; that stands outside."""
    write(repository, way.files)
    slot, secret = repository / way.slot, repository.with_name("outside") / "secret"
    slot.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(way.content, str):
        write(secret.parent, {secret.name: way.content})
    else:
        secret.mkdir(parents=True)
        write(secret, way.content)
    return World(repository, slot, secret)
