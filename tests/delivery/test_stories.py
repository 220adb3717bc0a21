"""What `review` says of three pull requests that teams could open.

The golden comments stand beside the stories. What is expected of them here was counted by hand in the stories' files;
git, GitHub's own renderer of Markdown, a parser of HTML and the schema of SARIF judge the rest.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest

from tests.cli.test_diff_html import parsed, words
from tests.cli.test_diff_markdown import GITHUBS_LIMIT, by_github
from tests.commands import call
from tests.delivery import stories
from tests.unit.report.lint.sarif_schema import problems

GPU = "nvidia.com/gpu"
ALWAYS, RUNNING = ["running", "suspended", "suspending", "resuming"], ["running"]
HASH = r"-[0-9a-f]{10}$"  # of `nameHash`
PLACE = re.compile(r"([\w./-]+\.(?:yaml|j2)):(\d+)")


class Job(NamedTuple):
    """A job that the pull request changes: its GPUs before and after (None: not known), and what becomes of it."""

    before: int | None
    after: int | None
    change: str
    outcome: str
    rejected: tuple[str, ...] = ()
    findings: str = ""  # `1 error`


class Story(NamedTuple):
    """The verdict; the jobs that change; the GPUs of those that do not; each line that the comment names."""

    verdict: str
    jobs: dict[str, Job]
    others: int
    lines: dict[str, str]


def bumped(gpus: int) -> Job:
    """Another image, and all else as it was: nothing of a JobSet's Pods may change, not even while it is suspended."""
    return Job(gpus, gpus, "changed", "refused", tuple(ALWAYS))


RANKERS = ("de", "en", "es", "fr", "it", "ja", "nl", "pl")
CUSTOMERS = (
    "aurora", "borealis", "cirrus", "delta", "ember", "fjord", "glacier", "harbor", "iris", "juniper", "krill", "lumen",
)  # fmt: skip

STORIES = {
    # 41 jobs refer to the runtime; search/spelling brings its own image.
    "image-bump": Story(
        "refused",
        {
            **{f"search/ranker-{language}": bumped(2 * 8) for language in RANKERS},
            "search/embeddings": bumped(8 * 8),
            "vision/detector-day": bumped(4 * 8),
            "vision/detector-night": bumped(4 * 8),
            "vision/segmenter": bumped(2 * 8),
            "vision/depth": bumped(2 * 4),
            "vision/ocr": bumped(1 * 4),
            "vision/lidar-2024": bumped(4 * 8),
            "vision/lidar-2025": bumped(4 * 8),
            **{f"language/{customer}-r{rank}": bumped(1 * 4) for customer in CUSTOMERS for rank in (16, 64)},
        },
        others=1 * 4,
        lines={"runtimes/acme-torch.yaml:27": "image: ghcr.io/acme/torch:2.9 # release notes: wiki/torch"},
    ),
    # language/reward stays as it is.
    "rerun": Story(
        "refused",
        {
            "research/embeddings": Job(4 * 8, 4 * 8, "changed", "refused", tuple(RUNNING)),
            "language/llama-sft": Job(2 * 8, 4 * 8, "renamed", "reruns"),
            "language/distill": Job(0, 1 * 4, "added", "new", findings="1 error"),
        },
        others=1 * 8,
        lines={
            "language/distill.yaml:13": "requests: {cpu: 32, memory: 450Gi, nvidia.com/gpu: 4}",
            "language/llama-sft.yaml:10": (
                "args: [--config=sft/llama-70b.toml, --global-batch=1024, --checkpoints=s3://acme-models/llama-sft]"
            ),
            "language/llama-sft.yaml:11": "numNodes: 4",
            "research/embeddings.yaml:30": "nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3",
        },
    ),
    # Trainer 2.2 puts tokenize's resources in place of the runtime's, 2.3 adds the runtime's eight GPUs to them; and it
    # gives evaluate the runtime's CPUs.
    "trainer-upgrade": Story(
        "unbuilt",
        {
            "language/support-adapter": Job(1 * 4, None, "unknown", "unbuilt", findings="1 error"),
            "pretraining/dense-7b": Job(16 * 8, 16 * 8, "changed", "refused", tuple(RUNNING)),
            "pretraining/tokenize": Job(0, 4 * 8, "changed", "kept", findings="1 warning"),
            "language/evaluate": Job(1 * 4, 1 * 4, "changed", "kept"),
        },
        others=0,
        lines={
            "jobs/language.yaml:27": "runtimeRef:",
            "jobs/language.yaml:30": "model:",
            "trainjob.yaml:3": 'target: {trainer: "2.3"} # what the platform team runs',
            "jobs/pretraining.yaml:15": "runtimePatches:",
            "jobs/pretraining.yaml:44": "requests: {cpu: 64, memory: 256Gi}",
            "runtimes/acme-torch.yaml:31": "limits: {memory: 1800Gi, nvidia.com/gpu: 8}",
        },
    ),
}
OF_UPDATES = ("KTJ801", "KTJ802", "KTJ803")  # the comment reports rejected updates where it reports what changes
ALL = {"image-bump": 41, "rerun": 3, "trainer-upgrade": 4}
EACH = pytest.mark.parametrize("reported", stories.NAMES, indirect=True)


class Reported(NamedTuple):
    """A story, its repository, and what `review` left."""

    name: str
    story: Story
    repository: Path
    exit_code: int
    errors: str
    out: Path

    @property
    def markdown(self) -> str:
        return (self.out / "review.md").read_text(encoding="utf-8")

    @property
    def data(self) -> Any:
        return json.loads((self.out / "review.json").read_bytes())

    def bytes(self) -> dict[str, bytes]:
        """Each file that was written."""
        return {path.name: path.read_bytes() for path in self.out.iterdir()}


def reviewed(name: str, folder: Path, **environment: str) -> Reported:
    """The review of a story."""
    repository, out = stories.make(name, folder / "repository"), folder / "out"
    out.mkdir()
    run = stories.review(repository, out, environment)
    return Reported(name, STORIES[name], repository, run.returncode, run.stderr, out)


@pytest.fixture(scope="module")
def reported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Reported:
    return reviewed(request.param, tmp_path_factory.mktemp(request.param))


@pytest.mark.parametrize("name", stories.NAMES)
def test_a_story_begins_without_a_fault(name: str, tmp_path: Path) -> None:
    """So all that the review says is about the pull request."""
    repository = stories.make(name, tmp_path / "repository")
    stories.git(repository, "checkout", "--quiet", stories.MAIN)
    run = call(repository, "lint", "--fail-on=info")
    assert (run.returncode, run.stdout, run.stderr) == (0, f"no problems in {ALL[name]} TrainJobs\n", "")


@EACH
def test_the_comment_is_the_golden_one(reported: Reported) -> None:
    assert reported.markdown == stories.golden(reported.name).read_text(encoding="utf-8")
    assert len(reported.markdown) <= GITHUBS_LIMIT


@EACH
def test_a_story_that_needs_mending_fails(reported: Reported) -> None:
    assert (reported.exit_code, reported.errors) == (1, "")
    assert reported.data["verdict"] == reported.story.verdict


@EACH
def test_each_job_that_changes_is_reported_with_what_becomes_of_it(reported: Reported) -> None:
    rows = {f"{row['namespace']}/{re.sub(HASH, '', row['name'])}": row for row in reported.data["jobs"]}
    assert len(rows) == len(reported.data["jobs"])
    assert {name: _job(row) for name, row in rows.items()} == reported.story.jobs


def _job(row: Any) -> Job:
    found = [f"{count} {what.removesuffix('s')}" for what, count in row["findings"].items() if count]
    before, after = (_gpus(row[side]) for side in ("before", "after"))
    before = 0 if row["change"] == "added" else before
    return Job(before, after, row["change"], row["outcome"], tuple(row["refused"]), ", ".join(found))


def _gpus(totals: Any) -> int | None:
    return None if totals is None else int(totals["resources"].get(GPU, 0))


@EACH
def test_the_gpus_are_those_of_the_files(reported: Reported) -> None:
    """Of the jobs that both sides can build."""
    jobs = [job for job in reported.story.jobs.values() if job.after is not None]
    summary = reported.data["diff"]["summary"]
    assert _gpus(summary["before"]) == sum(job.before or 0 for job in jobs) + reported.story.others
    assert _gpus(summary["after"]) == sum(job.after or 0 for job in jobs) + reported.story.others


@EACH
def test_the_tables_have_a_row_for_each_job(reported: Reported) -> None:
    rows = _rows(reported.markdown, "job")
    found = {re.sub(HASH, "", row[0]): (row[3], row[5]) for row in rows}
    assert len(found) == len(rows)
    expected = {name: (_shown(job.before, job.after), job.findings) for name, job in reported.story.jobs.items()}
    assert found == expected


def _shown(before: int | None, after: int | None) -> str:
    return str(before) if before == after else f"{before} → {'?' if after is None else after}"


def _rows(markdown: str, head: str) -> list[list[str]]:
    """The cells of the rows of all tables whose first column is called `head`, as GitHub shows them."""
    tables = [
        [[words(cell) for cell in row] for row in table.iter("tr")] for table in by_github(markdown).iter("table")
    ]
    return [row for first, *rows in tables if first[0] == head for row in rows]


@EACH
def test_the_lines_that_are_named_say_what_is_reported_of_them(reported: Reported) -> None:
    codes = ["".join(each.itertext()) for each in by_github(reported.markdown).iter("code")]
    places = {code: PLACE.fullmatch(code) for code in codes}
    named = {code: _line(reported, *place.groups()) for code, place in places.items() if place}
    assert named == reported.story.lines


def _line(reported: Reported, path: str, number: str) -> str:
    return stories.git(reported.repository, "show", f"{stories.BRANCH}:{path}").splitlines()[int(number) - 1].strip()


@EACH
def test_each_new_finding_has_its_row_and_its_result(reported: Reported) -> None:
    log = json.loads((reported.out / "review.sarif").read_bytes())
    assert problems(log) == []
    (run,) = log["runs"]
    results = [result for result in run["results"] if result["ruleId"] not in OF_UPDATES]
    at = [result["locations"][0]["physicalLocation"] for result in results]
    places = {f"{each['artifactLocation']['uri']}:{each['region']['startLine']}" for each in at}
    rows = _rows(reported.markdown, "Severity")
    assert {row[2] for row in rows} == places
    levels: dict[str, Literal["error", "warning"]] = {"error": "error", "warning": "warning"}
    assert {(row[2], row[0]) for row in rows} == {
        (f"{where['artifactLocation']['uri']}:{where['region']['startLine']}", levels[result["level"]])
        for where, result in zip(at, results, strict=True)
    }


@EACH
def test_the_page_has_the_same_jobs(reported: Reported) -> None:
    page = words(parsed((reported.out / "review.html").read_text(encoding="utf-8")))
    assert [name for name in reported.story.jobs if name not in page] == []


@pytest.mark.slow
@EACH
def test_the_same_bytes_elsewhere(reported: Reported, tmp_path: Path) -> None:
    """In another directory, at another time of the day, with other hashes, in another language."""
    other = {"PYTHONHASHSEED": "7", "TZ": "Pacific/Kiritimati", "LC_ALL": "C", "COLUMNS": "40"}
    assert os.environ.get("PYTHONHASHSEED") != "7"
    again = reviewed(reported.name, tmp_path / "a directory with another name", **other)
    assert (again.exit_code, again.bytes()) == (reported.exit_code, reported.bytes())
