"""Reviews whose data wants to be more than text, in every place that a review reports data in."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.kube.updates.result import STATES
from kubectl_trainjob.model.finding import LintReport
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.model.stages import JobId, ObjectId
from kubectl_trainjob.report.review import format_report
from kubectl_trainjob.review.diff.changes import Incomplete, Sizes, Totals
from kubectl_trainjob.review.result import Impact, JobRow, Review, ReviewVerdict
from tests.cli import browser
from tests.cli.pages import review_as_html as as_html
from tests.cli.pages import review_as_markdown as as_markdown
from tests.cli.pages import review_as_text as as_text
from tests.cli.test_diff_markdown import by_commonmark, by_github
from tests.hostile import test_diff_pages as pages
from tests.hostile.test_diff_pages import HARMLESS, harmless, in_code, outside_of_code, parsed, shape
from tests.hostile.test_lint_reports import HOSTILE
from tests.hostile.test_lint_reports import hostile as hostile_findings
from tests.loops import for_each, sampled
from tests.unit.report.lint.commands_read import commands

pytestmark = pytest.mark.slow

EACH = for_each("text", HOSTILE, at_least=88)
RENDERERS = for_each("render", {"GitHub": by_github, "CommonMark": by_commonmark}, at_least=2)
visits = pages.visits

KINDS = (("trainer.kubeflow.org/v1alpha1", "TrainJob"), ("jobset.x-k8s.io/v1alpha2", "JobSet"))
CHANGES = (
    *("unknown", "changed", "changed", "unknown", "renamed", "removed"),
    *("changed", "changed", "changed", "added", "changed"),
)


def hostile(text: str, words: Message = HARMLESS, verdict: ReviewVerdict = ReviewVerdict.UNKNOWN) -> Review:
    """A review with the text in every place that data can be in; `words` stand where sentences do."""
    line = " ".join(text.split("\n"))  # names have no line feeds
    # A text with both ends of lines is YAML in quotes, and so of fewer lines than a harmless one.
    report = pages.hostile(text.replace("\r", " ") if "\n" in text else text, words)
    incomplete, moved = (Incomplete(line, is_old=True, is_new=True),), ((line, f"{line}y"),)
    difference = replace(report.difference, incomplete=incomplete, moved=moved)
    lint = hostile_findings(text, words)
    reported, rows = replace(report, difference=difference), tuple(_rows(line, lint))
    return Review(reported, lint, lint.results, rows, difference.changes, verdict)


def _rows(line: str, lint: LintReport) -> list[JobRow]:
    """Each impact of a TrainJob and of a JobSet; two have a namespace each, and the same name in several overlays."""
    gpus = {f"{line}.{name}/gpu": Quantity.parse("8") for name in "ab"}
    sizes = Sizes(Totals(1, 1, 8, gpus), Totals(1, 2, 8, {name: amount * 2 for name, amount in gpus.items()}))
    return [
        JobRow(
            JobId(ObjectId(*kind, line, f"{line}{number % 3}"), f"{line}{number}"),
            change,  # type: ignore[arg-type]
            impact,
            Sizes(None, sizes.after) if impact is Impact.UNKNOWN else sizes,
            STATES[:2] if impact is Impact.REJECTED else (),
            JobId(ObjectId(*kind, line * (number % 2), f"{line}z")) if change == "renamed" else None,
            lint.results[: number % 4],
        )
        for kind in KINDS
        for number, (impact, change) in enumerate(zip(Impact, CHANGES, strict=True))
    ]


def without_colours(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@sampled(every=9)
@EACH
@for_each("form", ["text", "markdown", "json", "html"], at_least=4)
def test_nothing_unseen_and_no_command_is_printed(form: str, text: str) -> None:
    out = format_report(hostile(text, say("is {}", text)), form)
    assert out.endswith("\n")
    out.encode()
    kept = re.sub("[\n\t]" if form in ("markdown", "html") else "\n", "", out).replace("⚠\ufe0f", "")  # our sign
    assert printable(kept) == kept
    assert commands(out) == []
    # Others trim a line before they look for `::`, and look for `##[` anywhere in it, whichever words follow.
    assert [line for line in out.split("\n") if re.match(r"\s*::", line) or re.search(r"##\w*\[", line)] == []


@sampled(every=12)
@EACH
def test_colours_of_a_terminal_are_ours(text: str) -> None:
    coloured, other = (as_text(hostile(each), has_colour=True) for each in (text, harmless(text)))
    plain, reported = (
        re.sub(r"^(\s*)\\x3a:", r"\1::", each, flags=re.MULTILINE) for each in (as_text(hostile(text)), coloured)
    )
    assert (
        without_colours(reported) == plain
    )  # but for the escape of a line that, with its colour, begins with no command
    assert sorted(re.findall(r"\x1b\[[0-9;]*m", coloured)) == sorted(re.findall(r"\x1b\[[0-9;]*m", other))


@sampled(every=9)
@EACH
def test_no_line_of_a_comment_is_a_command_to_a_bot(text: str) -> None:
    out = as_markdown(hostile(text, say("is {}", text)))
    assert [line for line in out.split("\n") if line.startswith(("/", "@", "!"))] == []


@EACH
def test_json_is_strict_and_holds_the_names(text: str) -> None:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len({key for key, _ in pairs}) == len(pairs)
        return dict(pairs)

    def rejected(constant: str) -> Any:
        raise AssertionError(constant)

    out = format_report(hostile(text, say("is {}", text)), "json")
    reported = json.loads(out, object_pairs_hook=unique, parse_constant=rejected)
    assert list(reported) == ["schemaVersion", "verdict", "headline", "leftOut", "jobs", "diff", "lint"]
    assert len(reported["jobs"]) == 2 * len(Impact)
    line = " ".join(text.split("\n"))
    expected = re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", line)  # half a character is no text
    assert {each["namespace"] for each in reported["jobs"]} == {expected}
    assert {each["name"] for each in reported["jobs"]} == {f"{expected}{number}" for number in range(3)}


@sampled(every=12)
@EACH
@RENDERERS
def test_markdown_has_no_markup_and_no_text_but_ours_outside_of_code(render: Any, text: str) -> None:
    tree, other = (render(as_markdown(hostile(each), most=10**9)) for each in (text, harmless(text)))
    assert shape(tree) == shape(other)
    assert outside_of_code(tree) == outside_of_code(other)
    tables = [each for each in tree.iter("table") if "world size" in "".join(each.itertext())]  # the second is folded
    assert [len(row) for table in tables for row in table.iter("tr")] == [6] * (len(tables) + 2 * len(Impact))
    line = " ".join(text.split("\n"))
    if len(line) < 50 and "##" not in line and "|" not in line and line.strip():
        assert printable(f"{line}/{line}0") in list(in_code(tables[0]))


TAGS = "html head body h3 h4 p strong b br ul li pre code details summary table thead tbody tr th td"


@sampled(every=12)
@EACH
@RENDERERS
@for_each("verdict", [ReviewVerdict.UNBUILT, ReviewVerdict.REJECTED], at_least=2)
def test_sentences_with_data_give_no_markup_in_markdown(render: Any, text: str, verdict: ReviewVerdict) -> None:
    tree = render(as_markdown(hostile("x", say("is {} there", text), verdict), most=10**9))
    assert {str(each.tag) for each in tree.iter()} <= {*TAGS.split()}
    assert {name for each in tree.iter() for name in each.attrib} <= {"open", "class", "align", "style", "lang"}
    assert not re.search(r"@|#|\bwww\.|://|:\w+:|\$|\bGH-\d|<|\[", outside_of_code(tree))


@sampled(every=12)
@EACH
def test_html_has_no_markup_from_data(text: str) -> None:
    tree, other = (parsed(as_html(hostile(each))) for each in (text, harmless(text)))
    assert shape(tree) == shape(other)
    assert outside_of_code(tree) == outside_of_code(other)
    tables = [each for each in tree.iter("table") if "world size" in "".join(each.itertext())]  # the second is folded
    assert [len(row) for table in tables for row in table.iter("tr")] == [6] * (len(tables) + 2 * len(Impact))
    line = " ".join(text.split("\n"))
    if len(line) < 50:
        assert printable(f"{line}/{line}0") in list(in_code(tables[0]))


@sampled(every=12)
@EACH
def test_sentences_with_data_give_no_markup_in_html(text: str) -> None:
    tree, other = (parsed(as_html(hostile("x", say("is {} there", each)))) for each in (text, "harmless"))
    left = shape(tree)
    left.subtract(shape(other))
    assert {tag for tag, count in left.items() if count} <= {("code", ())}


@sampled(every=9)
@EACH
def test_a_terminal_has_a_line_a_job(text: str) -> None:
    reported, other = (as_text(hostile(each)).split("\n") for each in (text, harmless(text)))
    assert len(reported) == len(other) or not text.strip()  # a blank line of a file is not shown
    assert sum(line.endswith(("1 error", "2 errors", "errors, 1 warning")) for line in reported) >= 6


@sampled(every=6)
@for_each("form", ["markdown", "html"], at_least=2)
@for_each("piece", ["x`<@\x1b", "\U000e0101|", "```\n::error::"], at_least=3)
def test_long_data_is_cut_everywhere(form: str, piece: str) -> None:
    text = piece * (100_000 // len(piece))
    out = format_report(hostile(text, say("{}", text)), form)
    assert len(out) < 2_000_000
    assert form == "html" or len(out.encode("utf-16-le")) // 2 <= 65_536


@sampled(every=9)
@for_each("verdict", ReviewVerdict, at_least=8)
@for_each("piece", ["x", "\U000e0101", "`", "|"], at_least=4)
def test_ten_thousand_characters_are_always_enough(piece: str, verdict: ReviewVerdict) -> None:
    out = as_markdown(hostile(piece * 4000, say("{}", piece * 4000), verdict), 10_000)
    assert len(out.encode("utf-16-le")) // 2 <= 10_000
    assert "**Not shown for lack of room: " in out


@pytest.mark.slow
def test_a_browser_runs_and_loads_nothing(tmp_path: Path, visits: tuple[str, list[str]]) -> None:
    address, asked = visits
    made = [as_html(hostile(f"{text} {pages.loading(address)}", say("is {}", text))) for text in HOSTILE.values()]
    bodies = "".join(page.partition("<body>")[2].partition("</body>")[0] for page in made)
    shown = browser.show(made[0].replace("</body>", f"{bodies}</body>"), tmp_path)
    assert shown.console == []  # it would complain of each script, style and address that the policy forbids
    assert asked == []
    title = re.search("<title>(.*?)</title>", shown.dom)
    assert title is not None
    assert title[1].startswith("\\x1b[31mred")
    tags = set(re.findall(r"<(\w+)", shown.dom.partition("<body>")[2]))
    assert not tags & {"script", "img", "link", "iframe", "svg", "form", "input", "meta", "style"}
