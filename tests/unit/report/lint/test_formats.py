from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.model.finding import Finding, LintReport
from kubectl_trainjob.model.message import Data, Message
from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.report.lint import FORMATS, format_report
from kubectl_trainjob.repository.findings import FindingBuilder
from kubectl_trainjob.repository.positions import Locator
from tests.cli.test_diff_markdown import by_github
from tests.unit.lint.test_manuals import EACH_RULE, findings, findings_of_output, section, trainer_of
from tests.unit.report.lint import reports


def test_the_names() -> None:
    assert [*FORMATS] == ["human", "json", "sarif", "github", "junit", "gitlab", "markdown", "html"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("of", reports.EXAMPLES.values(), ids=reports.EXAMPLES.keys())
def test_each_is_one_text_that_ends_in_one_newline(form: str, of: LintReport) -> None:
    text = format_report(of, form)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert text == format_report(of, form)


@pytest.mark.parametrize("form", FORMATS)
def test_colour_is_for_people_alone(form: str) -> None:
    assert ("\x1b" in format_report(reports.mixed(), form, colour=True)) == (form == "human")


def test_no_writer_is_imported_before_it_is_asked_for() -> None:
    code = "import sys, kubectl_trainjob.report.lint as a; print(*[m for m in sys.modules if m.startswith(a.__name__)])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["kubectl_trainjob.report.lint"]


def results_of_manual(rule: Rule, folder: Path) -> list[Finding]:
    """What lint reports for the bad example in the manual of a rule."""
    source, trainer = section(rule, "Source"), trainer_of(rule)
    find = partial(findings_of_output, source) if source else findings
    found = find(folder / "bad", section(rule, "Bad"), section(rule, "Settings"), trainer, section(rule, "Before"))
    builder = FindingBuilder(Locator().resolve)
    return [builder.finding(each, {})[0] for each in found]


def text_of(element: Any) -> str:
    return "".join(element.itertext())


def without_marks(message: Message) -> str:
    """The message without the quotes of data and without backticks."""
    return message.written(lambda data: data.replace("|", "\\x7c"), lambda words: words.replace("`", ""))


@EACH_RULE
def test_the_messages_of_every_rule_are_read_as_they_are_in_markdown(rule: Rule, tmp_path: Path) -> None:
    results = results_of_manual(rule, tmp_path)
    tree = by_github(format_report(LintReport(tuple(results)), "markdown"))
    messages = [result.message for result in results]
    cells = {text_of(cell): cell for cell in tree.iterfind(".//tbody/tr/td[4]")}
    assert cells.keys() == {*map(without_marks, messages)}
    notes = [text_of(each).partition(": ")[2] for each in tree.iterfind(".//details/ul/li")]
    assert {without_marks(note.message) for result in results for note in result.related} <= {*notes}
    for message in messages:
        cell = cells[without_marks(message)]
        shown = "".join(text_of(code) for code in cell.iter("code"))
        assert [each.text for each in message.pieces if isinstance(each, Data) and each.text not in shown] == []
        assert "`" not in "".join([cell.text or "", *(each.tail or "" for each in cell)])
