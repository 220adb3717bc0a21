"""Experiments: Katib accepts each that we build, and the trial that it renders is a TrainJob or JobSet of our own."""

from __future__ import annotations

from typing import Any

from tests.conformance.ome.cases import Case, cases
from tests.conformance.ome.katib import answers, is_decodable, render, validate
from tests.loops import for_each

BUILT = {
    name: (case, each)
    for name, case in cases().items()
    for each in case.expected["objects"]
    if each["kind"] == "Experiment"
}
RECORDED = {name: each for name, each in answers().items() if name.startswith("ours/")}
RENDERED = {name: each for name, each in answers().items() if each["answer"]["verdict"] == "accepted"}


@for_each("row", answers(), at_least=432)
def test_the_model_answers_as_katib_does(row: dict[str, Any]) -> None:
    answer, experiment = row["answer"], row["experiment"]
    assert is_decodable(experiment) == (answer["verdict"] != "undecodable")
    if answer["verdict"] != "undecodable":
        assert sorted(validate(experiment)) == sorted(each["field"] for each in answer.get("findings") or ())


@for_each("row", RENDERED, at_least=230)
def test_the_model_renders_what_katib_renders(row: dict[str, Any]) -> None:
    found = render(row["experiment"], row["assignments"], row["trialName"], row["trialNamespace"])
    assert found == row["answer"].get("trial")


@for_each("row", RECORDED, at_least=58)
def test_katib_accepts_every_recorded_experiment_of_ours(row: dict[str, Any]) -> None:
    assert (row["answer"]["verdict"], row["answer"].get("trialError")) == ("accepted", None)


@for_each("built", BUILT, at_least=25)
def test_katib_accepts_what_is_built(built: tuple[Case, dict[str, Any]]) -> None:
    """test_cases.py compares these Experiments with ours."""
    case, experiment = built
    recorded = answers().get(f"ours/{case.name}")
    assert recorded is None or recorded["experiment"] == experiment
    assert validate(experiment) == []
    given = [{"name": each["name"], "value": "1"} for each in experiment["spec"]["parameters"]]
    trial = render(experiment, given, f"{experiment['metadata']['name']}-00000000", "ml")
    assert trial is not None
    assert "${" not in str(trial["spec"])
