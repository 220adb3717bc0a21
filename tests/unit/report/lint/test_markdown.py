from __future__ import annotations

from typing import Any

import pytest

from kubectl_trainjob.model.finding import Note
from kubectl_trainjob.model.message import say
from kubectl_trainjob.report.markdown_syntax import length
from tests.cli.pages import findings_as_markdown as as_markdown
from tests.cli.test_diff_markdown import by_commonmark, by_github
from tests.unit.report.lint import reports
from tests.unit.report.lint.reports import at, report, result, shared

RENDERERS = pytest.mark.parametrize("render", [by_github, by_commonmark])


def words(element: Any) -> str:
    return "".join(element.itertext()).strip()


def rows(tree: Any) -> list[list[str]]:
    return [[words(cell) for cell in row] for row in tree.iterfind(".//tbody/tr")]


@RENDERERS
def test_headline_table_and_details(render: Any) -> None:
    tree = render(as_markdown(reports.mixed()))
    assert words(tree.find(".//h3")) == "2 errors, 2 warnings, 1 info in 12 TrainJobs"
    assert "Findings not shown: 2 suppressed, 5 in the baseline, 7 existing." in words(tree)
    rule, message = "KTJ301 extended-resource-limit-missing", "nvidia.com/gpu has no limit; add one"
    assert rows(tree) == [
        ["error", rule, "jobs/mnist.yaml:14", message],
        ["warning", "KTJ506 mpi-extra-node", "jobs/mnist.yaml:14", "two nodes"],
        ["warning", "KTJ901 image-tag-missing", "jobs/mnist.yaml:14", "no tag"],
        ["info", "KTJ950 no-deadline", "jobs/mnist.yaml:14", "hm"],
        ["error", rule, "runtimes/torch.yaml:7", message],
    ]
    assert [words(each) for each in tree.iter("summary")] == [
        "1 cause of what could not be checked",
        "jobs/mnist.yaml: 1 error, 2 warnings, 1 info",
        "runtimes/torch.yaml: 1 error",
    ]
    assert words(tree.find(".//details/ul/li")) == (
        "not checked: no file says whether PriorityClass high exists (KTJ608, KTJ609)"
    )
    assert [words(each) for each in tree.iter("pre")] == ["nvidia.com/gpu: 1\n            ^~~~~~~~~~~~~~"]
    notes = [words(each) for each in tree.iterfind(".//details/ul/li")]
    assert notes[1:] == ["runtimes/torch.yaml:3: the runtime stands here", "in TrainJob a, b and c"]


@RENDERERS
def test_nothing_found(render: Any) -> None:
    text = as_markdown(report())
    assert text == "### No problems in 12 TrainJobs\n"
    assert words(render(text)) == "No problems in 12 TrainJobs"


def test_the_worst_files_come_first() -> None:
    results = [result(reports.HINT, "a", position=at("a")), result(position=at("z")), result(position=at("b"))]
    text = as_markdown(report(*results))
    assert text.index("`z:14`") < text.index("`b:14`") < text.index("`a:14`")


def test_the_table_has_the_worst_and_the_details_have_all() -> None:
    hints = [result(reports.HINT, f"m{number}", position=at("a")) for number in range(60)]
    tree = by_github(as_markdown(report(*hints, result(position=at("b")))))
    assert len(rows(tree)) == 50
    assert rows(tree)[0][:1] == ["error"]
    assert len(tree.findall(".//details/p")) == 61
    assert "for lack of room" not in words(tree)


def many(count: int) -> reports.LintReport:
    note = Note(say("the runtime stands here"), at("runtimes/torch.yaml", 3))
    results = [result(position=at(f"jobs/{n}.yaml"), message=f"m{n} 模型𝕏", related=(note,)) for n in range(count)]
    return report(*results, unchecked=(reports.CAUSE,) * 50)


@pytest.mark.parametrize("limit", [1000, 1001, 3000, 20_000, 65_536, 10**9])
@pytest.mark.parametrize("count", [0, 3, 2000])
def test_it_fits_and_counts_what_it_lacks(limit: int, count: int) -> None:
    text = as_markdown(many(count), limit)
    assert length(text) <= limit
    tree = by_github(text)
    reported = {words(cells) for cells in tree.iterfind(".//tbody/tr/td[3]/code")}
    reported |= {f"{words(each)}:14" for each in tree.iterfind(".//summary/code")}
    lacking = count - len(reported)
    assert (f"Not shown for lack of room: {lacking} finding" in text) == bool(lacking)


def test_the_limit_of_a_forge_is_the_default() -> None:
    text = as_markdown(many(2000))
    assert 60_000 < length(text) <= 65_536


@RENDERERS
def test_objects_that_share_a_mistake_are_one_row(render: Any) -> None:
    tree = render(as_markdown(report(*shared([f"j{n}" for n in range(40)]))))
    assert len(rows(tree)) == 1
    assert "in TrainJob j0, j1 and 38 more" in words(tree)
