"""Reports of lint whose data wants to be more than text: each stays one valid document in which nothing is carried out.

Each is read by what reads its format: a JSON, an XML, a Markdown and an HTML parser, SARIF's schema, and the rules by
which GitHub's runner finds commands in a log.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, fromstring

from kubectl_trainjob.model.diagnostic import Edit, Fix
from kubectl_trainjob.model.finding import Excerpt, Finding, LintReport, Note, Position, UncheckedRules
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.model.rules import Category, Rule, Severity
from kubectl_trainjob.model.source import Place, Source, SourceFile, Span
from kubectl_trainjob.report.lint import FORMATS, format_report
from kubectl_trainjob.report.markdown_syntax import length
from tests.cli.pages import findings_as_markdown as as_markdown
from tests.cli.test_diff_markdown import by_commonmark, by_github
from tests.hostile.test_diff_pages import HOSTILE as OF_PAGES
from tests.hostile.test_diff_pages import harmless, in_code, outside_of_code, parsed, shape
from tests.loops import for_each, sampled
from tests.unit.report.lint import junit_shape
from tests.unit.report.lint.commands_read import commands
from tests.unit.report.lint.sarif_schema import problems

HOSTILE = {
    **OF_PAGES,
    "command first": "::error::owned",
    "command with properties": "::error file=a,line=1::owned",
    "escaped line feed": "%0A::error::owned %0a%250A",
    "escaped colons": "a%3A%3Aadd-mask%3A%3Ab%2C",
    "property": "a,line=7,title=owned::owned",
    "carriage returns": "a\r::error::owned\r\n::error::owned",
    "end of CDATA": "a]]>b",
    "end of a test case": '"/></failure></testcase><testcase name="owned"/>',
    "entities": '<!DOCTYPE a [<!ENTITY b "c">]>&b;&#0;&#xFFFE;',
    "no characters": "a\ufffe\uffffb\U0001ffff",
    "half characters in order": "\udc80\ud800",
    "end of a string": '"}]} \\" \\u001b \\',
    "JSON escapes": "\\u001b[31m \\ud800 \\/",
    "SARIF link": "[x](javascript:alert(1)) [y](1) \\[z](2)",
    "SARIF placeholder": "{0} {{1}}",
    "file address": "file:///etc/passwd",
    "way out": "../../etc/passwd?x=1#y%2e%2e",
    "line separators at the start": "\u2028::error::owned\x85::error::owned\x0b::error::owned",
}
EACH = for_each("text", HOSTILE, at_least=88)
EACH_FORMAT = for_each("form", FORMATS, at_least=8)
RENDERERS = for_each("render", {"GitHub": by_github, "CommonMark": by_commonmark}, at_least=2)

HARMLESS = say("is harmless")


def hostile(text: str, words: Message = HARMLESS) -> LintReport:
    """A report with the text in every place that data can be in; `words` stand where sentences do."""
    here = Position(text, Span(3, 2, 3, 9))
    edit = Edit(Place(Source(SourceFile(text, text)), (text, 0)), json.dumps(text))
    about: dict[str, Any] = {
        "position": here,
        "namespace": text,
        "pointer": f"/{text}",
        "related": (Note(words, here), Note(words, Position(f"a{text}", Span(1, 1, 2, 1)))),
        "fix": Fix(text, (edit,)),
        "excerpt": Excerpt(text, text),
        "fingerprint": "00ff",
    }
    results = [
        Finding(
            Rule(f"KTJ99{number}", text, severity, Category.REJECTED),
            severity,
            words,
            object=f"TrainJob/{text}{name}",
            **about,
        )
        for number, severity in enumerate(Severity)
        for name in "ab"
    ]
    other = Rule("KTJ998", text, Severity.ERROR, Category.REJECTED)
    results.append(Finding(other, other.severity, words, Position(f"{text}x", Span(1, 1, 5, 1)), object=text))
    return LintReport(tuple(results), (UncheckedRules(say("{}", text), (text,)), UncheckedRules(words, ())), 7, 1, 2, 3)


def texts(value: Any) -> Iterator[str]:
    """Every string of JSON data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each in value.items() if isinstance(value, dict) else value:
            yield from texts(list(each) if isinstance(each, tuple) else each)


def in_json(text: str) -> str:
    r"""Half a character cannot stand in a file; it is reported as `\udc80`."""
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


@sampled(every=3)
@EACH_FORMAT
@EACH
def test_nothing_unseen_and_no_command_is_printed(form: str, text: str) -> None:
    out = format_report(hostile(text, say("{}", text)), form)
    assert out.endswith("\n")
    out.encode()
    line = re.sub("[\n\t]" if form == "html" else "\n", "", out)
    assert printable(line) == line
    found = commands(out)
    if form == "github":
        assert [command.name for command in found] == ["error", "error", "warning", "notice"]
        assert all(command.properties["line"] in ("3", "1") for command in found)
        if "##" not in text:
            titles = [f"KTJ99{number} {printable(text)}".rstrip() for number in (0, 8, 1, 2)]
            assert [command.properties["title"] for command in found] == titles
    else:
        assert found == []


@EACH_FORMAT
@EACH
def test_no_line_is_a_command_to_a_bot(form: str, text: str) -> None:
    if form in ("markdown", "json", "sarif", "gitlab"):
        out = format_report(hostile(text, say("{}", text)), form)
        assert [line for line in out.split("\n") if line.startswith(("/", "@", "!"))] == []


@EACH
def test_lines_for_people_are_as_many_as_without_it(text: str) -> None:
    for form in ("human", "github"):
        out, other = (format_report(hostile(each, each), form) for each in (text, "x"))
        assert out.count("\n") == other.count("\n") or not text.strip()


@EACH
def test_json_holds_the_texts_as_they_are(text: str) -> None:
    reported = json.loads(format_report(hostile(text, say("{}", text)), "json"))
    result, expected = reported["results"][0], in_json(text)
    names = ("file", "name", "namespace")
    assert [result[name] for name in names] == [expected] * 3
    message = in_json(say("{}", text))
    assert result["message"] == message
    assert result["object"] == f"TrainJob/{expected}a"
    assert result["fix"]["edits"][0]["file"] == expected
    assert reported["unverifiable"][0] == {"cause": message, "rules": [expected]}
    for each in texts(reported):
        each.encode()


@EACH
def test_sarif_stays_a_log(text: str) -> None:
    log = json.loads(format_report(hostile(text, say("{}", text)), "sarif"))
    assert problems(log) == []
    (run,) = log["runs"]
    assert [each["level"] for each in run["results"]] == ["error", "error", "warning", "note"]
    for each in texts(run):
        each.encode()
    messages = [each["text"] for each in found_in(run, "message")]
    assert [each for each in messages if "](" in each or re.search(r"(?<!\{)\{\d+\}", each)] == []
    uris = [each for each in texts(found_in(run, "artifactLocation")) if each not in ("%SRCROOT%", "uri", "uriBaseId")]
    assert uris
    assert [uri for uri in uris if not re.fullmatch(r"(?:file:/)?(?:[\w.~/-]|%[0-9A-F]{2})*", uri, re.ASCII)] == []


def found_in(value: Any, key: str) -> list[Any]:
    """What stands at a key, anywhere in JSON data."""
    if isinstance(value, list):
        return [each for item in value for each in found_in(item, key)]
    if isinstance(value, dict):
        own = [value[key]] if key in value else []
        return own + [each for item in value.values() for each in found_in(item, key)]
    return []


def outline(element: Element) -> Any:
    """The elements with the names of their attributes."""
    return element.tag, sorted(element.attrib), [outline(child) for child in element]


@EACH
def test_junit_has_no_element_from_data(text: str) -> None:
    root, other = (fromstring(format_report(hostile(each, each), "junit").encode()) for each in (text, harmless(text)))
    assert junit_shape.problems(root) == []
    assert outline(root) == outline(other)
    if "##" not in text and len(text) < 2000:
        assert root[0].get("name") == printable(text)


@EACH
def test_gitlab_reads_issues(text: str) -> None:
    issues = json.loads(format_report(hostile(text, say("{}", text)), "gitlab"))
    assert [each["severity"] for each in issues] == ["critical", "critical", "major", "info"]
    assert len({each["fingerprint"] for each in issues}) == 4
    for each in texts(issues):
        each.encode()


@sampled(every=8)
@EACH
def test_html_has_no_markup_from_data(text: str) -> None:
    tree, other = (parsed(format_report(hostile(each), "html")) for each in (text, harmless(text)))
    assert shape(tree) == shape(other)
    assert outside_of_code(tree) == outside_of_code(other)


@sampled(every=8)
@EACH
@RENDERERS
def test_markdown_has_no_markup_and_no_text_but_ours_outside_of_code(render: Any, text: str) -> None:
    tree, other = (render(as_markdown(hostile(each), 10**9)) for each in (text, harmless(text)))
    assert shape(tree) == shape(other)
    assert outside_of_code(tree) == outside_of_code(other)
    if len(text) < 100 and "##" not in text and text.strip():
        assert printable(text) in list(in_code(tree))


@sampled(every=8)
@EACH
@RENDERERS
def test_sentences_with_data_give_no_markup_in_markdown(render: Any, text: str) -> None:
    tree = render(as_markdown(hostile("x", say("is {} there", text)), 10**9))
    known = "html head body h3 p strong ul li pre code details summary table thead tbody tr th td"
    assert {str(each.tag) for each in tree.iter()} <= {*known.split()}
    assert not re.search(r"@|#|\bwww\.|://|:\w+:|\$|\bGH-\d|<|\[", outside_of_code(tree))


@sampled(every=6)
@EACH_FORMAT
@for_each("piece", ["x", "\u202e|", "]]>::error::`<@\n"], at_least=3)
def test_a_megabyte(form: str, piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    rule, here = Rule("KTJ990", "long", Severity.ERROR, Category.REJECTED), Position("a.yaml", Span(1, 1, 1, 2))
    results = [
        Finding(rule, rule.severity, words, here, excerpt=Excerpt(words, words))
        for words in (say("{}", text), say("short"))
    ]
    out = format_report(LintReport(tuple(results), (UncheckedRules(say("{}", text), ()),)), form)
    line = out.replace("\n", "")
    assert line.isprintable()
    assert len(commands(out)) == (2 if form == "github" else 0)
    if form in ("json", "sarif", "gitlab"):
        json.loads(out)
    if form == "junit":
        assert junit_shape.problems(fromstring(out)) == []
    if form == "markdown":
        assert length(out) <= 65_536
        assert len(by_github(out).findall(".//tbody/tr")) == 2
