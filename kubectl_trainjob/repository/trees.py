"""Two trees of files to compare: base (`old`) and head (`new`).

A tree is the working tree, a commit, or a directory. Of a whole repository the plain manifests and each overlay are
read as separate units: two overlays may build the same object, for two clusters.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.units import Documents
from kubectl_trainjob.repository.files.deploy import find_deployed
from kubectl_trainjob.repository.files.filesystem import FileSystem, Workspace, current_root, paths_below
from kubectl_trainjob.repository.files.input_reader import InputReader
from kubectl_trainjob.repository.files.parse_cache import ParseCache
from kubectl_trainjob.repository.files.read import read
from kubectl_trainjob.repository.files.root import UnsafePathError, reason_of
from kubectl_trainjob.repository.files.walk import overlays

if TYPE_CHECKING:
    from kubectl_trainjob.repository.git.commits import Repository
    from kubectl_trainjob.repository.git.revision import Commit

THE_FILES = "the working tree"


class InvalidArguments(EnvironmentFault):
    """Arguments that do not name what to compare."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """One tree of files. Paths are relative to `base`, "" for the current directory. `content` is what it has, where
    its name for users does not say that.
    """

    name: str
    files: FileSystem
    base: str = ""
    content: str = ""

    @property
    def whole(self) -> str:
        """The name of all of it."""
        return self.content or self.name

    def path(self, named: str) -> str:
        """A path in this tree, as it is read."""
        return os.path.normpath(os.path.join(self.base, named)) if self.base else named

    def has(self, named: str) -> bool:
        """Whether a path exists. Raises EnvironmentFault for one that cannot be read."""
        from kubectl_trainjob.repository.git.revision import NotInRevision

        if self.base and named == "-":
            raise EnvironmentFault(f'standard input is not in "{self.name}"; pass files')
        try:
            self.files.named(self.path(named))
        except (FileNotFoundError, NotADirectoryError, NotInRevision):
            return False
        except (OSError, ValueError, UnsafePathError) as error:
            raise EnvironmentFault(f"{self.path(named)}: {reason_of(error)}") from None
        return True

    def is_root(self, named: str) -> bool:
        """Whether a path is a whole repository."""
        found = self.files.named(self.path(named))
        return found.kind == "directory" and self.files.root_of(found.real) == found.real

    def read(self, named: Sequence[str], workspace: Workspace) -> Documents:
        """The objects of the paths that exist."""
        paths = [self.path(path) for path in named if self.has(path)]
        if not paths:
            return Documents()
        return read(paths, replace(workspace, files=self.files, base=self.base), is_lenient=True)

    def overlays(self, documents: Documents, workspace: Workspace) -> set[str]:
        """All overlays below the directories that were read, also inside other overlays, by their common paths."""
        input_reader = InputReader(LIMITS, replace(workspace, files=self.files, base=self.base))
        common = paths_below(self.base, self.files.current)
        found: set[str] = set()
        for shown in documents.unread_overlays:
            real = self.files.named(shown).real
            root = input_reader.root(real, self.files.current.relative)
            inside = root.inside(real)
            for each in overlays(root.files, root.ignored_below(inside), inside):
                path = os.path.normpath(os.path.join(shown, posixpath.relpath(f"/{each}", f"/{inside}")))
                found.add(common(path) or path)
        return found

    def deployed(self, workspace: Workspace) -> dict[str, bool]:
        """What `deploy` of its repository lists, by common paths, and whether it is an overlay; {} without it."""
        start = self.base or self.files.current.relative(self.files.root_of(self.files.current.real(".")))
        real = self.files.named(start).real
        if self.files.root_of(real) != real:
            return {}
        input_reader = InputReader(LIMITS, replace(workspace, files=self.files, base=self.base))
        root = input_reader.root(real, self.files.current.relative)
        return {each.path if self.base else root.show(each.path): each.is_overlay for each in find_deployed(root)}


class TreePair(NamedTuple):
    """One unit of a comparison, as each tree has it: the directory of its overlay, "" for what was passed or for all
    plain manifests. What a tree does not have is empty. `unread_overlays` are overlays that were not read.
    """

    overlay: str
    old: Documents
    new: Documents
    unread_overlays: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class BaseAndHead:
    """The base (`old`) and the head (`new`); `close` ends the process that reads them."""

    old: Tree
    new: Tree
    _open: ExitStack = field(default_factory=ExitStack)

    def close(self) -> None:
        """End the process that reads commits."""
        self._open.close()

    def read(self, paths: Sequence[str], workspace: Workspace) -> Iterator[TreePair]:
        """The objects of the paths in both trees, by default of the whole repository and of each overlay.

        Raises EnvironmentFault, also for a path that neither tree has.
        """
        workspace = replace(workspace, parsed=ParseCache())
        head = self.new.deployed(workspace) if not paths else {}
        if head:
            yield from self._pairs(self.old.deployed(workspace) or head, head, workspace)
            return
        named = list(paths) or ["." if self.old.base else current_root(self.new.files)]
        for path in named:
            if not (self.old.has(path) or self.new.has(path)):
                if self.old is self.new:
                    raise EnvironmentFault(f"{path}: no such file or directory")
                message = f"{path}: neither {self.old.name} nor {self.new.name} has it; correct the path"
                raise EnvironmentFault(message)
        old, new = self._both(named, workspace)
        is_whole = not paths or all(map(self._is_root, named))
        if is_whole and not (paths and self.new.deployed(workspace)):
            old, new = replace(old, is_declared=False), replace(new, is_declared=False)
        known = self.old.overlays(old, workspace), self.new.overlays(new, workspace)
        every = sorted(known[0] | known[1])
        yield TreePair("", old, new, () if is_whole else tuple(every))
        for overlay in every if is_whole else ():
            yield TreePair(overlay, *self._both([overlay], workspace, overlay in known[0], overlay in known[1]))

    def _pairs(self, base: Mapping[str, bool], head: Mapping[str, bool], workspace: Workspace) -> Iterator[TreePair]:
        """What each tree deploys: the plain manifests together, and each overlay."""
        plain = [[path for path, is_overlay in each.items() if not is_overlay] for each in (base, head)]
        if plain[0] == plain[1]:
            yield TreePair("", *self._both(plain[0], workspace))
        else:
            yield TreePair("", self.old.read(plain[0], workspace), self.new.read(plain[1], workspace))
        for overlay in sorted(path for path in {**base, **head} if base.get(path) or head.get(path)):
            is_in = bool(base.get(overlay)), bool(head.get(overlay))
            yield TreePair(overlay, *self._both([overlay], workspace, *is_in))

    def _both(
        self, named: Sequence[str], workspace: Workspace, in_old: bool = True, in_new: bool = True
    ) -> tuple[Documents, Documents]:
        """The objects of the paths in both trees; the same files are read once."""
        old = self.old.read(named, workspace) if in_old else Documents()
        if (self.old.files, self.old.base) == (self.new.files, self.new.base):
            return old, old
        new = self.new.read(named, workspace) if in_new else Documents()
        return _with_errors(old, new), _with_errors(new, old)

    def _is_root(self, path: str) -> bool:
        return all(tree.is_root(path) for tree in (self.old, self.new) if tree.has(path))


def _with_errors(documents: Documents, other: Documents) -> Documents:
    """The documents with the errors in files that have objects in the other tree: no other tool has such files."""
    if not documents.forgiven:
        return documents
    paths = {each.source.file.common_path for each in other.inputs}
    errors = [each for each in documents.forgiven if each.place.source.file.common_path in paths]
    return replace(documents, diagnostics=(*documents.diagnostics, *errors))


def base_and_head(arguments: Sequence[str], versions: tuple[str, str], disk: FileSystem) -> BaseAndHead:
    """The trees of a command's arguments; `versions` are those of Trainer, equal if one was requested.

    Raises InvalidArguments, and EnvironmentFault for an unknown commit.
    """
    if len(arguments) == 2:
        return _directories(arguments[0], arguments[1], disk)
    if len(arguments) > 2:
        raise InvalidArguments("compare two commits as A..B, or pass two directories; other paths follow -f")
    argument = arguments[0] if arguments else ""
    if not arguments and versions[0] != versions[1]:
        old, new = (Tree(f"Trainer {each}", disk, content=f"the files for Trainer {each}") for each in versions)
        return BaseAndHead(old, new)
    if os.sep in argument and os.path.isdir(disk.current.join(argument)):
        raise InvalidArguments(f'"{argument}" is a directory; pass two of them, or write -f {argument}')
    if arguments and argument in ("", "..", "..."):  # an unset variable, not a request for the default
        raise InvalidArguments(f'"{argument}" is empty; pass a commit, or two as A..B, or no argument')
    return _open_trees(lambda repository: _commits(repository, argument), disk)


def working_tree(disk: FileSystem) -> BaseAndHead:
    """The working tree, twice."""
    tree = Tree(THE_FILES, disk)
    return BaseAndHead(tree, tree)


def since(ref: str, disk: FileSystem) -> BaseAndHead:
    """The working tree, and the commit where its branch left the history of another one. Raises as `base_and_head`
    does.
    """
    return _open_trees(lambda each: (each.merge_base(each.resolve(ref), each.resolve("HEAD")), None), disk)


def _directories(old: str, new: str, disk: FileSystem) -> BaseAndHead:
    for path in (old, new):
        if not os.path.isdir(found := disk.current.join(path)):
            advice = f"compare commits as {old}..{new}" if not os.path.exists(found) else "pass two directories"
            raise InvalidArguments(f'"{path}" is not a directory; {advice}')
    return BaseAndHead(Tree(old, disk, old), Tree(new, disk, new))


def _open_trees(choose: Callable[[Repository], tuple[Commit, Commit | None]], disk: FileSystem) -> BaseAndHead:
    """The trees of two commits, None for the working tree."""
    from kubectl_trainjob.repository.git.commits import Repository

    with ExitStack() as stack:
        repository = stack.enter_context(Repository(disk.current))
        old, new = choose(repository)
        if new is None and repository.is_bare:
            raise EnvironmentFault("a bare repository has only commits; compare two of them as A..B")
        head = Tree(str(new), repository.revision(new)) if new else Tree(THE_FILES, disk)
        return BaseAndHead(Tree(str(old), repository.revision(old)), head, stack.pop_all())


def _commits(repository: Repository, argument: str) -> tuple[Commit, Commit | None]:
    """The old commit, and the new one, None for the working tree."""
    if not argument:
        head = repository.resolve("HEAD")
        return repository.merge_base(repository.upstream(), head), None
    old, dots, new = argument.partition("...")
    if dots:
        ends = repository.resolve(old or "HEAD"), repository.resolve(new or "HEAD")
        return repository.merge_base(*ends), ends[1]
    old, dots, new = argument.partition("..")
    return repository.resolve(old or "HEAD"), repository.resolve(new or "HEAD") if dots else None
