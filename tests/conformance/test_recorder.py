"""The recorder still gives what is stored: a sample of the cases, asked of upstream's packages again."""

from __future__ import annotations

import pytest

from tests.conformance import cases, upstream
from tests.conformance.generate import typed
from tests.tools import require

pytestmark = pytest.mark.go

# One of a kind: each policy, a gang, an unordered list, and each way to be rejected.
_SAMPLE = (
    "torch/000",
    "torchtune/000",
    "mpi/001",
    "jax/000",
    "xgboost/001",
    "flux/001",
    "gang/016",
    "patches/000",
    "invalid/004",
    "invalid/007",
    "invalid/019",
    "invalid/021",
    "invalid/029",
    "invalid/033",
    "yaml/001",
    "own/014",
)


def test_a_sample_recorded_again_is_the_same() -> None:
    require("go")
    known = [case for case in cases.load("2.3") if case.id.startswith(_SAMPLE)]
    assert len(known) == len(_SAMPLE)
    records = upstream.record({case.id: case.input for case in known})
    assert [case.id for case in known if not upstream.same(case.expected, records[case.id])] == []


@pytest.mark.parametrize("version", cases.VERSIONS[:-1])
def test_a_sample_of_an_older_release_recorded_again_is_the_same(version: str) -> None:
    require("go")
    known = [case for case in cases.load(version) if case.group == "mixed"][:30]
    records = upstream.record({case.id: case.input for case in known}, version)
    assert [case.id for case in known if not upstream.same(case.expected, records[case.id])] == []


def test_an_update_recorded_again_is_the_same() -> None:
    require("go")
    known = [line for index, line in enumerate(cases.read_lines(cases.FOLDER / "updates.jsonl.xz")) if index % 60 == 0]
    answers = upstream.ask("updates", [{key: line[key] for key in ("name", "old", "new")} for line in known])
    for line, answer in zip(known, answers, strict=True):
        for kind in ("trainjob", "jobset"):
            assert {state: bool(found) for state, found in line[kind].items()} == {
                state: bool(found) for state, found in answer[kind].items()
            }, line["name"]


def test_the_typed_inputs_are_the_generated_ones() -> None:
    require("go")
    stored = {case.name: case.input for case in cases.load("2.3") if case.group == "typed"}
    assert stored == typed(upstream.facts())


@pytest.mark.parametrize(
    ("mode", "question", "answer"),
    [
        pytest.param(
            "quantity",
            {"terms": [{"quantity": "1.5Gi", "times": 2}, {"quantity": 1}]},
            {"sum": "3221225473", "terms": [1610612736, 1]},
            id="quantity",
        ),
        pytest.param(
            "podrequests", {"containers": [{"name": "a", "resources": {"requests": {"cpu": "1.5"}}}]}, None, id="pod"
        ),
        pytest.param(
            "merge",
            {
                "original": {"replicatedJobs": [{"name": "a"}]},
                "patch": {"replicatedJobs": [{"name": "a", "replicas": 2}]},
            },
            None,
            id="merge",
        ),
    ],
)
def test_the_judges_answer(mode: str, question: object, answer: dict[str, object] | None) -> None:
    require("go")
    (given,) = upstream.ask(mode, [question])
    assert "error" not in given
    if answer is not None:
        assert {"sum": given["sum"], "terms": [term["value"] for term in given["terms"]]} == answer
