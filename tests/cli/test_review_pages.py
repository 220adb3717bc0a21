"""What `review` writes for people: that it can be read, says what its numbers are, and begins with what is worst.

The pages in `__snapshots__` were looked at in Chromium: wide, narrow and dark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from kubectl_trainjob.kube.updates.result import STATES
from kubectl_trainjob.model.printable import columns
from kubectl_trainjob.model.rules import Category, Rule, Severity
from kubectl_trainjob.model.stages import JobId
from kubectl_trainjob.report.html import page_style
from kubectl_trainjob.report.review import format_report
from kubectl_trainjob.report.review.words import gpu_cell, size_cell, verdict
from kubectl_trainjob.review.diff.changes import Sizes
from kubectl_trainjob.review.result import Impact, JobRow, Review, ReviewVerdict
from tests.cli import browser
from tests.cli import diff_reports as diffs
from tests.cli import review_reports as reviews
from tests.cli.pages import review_as_html as as_html
from tests.cli.pages import review_as_markdown as as_markdown
from tests.cli.pages import review_as_text as as_text
from tests.cli.test_diff_html import parsed, test_texts_have_the_contrast_that_wcag_asks_for, words
from tests.cli.test_diff_markdown import by_commonmark, by_github

EXAMPLES = [
    pytest.param(reviews.safe(), id="safe"),
    pytest.param(reviews.pull_request(), id="pull-request"),
    pytest.param(reviews.kept(), id="kept"),
]
EACH = pytest.mark.parametrize("of", EXAMPLES)
RENDERERS = pytest.mark.parametrize("render", [by_github, by_commonmark])
ENDINGS = {"markdown": "md", "html": "html", "text": "txt"}


@pytest.mark.parametrize("form", ENDINGS)
@pytest.mark.parametrize("of", EXAMPLES[1:])
def test_pages(of: Review, form: str, snapshot: SnapshotAssertion) -> None:
    """But for the style and its hash, which are no different from page to page."""

    class Page(SingleFileSnapshotExtension):
        _write_mode = WriteMode.TEXT
        file_extension = ENDINGS[form]

    text = re.sub("'sha256-.*?'", "'...'", format_report(of, form).replace(page_style(), "/* style */"))
    assert text == snapshot.use_extension(Page)


def test_nothing_differs() -> None:
    same = "2 TrainJobs, 4 Pods, 16 processes, 1.5 CPU, ≈1.46Gi memory, 16 `nvidia.com/gpu`"
    assert as_text(reviews.safe()) == "Safe: the generated objects are equal\nmain → HEAD\n"
    assert as_markdown(reviews.safe()) == (
        f"### ✅ Safe: the generated objects are equal\n\n`main` → `HEAD`\n\nNo number changes: {same}.\n"
    )


def one(verdict: ReviewVerdict, **about: Any) -> Review:
    """A review of one job that ends so."""
    of = {
        ReviewVerdict.REJECTED: diffs.turned(before=False, after=False),
        ReviewVerdict.CHANGES: diffs.report([diffs.changed(diffs.identity("JobSet", "a"))]),
        ReviewVerdict.ENDS: diffs.report([diffs.removed(diffs.identity("JobSet", "a"))]),
        ReviewVerdict.UNBUILT: diffs.report(unbuilt=[diffs.job("a")], problems=[diffs.problem("lost", "is lost")]),
        ReviewVerdict.UNKNOWN: diffs.report(unbuilt=[diffs.job("a"), diffs.job("b")]),
        ReviewVerdict.RERUNS: diffs.report(
            [
                diffs.added(diffs.identity("JobSet", "b"), counterpart=diffs.identity("JobSet", "a")),
                diffs.removed(diffs.identity("JobSet", "a"), counterpart=diffs.identity("JobSet", "b")),
            ],
            renamed=[(diffs.job("a"), diffs.job("b"))],
        ),
    }
    reported = reviews.review(of.get(verdict, diffs.empty()), **about)
    assert reported.verdict is verdict
    return reported


ERROR, HINT = reviews.lints.result(), reviews.lints.result(reviews.lints.HINT, "hm")
HEADLINES = [
    pytest.param(one(ReviewVerdict.SAFE), "safe: the generated objects are equal", id="safe"),
    pytest.param(one(ReviewVerdict.CHANGES), "changes live jobs: 1 job; 1 TrainJob changes", id="changes"),
    pytest.param(
        reviews.review(diffs.report([diffs.changed(diffs.identity("ClusterRole", "a"), job=None)])),
        "changes other objects: 1 object; no TrainJob changes",
        id="changes of no job",
    ),
    pytest.param(one(ReviewVerdict.ENDS), "ends running jobs: 1 job; 1 TrainJob is removed", id="ends"),
    pytest.param(one(ReviewVerdict.RERUNS), "would run again: 1 job; 1 TrainJob is renamed", id="reruns"),
    pytest.param(one(ReviewVerdict.REJECTED), "rejected: 1 update while running; 1 TrainJob changes", id="refused"),
    pytest.param(
        one(ReviewVerdict.ERRORS, findings={diffs.job("a"): [ERROR, HINT]}),
        "new errors: 1; the generated objects are equal; 1 new info",
        id="errors",
    ),
    pytest.param(
        one(ReviewVerdict.UNKNOWN),
        "incomplete: 2 TrainJobs cannot be built; no difference was found",
        id="unknown",
    ),
    pytest.param(
        one(ReviewVerdict.UNBUILT, findings={diffs.job("a"): [HINT]}),
        "cannot be built: 1 TrainJob, 1 error in the files; no difference was found; 1 new info",
        id="unbuilt",
    ),
]


@pytest.mark.parametrize(("of", "expected"), HEADLINES)
def test_headlines_begin_with_the_verdict_and_say_nothing_twice(of: Review, expected: str) -> None:
    assert json.loads(format_report(of, "json"))["headline"] == expected
    assert as_text(of).split("\n")[0] == expected[0].upper() + expected[1:]
    first, *_ = expected.split("; ")
    assert words(parsed(as_html(of)).find(".//h1")) == first
    assert f"{first[1:]}\n" in as_markdown(of)


def row(impact: Impact, *rejected: Any, change: Any = "changed", sizes: Any = (None, None)) -> JobRow:
    return JobRow(JobId(diffs.job("a")), change, impact, Sizes(*sizes), rejected)


KNOWN = diffs.totals(1, 1, 8, gpus="8")
VERDICTS = [
    pytest.param(row(Impact.REJECTED, *STATES), ("bad", "rejected"), id="in every state"),
    pytest.param(row(Impact.REJECTED, "running"), ("bad", "rejected while running"), id="while running"),
    pytest.param(
        row(Impact.REJECTED, "running", "resuming"), ("bad", "rejected while running or resuming"), id="in two states"
    ),
    pytest.param(row(Impact.UNBUILT), ("bad", "cannot be built"), id="new side unknown"),
    pytest.param(row(Impact.UNKNOWN, sizes=Sizes(None, KNOWN)), ("doubtful", "not known"), id="old side unknown"),
    pytest.param(row(Impact.KEPT), ("good", "keeps its run"), id="kept"),
    pytest.param(row(Impact.KEPT)._replace(results=(HINT,)), ("good", "keeps its run"), id="and a hint"),
    pytest.param(row(Impact.NEW)._replace(results=(HINT, ERROR)), ("bad", "new"), id="and an error"),
]


@pytest.mark.parametrize(("of", "expected"), VERDICTS)
def test_verdicts_of_rows(of: JobRow, expected: tuple[str, str]) -> None:
    assert verdict(of) == expected


def unsized(gpus: str) -> Any:
    return diffs.Totals(1, 1, 0, diffs.totals(1, 1, 0, gpus=gpus).resources, unsized=1)


@pytest.mark.parametrize(
    ("sizes", "gpus", "size"),
    [
        pytest.param(Sizes(KNOWN, KNOWN), "8", "8", id="the same"),
        pytest.param(Sizes(KNOWN, reviews.NONE), "8 → 0", "8 → 0", id="goes"),
        pytest.param(Sizes(None, KNOWN), "? → 8", "? → 8", id="before is not known"),
        pytest.param(Sizes(diffs.totals(1, 2, 2), None), "0 → ?", "2 → ?", id="no GPUs, and after is not known"),
        pytest.param(Sizes(None, None), "", "", id="nothing is known"),
        pytest.param(Sizes(unsized("2"), unsized("4")), "2 → 4", "?", id="known when it starts"),
        pytest.param(
            Sizes(KNOWN, diffs.totals(1, 1, 8, **{"amd.com/gpu": "4"})),
            "0 → 4 amd.com/gpu, 8 → 0 nvidia.com/gpu",
            "8",
            id="other devices",
        ),
    ],
)
def test_sizes_of_rows(sizes: Sizes, gpus: str, size: str) -> None:
    assert (gpu_cell(sizes), size_cell(sizes)) == (gpus, size)


@RENDERERS
@EACH
def test_markdown_is_one_part_below_one_title(render: Callable[[str], Any], of: Review) -> None:
    tree = render(as_markdown(of))
    levels = [int(each.tag[1]) for each in tree.iter() if re.fullmatch("h[1-6]", str(each.tag))]
    assert levels[0] == 3
    assert set(levels[1:]) <= {4}
    for table in tree.iter("table"):
        head, *rows = table.iter("tr")
        assert all(words(cell) for cell in head)
        assert {len(each) for each in rows} == {len(head)}
    assert all(words(each) for name in ("p", "li", "summary", "h4") for each in tree.iter(name))


@RENDERERS
def test_markdown_reports_each_job(render: Callable[[str], Any]) -> None:
    tree = render(as_markdown(reviews.pull_request()))
    assert [[words(cell) for cell in row] for row in next(tree.iter("table")).iter("tr")] == [
        ["job", "change", "impact", "GPUs", "world size", "new findings"],
        ["research/t5", "not compared", "❌ cannot be built", "8 → ?", "8 → ?", "1 error"],
        ["ml/bert", "changed", "❌ rejected", "8 → 32", "16 → 32", "1 warning"],
        [
            "ml/llama-9f2c",
            "renamed from llama-11ab",
            "⚠️ runs again",
            "0 → 2 amd.com/gpu, 16 nvidia.com/gpu",
            "8",
            "1 warning",
        ],
        ["research/gpt-old", "removed", "⚠️ ends", "4 → 0", "4 → 0", ""],
    ]


@EACH
def test_a_page_is_html_with_one_heading_of_each_level_below_the_next(of: Review) -> None:
    tree = parsed(as_html(of))
    levels = [int(each.tag[1]) for each in tree.iter() if re.fullmatch("h[1-6]", str(each.tag))]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert tree.get("lang") == "en"
    for table in tree.iter("table"):
        head, *rows = table.iter("tr")
        assert {each.get("scope") for each in head} == {"col"}
        assert {len(row) for row in rows} == {len(head)}
        assert all(row[0].tag == "th" and row[0].get("scope") == "row" for row in rows)


def test_the_colours_of_a_review_have_contrast() -> None:
    """What this page shows that the page of a difference does not: a title that is bad stands on the page itself."""
    for dark in (False, True):
        test_texts_have_the_contrast_that_wcag_asks_for("bad", "page", dark)
    assert "h1.bad { color: var(--bad); }" in page_style()


def test_a_table_in_a_terminal_stands_in_columns() -> None:
    lines = as_text(reviews.kept()).split("\n")
    start = next(number for number, line in enumerate(lines) if line.startswith("JOB "))
    table = lines[start : start + 3]
    assert "模型" in table[2]
    starts = [{columns(line[: match.start(1)]) for match in re.finditer(r" {3,}(\S)", line)} for line in table]
    assert starts[2] == starts[0]
    assert starts[1] <= starts[0]


@EACH
def test_colour_is_only_where_it_is_asked_for(of: Review) -> None:
    plain, coloured = as_text(of), format_report(of, "text", colour=True)
    assert "\x1b" not in plain
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert all("\x1b" not in format_report(of, form, colour=True) for form in ("markdown", "html", "json"))


def test_errors_of_the_old_side_alone_are_reported_by_all() -> None:
    where, what = "jobs/a.yaml:8", "KTJ201 runtime-not-found"
    for form in ("text", "markdown", "html", "json"):
        out = format_report(reviews.kept(), form)
        assert all(part in out for part in ((where, what) if form != "json" else ("jobs/a.yaml", "runtime-not-found")))


def test_jobsets_of_overlays_are_distinguished() -> None:
    of = [diffs.removed(diffs.identity("JobSet", "by-hand"), job=None, overlay=f"overlays/{name}") for name in "ab"]
    reported = as_markdown(reviews.review(diffs.report(of)))
    assert all(f"| `JobSet/ml/by-hand` (`overlays/{name}`) | removed |" in reported for name in "ab")


def test_long_lists_are_counted() -> None:
    of = reviews.bump(250)
    assert "50 more jobs are not shown\n" in as_text(of)
    assert "<summary>230 more jobs</summary>" in as_markdown(of)
    assert as_html(of).count('<tr><th scope="row"><code>') == 250


_MEASURE = """<script>onload = () => {
  const page = frames[0].document, wide = [...page.querySelectorAll(".scroll")];
  const inside = wide.filter((each) => each.scrollWidth > each.clientWidth).length;
  document.title = `${page.documentElement.scrollWidth} ${page.body.scrollWidth} ${inside} of ${wide.length}`;
}</script>"""


def long_names() -> Review:
    name = "n" * 253
    of = diffs.changed(diffs.identity("JobSet", name, name), overlay=f"overlays/{name}")
    sizes = {JobId(diffs.job(name, name), f"overlays/{name}"): (KNOWN, diffs.totals(1, 1, 8, **{f"{name}/gpu": "8"}))}
    rule = Rule("KTJ999", name, Severity.ERROR, Category.REJECTED)
    finding = reviews.lints.result(
        rule, f"{name}1", position=reviews.lints.at(name), excerpt=reviews.Excerpt(name, "^")
    )
    return reviews.review(diffs.report([of], (name, name)), {next(iter(sizes)): [finding]}, sizes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("of", "width", "wider"),
    [
        pytest.param(reviews.pull_request(), 1280, 0, id="pull-request-1280"),
        pytest.param(reviews.pull_request(), 400, 2, id="pull-request-400"),
        pytest.param(long_names(), 1280, 0, id="long-names-1280"),
        pytest.param(long_names(), 400, 1, id="long-names-400"),
    ],
)
def test_a_page_is_as_wide_as_the_window(of: Review, width: int, wider: int, tmp_path: Path) -> None:
    """Of its tables, so many at least are wider and scroll by themselves."""
    frame = f'<iframe width="{width}" height="800" frameborder="0" srcdoc="{escape(as_html(of))}"></iframe>'
    shown = browser.show(f"<!DOCTYPE html><title>a</title>{_MEASURE}{frame}", tmp_path)
    measured = re.search(r"<title>(\d+) (\d+) (\d+) of (\d+)</title>", shown.dom)
    assert measured is not None, shown.dom[:200]
    page, body, scrolling, boxes = map(int, measured.groups())
    assert page <= width
    assert body <= width
    assert wider <= scrolling <= boxes


_VERDICTS = """<script>onload = () => {
  const page = frames[0].document, boxes = [...page.querySelectorAll("h1, td.words:nth-child(3)")];
  const [title, ...cells] = boxes.map((each) => each.getBoundingClientRect());
  document.title = `${title.bottom} ${Math.max(title.right, ...cells.map((cell) => cell.right))} ${cells.length}`;
}</script>"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("of", "jobs"),
    [
        pytest.param(reviews.pull_request(), 4, id="pull-request"),
        pytest.param(reviews.bump(), 40, id="bump"),
        pytest.param(long_names(), 1, id="long-names"),
    ],
)
def test_a_narrow_page_shows_the_verdicts_without_scrolling(of: Review, jobs: int, tmp_path: Path) -> None:
    """That on the whole in the upper part of a telephone's window, that on each job without scrolling sideways."""
    frame = f'<iframe width="420" height="700" frameborder="0" srcdoc="{escape(as_html(of))}"></iframe>'
    shown = browser.show(f"<!DOCTYPE html><title>a</title>{_VERDICTS}{frame}", tmp_path)
    measured = re.search(r"<title>([\d.]+) ([\d.]+) (\d+)</title>", shown.dom)
    assert measured is not None, shown.dom[:200]
    bottom, right, cells = map(float, measured.groups())
    assert cells == jobs
    assert bottom <= 350
    assert right <= 420


@pytest.mark.parametrize("write", [as_markdown, as_text])
@pytest.mark.parametrize("of", [*EXAMPLES, pytest.param(long_names(), id="long-names")])
def test_the_verdict_is_in_the_first_lines(write: Callable[[Review], str], of: Review) -> None:
    """Of a comment whose first ten lines a forge shows in a list, or a mail."""
    verdict = format_report(of, "json").partition('"headline": "')[2].partition(":")[0]
    assert verdict.lower() in "\n".join(write(of).split("\n")[:10]).lower()


@pytest.mark.slow
def test_a_browser_shows_it(tmp_path: Path) -> None:
    text = as_html(reviews.pull_request())
    shown = browser.show(text, tmp_path)
    assert shown.console == []  # it would complain of a style that the policy forbids
    assert words(parsed(shown.dom)) == words(parsed(text))
