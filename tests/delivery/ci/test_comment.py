"""The comment's action, its step run as GitHub runs it, against a server that answers as GitHub does."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.delivery.ci.github_api import BOT, GitHub, served
from tests.delivery.ci.repositories import BIGGER, GOOD, JOB, Repository
from tests.delivery.ci.runner import ACTIONS, Runner
from tests.loops import sample
from tests.tools import require

pytestmark = pytest.mark.slow  # the text of comments is checked in test_comment_subset.py, too

TOKEN = "ghs_" + "c4nary" * 6
HEAD = "a" * 39 + "b"
MARKER = "<!-- kubectl-trainjob review -->"
REPORT = "### 1 TrainJob changes\n\n- `spec.a`: `1` → `2`\n"
PULLS = "/repos/acme/train/pulls"
COMMENTS = "/repos/acme/train/issues/7/comments"
FIND = f"GET {PULLS}?state=open&head=stranger:feature&per_page=100&page=1"
WHO = "POST /graphql"
LIST = f"GET {COMMENTS}?per_page=100&page=1"
POST = f"POST {COMMENTS}"
END = (
    f"\n---\nReview of {HEAD} by [this run](https://github.example/acme/train/actions/runs/99), "
    "with the workflow of the pull request.\n"
)
WHOLE = f"{MARKER}\n\n{REPORT}{END}"


def pull(number: int = 7, sha: str = HEAD, repository: int = 2) -> Any:
    return {"number": number, "head": {"sha": sha, "ref": "feature", "repo": {"id": repository}}}


def comment(number: int, body: str, login: str = BOT) -> Any:
    return {"id": number, "user": {"login": login}, "body": body}


@pytest.fixture
def github() -> Iterator[GitHub]:
    with served(GitHub(pulls=[pull()])) as github:
        yield github


class Job:
    """The job of the workflow: an event, an artifact's directory, and the action."""

    def __init__(self, directory: Path, github: GitHub) -> None:
        self.artifact = directory / "artifact"
        self.artifact.mkdir()
        (self.artifact / "review.md").write_text(REPORT)
        (self.artifact / "pr-number").write_text("8")
        self.run: Any = {
            "id": 99,
            "event": "pull_request",
            "head_sha": HEAD,
            "head_branch": "feature",
            "head_repository": {"id": 2, "owner": {"login": "stranger"}},
            "pull_requests": [],
        }
        self._runner = Runner(directory, repository=directory)
        self._github = github

    def act(self, token: str = TOKEN) -> tuple[int, str]:
        """Exit code, and what the log shows; it never shows the token."""
        event = self._runner.temp / "event.json"
        event.write_text(json.dumps({"action": "completed", "workflow_run": self.run}))
        environment = {
            "GITHUB_API_URL": self._github.url,
            "GITHUB_GRAPHQL_URL": f"{self._github.url}/graphql",
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_REPOSITORY": "acme/train",
            "GITHUB_EVENT_PATH": str(event),
        }
        done = self._runner.act(ACTIONS / "comment", {"directory": str(self.artifact), "token": token}, environment)
        assert TOKEN not in done.log
        assert "Traceback" not in done.log
        return done.code, done.log


@pytest.fixture
def job(tmp_path: Path, github: GitHub) -> Job:
    return Job(tmp_path, github)


def lines(github: GitHub) -> list[str]:
    return [asked.line for asked in github.asked]


def test_a_first_comment(job: Job, github: GitHub) -> None:
    assert job.act() == (0, "::notice title=kubectl-trainjob comment::created the comment of pull request 7\n")
    assert lines(github) == [FIND, WHO, LIST, POST]
    assert [asked.body for asked in github.asked] == [
        None,
        {"query": "query { viewer { login } }"},
        None,
        {"body": WHOLE},
    ]
    for asked in github.asked:
        reported = {name: value for name, value in asked.headers.items() if name not in ("Host", "Content-Length")}
        assert reported == {
            "Accept": "application/vnd.github+json",
            "Accept-Encoding": "identity",
            "Authorization": f"Bearer {TOKEN}",
            "Connection": "close",
            "User-Agent": "kubectl-trainjob",
            "X-Github-Api-Version": "2022-11-28",
            **({"Content-Type": "application/json"} if asked.body else {}),
        }


def test_it_is_updated(job: Job, github: GitHub) -> None:
    github.comments = [comment(1, "hello", "ada"), comment(2, f"{MARKER}\n\nold"), comment(3, "bye", "ada")]
    assert job.act()[0] == 0
    assert lines(github) == [FIND, WHO, LIST, "PATCH /repos/acme/train/issues/comments/2"]
    assert github.asked[-1].body == {"body": WHOLE}


def test_two_runs_make_one_comment(job: Job, github: GitHub) -> None:
    assert (job.act()[0], job.act()[0]) == (0, 0)
    assert len(github.comments) == 1


@pytest.mark.parametrize("before", [99, 100, 101, 250])
def test_ours_is_found_on_any_page(job: Job, github: GitHub, before: int) -> None:
    github.comments = [comment(n, "talk", "ada") for n in range(before)] + [comment(500, f"{MARKER}\n\nold")]
    assert job.act()[0] == 0
    assert lines(github)[-1] == "PATCH /repos/acme/train/issues/comments/500"
    pages = [asked.query["page"] for asked in github.asked if asked.path == COMMENTS]
    assert pages == [str(page + 1) for page in range(len(pages))]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(comment(1, f"{MARKER}\n\nmine", "mallory"), id="somebody else's with the marker"),
        pytest.param(comment(1, f"{MARKER}\n\nmine", "github-actions"), id="somebody named alike"),
        pytest.param(comment(1, f"I quote:\n{MARKER}"), id="ours that quotes the marker"),
        pytest.param({"id": 1, "user": None, "body": f"{MARKER}\n"}, id="of a deleted account"),
        pytest.param({"id": 1, "user": {"login": BOT}, "body": None}, id="empty"),
    ],
)
def test_other_comments_stay(job: Job, github: GitHub, other: Any) -> None:
    github.comments = [dict(other)]
    assert job.act()[0] == 0
    assert lines(github)[-1] == POST
    assert github.comments[0] == other


@pytest.mark.parametrize(
    ("pulls", "why"),
    [
        pytest.param([], f"no open pull request has commit {HEAD} as its head", id="none"),
        pytest.param(
            [pull(sha="c" * 40)], f"the pull request has a newer commit than {HEAD}; a later run", id="moved on"
        ),
        pytest.param([pull(repository=3)], "no open pull request has commit", id="of another repository's branch"),
        pytest.param([pull(7), pull(9)], f"commit {HEAD} is the head of 2 pull requests", id="two"),
        pytest.param(
            [{**pull(), "head": {"sha": HEAD, "repo": None}}], "no open pull request has", id="its fork is gone"
        ),
    ],
)
def test_nothing_is_said_where_the_pull_request_is_not_certain(
    job: Job, github: GitHub, pulls: list[Any], why: str
) -> None:
    github.pulls = pulls
    code, log = job.act()
    assert (code, lines(github)) == (0, [FIND])
    assert log.startswith(f"::notice title=kubectl-trainjob comment::nothing to comment on: {why}")


def test_the_pull_request_of_this_branch_is_taken(job: Job, github: GitHub) -> None:
    github.pulls = [pull(8, "c" * 40), pull(9, HEAD, 3), pull(7)]
    assert job.act()[0] == 0
    assert lines(github)[-1] == POST


def test_a_branch_is_asked_for_whatever_it_is_called(job: Job, github: GitHub) -> None:
    job.run["head_branch"] = "x&head=acme:main#$(id)"
    job.act()
    assert github.asked[0].query["head"] == "stranger:x&head=acme:main#$(id)"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"event": "push"}, id="a push"),
        pytest.param({"head_repository": None}, id="its fork is gone"),
    ],
)
def test_other_runs_are_left_alone(job: Job, github: GitHub, change: Any) -> None:
    job.run |= change
    code, log = job.act()
    assert (code, lines(github)) == (0, [])
    assert "nothing to comment on" in log


Failure = tuple[int, dict[str, str], Any]
BROKEN: Failure = (500, {}, {"message": "oops"})
LIMITED: Failure = (429, {"Retry-After": "1"}, {"message": "slow down"})
SECONDARY: Failure = (403, {"Retry-After": "1"}, {"message": "You have exceeded a secondary rate limit"})


@pytest.mark.parametrize(
    ("where", "failures", "asked"),
    sample(
        [
            pytest.param(f"GET {PULLS}", [BROKEN], [FIND, FIND, WHO, LIST, POST], id="500, then 200"),
            pytest.param(f"GET {PULLS}", [LIMITED], [FIND, FIND, WHO, LIST, POST], id="429"),
            pytest.param(WHO, [(502, {}, b"<html>")], [FIND, WHO, WHO, LIST, POST], id="502 to graphql"),
            pytest.param(f"GET {COMMENTS}", [SECONDARY], [FIND, WHO, LIST, LIST, POST], id="403 with Retry-After"),
            pytest.param(POST, [LIMITED], [FIND, WHO, LIST, POST, POST], id="429 to the comment"),
            pytest.param(POST, [BROKEN], [FIND, WHO, LIST, POST, LIST, POST], id="500 to the comment: look again"),
        ],
        every=4,
    ),
)
def test_it_is_tried_again(job: Job, github: GitHub, where: str, failures: list[Failure], asked: list[str]) -> None:
    github.failures = {where: list(failures)}
    assert job.act()[0] == 0
    assert lines(github) == asked
    assert len(github.comments) == 1


def test_a_comment_that_was_made_though_github_failed_is_not_made_twice(job: Job, github: GitHub) -> None:
    github.failures, github.done_though_failed = {POST: [BROKEN]}, True
    assert job.act()[0] == 0
    assert lines(github) == [FIND, WHO, LIST, POST, LIST, "PATCH /repos/acme/train/issues/comments/1000"]
    assert len(github.comments) == 1


FORBIDDEN: Failure = (403, {}, {"message": "Resource not accessible by integration"})


@pytest.mark.parametrize(
    ("where", "failures", "tries", "said"),
    [
        pytest.param(
            POST,
            [FORBIDDEN],
            1,
            f"POST {COMMENTS}: GitHub answers 403 (Resource not accessible by integration); "
            "the job needs `permissions: {pull-requests: write}`",
            id="403",
        ),
        pytest.param(
            f"GET {PULLS}",
            [BROKEN] * 9,
            4,
            f"GET {PULLS}: GitHub answers 500 (oops)",
            id="500 for good",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            f"GET {PULLS}",
            [(429, {"Retry-After": "3600"}, {})],
            1,
            "GitHub requests a wait of 3600 s; run this job again after that",
            id="429 for an hour",
        ),
        pytest.param(
            f"GET {PULLS}", [(301, {"Location": "/elsewhere"}, {})], 1, "GitHub answers 301", id="a redirection"
        ),
        pytest.param(f"GET {PULLS}", [(200, {}, b"<html>")], 1, "the answer of GitHub is not JSON", id="no JSON"),
        pytest.param(f"GET {PULLS}", [(200, {}, {})], 1, "is not a list", id="no list"),
        pytest.param(f"GET {PULLS}", [(200, {}, [1])], 1, "have an unknown form", id="another form"),
        pytest.param(WHO, [(200, {}, {"errors": []})], 1, "did not return the user of the token", id="no viewer"),
        pytest.param(
            POST, [(422, {}, {"message": "a\n::stop-commands::x"})], 1, "422 (a ::stop-commands::x)", id="422"
        ),
        pytest.param(POST, [(400, {}, {"message": f"bad {TOKEN}"})], 1, "400 (bad ***)", id="the token told back"),
    ],
)
def test_what_does_not_work_is_said(
    job: Job, github: GitHub, where: str, failures: list[Failure], tries: int, said: str
) -> None:
    github.failures = {where: list(failures)}
    code, log = job.act()
    assert (code, log.count("\n"), said in log) == (1, 1, True), log
    assert log.startswith("::error title=kubectl-trainjob comment::")
    assert [f"{asked.method} {asked.path}" for asked in github.asked].count(where) == tries
    assert "/elsewhere" not in {asked.path for asked in github.asked}
    assert github.comments == []


@pytest.mark.slow
def test_no_server(job: Job, github: GitHub) -> None:
    github.url = "http://127.0.0.1:1"
    code, log = job.act()
    assert (code, "no answer (URLError)" in log) == (1, True)


def test_a_token_of_two_lines_is_not_shown(job: Job) -> None:
    code, log = job.act(f"{TOKEN}\n{TOKEN}")
    assert (code, log) == (1, "::error title=kubectl-trainjob comment::the token has invalid characters\n")


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


SECTIONS = "### Much\n\n" + "".join(
    f"<details><summary>{n}</summary>\n\n- `{'😀' * 90}`\n\n- b\n\n</details>\n\n" for n in range(1000)
)


@pytest.mark.parametrize(
    "report",
    [
        pytest.param(SECTIONS, id="folded parts"),
        pytest.param("a\n\n```\n" + "x\n" * 40_000 + "```\n", id="one long block"),
        pytest.param("x" * 300_000 + "\n", id="one long line"),
        pytest.param("😀" * 65_000 + "\n", id="one long line that counts twice"),
        pytest.param("<img>\n" + "𝒳𝒳𝒳\n" * 30_000, id="no report, long"),
    ],
)
def test_a_huge_report_is_cut_and_says_so(job: Job, github: GitHub, report: str) -> None:
    (job.artifact / "review.md").write_text(report, encoding="utf-8")
    assert job.act()[0] == 0
    body = github.comments[0]["body"]
    assert units(body) <= 65_536
    assert body.endswith(END)
    shown = body[: body.index("**")].count("\n")
    (words,) = [line for line in body.split("\n") if "not shown" in line]
    hidden = int(words.removeprefix("**").split()[0])
    assert hidden > 0
    assert body.count("<details") == body.count("</details>")
    assert len([line for line in body.split("\n") if line.startswith("```")]) in (0, 2)
    assert abs(shown + hidden - report.count("\n")) <= 12, "what is shown and what is counted are all"


def test_a_long_run_of_backticks_needs_no_long_fence(job: Job, github: GitHub) -> None:
    (job.artifact / "review.md").write_text("`" * 40_000 + "\n/approve\n")
    assert job.act()[0] == 0
    body = github.comments[0]["body"]
    assert units(body) < 2_000
    assert "… 40000" in body
    assert [line for line in body.split("\n") if "/approve" in line] == ["│ /approve"]


def test_a_report_that_just_fits_is_whole(job: Job, github: GitHub) -> None:
    report = "x" * (65_536 - units(f"{MARKER}\n\n\n{END}")) + "\n"
    (job.artifact / "review.md").write_text(report)
    assert job.act()[0] == 0
    assert github.comments[0]["body"] == f"{MARKER}\n\n{report}{END}"
    assert units(github.comments[0]["body"]) == 65_536


def test_a_run_without_report_says_so(job: Job, github: GitHub) -> None:
    (job.artifact / "review.md").unlink()
    assert job.act()[0] == 0
    words = "**There is no review of this commit.** See the log of its run.\n"
    assert github.comments[0]["body"] == f"{MARKER}\n\n{words}{END}"


def _link(path: Path) -> None:
    (path.parent / "secret").write_text("c4nary")
    path.symlink_to(path.parent / "secret")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        pytest.param(_link, "cannot be read: Too many levels of symbolic links", id="link"),
        pytest.param(os.mkfifo, "is not a regular file", id="pipe"),
        pytest.param(Path.mkdir, "cannot be read: Is a directory", id="directory"),
        pytest.param(lambda path: path.write_bytes(b"x" * 600_000), "has more than 524288 bytes", id="too large"),
        pytest.param(lambda path: path.write_bytes(b"\xff\xfe"), "is not valid UTF-8", id="no UTF-8"),
        pytest.param(lambda path: path.write_bytes(b"\xed\xa0\x80"), "is not valid UTF-8", id="a surrogate"),
    ],
)
def test_only_a_file_of_text_is_read(job: Job, github: GitHub, make: Callable[[Path], object], said: str) -> None:
    (job.artifact / "review.md").unlink()
    make(job.artifact / "review.md")
    code, log = job.act()
    assert (code, log) == (1, f"::error title=kubectl-trainjob comment::review.md of the artifact {said}\n")
    assert github.comments == []


def test_python_takes_nothing_from_the_current_directory(job: Job, tmp_path: Path) -> None:
    for name in ("json.py", "github.py", "report.py", "sitecustomize.py"):
        (tmp_path / name).write_text("open('canary', 'w')\n")
    assert job.act()[0] == 0
    assert not list(tmp_path.rglob("canary"))


def test_a_workflow_on_another_event_is_reported(tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text("{}")
    poster = ACTIONS / "comment" / "poster"
    environment = {"PATH": os.environ["PATH"], "GITHUB_EVENT_PATH": str(event)}
    done = subprocess.run(
        ["python3", "-I", str(poster), str(tmp_path)], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "on `workflow_run`" in done.stdout) == (1, True)


def test_what_review_writes_of_a_hostile_change_is_shown_as_it_is(job: Job, github: GitHub, tmp_path: Path) -> None:
    """The two actions together, on data that would be links, mentions and HTML anywhere else."""
    hostile = "</details><img src=x>@acme/team #1 [a](https://evil.example) | `b` ``` <!-- ::error::x"
    path = "jobs/<img src=x>@acme `#1`.yaml"
    changed = BIGGER.replace("[torchrun, train.py]", json.dumps(["torchrun", hostile, f"a\n{hostile}\n"]))
    repository = Repository(tmp_path / "forge", {path: GOOD, JOB: "# nothing\n"}, {path: changed}, "a`b<img>@x#1")
    sides = f"{repository.base}...{repository.head}"
    command = [require("kubectl-trainjob"), "review", sides, "-o", f"markdown={job.artifact / 'review.md'}"]
    done = subprocess.run(command, cwd=repository.directory, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert job.act()[0] == 0
    report = (job.artifact / "review.md").read_text(encoding="utf-8")
    assert "evil.example" in report
    assert github.comments[0]["body"] == f"{MARKER}\n\n{report}{END}"
