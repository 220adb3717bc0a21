from __future__ import annotations

import re
import textwrap

import pytest

from kubectl_trainjob.model.diagnostic import Edit, Fix
from kubectl_trainjob.model.source import Place, Source, SourceFile
from kubectl_trainjob.report.lint.document import MOST_SHOWN
from tests.cli.pages import findings_as_text as as_human
from tests.unit.report.lint import reports
from tests.unit.report.lint.reports import report, result, shared


def dedent(text: str) -> str:
    return textwrap.dedent(text).removeprefix("\n")


def test_all_that_a_report_can_say() -> None:
    assert as_human(reports.mixed()) == dedent("""
        jobs/mnist.yaml:14:11: error KTJ301 extended-resource-limit-missing: "nvidia.com/gpu" has no limit; add one
                    nvidia.com/gpu: 1
                    ^~~~~~~~~~~~~~
        runtimes/torch.yaml:3:5: note: the runtime stands here
        runtimes/torch.yaml:7:3: error KTJ301 extended-resource-limit-missing: "nvidia.com/gpu" has no limit; add one
        runtimes/torch.yaml:7:3: note: in TrainJob a, b and c
        jobs/mnist.yaml:14:11: warning KTJ506 mpi-extra-node: two nodes
        jobs/mnist.yaml:14:11: warning KTJ901 image-tag-missing: no tag
        jobs/mnist.yaml:14:11: info KTJ950 no-deadline: hm
        note: not checked: no file says whether PriorityClass high exists (KTJ608, KTJ609)
        2 errors, 2 warnings, 1 info in 12 TrainJobs (2 suppressed, 5 in the baseline, 7 existing)
        1 fixable with --unsafe-fixes
    """)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        pytest.param({}, "no problems in 12 TrainJobs", id="clean"),
        pytest.param({"train_jobs": 1}, "no problems in 1 TrainJob", id="one"),
        pytest.param({"suppressed": 3}, "no problems in 12 TrainJobs (3 suppressed)", id="suppressed"),
        pytest.param({"baselined": 3}, "no new problems in 12 TrainJobs (3 in the baseline)", id="baseline"),
        pytest.param({"existing": 1}, "no new problems in 12 TrainJobs (1 existing)", id="before"),
    ],
)
def test_nothing_found(given: dict[str, int], line: str) -> None:
    assert as_human(report(**given)) == f"{line}\n"


@pytest.mark.parametrize(
    ("results", "note"),
    [
        pytest.param(shared(["a"]), "", id="one object"),
        pytest.param(shared(["a", "a"]), "", id="one object twice, as in two overlays"),
        pytest.param(shared(["a", "b"]), "in TrainJob a and b", id="two"),
        pytest.param(shared([f"j{n}" for n in range(39)]), "in TrainJob j0, j1 and 37 more", id="many"),
        pytest.param(
            [result(object=f"{kind}/{name}") for kind in ("TrainJob", "TrainingRuntime") for name in "ab"],
            "in TrainJob a and b; TrainingRuntime a and b",
            id="kinds",
        ),
        pytest.param(
            [result(namespace=name) for name in ("red", "blue")],
            "in TrainJob red/mnist and blue/mnist",
            id="namespaces",
        ),
        pytest.param([result(object=""), result(object="")], "", id="no object"),
    ],
)
def test_the_objects_of_one_finding(results: list[reports.Finding], note: str) -> None:
    lines = as_human(report(*results)).splitlines()
    assert [line.partition(": note: ")[2] for line in lines[1:-1]] == ([note] if note else [])
    assert lines[-1].startswith("1 error in")


EDIT = Edit(Place(Source(SourceFile("a.yaml", "")), ("spec",)))
SAFE, UNSAFE = Fix("remove it", (EDIT,)), Fix("remove it", (EDIT,), is_safe=False)


def found(*fixes: Fix | None) -> list[reports.Finding]:
    """A finding for each fix."""
    return [result(message=f"m{number}", fix=each) for number, each in enumerate(fixes)]


@pytest.mark.parametrize(
    ("results", "line"),
    [
        pytest.param(found(SAFE, None), "1 fixable with --fix", id="safe"),
        pytest.param(found(UNSAFE, UNSAFE), "2 fixable with --unsafe-fixes", id="unsafe"),
        pytest.param(
            found(SAFE, UNSAFE, SAFE, None, SAFE, UNSAFE),
            "3 fixable with --fix, 2 more with --unsafe-fixes",
            id="both",
        ),
        pytest.param(shared(["a", "b"], fix=SAFE), "1 fixable with --fix", id="several objects"),
        pytest.param(
            [*shared(["a"]), *shared(["b"], fix=UNSAFE), *shared(["c"], fix=SAFE)],
            "1 fixable with --fix",
            id="several objects with different fixes",
        ),
        pytest.param(found(*[SAFE] * (MOST_SHOWN + 5)), f"{MOST_SHOWN + 5} fixable with --fix", id="not shown"),
    ],
)
def test_what_can_be_mended_is_said_last(results: list[reports.Finding], line: str) -> None:
    lines = as_human(report(*results)).splitlines()
    assert lines[-1] == line
    assert " in 12 TrainJobs" in lines[-2]


@pytest.mark.parametrize("fix", [None, Fix("do it by hand", ())])
def test_nothing_is_said_where_nothing_can_be_mended(fix: Fix | None) -> None:
    assert as_human(report(*found(fix))).endswith("1 error in 12 TrainJobs\n")


def test_worse_findings_come_first_even_of_a_report_in_disorder() -> None:
    text = as_human(report(result(reports.HINT, "a"), result(reports.NODES, "b"), result(message="c")))
    assert re.findall(r": (error|warning|info) ", text) == ["error", "warning", "info"]


def test_colour_only_when_asked_for_and_the_same_words() -> None:
    plain, coloured = as_human(reports.mixed()), as_human(reports.mixed(), has_colour=True)
    assert "\x1b" not in plain
    assert "\x1b[1;31merror\x1b[0m" in coloured
    assert re.sub("\x1b" + r"\[[\d;]*m", "", coloured) == plain


def test_many_findings_are_cut_and_counted() -> None:
    text = as_human(report(*(result(message=f"m{number}") for number in range(MOST_SHOWN + 5))))
    assert text.count("error KTJ301") == MOST_SHOWN
    assert text.endswith(f"5 more findings are not shown\n{MOST_SHOWN + 5} errors in 12 TrainJobs\n")
