from __future__ import annotations

import json

from kubectl_trainjob.report.diff import jsontext as of_diff
from kubectl_trainjob.report.lint.jsontext import as_json
from tests.cli import diff_reports
from tests.unit.report.lint import reports
from tests.unit.report.lint.commands_read import commands
from tests.unit.report.lint.reports import report, result, shared


def test_a_result_with_all_that_it_can_have() -> None:
    reported = json.loads(as_json(report(reports.full())))
    edit = {"file": "jobs/mnist.yaml", "document": 1, "pointer": "/items/0/spec/a~1b"}
    assert reported["results"] == [
        {
            "rule": "KTJ301",
            "name": "extended-resource-limit-missing",
            "severity": "error",
            "class": "late",
            "message": '"nvidia.com/gpu" has no limit; add one',
            "file": "jobs/mnist.yaml",
            "line": 14,
            "column": 11,
            "endLine": 14,
            "endColumn": 25,
            "object": "TrainJob/mnist",
            "namespace": "ml",
            "pointer": "/spec/trainer",
            "related": [{"message": "the runtime stands here", "file": "runtimes/torch.yaml", "line": 3, "column": 5}],
            "fix": {
                "title": "add the limit",
                "safe": False,
                "edits": [
                    {**edit, "remove": False, "value": {"cpu": 1}},
                    {**edit, "remove": True, "value": None},
                ],
            },
            "fingerprint": "0123abcd",
        }
    ]


def test_every_key_is_always_there() -> None:
    bare = result(object="", pointer="", fingerprint="")
    reported = json.loads(as_json(report(bare, reports.full())))
    assert reported["results"][0].keys() == reported["results"][1].keys()
    assert reported["results"][0]["fix"] is None
    assert reported["results"][0]["related"] == []


def test_nothing_found() -> None:
    nothing = {"errors": 0, "warnings": 0, "infos": 0, "suppressed": 0, "baselined": 0, "before": 0}
    assert json.loads(as_json(report())) == {
        "schemaVersion": 1,
        "results": [],
        "unverifiable": [],
        "summary": {**nothing, "trainJobs": 12},
    }


def test_objects_that_share_a_mistake_are_results_of_their_own_and_counted() -> None:
    reported = json.loads(as_json(reports.mixed()))
    assert [each["object"] for each in reported["results"][1:4]] == ["TrainJob/a", "TrainJob/b", "TrainJob/c"]
    assert reported["summary"] == {
        "errors": 4,
        "warnings": 2,
        "infos": 1,
        "trainJobs": 12,
        "suppressed": 2,
        "baselined": 5,
        "before": 7,
    }
    assert reported["unverifiable"] == [{"cause": reports.CAUSE.cause, "rules": ["KTJ608", "KTJ609"]}]


def test_a_long_message_is_whole() -> None:
    message = "x" * 100_000
    assert json.loads(as_json(report(result(message=message))))["results"][0]["message"] == message


def test_many_objects_are_not_one() -> None:
    assert len(json.loads(as_json(report(*shared([f"j{n}" for n in range(100)]))))["results"]) == 100


def test_data_of_a_difference_is_inert_too() -> None:
    row = diff_reports.row("data.a", "\x7f \x1b[2J ##[error]x\n::error::x", "half \udc80 模型")
    change = diff_reports.changed(diff_reports.identity("ConfigMap", "a"), row, job=None)
    text = of_diff.as_json(diff_reports.report([change]))
    assert text.replace("\n", "").isprintable()
    assert text.isascii()
    assert commands(text) == []
    (reported,) = json.loads(text)["objects"][0]["changes"]
    assert (reported["old"], reported["new"]) == ("\x7f \x1b[2J ##[error]x\n::error::x", "half \\udc80 模型")
    assert text.startswith('{\n    "schemaVersion": 1,\n')
