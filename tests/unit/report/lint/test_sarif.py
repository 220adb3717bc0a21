from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob import __version__
from kubectl_trainjob.model.finding import LintReport, Note, UncheckedRules
from kubectl_trainjob.model.message import say
from kubectl_trainjob.report.lint.rules import rule_as_json
from kubectl_trainjob.report.lint.sarif import MOST_RESULTS, as_sarif, uri_reference
from tests.unit.report.lint import reports
from tests.unit.report.lint.reports import at, report, result, shared
from tests.unit.report.lint.sarif_schema import problems


def run(of: LintReport) -> Any:
    log = json.loads(as_sarif(of))
    assert problems(log) == []
    assert log["version"] == "2.1.0"
    (only,) = log["runs"]
    return only


@pytest.mark.parametrize("of", reports.EXAMPLES.values(), ids=reports.EXAMPLES.keys())
def test_the_schema_takes_it(of: LintReport) -> None:
    assert isinstance(run(of)["results"], list)


def test_the_schema_would_reject_a_wrong_log() -> None:
    log = json.loads(as_sarif(reports.mixed()))
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    log["runs"][0]["results"][0]["levl"] = "error"
    assert len(problems(log)) == 2


def test_a_result_with_all_that_it_can_have() -> None:
    reported = run(report(reports.full()))
    assert reported["results"] == [
        {
            "ruleId": "KTJ301",
            "ruleIndex": 0,
            "level": "error",
            "message": {"text": '"nvidia.com/gpu" has no limit; add one'},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "jobs/mnist.yaml", "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": 14, "startColumn": 11, "endLine": 14, "endColumn": 25},
                    },
                    "logicalLocations": [
                        {
                            "name": "mnist",
                            "fullyQualifiedName": "ml/TrainJob/mnist#/spec/trainer",
                            "kind": "resource",
                        }
                    ],
                }
            ],
            "relatedLocations": [
                {
                    "id": 0,
                    "message": {"text": "the runtime stands here"},
                    "physicalLocation": {
                        "artifactLocation": {"uri": "runtimes/torch.yaml", "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 19},
                    },
                }
            ],
            "partialFingerprints": {"trainjobFinding/v1": "0123abcd"},
            "properties": {"class": "late", "objects": 1},
        }
    ]


def test_the_run() -> None:
    reported = run(reports.mixed())
    driver = reported["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("kubectl-trainjob", __version__)
    assert "informationUri" not in driver  # there is no page of the tool's own
    assert reported["columnKind"] == "unicodeCodePoints"
    (invocation,) = reported["invocations"]
    assert invocation["executionSuccessful"] is True
    assert [each["message"]["text"] for each in invocation["toolExecutionNotifications"]] == [
        "not checked: no file says whether PriorityClass high exists (KTJ608, KTJ609)"
    ]


def test_rules_are_those_of_the_results_and_found_by_their_index() -> None:
    reported = run(reports.mixed())
    rules = reported["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["KTJ301", "KTJ506", "KTJ901", "KTJ950"]
    assert all(rules[each["ruleIndex"]]["id"] == each["ruleId"] for each in reported["results"])
    assert [rule["defaultConfiguration"]["level"] for rule in rules] == ["error", "warning", "warning", "note"]
    assert [each["level"] for each in reported["results"]] == ["error", "error", "warning", "warning", "note"]


def test_a_rule_is_explained() -> None:
    rule = run(report(result()))["tool"]["driver"]["rules"][0]
    assert rule["name"] == "extended-resource-limit-missing"
    manual = json.loads(rule_as_json(reports.LIMIT))
    assert rule["shortDescription"]["text"] == manual["summary"]
    assert rule["helpUri"] == manual["see"]
    assert rule["help"] == {"text": manual["manual"], "markdown": manual["manual"]}
    assert "security-severity" not in json.dumps(rule)


def test_a_rule_without_a_manual() -> None:
    rule = run(report(result(reports.HINT)))["tool"]["driver"]["rules"][0]
    assert rule["shortDescription"]["text"] == rule["help"]["markdown"] == "no-deadline"
    assert "helpUri" not in rule


def test_objects_that_share_a_mistake_are_one_result() -> None:
    (only,) = run(report(*shared(["a", "b", "b"])))["results"]
    (location,) = only["locations"]
    assert [each["name"] for each in location["logicalLocations"]] == ["a", "b"]
    assert only["properties"]["objects"] == 2
    (many,) = run(report(*shared([f"j{n}" for n in range(300)])))["results"]
    assert len(many["locations"][0]["logicalLocations"]) == 100
    assert many["properties"]["objects"] == 300


def test_related_places_are_reported_once() -> None:
    note = Note(say("here"), at(line=1))
    (only,) = run(report(result(related=(note, note)), result(related=(note,))))["results"]
    assert len(only["relatedLocations"]) == 1


def test_no_more_results_than_github_shows_and_it_is_said() -> None:
    results = [result(message=f"m{number}") for number in range(MOST_RESULTS + 3)]
    reported = run(report(result(reports.HINT, "a"), *results))
    assert len(reported["results"]) == MOST_RESULTS
    assert {each["level"] for each in reported["results"]} == {"error"}
    (notification,) = reported["invocations"][0]["toolExecutionNotifications"]
    assert notification == {
        "level": "warning",
        "message": {"text": "4 more findings are omitted: GitHub shows 5000."},
    }


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("./jobs/a.yaml", "jobs/a.yaml", id="dot"),
        pytest.param("../a.yaml", "../a.yaml", id="above"),
        pytest.param("a b/c#d?.yaml", "a%20b/c%23d%3F.yaml", id="reserved"),
        pytest.param("javascript:x.yaml", "javascript%3Ax.yaml", id="no scheme"),
        pytest.param("模型.yaml", "%E6%A8%A1%E5%9E%8B.yaml", id="UTF-8"),
        pytest.param("a\udcff.yaml", "a%FF.yaml", id="no UTF-8"),
        pytest.param("100%.yaml", "100%25.yaml", id="percent"),
        pytest.param("/srv/a.yaml", "file:///srv/a.yaml", id="absolute"),
        pytest.param("//srv/a.yaml", "file:////srv/a.yaml", id="no host"),
        pytest.param("-", "-", id="standard input"),
    ],
)
def test_uris(path: str, expected: str) -> None:
    assert uri_reference(path) == expected
    location = run(report(result(position=at(path))))["results"][0]["locations"][0]
    artifact = location["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": expected} | ({} if path.startswith("/") else {"uriBaseId": "%SRCROOT%"})


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda path: path[:1] not in "./"))
def test_a_uri_leads_back_to_the_path(path: str) -> None:
    parts = urlsplit(uri_reference(path))
    assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("", "", "", "")
    assert unquote_to_bytes(parts.path).decode() == path


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param("see [x](javascript:alert(1))", "see [x] (javascript:alert(1))", id="link"),
        pytest.param("limits[nvidia.com/gpu] is 1", "limits[nvidia.com/gpu] is 1", id="brackets"),
        pytest.param('"{0}" and {{ values.a }}', '"{{0}}" and {{ values.a }}', id="placeholder"),
    ],
)
def test_a_message_has_no_link_and_no_placeholder(message: str, expected: str) -> None:
    note, cause = Note(message, at(line=1)), UncheckedRules(message, ())
    reported = run(report(result(message=message, related=(note,)), unchecked=(cause,)))
    assert reported["results"][0]["message"]["text"] == expected
    assert reported["results"][0]["relatedLocations"][0]["message"]["text"] == expected
    notification = reported["invocations"][0]["toolExecutionNotifications"][0]
    assert notification["message"]["text"] == f"not checked: {expected}"
