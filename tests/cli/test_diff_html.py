"""The HTML page of a difference: what it says, how it is built, and what a browser makes of it.

The pages in `__snapshots__` were looked at in Chromium: wide, narrow, dark and printed.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import html5lib
import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from kubectl_trainjob.report.html_style import STYLE
from kubectl_trainjob.review.diff.view import Report
from tests.cli import browser
from tests.cli import diff_reports as reports
from tests.cli.pages import difference_as_html as as_html

EXAMPLES = [
    pytest.param(reports.image_bump(), id="image-bump"),
    pytest.param(reports.pull_request(), id="pull-request"),
    pytest.param(reports.upgrade(), id="upgrade"),
    pytest.param(reports.empty(), id="empty"),
]


class _Page(SingleFileSnapshotExtension):
    _write_mode = WriteMode.TEXT
    file_extension = "html"


@pytest.fixture
def page(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(_Page)


def parsed(text: str) -> Element:
    """The page as a browser reads it; anything that is no HTML fails."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    tree: Any = parser.parse(text)
    return tree


def words(element: Element) -> str:
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip()


@pytest.mark.parametrize("of", EXAMPLES)
def test_pages(of: Report, page: SnapshotAssertion) -> None:
    """But for the style, which stands once in the page: it is no different from page to page."""
    before, style, after = as_html(of).partition(STYLE)
    assert style == STYLE
    assert STYLE not in after
    assert f"{before}/* style */{after}" == page


@pytest.mark.parametrize("of", EXAMPLES)
def test_a_page_is_html_with_one_heading_of_each_level_below_the_next(of: Report) -> None:
    tree = parsed(as_html(of))
    levels = [int(each.tag[1]) for each in tree.iter() if re.fullmatch("h[1-6]", str(each.tag))]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert [tree.get("lang"), words(tree.find("head/title"))[:4]] == ["en", f"{of.old} →"[:4]]  # type: ignore[arg-type]


@pytest.mark.parametrize("of", EXAMPLES)
def test_tables_say_what_their_numbers_are(of: Report) -> None:
    for table in parsed(as_html(of)).iter("table"):
        head, *rows = table.iter("tr")
        assert {each.get("scope") for each in head} == {"col"}
        assert {len(row) for row in rows} == {len(head)}
        assert all(each.get("scope") == "row" for row in rows for each in row if each.tag == "th")


@pytest.mark.parametrize("of", EXAMPLES)
def test_nothing_is_loaded_run_or_sent(of: Report) -> None:
    text = as_html(of)
    tree = parsed(text)
    assert not {str(each.tag) for each in tree.iter()} & {
        "script",
        "link",
        "img",
        "iframe",
        "a",
        "form",
        "object",
        "base",
    }
    assert not {
        name for each in tree.iter() for name in each.attrib if name in ("src", "href", "style") or name[:2] == "on"
    }
    assert "url(" not in text
    assert "@import" not in text
    (policy,) = [each.get("content") for each in tree.iter("meta") if each.get("http-equiv")]
    (style,) = list(tree.iter("style"))
    digest = b64encode(sha256((style.text or "").encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def test_one_change_of_many_objects_is_told_once() -> None:
    tree = parsed(as_html(reports.image_bump()))
    values = [each for each in tree.iter("li") if each.get("class") == "value"]
    assert [words(each) for each in values] == [
        "✕ refusedspec.replicatedJobs[node].template.spec.template.spec.containers[node].image"
        "runtimes/torch-distributed.yaml:31"
        "ghcr.io/acme/train:2.3.0-cuda12.4→ becomes ghcr.io/acme/train:2.4.1-cuda12.4"
    ]
    names = [words(each) for each in tree.iter("ul") if each.get("class") == "names"]
    assert [name.count("bert-") for name in names] == [40, 40]  # those that a cause changes, those that are alike


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("acme/train:1.2.0", "acme/train:1.4.0", ["2", "4"], id="in the middle"),
        pytest.param("acme/train:10", "acme/train:12", ["10", "12"], id="whole words"),
        pytest.param("a b", "a b c", ["", " c"], id="one is longer"),
        pytest.param("2", "4", ["", ""], id="nothing in common"),
        pytest.param("a-b", "c-b", ["a", "c"], id="at the start"),
        pytest.param("ab", "xab", ["", ""], id="inside of a word"),
    ],
)
def test_what_differs_is_underlined(old: str, new: str, expected: list[str]) -> None:
    of = reports.report([reports.changed(reports.identity("JobSet", "a"), reports.row("spec.a", old, new))])
    assert [each.text or "" for each in parsed(as_html(of)).iter("mark")] == expected


@pytest.mark.slow
def test_many_objects_are_folded_and_small() -> None:
    text = as_html(reports.large())
    tree = parsed(text)
    objects = [each for each in tree.iter("details") if "object" in (each.get("class") or "")]
    assert len(objects) == 1000
    assert sum(each.get("open") is not None for each in objects) == 10
    assert len(text) < 3_000_000


def test_more_values_than_anybody_reads_are_counted() -> None:
    rows = [reports.row(f"spec.a{number}", 1, 2) for number in range(507)]
    of = reports.report([reports.changed(reports.identity("JobSet", "a"), *rows)])
    assert "7 more values are in -o json." in as_html(of)


PAIRS = [
    *(("text", on) for on in ("page", "card", "soft")),
    *(("faint", on) for on in ("page", "card")),
    *(("bad", on) for on in ("card", "bad-soft")),
    *(("good", on) for on in ("card", "good-soft")),
    ("text", "bad-soft"),
    ("link", "card"),
]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(("front", "back"), PAIRS)
def test_texts_have_the_contrast_that_wcag_asks_for(front: str, back: str, dark: bool) -> None:
    light, _, rest = STYLE.partition("@media (prefers-color-scheme: dark)")
    colours = dict(re.findall(r"--([\w-]+): #([0-9a-f]{6})", rest.partition("* {")[0] if dark else light))
    lighter, darker = sorted((_luminance(colours[front]), _luminance(colours[back])), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5  # WCAG 2.2, 1.4.3 (AA)


def _luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.slow
def test_a_browser_shows_it(tmp_path: Path) -> None:
    shown = browser.show(as_html(reports.pull_request()), tmp_path)
    assert shown.console == []  # it would complain of a style that the policy forbids
    tree = html5lib.parse(shown.dom, namespaceHTMLElements=False)
    assert words(tree.find("head/title")) == (
        "main → feature/bigger-bert: not all is known: 1 TrainJob cannot be built, "
        "overlays/prod cannot be read in full, 1 error in the files; "
        "1 TrainJob changes, 1 is renamed, 1 is removed; 2 updates are refused; "
        "+16 nvidia.com/gpu, +8 rdma/hca; 2 other objects differ"
    )
    assert words(tree.find(".//h1")) == "1 TrainJob changes, 1 is renamed, 1 is removed"
    assert words(tree) == words(parsed(as_html(reports.pull_request())))


@pytest.mark.slow
def test_a_browser_would_complain_of_another_style(tmp_path: Path) -> None:
    shown = browser.show(as_html(reports.empty()).replace("<style>", "<style>p{color:red}"), tmp_path)
    assert any("Content Security Policy" in line for line in shown.console)


@pytest.mark.slow
def test_a_browser_opens_a_thousand_objects(tmp_path: Path) -> None:
    shown = browser.show(as_html(reports.large()), tmp_path)
    assert shown.dom.count("<h3>") == 1000
    assert shown.console == []
