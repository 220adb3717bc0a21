"""What people call commits, and which commits they mean by it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.repository.git.git import Git

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
_SHORT = 12
_MOST_NAMES = 5000  # branches and tags among which the nearest is sought
_DEEPEN = 'get it with "git fetch --unshallow", in actions/checkout with "fetch-depth: 0"'
# By their full names: a tag may be called "main", too.
_BASES = {
    "@{upstream}": "@{upstream}",
    "origin/HEAD": "refs/remotes/origin/HEAD",
    "origin/main": "refs/remotes/origin/main",
    "origin/master": "refs/remotes/origin/master",
    "main": "refs/heads/main",
    "master": "refs/heads/master",
}


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit by its whole id; `name` is what it was called by."""

    id: str
    name: str

    @property
    def short(self) -> str:
        """As much of the id as tells it apart in any repository of usual size."""
        return self.id[:_SHORT]

    def __str__(self) -> str:
        return self.short if self.id.startswith(self.name) else f"{self.name} ({self.short})"


def resolve(git: Git, ref: str) -> Commit:
    """The commit that a person means. Raises EnvironmentFault for what is no name, or nobody's."""
    if not _is_ref(ref):
        shown = ref if len(ref) <= _LONGEST else f"{ref[:_LONGEST]}..."
        raise EnvironmentFault(
            f'"{shown}" is no name of a commit; write a branch, a tag or an id, for example main, v1.2 or HEAD~3'
        )
    found, reason = _commit(git, ref)
    if found is None:
        raise EnvironmentFault(f'there is no commit "{ref}" in "{git.top}"{_hint(git, ref, reason)}')
    return Commit(found, ref)


def merge_base(git: Git, one: Commit, other: Commit) -> Commit:
    """The commit that two lines of history have in common, the best one. Raises EnvironmentFault where none is."""
    ended = git.run("merge-base", one.id, other.id)
    if ended.code == 0 and _ID.match(found := ended.out.partition("\n")[0]):
        return Commit(found, f"merge base of {one.name} and {other.name}")
    if ended.code != 1:
        raise EnvironmentFault(f"git finds no merge base of {one} and {other}: {ended.reason}")
    message = f"{one} and {other} have no common ancestor"
    if git.is_shallow:
        raise EnvironmentFault(f"{message} in this clone, whose history is shallow; {_DEEPEN}")
    raise EnvironmentFault(f"{message}; name the commit to compare with")


def upstream(git: Git) -> Commit:
    """The head of the branch that work is based on: the upstream of the current branch, else the default branch of
    `origin`, else the first that there is of origin/main, origin/master, main and master. `name` says which was taken.

    An upstream with the name of the branch is where that was pushed to, and no base. Raises EnvironmentFault where
    there is none.
    """
    branch = _short_name(git, "HEAD")
    for name, ref in _BASES.items():
        found, _ = _commit(git, ref)
        if found is None:
            continue
        meant = _short_name(git, ref)
        if ref != "@{upstream}" or meant.partition("/")[2] != branch:
            return Commit(found, meant if _is_ref(meant) and meant else name)
    message = f"no branch to compare with is here (neither an upstream nor {', '.join(list(_BASES)[1:])})"
    advice = f"the history of this clone is shallow: {_DEEPEN}; or name a REF" if git.is_shallow else "name a REF"
    raise EnvironmentFault(f"{message}; {advice}, for example HEAD~1")


def _short_name(git: Git, ref: str) -> str:
    """What a ref is called, "" for what has no name."""
    return git.run("rev-parse", "--verify", "--quiet", "--abbrev-ref", "--end-of-options", ref).out


def _is_ref(ref: str) -> bool:
    try:
        os.fsencode(ref)
    except UnicodeEncodeError:
        return False
    return 0 < len(ref) <= _LONGEST and _REF.fullmatch(ref) is not None


def _commit(git: Git, ref: str) -> tuple[str | None, str]:
    """The id, or None and what git says about it, "" if that is nothing."""
    ended = git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if ended.code == 0 and _ID.match(ended.out):
        return ended.out, ""
    return None, ended.reason if "fatal: " in ended.err else ""


def _hint(git: Git, ref: str, reason: str) -> str:
    """What else may help."""
    name = re.split(r"[~^]|@\{", ref)[0]
    if name and _commit(git, name)[0] is None:
        names = _names(git)
        meant = next((each for each in names if each.endswith(f"/{name}")), None) or nearest(name, names)
        if meant:
            return f'; did you mean "{meant}{ref[len(name) :]}"?'
    if git.is_shallow:
        return f", whose history is shallow; {_DEEPEN}"
    return f": {reason}" if reason else "; name a branch, a tag or an id that is there"


def _names(git: Git) -> list[str]:
    """Branches, tags and remote branches, as people write them."""
    every = git.run("for-each-ref", f"--count={_MOST_NAMES}", "--format=%(refname)", *_KINDS).out.splitlines()
    return [next(name.removeprefix(kind) for kind in _KINDS if name.startswith(kind)) for name in every]


_KINDS = ("refs/heads/", "refs/tags/", "refs/remotes/")
