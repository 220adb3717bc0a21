"""`lint rules` and `lint explain`."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from typing import Any

import pytest

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.lint.registry import LINT_RULES
from kubectl_trainjob.model.rules import RULES, Rule
from kubectl_trainjob.report.lint.rules import rule_as_json, rule_lines
from tests.rules_page import PAGE
from tests.unit.lint.test_manuals import EACH_RULE, section
from tests.unit.report.lint import reports

EVERY_RULE = RULES.values()


def lint(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capfd.readouterr()
    return run("kubectl-trainjob", ["lint", *arguments]), *capfd.readouterr()


def test_the_rules_as_json(capfd: pytest.CaptureFixture[str]) -> None:
    exit_code, out, err = lint(capfd, "rules", "-o", "json")
    reported = json.loads(out)
    assert (exit_code, err, reported.keys()) == (0, "", {"schemaVersion", "rules"})
    assert reported["schemaVersion"] == 1
    assert [each["id"] for each in reported["rules"]] == [rule.id for rule in EVERY_RULE]
    assert {tuple(each) for each in reported["rules"]} == {("id", "name", "severity", "class", "summary")}
    (tag,) = [each for each in reported["rules"] if each["id"] == "KTJ901"]
    assert tag == {
        "id": "KTJ901",
        "name": "image-tag-latest",
        "severity": "warning",
        "class": "policy",
        "summary": "An image has the tag `latest`, or no tag, which means `latest`.",
    }


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.id) for rule in EVERY_RULE])
def test_every_rule_has_a_summary_and_its_manual_as_json(rule: Rule) -> None:
    reported = json.loads(rule_as_json(rule))
    page = (PAGE.parent / f"{rule.id}.md").read_text()
    assert (reported["schemaVersion"], reported["id"]) == (1, rule.id)
    assert page.endswith(f"\n\n{reported['manual']}\n")
    assert reported["summary"].endswith(".")
    assert reported["manual"].split()[0] == reported["summary"].split()[0]
    for key, title in {"bad": "## Bad", "good": "## Good", "versions": "Trainer ", "see": "See:"}.items():
        shown = page.splitlines()[2].split(", ") if key == "versions" else page.splitlines()
        assert (key in reported) == any(line.startswith(title) for line in shown)


@EACH_RULE
def test_the_pieces_of_a_manual(rule: Rule) -> None:
    reported: dict[str, Any] = json.loads(rule_as_json(rule))
    assert reported["bad"] == section(rule, "Bad")
    assert reported["good"] == section(rule, "Good")
    page = (PAGE.parent / f"{rule.id}.md").read_text()
    assert f", Trainer {reported['versions']}, " in page.splitlines()[2]
    assert page.endswith(f"\nSee: {reported['see']}\n")


def test_a_rule_without_a_manual() -> None:
    assert json.loads(rule_as_json(reports.HINT)) == {
        "schemaVersion": 1,
        "id": "KTJ950",
        "name": "no-deadline",
        "severity": "info",
        "class": "policy",
        "summary": "",
        "manual": "",
    }


@pytest.mark.parametrize("name", ["KTJ301", "ktj301", "extended-resource-limit-missing"])
def test_explained_as_json(capfd: pytest.CaptureFixture[str], name: str) -> None:
    assert lint(capfd, "explain", name, "-o", "json") == (0, rule_as_json(RULES["KTJ301"]), "")


def test_human_is_what_is_printed_anyway(capfd: pytest.CaptureFixture[str]) -> None:
    assert lint(capfd, "rules", "-o", "human") == lint(capfd, "rules")
    assert lint(capfd, "explain", "KTJ301", "-o", "human") == lint(capfd, "explain", "KTJ301")


@pytest.mark.parametrize("what", [["rules"], ["explain", "KTJ301"]], ids=lambda what: str(what[0]))
@pytest.mark.parametrize(
    ("options", "named"),
    [
        pytest.param(["-o", "sarif"], "sarif", id="another format"),
        pytest.param(["-o", "json=rules.json"], "json=rules.json", id="a file"),
        pytest.param(["-o", "json", "-o", "human=a"], "human=a", id="two formats"),
        pytest.param(["--fix"], "--fix", id="fix"),
        pytest.param(["--fail-on", "error"], "--fail-on", id="a value that is the default"),
        pytest.param(["--no-ignores"], "--no-ignores", id="no ignores"),
        pytest.param(["-n", "ml"], "--namespace", id="namespace"),
        pytest.param(["-f", "a.yaml"], "--filename", id="a file to read"),
        pytest.param(["--baseline", "a.json"], "--baseline", id="baseline"),
    ],
)
def test_other_options_are_rejected(
    capfd: pytest.CaptureFixture[str], what: list[str], options: list[str], named: str
) -> None:
    exit_code, out, err = lint(capfd, *what, *options)
    assert (exit_code, out) == (2, "")
    assert named in err
    assert "-o json" in err


def test_the_columns_stand_below_each_other() -> None:
    lines = list(rule_lines(EVERY_RULE, 0))
    assert [line.split() for line in lines] == [
        [rule.id, rule.severity.value, rule.category.value, rule.name] for rule in EVERY_RULE
    ]
    assert {line.index(rule.name, 20) for line, rule in zip(lines, EVERY_RULE, strict=True)} == {29}
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize(("width", "is_reported"), [(60, False), (120, True), (1000, True)])
def test_the_first_sentence_where_there_is_room(width: int, is_reported: bool) -> None:
    lines, bare = (list(rule_lines(EVERY_RULE, each)) for each in (width, 0))
    assert (lines != bare) == is_reported
    assert all(line.startswith(short) for line, short in zip(lines, bare, strict=True))
    if is_reported:
        assert max(map(len, lines)) <= width
        rests = [line[len(short) :].lstrip() for line, short in zip(lines, bare, strict=True)]
        assert len({len(line) - len(rest) for line, rest in zip(lines, rests, strict=True)}) == 1
    if width == 1000:
        assert all(line.endswith(".") for line in lines)


def test_a_terminal_shows_first_sentences_as_far_as_it_is_wide() -> None:
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 130, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    command = [sys.executable, "-m", "kubectl_trainjob", "lint", "rules"]
    with subprocess.Popen(command, stdout=follower, stdin=subprocess.DEVNULL, env=environment) as process:
        os.close(follower)
        out = _read_all(leader)
    assert process.returncode == 0
    assert out.replace("\r\n", "\n").splitlines() == list(rule_lines(EVERY_RULE, 130))
    assert len(LINT_RULES) < out.count("\n")


def _read_all(leader: int) -> str:
    parts = []
    while True:
        try:
            part = os.read(leader, 65_536)
        except OSError:  # Linux says so where the other side is closed
            part = b""
        if not part:
            os.close(leader)
            return b"".join(parts).decode()
        parts.append(part)
