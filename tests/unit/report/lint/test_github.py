from __future__ import annotations

import pytest

from kubectl_trainjob.model.finding import Note
from kubectl_trainjob.model.message import say
from kubectl_trainjob.report.lint.github import as_github
from tests.unit.report.lint import reports
from tests.unit.report.lint.commands_read import commands
from tests.unit.report.lint.reports import at, report, result, shared


def test_the_line_that_github_documents() -> None:
    text = as_github(report(result(message="100%: a,b\nc")))
    place = "file=jobs/mnist.yaml,line=14,endLine=14,col=11,endColumn=25"
    assert text.splitlines() == [
        f"::error {place},title=KTJ301 extended-resource-limit-missing::100%25: a,b\\x0ac",
        "1 error in 12 TrainJobs",
    ]


@pytest.mark.parametrize(
    "path",
    ["a b.yaml", "a,b=c.yaml", "a::b.yaml", "100%.yaml", "%0A%3A%2C.yaml", "模型.yaml", "a=b"],
)
def test_the_runner_reads_the_path_back(path: str) -> None:
    (command,) = commands(as_github(report(result(position=at(path), message=path))))
    assert command.properties["file"] == path
    assert command.data == path


def test_kinds_worst_first() -> None:
    results = [result(reports.HINT, "a"), result(reports.NODES, "b"), result(message="c")]
    found = commands(as_github(report(*results)))
    assert [(each.name, each.data) for each in found] == [("error", "c"), ("warning", "b"), ("notice", "a")]


def test_no_columns_of_several_lines() -> None:
    (command,) = commands(as_github(report(result(position=at(lines=2)))))
    assert command.properties.keys() == {"file", "line", "endLine", "title"}
    assert (command.properties["line"], command.properties["endLine"]) == ("14", "16")


def test_objects_and_related_places_stand_below_the_message() -> None:
    note = Note(say("the runtime stands here"), at("runtimes/torch.yaml", 3))
    (command,) = commands(as_github(report(*shared(["a", "b"], message="m", related=(note,)))))
    assert command.data == "m\nin TrainJob a and b\nruntimes/torch.yaml:3: the runtime stands here"


@pytest.mark.parametrize(("count", "has_more"), [(10, False), (11, True)])
def test_a_notice_says_that_there_are_more_than_github_shows(count: int, has_more: bool) -> None:
    found = commands(as_github(report(*(result(message=f"m{number}") for number in range(count)))))
    assert [each.data for each in found[:count]] == [f"m{number}" for number in range(count)]
    assert [each.name for each in found[count:]] == (["notice"] if has_more else [])
    if has_more:
        assert found[-1].data.startswith("11 errors in 12 TrainJobs; GitHub shows the first 10 of each kind")


def test_the_notice_about_more_is_among_the_first_ten() -> None:
    found = commands(as_github(report(*(result(reports.HINT, f"m{number}") for number in range(30)))))
    assert "30 infos" in found[0].data
    assert len(found) == 31


def test_nothing_found_is_no_command() -> None:
    assert as_github(report()) == "no problems in 12 TrainJobs\n"
    text = as_github(report(unchecked=(reports.CAUSE,)))
    assert commands(text) == []
    assert text.startswith("note: not checked: no file says whether PriorityClass high exists (KTJ608, KTJ609)\n")


def test_a_message_with_long_data_is_short() -> None:
    (command,) = commands(as_github(report(result(message=say("{} is long", "x" * 1_000_000)))))
    assert len(command.data) < 4096
    assert command.data.endswith("x…" + "x" * 150 + " is long")
