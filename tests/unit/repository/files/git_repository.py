"""Real git repositories, and what a reading of one says, so that two readings can be compared."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.model.units import Documents, Unit
from kubectl_trainjob.repository.files.filesystem import FileSystem
from kubectl_trainjob.repository.git.commits import Repository
from kubectl_trainjob.repository.git.revision import NotInRevision
from kubectl_trainjob.repository.positions import Locator
from tests.reading import disk, read
from tests.tools import require

_PERSON = {
    f"GIT_{role}_{fact}": value
    for role in ("AUTHOR", "COMMITTER")
    for fact, value in (("NAME", "A"), ("EMAIL", "a@example.org"), ("DATE", "2026-01-02T03:04:05Z"))
}
_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "LC_ALL": "C",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **_PERSON,
}


class GitRepository:
    """A repository in a directory, made by git itself."""

    def __init__(self, path: Path, *options: str) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", *options)

    def git(self, *arguments: str, stdin: bytes = b"", code: int | None = 0, **environment: str) -> str:
        """What git prints; `code` None allows any."""
        command = [require("git"), "-c", "protocol.file.allow=always", *arguments]
        env = {**_ENVIRONMENT, "HOME": str(self.path.parent), **environment}
        done = subprocess.run(command, cwd=self.path, env=env, input=stdin, capture_output=True, check=False)
        assert code in (None, done.returncode), f"{arguments}: {done.stderr.decode(errors='replace')}"
        return os.fsdecode(done.stdout).strip()

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files of the working tree."""
        for path, text in files.items():
            file = self.path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def commit(self, files: Mapping[str, str | bytes] | None = None) -> str:
        """Write files, and commit the whole working tree; the commit's id."""
        self.write(files or {})
        self.git("add", "-A", "-f")
        self.git("commit", "-q", "--allow-empty", "-m", "a change")
        return self.git("rev-parse", "HEAD")

    def blob(self, content: bytes) -> str:
        """A blob's id."""
        return self.git("hash-object", "-t", "blob", "-w", "--stdin", stdin=content)

    def tree(self, *entries: tuple[str, bytes, str]) -> str:
        """A tree as it is written, entries of mode, name and id; git is not asked whether that makes sense."""
        return self.raw_tree(b"".join(_entry(*each) for each in entries))

    def raw_tree(self, content: bytes) -> str:
        """A tree object of any bytes."""
        return self.git("hash-object", "-t", "tree", "--literally", "-w", "--stdin", stdin=content)

    def commit_of(self, tree: str, *parents: str) -> str:
        """A commit of a tree; no branch leads there."""
        options = [word for parent in parents for word in ("-p", parent)]
        if self.git("cat-file", "-t", tree, code=None) == "tree":
            return self.git("commit-tree", "-m", "a change", *options, tree)
        person = "A <a@example.org> 1767323045 +0000"
        text = f"tree {tree}\nauthor {person}\ncommitter {person}\n\na change\n"
        return self.git("hash-object", "-t", "commit", "--literally", "-w", "--stdin", stdin=text.encode())

    def clone(self, path: Path, *options: str) -> GitRepository:
        """A clone by the protocol that is used between machines, so that it may be shallow or partial."""
        self.git("clone", "-q", *options, f"file://{self.path}", str(path))
        found = object.__new__(GitRepository)
        found.path = path
        return found


def _entry(mode: str, name: bytes, identity: str) -> bytes:
    return mode.encode() + b" " + name + b"\0" + bytes.fromhex(identity)


def read_at(repository: Repository, ref: str, *paths: str, **limits: int) -> Documents:
    """The documents of a commit."""
    return read(paths, limits=replace(LIMITS, **limits), files=repository.revision(repository.resolve(ref)))


def outcome(paths: Sequence[str], files: FileSystem | None = None, **limits: int) -> Any:
    """All that a reading says, as plain values: equal readings have equal outcomes."""
    try:
        return described(read(paths, limits=replace(LIMITS, **limits), files=files or disk()))
    except NotInRevision:
        return "there is no such file"
    except EnvironmentFault as fault:
        is_missing = str(fault).endswith((": No such file or directory", ": Not a directory"))
        return "there is no such file" if is_missing else str(fault)


def described(documents: Documents) -> dict[str, Any]:
    """What was read, as plain values."""
    locator = Locator()

    def place(where: Place) -> Any:
        location = locator.resolve(where)
        generated = [each.file.path for each in (location.generated,) if each]
        return location.file.path, location.span, generated, where.pointer, where.on

    def manifest(each: Manifest) -> Any:
        return each.id, each.body, place(each.place()), place(each.place("metadata", "name"))

    def unit(each: Unit) -> Any:
        overlay = each.overlay
        own = [name for name in overlay.__slots__ if name not in ("source", "patches", "labels")]
        return (
            place(Place(overlay.source)),
            [getattr(overlay, name) for name in own],
            [(labels.pairs, labels.include_templates) for labels in overlay.labels],
            [(patch.body, place(Place(patch.source, patch.pointer)), patch.target) for patch in overlay.patches],
            [unit(member) if isinstance(member, Unit) else manifest(member) for member in each.resources],
        )

    def findings(found: Sequence[Any]) -> Any:
        return [
            (each.rule.id, each.message, place(each.place), [(r.message, place(r.place)) for r in each.related])
            for each in found
        ]

    return {
        "inputs": [manifest(each) for each in documents.inputs],
        "units": [unit(each) for each in documents.units],
        "library": [manifest(each) for each in documents.library],
        "catalogue": [each.id for each in documents.catalogue("2.3")],
        "diagnostics": findings(documents.diagnostics),
        "library diagnostics": findings(documents.library_diagnostics),
        "settings": [(place(Place(each.source)), each.trainer, each.emit) for each in documents.settings],
        "ignored": documents.ignored,
        "left out": documents.unread_overlays,
        "skipped": documents.skipped,
        "read from": documents.read_from,
        "limits": documents.limits,
    }
