"""Which pull request a run was for, and its one comment.

Nothing of this is taken from the artifact: a pull request may change the workflow that makes it.
"""

from __future__ import annotations

import re
import time
from typing import Any, NamedTuple

from github import Api, LostError, PostingError
from report import MARKER

_TRIES = 3


class Run(NamedTuple):
    """A run for a pull request: its id, the commit, and the branch that the commit was on."""

    id: int
    head: str
    owner: str
    repository: int
    branch: str

    @classmethod
    def of(cls, told: Any) -> Run | None:
        """The run as an event tells it; None if it was for something else, or its fork is gone."""
        if told["event"] != "pull_request" or not told["head_repository"]:
            return None
        if not re.fullmatch("[0-9a-f]{40,64}", told["head_sha"]):
            raise PostingError("the event's head_sha is no commit")
        repository = told["head_repository"]
        owner = repository["owner"]["login"]
        return cls(int(told["id"]), told["head_sha"], owner, repository["id"], told["head_branch"])


def the_pull_request(api: Api, repository: str, run: Run) -> tuple[int | None, str]:
    """Its number, or None and why there is none.

    The event names no pull request whose head is in a fork, so GitHub is asked for those of the branch. Only the one
    whose head still is the run's commit is meant.
    """
    found = list(api.pages(f"/repos/{repository}/pulls", state="open", head=f"{run.owner}:{run.branch}"))
    of_branch = [pull for pull in found if (pull["head"]["repo"] or {}).get("id") == run.repository]
    same = [int(pull["number"]) for pull in of_branch if pull["head"]["sha"] == run.head]
    if len(same) == 1:
        return same[0], ""
    if same:
        return None, f"commit {run.head} is the head of {len(same)} pull requests; which one was reviewed is not known"
    if of_branch:
        return None, f"the pull request has moved on from commit {run.head}; a later run comments"
    return None, f"no open pull request has commit {run.head} as its head"


def stick(api: Api, repository: str, number: int, body: str) -> str:
    """Make the comment, or bring it up to date; "made" or "updated"."""
    login = api.login()
    for tried in range(1, _TRIES + 1):
        own = _own(api, repository, number, login)
        if own is not None:
            api.patch(f"/repos/{repository}/issues/comments/{own}", {"body": body})
            return "updated"
        try:
            api.post(f"/repos/{repository}/issues/{number}/comments", {"body": body})
        except LostError:
            if tried == _TRIES:
                raise
            time.sleep(tried)  # it may be there all the same: look again
            continue
        return "made"
    raise AssertionError("the last try returns or raises")


def _own(api: Api, repository: str, number: int, login: str) -> int | None:
    """The id of the comment that is ours: made by us, not by somebody who copied the marker."""
    for each in api.pages(f"/repos/{repository}/issues/{number}/comments"):
        author = (each["user"] or {}).get("login")  # nobody, if the account is gone
        if author == login and (each["body"] or "").startswith(MARKER):
            return int(each["id"])
    return None
