"""A review for a forge fits, whatever is in it, reports what is worst first, and counts all that it leaves out.

What is there is read from the page itself: every job, finding and object has a number in its name.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubectl_trainjob.kube.updates.result import STATES
from kubectl_trainjob.model.finding import Excerpt, Finding
from kubectl_trainjob.model.stages import JobId
from kubectl_trainjob.report.review import format_report
from kubectl_trainjob.review.diff.changes import Incomplete, Totals, rejected_in
from kubectl_trainjob.review.result import Review
from tests.cli import diff_reports as diffs
from tests.cli.pages import difference_as_markdown, findings_as_markdown
from tests.cli.pages import review_as_markdown as as_markdown
from tests.cli.review_reports import review
from tests.cli.test_diff_markdown import by_github, words
from tests.loops import sample
from tests.unit.report.lint import reports as lints

pytestmark = pytest.mark.slow

LIMITS = (10_000, 20_000, 65_536)
RULES = (lints.HINT, lints.NODES, lints.LIMIT)
FATES = ("refused", "in-place", "added", "removed", "unbuilt")


class Size(NamedTuple):
    """How large a review is; each text has so many characters, some of which count twice."""

    jobs: int
    findings: int
    text: int = 8
    overlays: int = 1
    files: int = 7


def made(of: Size, fates: Callable[[int], str] = lambda number: FATES[number * 7 % 5]) -> Review:
    """Each job with an object of its own that changes like no other, and findings of all severities in some files."""
    objects, unbuilt, sizes = [], [], {}
    findings: dict[Any, list[Finding]] = {}
    for number in range(of.jobs):
        fate = fates(number)
        overlay = f"{'𝒳' * of.text}o{number % of.overlays:04}" if of.overlays > 1 else ""
        identity = diffs.identity("JobSet", f"{'n' * (of.text - 6)}j{number:05}", "s" * of.text)
        job = JobId(diffs.job(identity.name, identity.namespace), overlay)
        rows = [diffs.row(f"spec.a{number % 50}", "o" * of.text, f"{number}", ("a" * of.text, number))]
        if fate == "unbuilt":
            unbuilt.append(job)
        elif fate in ("added", "removed"):
            objects.append(getattr(diffs, fate)(identity, overlay=overlay))
        else:
            states = STATES[:: 3 if number % 2 else 1] if fate == "refused" else ()
            objects.append(diffs.changed(identity, *rows, overlay=overlay, update_result=diffs.rejected(*states)))
        sizes[job] = (diffs.totals(1, 1, number, gpus="8"), diffs.totals(1, 1, 8, gpus=str(number)))
    for number in range(of.findings):
        rule, path = RULES[number * 5 % 3], f"{'𝒳' * of.text}p{number % of.files}"
        excerpt = Excerpt("e" * of.text, "^") if number % 2 else None
        reported = lints.result(
            rule, f"f{number:05} {'𝒳' * of.text}", position=lints.at(path, number + 1), excerpt=excerpt
        )
        findings.setdefault(diffs.job_id(diffs.job(f"x{number % 9}")), []).append(reported)
    problems = [diffs.problem("lost", "m" * of.text, "old") for _ in unbuilt[:50]]
    incomplete = [
        Incomplete(f"{'𝒳' * of.text}{number}", is_old=True, is_new=False) for number in range(of.overlays - 1)
    ]
    totals = Totals(of.jobs, 1, 1, diffs.totals(0, 0, 0, gpus="8").resources)
    causes = [diffs.cause("c" * of.text, "a" * of.text, 1, list(sizes))] if sizes else []
    sides = ("𝒳" * of.text, "y" * of.text)
    report = diffs.report(
        objects,
        sides,
        (totals, diffs.totals(1, 2, 3)),
        causes,
        unbuilt=unbuilt,
        incomplete=incomplete,
        problems=problems,
    )
    return review(report, findings, sizes)


def unread_overlays(text: str) -> Iterator[tuple[str, int]]:
    """What the end of the page says is missing."""
    (reported,) = re.findall(r"\*\*Not shown for lack of room: (.*?)\*\*", text) or [""]
    for count, what in re.findall(r"(\d+) ([^,]+)", reported):
        yield re.sub("s$", "", what), int(count)


def severities(of: Review) -> dict[str, int]:
    """How bad each finding is, by its number; 0 is worst."""
    return {result.message[:6]: -RULES.index(result.rule) for result in of.lint.results}


def assert_honest(of: Review, text: str, most: int) -> None:
    assert len(text.encode("utf-16-le")) // 2 <= most
    missing, tree = dict(unread_overlays(text)), by_github(text)
    _jobs(of, tree, missing.get("job", 0))
    _findings(of, text, tree, missing)
    _objects(of, tree, missing.get("object", 0))


def _jobs(of: Review, tree: Any, missing: int) -> None:
    tables = [table for table in tree.iter("table") if "world size" in words(table)]
    shown = [re.search(r"j\d{5}", words(row[0])) for table in tables for row in table.iterfind("tbody/tr")]
    names = [match[0] for match in shown if match]
    assert len(names) == len(shown)
    assert len(names) + missing == len(of.rows)
    assert names == [row.job.identity.name[-6:] for row in of.rows[: len(names)]]  # the rows are worst first


def _findings(of: Review, text: str, tree: Any, missing: dict[str, int]) -> None:
    ranks = severities(of)
    shown = set(re.findall(r"f\d{5}", text))
    assert len(shown) + missing.get("finding", 0) == len(ranks)
    assert max((ranks[each] for each in shown), default=-2) <= min(
        (rank for each, rank in ranks.items() if each not in shown), default=0
    )
    folds = [each for each in tree.iter("details") if re.search(r"p\d+: \d+ (error|warning|info)", words(each[0]))]
    detailed = {name for fold in folds for name in re.findall(r"f\d{5}", words(fold))}
    counted = sum(int(count) for fold in folds for count in re.findall(r"(\d+) (?:error|warning|info)", words(fold[0])))
    assert len(detailed) == counted
    assert len(shown - detailed) == missing.get("finding's detail", missing.get("findings' detail", 0))


def _objects(of: Review, tree: Any, missing: int) -> None:
    titles = [words(each) for each in tree.iter("summary")]
    shown = [title for title in titles if "JobSet" in title]
    counts = [int(match[1]) if (match := re.match(r"(\d+) × ", title)) else 1 for title in shown]
    assert sum(counts) + missing == len(of.report.objects)
    rejected = sum(bool(rejected_in(each.change)) for each in of.report.objects)
    are_rejected = ["❌" in title for title in shown]
    assert are_rejected == sorted(are_rejected, reverse=True)
    if not all(are_rejected):
        assert sum(count for count, is_it in zip(counts, are_rejected, strict=True) if is_it) == rejected


SIZES = [
    pytest.param(Size(0, 0), id="nothing"),
    pytest.param(Size(20, 3), id="small"),
    pytest.param(Size(21, 0), id="one more job than are open"),
    pytest.param(Size(200, 0, 253, 40), id="long names"),
    pytest.param(Size(0, 2000), id="findings"),
    pytest.param(Size(3, 2000, 253, files=2000), id="a file a finding"),
    pytest.param(Size(400, 300, 40, 5), id="both"),
    pytest.param(Size(3000, 2000), id="large", marks=pytest.mark.slow),
    pytest.param(Size(3000, 2000, 253, 300), id="large with long names", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("most", LIMITS)
@pytest.mark.parametrize("size", sample(SIZES, every=2))
def test_it_fits_and_counts_what_it_lacks(size: Size, most: int) -> None:
    of = made(size)
    text = as_markdown(of, most)
    assert_honest(of, text, most)
    if size.jobs + size.findings > 300:
        assert len(text.encode("utf-16-le")) // 2 > most - 6000  # and takes the room that there is


FATE_LISTS = st.lists(st.sampled_from(FATES), max_size=60)


@settings(deadline=None)
@given(
    FATE_LISTS, st.integers(0, 120), st.integers(8, 253), st.integers(1, 9), st.integers(1, 40), st.sampled_from(LIMITS)
)
def test_any_mixture_fits(fates: list[str], findings: int, text: int, overlays: int, files: int, most: int) -> None:
    of = made(Size(len(fates), findings, text, overlays, files), lambda number: fates[number])
    assert_honest(of, as_markdown(of, most), most)


@pytest.mark.parametrize("most", [10_000, 60_000])
def test_a_difference_leaves_out_no_rejected_object_before_another(most: int) -> None:
    of = made(Size(400, 0, 100))
    text = difference_as_markdown(of.report, most)
    (hidden,) = re.findall(r"Not shown for lack of room: (\d+) objects", text)
    _objects(of, by_github(text), int(hidden))


@pytest.mark.parametrize("most", [1000, *LIMITS])
@pytest.mark.parametrize("files", [1, 7, 2000])
def test_a_lint_report_leaves_out_no_finding_before_a_milder_one(files: int, most: int) -> None:
    of = made(Size(0, 2000, 60, files=files))
    text = findings_as_markdown(of.lint, most)
    assert len(text.encode("utf-16-le")) // 2 <= most
    ranks, shown = severities(of), set(re.findall(r"f\d{5}", text))
    (hidden,) = re.findall(r"Not shown for lack of room: (\d+) findings", text)
    assert len(shown) + int(hidden) == 2000
    assert max((ranks[each] for each in shown), default=-2) <= min(ranks[each] for each in ranks if each not in shown)


def calls(work: Callable[[], Any]) -> int:
    """How many functions run, Python's own among them."""
    count = 0

    def profiler(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profiler)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_the_work_grows_with_the_jobs_and_no_faster(form: str) -> None:
    few, many = (made(Size(count, count // 2, 8, 3)) for count in (750, 3000))
    format_report(few, form)  # imports
    few_calls, many_calls = (calls(lambda of=of: format_report(of, form)) for of in (few, many))
    assert many_calls < 4.4 * few_calls
    assert len(format_report(many, form)) < 4.4 * len(format_report(few, form))
