"""JobSets that users wrote are judged as a real cluster judges them."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.compiler.job_creation import of_jobset
from kubectl_trainjob.compiler.resolve.objects import check
from kubectl_trainjob.compiler.versions import VERSIONS
from kubectl_trainjob.kube.facts.supported import LATEST_TRAINER
from kubectl_trainjob.model.source import Source, SourceFile
from kubectl_trainjob.model.stages import Manifest, identity_of
from tests.loops import for_each, sampled
from tests.unit.kube.admission.created import Answer, Case, recorded

# An empty list of claim templates is accepted: `omitzero` of Go keeps it, which the facts about Go types do not know.
_UNKNOWN = {("list", "templates", 0), ("drop", 0, "templates")}
ADMISSION = VERSIONS[LATEST_TRAINER].admission
RECORDED = {
    f"{case.path} {case.change} {case.place}": (case, answer)
    for case, answer in recorded()
    if (case.change, *case.place[:-3:-1]) not in _UNKNOWN
}


def found(body: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The severity, rule and message of each finding in a JobSet."""
    metadata = body.get("metadata")
    named = {**body, "metadata": metadata if isinstance(metadata, dict) else {}}
    manifest = Manifest(identity_of(named), body, Source(SourceFile("a.yaml", "")))
    return [
        (each.severity.value, each.rule.id, str(each.message))
        for each in (*check([manifest], ADMISSION), *of_jobset(manifest, ADMISSION.jobset))
    ]


@sampled(5)
@for_each("pair", RECORDED, at_least=1500)
def test_the_cluster_judged_the_same(pair: tuple[Case, Answer]) -> None:
    case, answer = pair
    errors = [message for severity, _, message in found(case.body) if severity == "error"]
    ours = "runs" if not errors else "late" if "reject the Job:" in errors[0] else "rejected"
    assert ours == answer or (answer == "accepted" and ours in ("late", "runs")), errors


@for_each("pair", {key: each for key, each in RECORDED.items() if each[0].change == "null"}, at_least=400)
def test_each_null_is_found(pair: tuple[Case, Answer]) -> None:
    assert found(pair[0].body)


@for_each("pair", {key: each for key, each in RECORDED.items() if each[0].change == "none"}, at_least=30)
def test_published_jobsets_have_no_error_but_gated_fields(pair: tuple[Case, Answer]) -> None:
    assert {rule for severity, rule, _ in found(pair[0].body) if severity == "error"} <= {"KTJ109"}


def test_a_misspelt_field_is_one_error() -> None:
    """Also if another field below it is required."""
    case = next(case for case, answer in RECORDED.values() if case.change == "none" and answer != "rejected")
    for field, other in (("name", "nmae"), ("template", "tempalte")):
        job, *others = case.body["spec"]["replicatedJobs"]
        renamed = {other if key == field else key: value for key, value in job.items()}
        spec = {**case.body["spec"], "replicatedJobs": [renamed, *others]}
        errors = [each[1:] for each in found({**case.body, "spec": spec}) if each[0] == "error"]
        assert [rule for rule, _ in errors] == ["KTJ101"], errors
        assert errors[0][1].endswith(f'"{other}"; did you mean "{field}"?')


def test_a_generated_name_is_one_warning() -> None:
    bodies = [case.body for case, _ in RECORDED.values() if case.change == "none"]
    generated = [body for body in bodies if "generateName" in body["metadata"]]
    assert len(generated) >= 3
    assert {tuple(each[:2] for each in found(body)) for body in generated} == {(("warning", "KTJ805"),)}
