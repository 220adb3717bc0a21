"""Two trees of files to compare: what the arguments of a command mean, and what is read of each.

A tree is the files as they are, a commit, or a directory. Of a whole repository the plain manifests and each overlay
are read for themselves: two overlays may build the same object, for two clusters.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.units import Documents
from kubectl_trainjob.repository.files.filesystem import FileSystem, Workspace, current_root, paths_below
from kubectl_trainjob.repository.files.read import read
from kubectl_trainjob.repository.files.reread import Parsed

if TYPE_CHECKING:
    from kubectl_trainjob.repository.git.commits import Repository
    from kubectl_trainjob.repository.git.refs import Commit

THE_FILES = "the working tree"


class WrongArguments(EnvironmentFault):
    """Arguments that do not say what to compare."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """One tree of files: its name for people, the directory that paths are relative to ("" for the current one), and
    what is in it, where that is not said by the name.
    """

    name: str
    files: FileSystem
    base: str = ""
    content: str = ""

    @property
    def whole(self) -> str:
        """What "all of" it is called."""
        return self.content or self.name

    def path(self, named: str) -> str:
        """A path in this tree, as it is read."""
        return os.path.normpath(os.path.join(self.base, named)) if self.base else named

    def named(self, path: str) -> str:
        """A path that was read, as both sides call it."""
        return paths_below(self.base, self.files.current)(path) or path

    def has(self, named: str) -> bool:
        """Whether a path is there. Raises EnvironmentFault for one that cannot be looked at."""
        from kubectl_trainjob.repository.files.root import UnsafePathError
        from kubectl_trainjob.repository.git.revision import NotInRevision

        if self.base and named == "-":
            raise EnvironmentFault(f'standard input is not in "{self.name}"; name files')
        try:
            self.files.named(self.path(named))
        except (FileNotFoundError, NotADirectoryError, NotInRevision):
            return False
        except (OSError, ValueError, UnsafePathError) as error:
            raise EnvironmentFault(f"{self.path(named)}: {getattr(error, 'strerror', None) or error}") from None
        return True

    def is_root(self, named: str) -> bool:
        """Whether a path is a whole repository."""
        found = self.files.named(self.path(named))
        return found.kind == "directory" and self.files.root_of(found.real) == found.real


class Both(NamedTuple):
    """What is compared for itself, as each side has it: an overlay's directory, "" for what was named, or for all that
    no overlay builds. What a side lacks is empty there. `left_out` are the overlays below it that it does not hold.
    """

    overlay: str
    old: Documents
    new: Documents
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """The old and the new tree; `close` ends what reads them."""

    old: Tree
    new: Tree
    _open: ExitStack = field(default_factory=ExitStack)

    def close(self) -> None:
        """End the process that reads commits."""
        self._open.close()

    def read(self, paths: Sequence[str], workspace: Workspace) -> Iterator[Both]:
        """What the paths hold on both sides, without one the whole repository and each of its overlays.

        Raises EnvironmentFault, for each path that neither side has, too.
        """
        named = list(paths) or [self._root(workspace.files)]
        self._find(named)
        reader = _Reader(self, workspace)
        whole = reader.read(named)
        overlays = [_overlays(*each, workspace) for each in zip((self.old, self.new), whole, strict=True)]
        every = sorted(overlays[0] | overlays[1])
        is_whole = not paths or all(map(self._is_root, named))
        yield Both("", *whole, () if is_whole else tuple(every))
        for overlay in every if is_whole else ():
            yield Both(overlay, *reader.read([overlay], [overlay in known for known in overlays]))

    def _root(self, disk: FileSystem) -> str:
        return "." if self.old.base else current_root(disk)

    def _find(self, named: Sequence[str]) -> None:
        for path in named:
            if not (self.old.has(path) or self.new.has(path)):
                if self.old is self.new:
                    raise EnvironmentFault(f"{path}: no such file or directory")
                raise EnvironmentFault(f"{path}: neither {self.old.name} nor {self.new.name} has it; mend the path")

    def _is_root(self, path: str) -> bool:
        return all(tree.is_root(path) for tree in (self.old, self.new) if tree.has(path))


class _Reader:
    """Reads both sides, or once what is the same files for both."""

    def __init__(self, sides: Sides, workspace: Workspace) -> None:
        self._sides = sides
        self._workspace = replace(workspace, parsed=Parsed())

    def read(self, named: Sequence[str], there: Sequence[bool] = (True, True)) -> tuple[Documents, Documents]:
        """What the paths hold; nothing on a side that is said to have none of them."""
        old, new = self._sides.old, self._sides.new
        before = self._one(old, named) if there[0] else Documents()
        if (old.files, old.base) == (new.files, new.base):
            return before, before
        return before, self._one(new, named) if there[1] else Documents()

    def _one(self, tree: Tree, named: Sequence[str]) -> Documents:
        paths = [tree.path(path) for path in named if tree.has(path)]
        if not paths:
            return Documents()
        return read(paths, replace(self._workspace, files=tree.files, base=tree.base))


def _overlays(tree: Tree, documents: Documents, workspace: Workspace) -> set[str]:
    """All overlays below the directories that were read, those in the directories of other overlays, too."""
    if not documents.left_out:
        return set()
    from kubectl_trainjob.repository.files.inner_overlays import with_inner

    found = with_inner(documents.left_out, replace(workspace, files=tree.files, base=tree.base))
    return {tree.named(path) for path in found}


def sides(arguments: Sequence[str], versions: tuple[str, str], disk: FileSystem) -> Sides:
    """What a command's arguments mean; `versions` are those of Trainer, the same twice if one was requested.

    Raises WrongArguments, and EnvironmentFault for what git does not know.
    """
    if len(arguments) == 2:
        return _directories(arguments[0], arguments[1], disk)
    if len(arguments) > 2:
        raise WrongArguments("compare two commits as A..B, or name two directories; other paths follow -f")
    if not arguments and versions[0] != versions[1]:
        old, new = (Tree(f"Trainer {each}", disk, content=f"the files for Trainer {each}") for each in versions)
        return Sides(old, new)
    if arguments and os.path.isdir(disk.current.join(arguments[0])) and os.sep in arguments[0]:
        raise WrongArguments(f'"{arguments[0]}" is a directory; name two of them, or write -f {arguments[0]}')
    if arguments and arguments[0] in ("", "..", "..."):  # an unset variable, not the wish for the usual base
        raise WrongArguments(f'"{arguments[0]}" names nothing; name a commit, or two as A..B, or leave it out')
    return _revisions(arguments[0] if arguments else "", disk)


def the_files(disk: FileSystem) -> Sides:
    """The files as they are, on both sides."""
    tree = Tree(THE_FILES, disk)
    return Sides(tree, tree)


def since(ref: str, disk: FileSystem) -> Sides:
    """The files as they are, against where this branch left a commit's history. Raises as `sides` does."""
    from kubectl_trainjob.repository.git.commits import open_repository

    stack = ExitStack()
    with stack:
        repository = stack.enter_context(open_repository(disk.current))
        base = repository.merge_base(repository.resolve(ref), repository.resolve("HEAD"))
        trees = Tree(str(base), repository.revision(base)), _tree(repository, None, disk)
        return Sides(*trees, stack.pop_all())


def _directories(old: str, new: str, disk: FileSystem) -> Sides:
    for path in (old, new):
        if not os.path.isdir(found := disk.current.join(path)):
            advice = f"compare commits as {old}..{new}" if not os.path.exists(found) else "name two directories"
            raise WrongArguments(f'"{path}" is no directory; {advice}')
    return Sides(Tree(old, disk, old), Tree(new, disk, new))


def _revisions(argument: str, disk: FileSystem) -> Sides:
    from kubectl_trainjob.repository.git.commits import open_repository

    stack = ExitStack()
    with stack:
        repository = stack.enter_context(open_repository(disk.current))
        old, new = _commits(repository, argument)
        trees = Tree(str(old), repository.revision(old)), _tree(repository, new, disk)
        return Sides(*trees, stack.pop_all())


def _tree(repository: Repository, commit: Commit | None, disk: FileSystem) -> Tree:
    if commit is None and repository.is_bare:
        raise EnvironmentFault("a bare repository has no files besides its commits; compare two of them as A..B")
    return Tree(str(commit), repository.revision(commit)) if commit else Tree(THE_FILES, disk)


def _commits(repository: Repository, argument: str) -> tuple[Commit, Commit | None]:
    """The old commit, and the new one, None for the files as they are."""
    if not argument:
        head = repository.resolve("HEAD")
        return repository.merge_base(repository.upstream(), head), None
    old, dots, new = argument.partition("...")
    if dots:
        ends = repository.resolve(old or "HEAD"), repository.resolve(new or "HEAD")
        return repository.merge_base(*ends), ends[1]
    old, dots, new = argument.partition("..")
    return repository.resolve(old or "HEAD"), repository.resolve(new or "HEAD") if dots else None
