"""A repository's commits, as files to read."""

from __future__ import annotations

from types import TracebackType

from kubectl_trainjob.repository.files.current import CurrentDirectory
from kubectl_trainjob.repository.git import refs
from kubectl_trainjob.repository.git.git import Git
from kubectl_trainjob.repository.git.objects import Objects
from kubectl_trainjob.repository.git.refs import Commit
from kubectl_trainjob.repository.git.revision import Revision
from kubectl_trainjob.repository.git.tree import Tree


def open_repository(current: CurrentDirectory) -> Repository:
    """The repository of the current directory. Raises EnvironmentFault where there is none, or no git.

    `close` it when its revisions are read, or use it as a context manager.
    """
    return Repository(Git(current.real(".")), current)


class Repository:
    """A git repository; all its functions raise EnvironmentFault.

    `top` is the real path of its working tree, or of itself if it `is_bare`.
    """

    def __init__(self, git: Git, current: CurrentDirectory) -> None:
        self.top = git.top
        self.is_bare = git.is_bare
        self._git = git
        self._current = current
        self._objects = Objects(git)

    def resolve(self, ref: str) -> Commit:
        """The commit of a name."""
        return refs.resolve(self._git, ref)

    def merge_base(self, one: Commit, other: Commit) -> Commit:
        """The best commit that two lines of history have in common."""
        return refs.merge_base(self._git, one, other)

    def upstream(self) -> Commit:
        """The head of the branch that work is based on, by the name of that."""
        return refs.upstream(self._git)

    def revision(self, commit: Commit) -> Revision:
        """The files of a commit, to be read until the repository is closed."""
        return Revision(self.top, commit, Tree(self._objects, commit.id, self.top), self._current)

    def close(self) -> None:
        """End the process that reads."""
        self._objects.close()

    def __enter__(self) -> Repository:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()
