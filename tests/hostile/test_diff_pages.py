"""Pages of differences whose data wants to be more than text: in HTML, Markdown, a terminal, a log of a CI system."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import html5lib
import pytest

from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.kube.updates.result import RejectedChange, UpdateResult
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.model.source import ABSENT
from kubectl_trainjob.model.stages import JobId, ObjectId
from kubectl_trainjob.review.diff.changes import Change, Difference, FieldChange, Group, Incomplete, Totals
from kubectl_trainjob.review.diff.view import FileError, Report, SourceLine, view_difference
from tests.cli import browser
from tests.cli import diff_reports as reports
from tests.cli.pages import difference_as_html as as_html
from tests.cli.pages import difference_as_markdown as as_markdown
from tests.cli.pages import difference_as_text as as_text
from tests.cli.test_diff_markdown import by_commonmark, by_github
from tests.loops import for_each, sampled

HOSTILE = {
    "CSI": "\x1b[31mred\x1b[0m",
    "title of a terminal": "\x1b]0;owned\x07",
    "clipboard": "\x1b]52;c;aWQ=\x07",
    "link of a terminal": "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "C1": "\x9b31mred\x9d0;x\x9c",
    "carriage return": "harmless\rharmful",
    "backspace": "abc\x08\x08\x08xyz",
    "NUL": "a\0b",
    "bidi": "\u202etxt.exe\u202c \u2066a\u2069 \u200fb",
    "zero width": "pay\u200bpal \u2060x \ufeffy",
    "blank letters": "a\u3164b\u115f\u2800c",
    "variation selectors": "a\ufe0f\U000e0101",
    "tags": "a\U000e0041\U000e007f",
    "lone surrogate": "a\udc80b\ud800",
    "line separators": "a\u2028b\u2029c\x85d\x0be\x0cf",
    "script": "<script>document.title='owned'</script>",
    "image": "<img src=x onerror=\"document.title='owned'\">",
    "svg": "<svg/onload=document.title='owned'>",
    "end of style": "</style></title></textarea><script>document.title='owned'</script>",
    "comment": "<!-- --><!--><![CDATA[ ]]> -->",
    "attribute": "\" onmouseover=\"document.title='owned'\" x='",
    "entity": "&lt;b&gt; &#60;b&#62; &amp;amp;",
    "end of details": "</details></summary></code></pre></table></body></html><h1>owned</h1>",
    "meta": '<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/">',
    "form": '<form action="http://127.0.0.1:9/"><input name=a><button>Sign in</button></form>',
    "template": "{{constructor.constructor('document.title=1')()}} ${7*7} <%= 7 %>",
    "mention": "@kubernetes/owners @torvalds",
    "issue": "#123 GH-123 kubeflow/trainer#1 fixes #1",
    "commit": "kubeflow/trainer@8c0f5059b0c0ffee8c0f5059b0c0ffee8c0f5059",
    "autolink": "https://evil.example/login www.evil.example me@evil.example <https://evil.example>",
    "link": "[click](https://evil.example) [a]: https://evil.example ![i](https://evil.example/x.png)",
    "script link": "[click](javascript:alert(1)) <javascript:alert(1)>",
    "reference": "[a]: https://evil.example",
    "emphasis": "**bold** _em_ ~~gone~~ ***",
    "heading": "# owned",
    "rule": "---",
    "underline": "===",
    "quote": "> [!CAUTION]",
    "list": "- [x] done",
    "numbers": "1. one",
    "table": "| a | b \\| c || \\\\| d |",
    "backslashes": "\\` \\\\`` \\",
    "formula": "$x$ $$y$$ $`z`$",
    "emoji": ":tada: :shipit:",
    "footnote": "[^1] [^1]: note",
    "colour": "#0969DA rgb(1,2,3)",
    "slash command": "/lgtm",
    "suggestion": "```suggestion",
    "diagram": "```mermaid\ngraph TD; a-->b\n```",
    "GitHub command": "::set-output name=a::b",
    "GitHub mask": " ::add-mask::bert",
    "GitHub stop": "\t::stop-commands::x",
    "old command": "a ##[add-mask]b",
    "Azure command": "##vso[task.setvariable variable=a]b",
    "TeamCity command": "##teamcity[buildStatus text='a']",
    "commands in lines": "a\n::set-env name=a::b\n  ::debug::x\n##[error]c\n/approve\n@team\n#1",
    "fence in lines": "a\n```\n</details>\n~~~\n@team\n````diff\n",
    "HTML in lines": "a\n\n<script>document.title='owned'</script>\n\n<!--\n",
    "blank": " ",
    "blanks": "  a  ",
    "ticks at the ends": "` a `",
    "long": "x" * 5000 + "@team",
    **{f"{count} ticks": f"a{'`' * count}</code>@team{'`' * (count + 1)}b" for count in range(1, 9)},
}
EACH = for_each("text", HOSTILE, at_least=70)
RENDERERS = for_each("render", {"GitHub": by_github, "CommonMark": by_commonmark}, at_least=2)

HARMLESS = say("is harmless")


def harmless(text: str) -> str:
    """A text of the same shape: with a slash it names a device, with a surrogate it is no YAML, a command is quoted."""
    return re.sub(
        "(^[^\\S\n]*::|##\\w*\\[)|[^\n/\ud800-\udfff]", lambda found: found[1] or "x", text, flags=re.MULTILINE
    )


def hostile(text: str, words: Message = HARMLESS) -> Report:
    """A report with the text in every place that data can be in; `words` stand where sentences do."""
    line = " ".join(text.split("\n"))  # names have no line feeds
    ids = [ObjectId("jobset.x-k8s.io/v1alpha2", line, line, f"{line}{number}") for number in range(4)]
    at: Any = (line, 3)
    verdict = UpdateResult(
        (RejectedChange("running", ("spec", line), words), RejectedChange("suspended", ("spec",), words))
    )
    rows = (
        reports.row(line, text, "y", at, (f"y{line}", 4), update_result=UpdateResult(verdict.rejections[:1])),
        reports.row(f"spec[{line}].a.{line}", {"y": text}, ["y"] * 40, at),
        reports.row(f"{line}.y", ABSENT, text, None, at),
        reports.row(f"{line}.z", f"{text}y", f"{text}z"),
        reports.row(f"{line}.n", f"same\nsame\n{text}\nsame\n", f"same\nsame\ny{text}\nsame\n"),
        reports.row(f"{line}.l", f"{text}\n", "y\n"),
        reports.row(f"{line}.k", text, 4),
    )
    about: dict[str, Any] = {"update_result": verdict, "consequence": words, "overlay": line, "job": ids[3]}
    objects = [
        reports.changed(ids[0], *rows, **about),
        reports.added(ids[1], *rows[:1], counterpart=ids[2], job=ids[1]),
        reports.removed(ids[2], counterpart=ids[1], job=None),
        *(reports.removed(each, job=ids[3], overlay=f"{line}{each.name}") for each in ids),
    ]
    resources = {line: Quantity.parse("1"), f"{line}/y": Quantity.parse("8")}
    numbers = Totals(1, 2, 3, resources), Totals(1, 2, 4, {name: amount * 2 for name, amount in resources.items()})
    groups = {Group(line, line): numbers, Group(f"{line}y", ""): numbers}
    causes = [reports.cause(line, line, 5, ids), reports.cause(line, line, 6)]
    about_it = {"unbuilt": [JobId(each, overlay) for each in ids for overlay in (line, "")], "new_runs": [ids[0]]}
    incomplete = [Incomplete(line, is_old=True, is_new=True), Incomplete("", is_old=False, is_new=True)]
    problems = [FileError(side, line, line, words, SourceLine(line, 7)) for side in ("old", "new", "both")]
    return reports.report(
        objects, (line, line), numbers, causes, groups, incomplete=incomplete, problems=problems, **about_it
    )


def shape(tree: Any) -> Counter[tuple[str, tuple[tuple[str, str], ...]]]:
    """The elements with their attributes; where a line may break (`wbr`) follows the data."""
    found = Counter((str(each.tag), tuple(sorted(each.attrib.items()))) for each in tree.iter())
    del found["wbr", ()]
    return found


def in_code(tree: Any) -> Iterator[str]:
    return ("".join(each.itertext()) for each in tree.iter("code"))


def outside_of_code(tree: Any) -> str:
    """The text in which a forge looks for mentions, issues, links, emoji and formulas."""
    parts: list[str] = []

    def gather(element: Any) -> None:
        if element.tag not in ("code", "pre"):
            parts.append(element.text or "")
            for child in element:
                gather(child)
                parts.append(child.tail or "")

    gather(tree.find("body"))
    return "".join(parts)


def parsed(text: str) -> Any:
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)


@sampled(every=10)
@EACH
def test_html_has_no_markup_from_data(text: str) -> None:
    tree = parsed(as_html(hostile(text)))
    assert shape(tree) == shape(parsed(as_html(hostile(harmless(text)))))
    line = " ".join(text.split("\n"))
    if len(line) < 100:
        assert printable(line) in list(in_code(tree))


@sampled(every=10)
@EACH
def test_sentences_with_data_give_no_markup_in_html(text: str) -> None:
    tree, other = (parsed(as_html(hostile("x", say("is {} there", each)))) for each in (text, "harmless"))
    left = shape(tree)
    left.subtract(shape(other))
    assert {tag for tag, count in left.items() if count} <= {("code", ())}


@sampled(every=10)
@EACH
@RENDERERS
def test_markdown_has_no_markup_and_no_text_but_ours_outside_of_code(render: Any, text: str) -> None:
    tree, other = (render(as_markdown(hostile(each), most=10**9)) for each in (text, harmless(text)))
    assert shape(tree) == shape(other)
    assert outside_of_code(tree) == outside_of_code(other)
    line = " ".join(text.split("\n"))
    if len(line) < 100 and "##" not in line and "|" not in line and line.strip():
        assert printable(line) in list(in_code(tree))


@sampled(every=10)
@EACH
@RENDERERS
def test_sentences_with_data_give_no_markup_in_markdown(render: Any, text: str) -> None:
    tree = render(as_markdown(hostile("x", say("is {} there", text)), most=10**9))
    known = {
        "html",
        "head",
        "body",
        "h3",
        "h4",
        "p",
        "strong",
        "b",
        "br",
        "ul",
        "li",
        "pre",
        "code",
        "details",
        "summary",
    }
    assert {str(each.tag) for each in tree.iter()} <= known | {"table", "thead", "tbody", "tr", "th", "td"}
    assert not re.search(r"@|#|\bwww\.|://|:\w+:|\$|\bGH-\d|<|\[", outside_of_code(tree))


@sampled(every=6)
@EACH
@for_each("write", {"html": as_html, "markdown": as_markdown, "text": as_text}, at_least=3)
def test_nothing_unseen_and_no_command_is_printed(write: Any, text: str) -> None:
    out = write(hostile(text, say("is {}", text)))
    kept = re.sub("[\n\t]", "", out)
    assert printable(kept) == kept
    # GitHub's runner trims a line before it looks for `::`, and looks for `##[` anywhere in it; so do others.
    assert [line for line in out.split("\n") if re.match(r"\s*::", line) or re.search(r"##\w*\[", line)] == []
    out.encode()


@EACH
def test_no_line_of_a_comment_is_a_command_to_a_bot(text: str) -> None:
    out = as_markdown(hostile(text, say("is {}", text)))
    assert [line for line in out.split("\n") if line.startswith(("/", "@", "!"))] == []


@pytest.mark.slow
def test_long_data_is_cut_everywhere() -> None:
    text = "x`<@\x1b" * 40_000
    report = hostile(text, say("{}", text))
    assert len(as_html(report)) < 250_000
    assert len(as_markdown(report, most=10**9)) < 100_000
    assert len(as_markdown(report)) <= 60_000


@pytest.fixture
def visits() -> Iterator[tuple[str, list[str]]]:
    """A web server and the paths that were asked of it."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


def loading(address: str) -> str:
    return (
        f'</style></title></code><img src="{address}/img" onerror="document.title=\'owned\'">'
        f'<link rel=stylesheet href="{address}/css"><iframe src="{address}/frame"></iframe>'
        f"<script src='{address}/js'></script><script>document.title='owned'</script>"
        f"<style>@import url({address}/import)</style><div style='background:url({address}/style)'>"
    )


@pytest.mark.slow
def test_a_browser_runs_and_loads_nothing(tmp_path: Path, visits: tuple[str, list[str]]) -> None:
    address, asked = visits
    pages = [as_html(hostile(f"{text} {loading(address)}", say("is {}", text))) for text in HOSTILE.values()]
    bodies = "".join(page.partition("<body>")[2].partition("</body>")[0] for page in pages)
    shown = browser.show(pages[0].replace("</body>", f"{bodies}</body>"), tmp_path)
    assert shown.console == []  # it would complain of each script, style and address that the policy forbids
    assert asked == []
    title = re.search("<title>(.*?)</title>", shown.dom)
    assert title is not None
    assert title[1].startswith("\\x1b[31mred")
    tags = set(re.findall(r"<(\w+)", shown.dom.partition("<body>")[2]))
    assert not tags & {"script", "img", "link", "iframe", "svg", "form", "input", "meta", "style"}


@pytest.mark.slow
def test_the_same_data_as_markup_would_run_and_load(tmp_path: Path, visits: tuple[str, list[str]]) -> None:
    """What the test above sees if it goes wrong."""
    address, asked = visits
    shown = browser.show(f"<title>a</title>{loading(address)}", tmp_path)
    assert "<title>owned</title>" in shown.dom
    assert {"/img", "/css", "/frame", "/js", "/import", "/style"} <= set(asked)


CANARY = "canary-7f3a"


@pytest.mark.parametrize("write", [as_html, as_markdown, as_text])
def test_no_secret_is_reported(write: Any) -> None:
    def secret(value: str) -> dict[str, Any]:
        applied = {"kubectl.kubernetes.io/last-applied-configuration": f'{{"data":"{value}"}}'}
        metadata = {"name": "hub", "annotations": applied}
        return {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": metadata,
            "data": {"a": value},
            "stringData": {"b": value},
        }

    old, new = secret(f"{CANARY}-old"), secret(f"{CANARY}-new")
    pointers = [("data", "a"), ("stringData", "b"), ("data",), ("metadata", "annotations")]
    fields = [FieldChange(pointer, pointer, _at(old, pointer), _at(new, pointer)) for pointer in pointers]
    identity = reports.identity("Secret", "hub")
    changes = (
        Change(identity, "changed", old, new, tuple(fields), is_secret=True),
        Change(identity, "added", None, new, tuple(field._replace(old=ABSENT) for field in fields), is_secret=True),
        Change(identity, "removed", old, None, is_secret=True),
    )
    summary = reports.empty().difference.summary
    out = write(view_difference("a", "b", Difference(changes, summary), lambda _: SourceLine("a", 1)))
    assert CANARY not in out
    assert "***" in out


def _at(body: Any, pointer: tuple[str, ...]) -> Any:
    for key in pointer:
        body = body[key]
    return body
