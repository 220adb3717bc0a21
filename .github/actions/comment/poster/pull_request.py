"""Which pull request a run was for, and its one comment.

No value comes from the artifact: a pull request may change the workflow that creates it.
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
    def of(cls, event: Any) -> Run | None:
        """The run of an event; None if it was not for a pull request, or its fork was deleted."""
        if event["event"] != "pull_request" or not event["head_repository"]:
            return None
        if not re.fullmatch("[0-9a-f]{40,64}", event["head_sha"]):
            raise PostingError("the event has an invalid head_sha")
        repository = event["head_repository"]
        owner = repository["owner"]["login"]
        return cls(int(event["id"]), event["head_sha"], owner, repository["id"], event["head_branch"])


def the_pull_request(api: Api, repository: str, run: Run) -> tuple[int | None, str]:
    """Its number, or None and the reason.

    The event does not contain a pull request from a fork, therefore GitHub is asked for those of the branch. Only the
    one with the commit of the run as its head is valid.
    """
    found = list(api.pages(f"/repos/{repository}/pulls", state="open", head=f"{run.owner}:{run.branch}"))
    of_branch = [pull for pull in found if (pull["head"]["repo"] or {}).get("id") == run.repository]
    same = [int(pull["number"]) for pull in of_branch if pull["head"]["sha"] == run.head]
    if len(same) == 1:
        return same[0], ""
    if same:
        return None, f"commit {run.head} is the head of {len(same)} pull requests"
    if of_branch:
        return None, f"the pull request has a newer commit than {run.head}; a later run comments"
    return None, f"no open pull request has commit {run.head} as its head"


def stick(api: Api, repository: str, number: int, body: str) -> str:
    """Create or update the comment; returns "created" or "updated"."""
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
            time.sleep(tried)  # GitHub may have created it: check again
            continue
        return "created"
    raise AssertionError("the last try returns or raises")


def _own(api: Api, repository: str, number: int, login: str) -> int | None:
    """The id of our comment: with the marker, and written by the user of our token."""
    for each in api.pages(f"/repos/{repository}/issues/{number}/comments"):
        author = (each["user"] or {}).get("login")  # None if the account was deleted
        if author == login and (each["body"] or "").startswith(MARKER):
            return int(each["id"])
    return None
