"""Which Markdown the comment takes for a report, judged by GitHub's own renderer and by another one."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import cmarkgfm
import html5lib
import pytest
from cmarkgfm.cmark import Options
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from kubectl_trainjob.cli.app import run
from tests.delivery.ci.runner import ACTIONS, ROOT

CANARY = "c4nary"


def _poster() -> tuple[ModuleType, ModuleType]:
    """The action's modules, which are in no package."""
    sys.path.insert(0, str(ACTIONS / "comment" / "poster"))
    try:
        return import_module("report"), import_module("subset")
    finally:
        sys.path.pop(0)


REPORT, SUBSET = _poster()


def why_rejected(text: str) -> str:
    """Why it is taken for no report; empty if it is one."""
    try:
        SUBSET.safe_ends(text)
    except SUBSET.NotAReportError as reason:
        return str(reason)
    return ""


def by_github(markdown: str) -> Any:
    html = cmarkgfm.github_flavored_markdown_to_html(markdown, options=Options.CMARK_OPT_UNSAFE)
    return html5lib.parse(html, namespaceHTMLElements=False)


def by_commonmark(markdown: str) -> Any:
    html = MarkdownIt("commonmark").enable("table").render(markdown)
    return html5lib.parse(html, namespaceHTMLElements=False)


PLAIN = {"html", "head", "body", "p", "pre", "code", "ul", "ol", "li", "strong", "em", "b", "br", "hr"}
PLAIN |= {"h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"}
ATTRIBUTES = {"open", "align", "class", "lang", "style", "start"}


def outside_of_code(tree: Any) -> Iterator[str]:
    """The pieces of text in which GitHub looks for mentions, references and addresses."""
    if tree.tag in ("code", "pre"):
        return
    yield tree.text or ""
    for child in tree:
        yield from outside_of_code(child)
        yield child.tail or ""


def assert_harmless(tree: Any) -> None:
    for each in tree.iter():
        assert each.tag in PLAIN, each.tag
        assert set(each.keys()) <= ATTRIBUTES, each.keys()
    for text in outside_of_code(tree.find("body")):
        assert not set("@#<>[]&$\\") & set(text), text
        assert CANARY not in text
        assert "://" not in text
        assert "www." not in text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("<img src=x>\n", "line 1 has HTML", id="HTML at the start of a line"),
        pytest.param("a <img src=x>\n", "line 1 has `<` outside of code", id="HTML in a line"),
        pytest.param("<details onclick=x>\n", "HTML", id="an attribute"),
        pytest.param("<details><summary>a</summary></details><img>\n", "HTML", id="HTML behind a folded part"),
        pytest.param("<summary><a href=x>b</a></summary>\n", "`<` outside", id="a link in a summary"),
        pytest.param("<summary><code><img src=x></code></summary>\n", "`<` outside", id="HTML in code of HTML"),
        pytest.param("<!-- a -->\n", "HTML", id="a comment"),
        pytest.param("- <b>\n  `<img>`\n", "`<` outside", id="HTML in a list"),
        pytest.param("> <b>\n", "`>` outside", id="HTML in a quotation"),
        pytest.param("[a](https://evil.example)\n", "`[` outside", id="a link"),
        pytest.param("![a](https://evil.example/x.png)\n", "`[` outside", id="an image"),
        pytest.param("[a]: https://evil.example\n", "`[` outside", id="a definition"),
        pytest.param("<https://evil.example>\n", "HTML", id="an address in angles"),
        pytest.param("https://evil.example\n", "an address", id="an address"),
        pytest.param("www.evil.example\n", "an address", id="an address without scheme"),
        pytest.param("**(WWW.evil.example)**\n", "an address", id="an address in bold"),
        pytest.param("ada@evil.example\n", "`@` outside", id="an e-mail"),
        pytest.param("@acme/admins\n", "`@` outside", id="a mention"),
        pytest.param("/approve\n", "a command", id="a bot's command"),
        pytest.param("- **1** /lgtm\n", "", id="no bot's command"),
        pytest.param("- /lgtm\n", "a command", id="a bot's command in a list"),
        pytest.param("  !merge\n", "a command", id="another bot's command"),
        pytest.param("&#64;acme\n", "`&` outside", id="a mention in disguise"),
        pytest.param("<summary>&#64;acme</summary>\n", "`&` outside", id="in a summary"),
        pytest.param("see #1\n", "`#` outside", id="an issue"),
        pytest.param("####### a\n", "`#` outside", id="no heading"),
        pytest.param("see GH-1\n", "a reference", id="an issue by its other name"),
        pytest.param("see 0123456789abcdef0\n", "a commit", id="a commit"),
        pytest.param("$\\sqrt{1}$\n", "`$` outside", id="a formula"),
        pytest.param("- [x] a\n", "`[` outside", id="a task"),
        pytest.param("```mermaid\na\n```\n", "a backtick without", id="a drawing"),
        pytest.param("~~~\na\n~~~\n", "`~` outside", id="another fence"),
        pytest.param("```\na\n", "is not closed", id="an open fence"),
        pytest.param("````\na\n```\n", "is not closed", id="a fence that is not closed by less"),
        pytest.param("```\na\n````\n<img>\n", "line 3 has a second end", id="a fence that is closed by more"),
        pytest.param("```\na\n   ```\n<img>\n", "line 3 has a second end", id="a fence that is closed further in"),
        pytest.param("- a\n  ```\nb\n  ```\n", "line 3 has a line of code that is not", id="a fence that a list ends"),
        pytest.param("`a\n", "a backtick without its pair", id="an open backtick"),
        pytest.param("`a\nb`\n", "a backtick without its pair", id="code of two lines"),
        pytest.param("| a |\n| --- |\n| `b | <img>` |\n", "a backtick without its pair", id="code over two cells"),
        pytest.param("\\`<img>`\n", "outside of code", id="an escaped backtick"),
        pytest.param("`` a `<img>\n", "a backtick without its pair", id="backticks that do not pair"),
        pytest.param("<details>\n`<img>`\n", "HTML next to text", id="Markdown inside of HTML"),
        pytest.param("a\n<details>\n", "HTML next to text", id="HTML inside of Markdown"),
        pytest.param("<details>\n```\n<img>\n```\n", "HTML next to text", id="a fence inside of HTML"),
        pytest.param("<details>\n\na\n", "is not closed", id="an open part"),
        pytest.param("</details>\n", "without its begin", id="an end too many"),
        pytest.param("<summary><b>a</summary>\n", "bold words without an end", id="bold without end"),
        pytest.param("a\u202eb\n", "an invisible character", id="bidi"),
        pytest.param("```\n\u202e\n```\n", "an invisible character", id="bidi in code"),
        pytest.param("a\rb\n", "an invisible character", id="another end of a line"),
        pytest.param("a\x00b\n", "an invisible character", id="NUL"),
        pytest.param("a\u00a0b\n", "an invisible character", id="another blank"),
        pytest.param("\ta\n", "an invisible character", id="a tab outside of code"),
        pytest.param("ад\n", "`а` outside of code", id="letters that look alike"),
        pytest.param("＠acme\n", "`＠` outside of code", id="a sign that looks alike"),
    ],
)
def test_what_is_no_report(text: str, why: str) -> None:
    assert why in why_rejected(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("### ❌ 1 error (of 2); see `x`: +3, “a” … — 50 %\n", id="words"),
        pytest.param("| a | b |\n| --- | ---: |\n| `@a` | **-1** |\n", id="a table"),
        pytest.param("- `#1`: `` a`b `` → ``` `` ```\n", id="code of all lengths"),
        pytest.param("- a:\n  ```diff\n  +\ta\n  -<img>@a\n  ```\n- b\n", id="code in a list"),
        pytest.param("`````\n````\n@a\n`````\n", id="a long fence"),
        pytest.param(
            "<details open><summary><b><code>&lt;a@b</code></b>: x<br>❌ y&#x27;s</summary>\n\na\n\n</details>\n",
            id="a part",
        ),
        pytest.param("<details><summary>a</summary>\n</details>\n", id="an empty part"),
    ],
)
def test_what_is_one(text: str) -> None:
    assert why_rejected(text) == ""
    assert_harmless(by_github(text))


DATA = f"{CANARY}<img src=x>@acme/team #1 https://evil.example [a](b)"
PIECES = [
    DATA,
    *("`", "``", "```", "````", "```diff", "  ```", "  ```diff", "~~~", "|", "\\", "\n", "\n\n", " ", "    ", "\t"),
    *("- ", "* ", "+ ", "1. ", "> ", "# ", "### ", "---", "===", "| a | b |\n| --- | --- |\n", "| ", " |", "**", "_"),
    *("<details>", "<details open>", "</details>", "<summary>", "</summary>", "<details><summary>a</summary>"),
    *("<b>", "</b>", "<br>", "<code>", "</code>", "<code>a</code>", "<!--", "-->", "<pre>", "<script>", "<?", "<!A"),
    *("&lt;", "&#64;", "&", "<", ">", "[", "](", "![", "@a", "#1", "https://", "www.", "GH-1", "a", "b\n", "`a`", "$"),
    *(
        f"`{CANARY}@a`",
        f"\n```\n{CANARY}@a\n```\n",
        f"\n- a:\n  ```diff\n  +{CANARY}@a\n  ```\n",
        f"<code>{CANARY}</code>",
    ),
    *(
        "\n\n</details>\n\n",
        "\n\n<details><summary>",
        "</summary>\n\n",
        "é",
        "❌",
        "\u202e",
        "\r",
        "\x0c",
        "\u2028",
        "\u00a0",
    ),
]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@example(f"a\n\n```\n{DATA}\n```\n")
def test_what_is_taken_for_a_report_says_nothing_in_our_name(text: str) -> None:
    if why_rejected(text) == "":
        for render in (by_github, by_commonmark):
            assert_harmless(render(text))


# What review builds its lines of, so that most texts are reports: then the first assertion covers the others.
BLOCKS = [
    f"### ❌ `{DATA}`\n\n",
    f"- `{DATA}`: `a` → `b`\n",
    f"- a:\n  ```diff\n  +{DATA}\n   x\n  ```\n",
    f"```\n{DATA}\n```\n",
    f"````\n```\n{DATA}\n````\n",
    f"<details open><summary><b><code>{CANARY}&lt;img&gt;@a</code></b>: a<br>b</summary>\n\n",
    "\n</details>\n\n",
    "<details><summary>a</summary>\n</details>\n\n",
    f"| a | b |\n| --- | ---: |\n| `{DATA}` | **-1** |\n\n",
    "**a**\n\n",
    "\n",
    "a\n",
    "1. a\n",
    "  a\n",
    f"    {CANARY.upper()}\n",
    "===\n",
    "---\n",
]


@given(st.lists(st.sampled_from(BLOCKS), max_size=12).map("".join))
def test_blocks_in_any_order(text: str) -> None:
    if why_rejected(text) == "":
        for render in (by_github, by_commonmark):
            assert_harmless(render(text))


@given(st.one_of(st.lists(st.sampled_from([*PIECES, "x" * 20_000, "😀" * 9_000]), max_size=14).map("".join), st.text()))
def test_whatever_it_is_the_comment_is_harmless_and_fits(text: str) -> None:
    body = REPORT.comment(text, "a" * 40, "https://github.example/acme/train/actions/runs/1")
    assert len(body.encode("utf-16-le")) // 2 <= 65_536
    marker, blank, rest = body.split("\n", 2)
    assert (marker, blank) == ("<!-- kubectl-trainjob review -->", "")
    said, line, _ = rest.rpartition("\n---\n")
    assert line
    for render in (by_github, by_commonmark):
        tree = render(body)
        (link,) = tree.iter("a")
        assert link.get("href") == "https://github.example/acme/train/actions/runs/1"
        assert_harmless(render(said))


SNAPSHOTS = sorted((ROOT / "tests").rglob("__snapshots__/**/*.md"))


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in SNAPSHOTS])
def test_all_recorded_markdown_is_taken_as_it_is(path: Path) -> None:
    assert why_rejected(path.read_text(encoding="utf-8")) == ""


def test_markdown_is_recorded() -> None:
    assert SNAPSHOTS


PAGES = (ROOT / "kubectl_trainjob" / "lint" / "manual").glob("KTJ*.md")
BAD = {
    page.stem: found[1]
    for page in sorted(PAGES)
    if (found := re.search(r"^## Bad.*?```yaml\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL))
}


def test_what_review_says_of_each_rule_is_taken_as_it_is(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """All that any rule can say, in the words that only we write."""
    (tmp_path / "old").mkdir()
    reported = set()
    for rule, bad in BAD.items():
        new = tmp_path / rule
        new.mkdir()
        (new / "example.yaml").write_text(bad)
        run("kubectl-trainjob", ["review", str(tmp_path / "old"), str(new), "-o", "markdown"])
        report = capfd.readouterr().out
        assert why_rejected(report) == "", (rule, report)
        reported |= set(re.findall(r"KTJ\d+", report))
    assert len(reported & set(BAD)) > 60
