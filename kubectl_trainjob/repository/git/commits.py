"""A repository's commits: how users name them, and their files."""

from __future__ import annotations

import os
import re

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.repository.files.find_root import CurrentDirectory
from kubectl_trainjob.repository.git.git import Git
from kubectl_trainjob.repository.git.objects import Objects
from kubectl_trainjob.repository.git.revision import Commit, Revision
from kubectl_trainjob.repository.git.tree import GitTree

# What gitrevisions(7) knows as a name of one commit. No paths (REF:PATH), no ranges, no search through messages.
_REF = re.compile(
    r"""
    (?! - | .*\.\. )
    (?: (?: [^\x00-\x20\x7f~^:?*\[\\@] | @(?!\{) )+    # a branch, a tag, an id
      | (?=@\{) )                                      # or nothing: the current branch
    (?: @\{ [^\x00-\x1f\x7f{}:\\]* \}                  # main@{upstream}, main@{1}, main@{yesterday}
      | ~[0-9]{0,9} | \^[0-9]{0,9}                     # HEAD~3, HEAD^2
      | \^\{ (?:commit|tag|object)? \}                 # v1.2^{commit}
    )*
    """,
    re.VERBOSE | re.DOTALL,
)
_LONGEST = 1000
_ID = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_MOST_NAMES = 5000  # branches and tags that are compared with an unknown name
_KINDS = ("refs/heads/", "refs/tags/", "refs/remotes/")
_NO_COMMIT = "this repository has no commit yet: run git add . && git commit"
_DEEPEN = 'get it with "git fetch --unshallow", in actions/checkout with "fetch-depth: 0"'
# By their full names: a tag may have the name "main", too.
_BASES = {
    "@{upstream}": "@{upstream}",
    "origin/HEAD": "refs/remotes/origin/HEAD",
    "origin/main": "refs/remotes/origin/main",
    "origin/master": "refs/remotes/origin/master",
    "main": "refs/heads/main",
    "master": "refs/heads/master",
}


class Repository:
    """The git repository of the current directory. All its functions raise EnvironmentFault.

    `top` is the real path of its working tree, or of itself if it `is_bare`. `close` it when its revisions are read, or
    use it as a context manager.
    """

    def __init__(self, current: CurrentDirectory) -> None:
        self._git = Git(current.real("."))
        self.top = self._git.top
        self.is_bare = self._git.is_bare
        self._current = current
        self._objects = Objects(self._git)

    def resolve(self, ref: str) -> Commit:
        """The commit that a reference names."""
        if not _is_ref(ref):
            shown = ref if len(ref) <= _LONGEST else f"{ref[:_LONGEST]}..."
            advice = "write a branch, a tag or an id, for example main, v1.2 or HEAD~3"
            raise EnvironmentFault(f'"{shown}" is not a name of a commit; {advice}')
        found, reason = self._commit(ref)
        if found is None:
            raise EnvironmentFault(f'commit "{ref}" does not exist in "{self.top}"{self._hint(ref, reason)}')
        return Commit(found, ref)

    def merge_base(self, one: Commit, other: Commit) -> Commit:
        """The best commit that two lines of history have in common."""
        ended = self._git.run("merge-base", one.id, other.id)
        if ended.code == 0 and _ID.match(found := ended.out.partition("\n")[0]):
            return Commit(found, f"merge base of {one.name} and {other.name}")
        if ended.code != 1:
            raise EnvironmentFault(f"git finds no merge base of {one} and {other}: {ended.reason}")
        message = f"{one} and {other} have no common ancestor"
        if self._git.is_shallow:
            raise EnvironmentFault(f"{message} in this clone, whose history is shallow; {_DEEPEN}")
        raise EnvironmentFault(f"{message}; pass the commit to compare with")

    def upstream(self) -> Commit:
        """The head of the branch that work is based on; its name is that of the branch.

        That is the upstream of the current branch, else the default branch of `origin`. Else it is the first of
        origin/main, origin/master, main and master. An upstream with the name of the branch is where that was pushed
        to, not a base.
        """
        branch = self._short_name("HEAD")
        for name, ref in _BASES.items():
            found, _ = self._commit(ref)
            if found is None:
                continue
            meant = self._short_name(ref)
            if ref != "@{upstream}" or meant.partition("/")[2] != branch:
                return Commit(found, meant if _is_ref(meant) and meant else name)
        if self._is_new:
            raise EnvironmentFault(_NO_COMMIT)
        message = f"no branch to compare with was found (neither an upstream nor {', '.join(list(_BASES)[1:])})"
        shallow = f"the history of this clone is shallow: {_DEEPEN}; or " if self._git.is_shallow else ""
        raise EnvironmentFault(f"{message}; {shallow}pass a REF, for example HEAD~1")

    def names(self) -> list[str]:
        """Branches and tags, by their short names."""
        listed = self._git.run("for-each-ref", f"--count={_MOST_NAMES}", "--format=%(refname:short)", *_KINDS)
        return listed.out.split()

    def revision(self, commit: Commit) -> Revision:
        """The files of a commit, to be read until the repository is closed."""
        return Revision(self.top, commit, GitTree(self._objects, commit.id, self.top), self._current)

    def close(self) -> None:
        """End the process that reads."""
        self._objects.close()

    def __enter__(self) -> Repository:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _short_name(self, ref: str) -> str:
        """The short name of a ref, "" without one."""
        return self._git.run("rev-parse", "--verify", "--quiet", "--abbrev-ref", "--end-of-options", ref).out

    def _commit(self, ref: str) -> tuple[str | None, str]:
        """The id, or None and the error of git, "" without one."""
        ended = self._git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        if ended.code == 0 and _ID.match(ended.out):
            return ended.out, ""
        return None, ended.reason if "fatal: " in ended.err else ""

    @property
    def _is_new(self) -> bool:
        return self._git.run("rev-list", "--all", "--max-count=1").out == "" and self._commit("HEAD")[0] is None

    def _hint(self, ref: str, reason: str) -> str:
        name = re.split(r"[~^]|@\{", ref)[0]
        if name and self._commit(name)[0] is None:
            kinds = ("--format=%(refname)", *_KINDS)
            every = self._git.run("for-each-ref", f"--count={_MOST_NAMES}", *kinds).out.splitlines()
            names = [next(each.removeprefix(kind) for kind in _KINDS if each.startswith(kind)) for each in every]
            meant = next((each for each in names if each.endswith(f"/{name}")), None) or nearest(name, names)
            if not names and self._is_new:
                return f"; {_NO_COMMIT}"
            if meant:
                return f'; did you mean "{meant}{ref[len(name) :]}"?'
        if self._git.is_shallow:
            return f", whose history is shallow; {_DEEPEN}"
        return f": {reason}" if reason else "; pass an existing branch, tag or id"


def _is_ref(ref: str) -> bool:
    try:
        os.fsencode(ref)
    except UnicodeEncodeError:
        return False
    return 0 < len(ref) <= _LONGEST and _REF.fullmatch(ref) is not None
