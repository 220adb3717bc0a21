"""The judge itself: fed with the records it finds nothing, fed with anything else it complains."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tests.conformance import judge as judging
from tests.conformance.cases import Case, load
from tests.conformance.harness import Outcome
from tests.conformance.stream import split

Objects = list[dict[str, Any]]


@cache
def _latest() -> list[Case]:
    return load("2.3")


def _only(case_id: str) -> Case:
    return next(case for case in _latest() if case.id.startswith(case_id))


def _rendered(record: dict[str, Any], text: str) -> Objects:
    """The recorded objects as our build has to print them."""
    jobs = {document.name: document.body for document in split(text) if document.is_job}
    objects = [one for job in record["jobs"] for one in _of_job(job, jobs[job["job"]])]
    return [one for one in objects if one["kind"] != "Secret"]


def _of_job(job: dict[str, Any], source: dict[str, Any]) -> Objects:
    objects = copy.deepcopy(judging.expected_of(job, source))
    for one in objects:
        if "namespace" not in source["metadata"]:
            del one["metadata"]["namespace"]
        if one["kind"] == "JobSet":
            _render_create_only(one["spec"], source)
    return objects


def _render_create_only(spec: dict[str, Any], source: dict[str, Any]) -> None:
    if "suspend" not in source["spec"]:
        spec.pop("suspend", None)
    for replicated in spec.get("replicatedJobs", []):
        job = replicated["template"]["spec"]
        job.setdefault("completionMode", "Indexed")
        job["template"]["spec"].setdefault("restartPolicy", "OnFailure")
    for index, rule in enumerate(spec.get("failurePolicy", {}).get("rules", [])):
        rule["name"] = rule.get("name") or f"failurePolicyRule{index}"
    for policy in spec.get("volumeClaimPolicies", []):
        policy.setdefault("retentionPolicy", {"whenDeleted": "Delete"})
        for template in policy["templates"]:
            template.setdefault("status", {})


def _answer(monkeypatch: pytest.MonkeyPatch, code: int, objects: Objects | None, stderr: str = "") -> None:
    stdout = "" if objects is None else json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    monkeypatch.setattr(judging, "run_build", lambda _text, *_options: Outcome(code, stdout, stderr))


def test_records_themselves_are_right(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = 0
    for case in _latest()[::3]:
        record = case.expected
        whole = not (record.keys() & {"stream-error", "runtime-findings"})
        if whole and all(job["verdict"] == "accepted" for job in record["jobs"]):
            _answer(monkeypatch, 0, _rendered(record, case.input))
            assert judging.verdict_on(case).complaints == [], case.id
            judged += 1
    assert judged > 100


def _container(objects: Objects) -> dict[str, Any]:
    jobset = next(one for one in objects if one["kind"] == "JobSet")
    job = jobset["spec"]["replicatedJobs"][-1]["template"]["spec"]
    return job["template"]["spec"]["containers"][0]  # type: ignore[no-any-return]


def _jobset(objects: Objects) -> dict[str, Any]:
    return next(one for one in objects if one["kind"] == "JobSet")


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda o: _container(o).update(image="other"), id="value"),
        pytest.param(lambda o: _container(o)["env"].reverse(), id="env order"),
        pytest.param(lambda o: _container(o).update(args=[]), id="empty list"),
        pytest.param(lambda o: _container(o).update(resources={"limits": {"cpu": 1}}), id="type"),
        pytest.param(lambda o: _container(o).update(stdin=None), id="null"),
        pytest.param(lambda o: _jobset(o)["spec"].update(suspend=False), id="suspend"),
        pytest.param(lambda o: _jobset(o)["metadata"].pop("namespace"), id="namespace"),
        pytest.param(lambda o: _jobset(o)["spec"]["replicatedJobs"].reverse(), id="order of jobs"),
        pytest.param(
            lambda o: _jobset(o)["spec"]["replicatedJobs"][0]["template"]["spec"].pop("completionMode"),
            id="default left out",
        ),
        pytest.param(lambda o: o.remove(_jobset(o)), id="object missing"),
        pytest.param(
            lambda o: o.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "more"}}),
            id="one too many",
        ),
        pytest.param(
            lambda o: o.append({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}), id="a Secret"
        ),
    ],
)
def test_a_spoilt_object_is_noticed(spoil: Callable[[Objects], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    case = _only("torch/000")
    objects = _rendered(case.expected, case.input)
    spoil(objects)
    _answer(monkeypatch, 0, objects)
    assert judging.verdict_on(case).complaints


@pytest.mark.parametrize(
    ("case", "line", "right"),
    [
        pytest.param("invalid/004", "numNode:", True, id="unknown field"),
        pytest.param("invalid/004", "runtimeRef:", False, id="unknown field, elsewhere"),
        pytest.param("invalid/019", "managedBy:", True, id="managed elsewhere"),
        pytest.param("invalid/019", "kind: TrainJob", False, id="managed elsewhere, elsewhere"),
        pytest.param("invalid/029", "replicas: 2", True, id="runtime"),
        pytest.param("invalid/029", "runtimeRef:", False, id="runtime, in the job"),
        pytest.param("invalid/033", "name: nnn", True, id="refused by JobSet"),
    ],
)
def test_a_rejection_must_point_at_the_line(case: str, line: str, right: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    found = _only(case)
    number = next(i for i, text in enumerate(found.input.split("\n"), 1) if line in text)
    _answer(monkeypatch, 1, None, f"-:{number}:1: error KTJ100 some-rule: text\n")
    assert (not judging.verdict_on(found).complaints) == right


@pytest.mark.parametrize(
    ("code", "objects", "stderr"),
    [
        pytest.param(0, [], "", id="built"),
        pytest.param(1, [], "-:1:1: error KTJ100 x: y\n", id="output"),
        pytest.param(1, None, "", id="silent"),
        pytest.param(2, None, "error: cannot\n", id="could not run"),
    ],
)
def test_a_rejection_must_be_one(
    code: int, objects: Objects | None, stderr: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _answer(monkeypatch, code, objects, stderr)
    assert judging.verdict_on(_only("invalid/007")).complaints
