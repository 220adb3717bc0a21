from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest

from kubectl_trainjob.model.finding import LintReport
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import Category, Rule, Severity
from kubectl_trainjob.report.lint.gitlab import as_gitlab
from tests.unit.report.lint import reports
from tests.unit.report.lint.reports import at, report, result, shared

TEXT = {"type": "string", "minLength": 1}
# The keys that GitLab's manual asks for ("Code Quality report format"), and its severities.
ISSUE = {
    "type": "object",
    "required": ["description", "check_name", "fingerprint", "severity", "location"],
    "properties": {
        "description": TEXT,
        "check_name": TEXT,
        "fingerprint": TEXT,
        "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
        "location": {
            "type": "object",
            "required": ["path", "lines"],
            "properties": {
                "path": {"type": "string", "pattern": r"^(?!\./)"},
                "lines": {"type": "object", "required": ["begin"], "properties": {"begin": {"type": "integer"}}},
            },
        },
    },
}
VALIDATOR: Any = jsonschema_rs.validator_for({"type": "array", "items": ISSUE})


def issues(of: LintReport) -> Any:
    reported = json.loads(as_gitlab(of))
    VALIDATOR.validate(reported)
    return reported


def test_an_issue() -> None:
    assert issues(report(reports.full())) == [
        {
            "description": 'KTJ301: "nvidia.com/gpu" has no limit; add one',
            "check_name": "extended-resource-limit-missing",
            "fingerprint": "0123abcd",
            "severity": "critical",
            "location": {"path": "jobs/mnist.yaml", "lines": {"begin": 14, "end": 14}},
        }
    ]


@pytest.mark.parametrize(
    ("severity", "category", "expected"),
    [
        (Severity.ERROR, Category.POLICY, "critical"),
        (Severity.WARNING, Category.MISBEHAVES, "major"),
        (Severity.WARNING, Category.LATE, "major"),
        (Severity.WARNING, Category.POLICY, "minor"),
        (Severity.WARNING, Category.TOOL, "minor"),
        (Severity.INFO, Category.MISBEHAVES, "info"),
    ],
)
def test_severities(severity: Severity, category: Category, expected: str) -> None:
    (issue,) = issues(report(result(Rule("KTJ999", "a", severity, category))))
    assert issue["severity"] == expected


def test_nothing_found() -> None:
    assert as_gitlab(report()) == "[]\n"


def test_fingerprints_are_unique() -> None:
    results = [result(message=f"m{number}") for number in range(3)]
    results += [result(message=f"n{number}", fingerprint="") for number in range(2)]
    prints = [issue["fingerprint"] for issue in issues(report(*results))]
    assert prints == ["0123abcd", "0123abcd-2", "0123abcd-3", "KTJ301", "KTJ301-2"]


def test_a_mistake_that_many_objects_share_is_one_issue() -> None:
    (issue,) = issues(report(*shared(["a", "b"], message="m")))
    assert issue["description"] == "KTJ301: m (in TrainJob a and b)"


def test_paths_begin_at_the_root() -> None:
    (issue,) = issues(report(result(position=at("./jobs/a.yaml"))))
    assert issue["location"]["path"] == "jobs/a.yaml"


def test_a_long_message_is_cut() -> None:
    (issue,) = issues(report(result(message=say("{} is", "x" * 1_000_000))))
    assert len(issue["description"]) < 4096
