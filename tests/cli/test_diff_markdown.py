"""The Markdown of a difference: what it says, that it fits, and what renderers make of it."""

from __future__ import annotations

import re
from typing import Any

import cmarkgfm
import html5lib
import pytest
from cmarkgfm.cmark import Options
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.report.markdown_syntax import code, fenced, folded, html_code, length, safe, sentence, table
from kubectl_trainjob.review.diff.view import Report
from tests.cli import diff_reports as reports
from tests.cli.pages import difference_as_markdown as as_markdown
from tests.cli.test_diff_html import EXAMPLES, words

GITHUBS_LIMIT = 65_536


class _Text(SingleFileSnapshotExtension):
    _write_mode = WriteMode.TEXT
    file_extension = "md"


@pytest.fixture
def text(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(_Text)


def by_github(markdown: str) -> Any:
    """The tree that GitHub's own renderer gives, its HTML read as a browser does."""
    html = cmarkgfm.github_flavored_markdown_to_html(markdown, options=Options.CMARK_OPT_UNSAFE)
    return html5lib.parse(html, namespaceHTMLElements=False)


def by_commonmark(markdown: str) -> Any:
    """The same by markdown-it, with tables."""
    html = MarkdownIt("commonmark").enable("table").render(markdown)
    return html5lib.parse(html, namespaceHTMLElements=False)


RENDERERS = pytest.mark.parametrize("render", [by_github, by_commonmark])


@pytest.mark.parametrize("of", EXAMPLES)
def test_texts(of: Report, text: SnapshotAssertion) -> None:
    assert as_markdown(of) == text


@RENDERERS
def test_rendered(render: Any) -> None:
    tree = render(as_markdown(reports.pull_request()))
    assert words(tree.find(".//h3")).startswith("Incomplete: 1 TrainJob cannot be built, overlays/prod cannot be")
    assert [words(each) for each in tree.iter("h4")] == ["What causes it", "What changes"]
    first, _ = tree.iter("table")
    assert [words(row) for row in first.iter("tr")][:2] == [
        "all TrainJobs together before after difference",
        "TrainJobs 4 3 -1",
    ]
    summaries = [words(each) for each in tree.iter("summary")]
    assert summaries[0] == "By namespace and queue"
    assert "JobSet/llama-9f2c, in namespace ml: added, renamed from llama-11ab" in summaries
    said = (
        "It is rejected in every state (spec.trainer is immutable); "
        "use a new name (nameHash of an overlay gives TrainJobs one), or delete and create it again."
    )
    assert f"TrainJob/bert, in namespace ml: changed❌ {said}" in summaries
    assert sum(each.get("open") is not None for each in tree.iter("details")) == 2
    (script,) = [each for each in tree.iter("pre") if "--lr" in words(each)]
    assert "-\t--lr 1e-4\n+\t--lr 3e-4 --warmup 500\n" in "".join(script.itertext())
    assert all(words(each) for each in tree.iter("li"))


@pytest.mark.parametrize("most", [200, 1_000, 5_000, 60_000])
def test_what_does_not_fit_is_counted(most: int) -> None:
    of = reports.large()
    text = as_markdown(of, most)
    assert length(text) <= max(most, 400)
    shown = text.count("<b><code>JobSet/")
    (hidden,) = re.findall(r"Not shown for lack of room: (\d+) objects", text)
    assert shown + int(hidden) == 1000


def test_what_is_not_shown_counts_all_objects_of_a_group() -> None:
    text = as_markdown(reports.image_bump(), 600)
    assert text.endswith(
        "**Not shown for lack of room: 40 objects, 1 part of the summary**; "
        "`kubectl trainjob diff -o html` shows more.\n"
    )


def test_a_full_comment_stays_below_githubs_limit_however_it_counts() -> None:
    rows = [reports.row(f"spec.a[{number}]", "😀" * 100, "𝒳" * 100) for number in range(30)]
    objects = [
        reports.changed(reports.identity("JobSet", f"{name}"), *rows, consequence=f"is {name}") for name in range(100)
    ]
    text = as_markdown(reports.report(objects))
    assert len(text.encode("utf-16-le")) // 2 <= 60_000 < GITHUBS_LIMIT
    assert len(text.encode()) <= 4 * GITHUBS_LIMIT


def test_one_object_does_not_take_all_the_room() -> None:
    rows = [reports.row(f"data[{number}]", f"a\n{'b' * 250}\n" * 40, "") for number in range(20)]
    text = as_markdown(reports.report([reports.changed(reports.identity("ConfigMap", "a"), *rows, job=None)]))
    assert "19 more values are not shown." in text
    assert length(text) < 20_000


def test_long_lists_are_counted() -> None:
    jobs = [reports.job(f"job-{number}") for number in range(150)]
    causes = [reports.cause(f"patch {number}", "overlay.yaml", number, jobs[:1]) for number in range(50)]
    text = as_markdown(reports.report(causes=[reports.cause("values", "overlay.yaml", 1, jobs), *causes]))
    assert "`ml/job-99` and 50 more" in text
    assert "11 more causes are not shown." in text


TEXT = st.text(st.one_of(st.sampled_from("`|\\ *_<>[]()!@#$&~:/-\n\t"), st.characters()), min_size=1, max_size=40)


def code_of(tree: Any) -> list[str]:
    return ["".join(each.itertext()) for each in tree.iter("code")]


@RENDERERS
@given(TEXT)
def test_code_is_what_was_written(render: Any, text: str) -> None:
    expected = safe(text).replace("|", "\\x7c")
    tree = render(f"a {code(text)} b\n\n{chr(10).join(table(('a', 'b'), [(code(text), code(text))]))}\n")
    assert code_of(tree) == [expected] * 3
    assert "".join(tree.find(".//p").itertext()) == f"a {expected} b"


@RENDERERS
@given(st.lists(st.tuples(st.sampled_from("+- "), TEXT), min_size=1, max_size=5))
def test_blocks_are_what_was_written(render: Any, lines: list[tuple[str, str]]) -> None:
    lines = [(sign, text.replace("\n", "")) for sign, text in lines]
    tree = render("- a\n" + "\n".join(fenced(lines, indent="  ")) + "\n- b\n")
    (block,) = tree.iter("pre")
    assert len("".join(block.itertext()).splitlines()) == len(lines)
    assert [words(each) for each in tree.find(".//ul")][-1] == "b"
    assert {str(each.tag) for each in tree.find("body").iter()} == {
        "body",
        "ul",
        "li",
        "pre",
        "code",
        *_paragraphs(tree),
    }


def _paragraphs(tree: Any) -> list[str]:
    return [each.tag for each in tree.iter("p")][:1]


@RENDERERS
@given(TEXT)
def test_a_message_keeps_its_words_and_gives_no_markup(render: Any, text: str) -> None:
    tree = render(sentence(say("It is {} here", text)) + "\n")
    assert {str(each.tag) for each in tree.find("body").iter()} <= {"body", "p", "code"}
    outside = "".join(
        part for each in tree.iter("p") for part in (each.text or "", *(child.tail or "" for child in each))
    )
    assert re.fullmatch(r"It is\s+here\s*", outside)


@RENDERERS
@given(TEXT)
def test_words_that_could_be_markup_are_code(render: Any, text: str) -> None:
    words = printable(text).replace("`", "'").replace("|", "/")
    tree = render(sentence(Message(f"It is {words} here")) + "\n")
    assert {str(each.tag) for each in tree.find("body").iter()} <= {"body", "p", "code"}
    assert "".join(tree.find("body").itertext()).split() == f"It is {words} here".split()


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (say("It isn't applied, unless the JobSet (which is re-created) says so: see 2 Pods."),) * 2,
        (say('{} has no "{}"', "a|b", "c d"), "`a\\x7cb` has no `c d`"),
        (say("write `trainer: {}` there", "a b"), "write `trainer: a b` there"),
        (say("write `a: [b]`, or @x and <b> or a_b"), "write `a: [b]`, or `@x` and `<b>` or `a_b`"),
        (say("{} is `not closed", "a"), "`a` is `not closed`"),
    ],
)
def test_data_and_what_backticks_enclose_are_code(message: Message, expected: str) -> None:
    assert sentence(message) == expected


@RENDERERS
@given(TEXT)
def test_data_in_a_fold_is_text(render: Any, text: str) -> None:
    tree = render("\n".join(folded(f"a {html_code(text)}", ["b"])) + "\n")
    assert {str(each.tag) for each in tree.find("body").iter()} == {"body", "details", "summary", "code", "p"}
    assert code_of(tree) == [safe(text)]
