"""Pages of `env` and `explain` whose data wants to be more than text."""

from __future__ import annotations

import re
from typing import Any

from kubectl_trainjob.explain.columns import LineNote
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.report import blocks
from kubectl_trainjob.report.render import render
from tests.cli.test_diff_markdown import by_commonmark, by_github
from tests.hostile.test_diff_pages import harmless, in_code, outside_of_code, parsed, shape
from tests.hostile.test_lint_reports import HOSTILE
from tests.loops import for_each, sampled
from tests.unit.report.lint.commands_read import commands

EACH = for_each("text", HOSTILE, at_least=88)
RENDERERS = for_each("render_page", {"GitHub": by_github, "CommonMark": by_commonmark}, at_least=2)


def hostile(text: str) -> blocks.Document:
    """The text in every place that data can be in."""
    line = " ".join(text.split("\n"))
    notes = [LineNote(line, 3, line), LineNote(line, 4), None, LineNote("", 0, line)]
    parts = (
        blocks.Heading(say("role {}", line), say(", step {}", line)),
        *(blocks.Heading(say("{}", line), level=level, style="warning") for level in range(3)),
        blocks.NamedValues([blocks.NamedValue(line, text, say("of {}", line)), blocks.NamedValue("a", line)], 1),
        blocks.Outline([(2, say("is {}", line)), (6, say("{}", line)), (10, say("in {}", line))]),
        blocks.AnnotatedYaml(
            Message(), ["spec:", f"  {line}: y", f"  a: {line}", f"  - {line}"], notes
        ),  # only keys of ours begin a line,
    )
    return blocks.Document(blocks.SummaryLine(say("TrainJob {}", line)), parts, "env")


@sampled(every=3)
@EACH
@for_each("form", ["text", "markdown", "html"], at_least=3)
def test_nothing_unseen_and_no_command_is_printed(form: str, text: str) -> None:
    out = render(hostile(text), form, limit=10**9)
    out.encode()
    kept = re.sub("[\n\t]" if form != "text" else "\n", "", out)
    assert printable(kept) == kept
    assert commands(out) == []
    assert [line for line in out.split("\n") if re.match(r"\s*::", line) or re.search(r"##\w*\[", line)] == []
    assert form != "markdown" or [line for line in out.split("\n") if line.startswith(("/", "@", "!"))] == []


@sampled(every=3)
@EACH
@RENDERERS
def test_markdown_has_no_markup_and_no_text_but_ours_outside_of_code(render_page: Any, text: str) -> None:
    tree, other = (render_page(render(hostile(each), "markdown", limit=10**9)) for each in (text, harmless(text)))
    assert shape(tree) == shape(other)
    assert outside_of_code(tree) == outside_of_code(other)
    line = " ".join(text.split("\n"))
    if len(line) < 50 and "##" not in line and "|" not in line and line.strip():
        assert printable(line) in list(in_code(tree))


@sampled(every=3)
@EACH
def test_html_has_no_markup_from_data(text: str) -> None:
    tree, other = (parsed(render(hostile(each), "html")) for each in (text, harmless(text)))
    assert shape(tree) == shape(other)
    code = list(in_code(tree))
    line = " ".join(text.split("\n"))
    assert len(line) >= 50 or printable(line) in code


@for_each("form", ["markdown", "html"], at_least=2)
def test_what_has_no_room_is_counted(form: str) -> None:
    out = render(hostile("x" * 3000), form, limit=1000)
    assert form == "html" or ("Not shown for lack of room: " in out and "`kubectl trainjob env` shows more" in out)
