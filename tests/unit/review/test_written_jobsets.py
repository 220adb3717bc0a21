"""Updates of JobSets that users wrote, with nulls and values of other types."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.kube.admission.created_jobset import create_jobset
from kubectl_trainjob.model.stages import ObjectId
from kubectl_trainjob.review.diff.objects import PlainObject, _update_result
from tests.loops import for_each, sampled
from tests.unit.kube.admission.created import recorded

BODIES = {f"{case.path} {case.change} {case.place}": case.body for case, _ in recorded()}


@sampled(5)
@for_each("body", BODIES, at_least=1500)
def test_an_update_has_a_result_if_both_sides_are_accepted(body: dict[str, Any]) -> None:
    suspended = {**body, "spec": {"suspend": True}}
    old, new = (
        PlainObject(ObjectId("jobset.x-k8s.io/v1alpha2", "JobSet", "", "a"), each) for each in (suspended, body)
    )
    results = [_update_result(one, other, "2.3") for one, other in ((old, new), (new, old))]
    is_rejected = bool(create_jobset(body).problems or create_jobset(suspended).problems)
    assert [each is None for each in results] == [is_rejected] * 2
