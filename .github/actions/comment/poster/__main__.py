"""Show the report of a review in one comment of its pull request. Run by the action, with the artifact's directory.

    python3 -I poster DIRECTORY

reads the event (GITHUB_EVENT_PATH, a `workflow_run`), GITHUB_REPOSITORY, GITHUB_API_URL, GITHUB_GRAPHQL_URL,
GITHUB_SERVER_URL and TOKEN. Exit codes: 0 commented, or there is nothing to comment on; 1 an error.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from github import Api, PostingError
from pull_request import Run, stick, the_pull_request
from report import comment, read


def main() -> int:
    """Comment, and write the result to the log of the job."""
    try:
        said = _commented(Path(sys.argv[1]))
    except PostingError as error:
        return _log("error", str(error), 1)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        return _log("error", f"the data of GitHub have an unknown form: {error!r}", 1)
    return _log("notice", said, 0)


def _commented(directory: Path) -> str:
    run = _run()
    if run is None:
        return "nothing to comment on: the workflow did not run for a pull request"
    api = Api(_environment("GITHUB_API_URL"), _environment("GITHUB_GRAPHQL_URL"), _environment("TOKEN"))
    repository = _environment("GITHUB_REPOSITORY")
    number, why_not = the_pull_request(api, repository, run)
    if number is None:
        return f"nothing to comment on: {why_not}"
    link = f"{_environment('GITHUB_SERVER_URL')}/{repository}/actions/runs/{run.id}"
    body = comment(read(directory), run.head, link)
    return f"{stick(api, repository, number, body)} the comment of pull request {number}"


def _run() -> Run | None:
    """The run that created the report; None if it did not run for a pull request."""
    event: Any = json.loads(Path(_environment("GITHUB_EVENT_PATH")).read_text(encoding="utf-8"))
    if "workflow_run" not in event:
        raise PostingError("this action is for workflows that start on `workflow_run`")
    return Run.of(event["workflow_run"])


def _environment(name: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise PostingError(f"{name} is not set")
    return value


def _log(command: str, text: str, code: int) -> int:
    """Write a command for the runner. Characters that end a command are escaped."""
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    print(f"::{command} title=kubectl-trainjob comment::{escaped}")
    return code


if __name__ == "__main__":
    sys.exit(main())
