"""What the releases of Trainer say differently, from their CRDs and plugins/jobset/jobset.go."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_trainjob.kube.facts.supported import TRAINER_VERSIONS
from kubectl_trainjob.kube.schemas.composites import ListNode, MappingNode
from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.kube.schemas.walk import SchemaNode
from kubectl_trainjob.kube.updates.trainer import check_runtime_update, check_train_job_update
from tests.unit.kube.updates.cases import RUNTIME, patch, train_job

_POD_SPEC = "spec.runtimePatches[].trainingRuntimeSpec.template.spec.replicatedJobs[].template.spec.template.spec"
_REF_AND_MANAGER = {"spec.managedBy": "ManagedBy value is immutable", "spec.runtimeRef": "runtimeRef is immutable"}
_SINCE_2_2 = dict.fromkeys(
    (
        *("spec.activeDeadlineSeconds", "spec.initializer", "spec.managedBy", "spec.runtimeRef", "spec.trainer"),
        "spec.runtimePatches[].manager",
        *(f"{_POD_SPEC}.{field}" for field in ("containers", "imagePullSecrets", "initContainers", "securityContext")),
        *(f"{_POD_SPEC}.{field}" for field in ("serviceAccountName", "volumes")),
    ),
    "field is immutable",
)
_OF_TRAIN_JOBS = {
    "2.0": _REF_AND_MANAGER,
    "2.1": _REF_AND_MANAGER,
    "2.2.0": _SINCE_2_2,
    "2.2": _SINCE_2_2,
    **dict.fromkeys(("2.3", "next"), _SINCE_2_2 | {f"{_POD_SPEC}.terminationGracePeriodSeconds": "field is immutable"}),
}
_OF_JOBSETS = dict.fromkeys(
    (
        *("spec.failurePolicy", "spec.network", "spec.replicatedJobs[].dependsOn", "spec.startupPolicy"),
        *("spec.successPolicy", "spec.volumeClaimPolicies"),
    ),
    "Value is immutable",
)


def _immutable(node: SchemaNode, at: str = "") -> dict[str, str]:
    """The fields that may not change, with the server's words."""
    found = {at: node.immutable} if node.immutable else {}
    if isinstance(node, MappingNode):
        for key in node.fields.indexes:
            below = node.fields[key]
            assert below is not None
            found |= _immutable(below, f"{at}.{key}" if at else key)
    elif isinstance(node, ListNode):
        found |= _immutable(node.item, f"{at}[]")
    return found


@pytest.mark.parametrize("version", TRAINER_VERSIONS)
def test_fields_of_train_jobs_that_the_schema_keeps(version: str) -> None:
    """As `+kubebuilder:validation:XValidation:rule="self == oldSelf"` stands in pkg/apis/trainer/v1alpha1."""
    root = schema_for(f"trainer-{version}", "trainer.kubeflow.org/v1alpha1", "TrainJob").root
    assert _immutable(root) == _OF_TRAIN_JOBS[version]


def test_fields_of_jobsets_that_the_schema_keeps() -> None:
    assert _immutable(schema_for("jobset-0.12", "jobset.x-k8s.io/v1alpha2", "JobSet").root) == _OF_JOBSETS


_POD_OVERRIDE = {"targetJobs": [{"name": "node"}], "nodeSelector": {"a": "b"}}
_TEMPLATE_OVERRIDE = {"targetJobs": [{"name": "node"}], "spec": {"nodeSelector": {"a": "b"}}}
_OVERRIDES = [
    pytest.param("2.0", "podSpecOverrides", _POD_OVERRIDE, ["running", "resuming"], id="2.0"),
    pytest.param("2.1", "podTemplateOverrides", _TEMPLATE_OVERRIDE, ["running", "resuming"], id="2.1"),
    pytest.param("2.2.0", "runtimePatches", patch(nodeSelector={"a": "b"}), ["running", "resuming"], id="2.2.0"),
    pytest.param("2.2", "runtimePatches", patch(nodeSelector={"a": "b"}), ["running"], id="2.2"),
    pytest.param("2.3", "runtimePatches", patch(nodeSelector={"a": "b"}), ["running"], id="2.3"),
]
_WORDS = {
    "podSpecOverrides": "PodSpecOverrides can only be modified when the TrainJob is suspended",
    "podTemplateOverrides": "PodTemplateOverrides can only be modified when the TrainJob is suspended",
    "runtimePatches": "RuntimePatches can only be modified when the TrainJob is suspended before or after the update",
}


@pytest.mark.parametrize(("version", "field", "item", "rejected"), _OVERRIDES)
def test_overrides(version: str, field: str, item: Any, rejected: list[str]) -> None:
    verdict = check_train_job_update(train_job(), train_job(**{field: [item]}), version)
    assert [rejection.state for rejection in verdict.rejections] == rejected
    words = _WORDS[field].removesuffix(" before or after the update" if version == "2.2.0" else "")
    assert {rejection.reason for rejection in verdict.rejections} == {f"spec.{field}: {words}"}
    assert {rejection.pointer for rejection in verdict.rejections} == {("spec", field, 0)}


def _with_another_value(value: Any) -> Any:
    """The same item with the node selector's value changed."""
    if isinstance(value, dict):
        return {k: {"a": "c"} if k == "nodeSelector" else _with_another_value(each) for k, each in value.items()}
    return [_with_another_value(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("version", "field", "item", "rejected"), _OVERRIDES)
def test_a_change_inside_an_override(version: str, field: str, item: Any, rejected: list[str]) -> None:
    old, new = (train_job(**{field: [each]}) for each in (item, _with_another_value(item)))
    verdict = check_train_job_update(old, new, version)
    assert [rejection.state for rejection in verdict.rejections] == rejected
    assert {rejection.pointer[-2:] for rejection in verdict.rejections} == {("nodeSelector", "a")}


@pytest.mark.parametrize(("version", "is_kept"), [("2.0", False), ("2.1", False), ("2.2", True), ("2.3", True)])
def test_trainer_is_kept_since_2_2(version: str, is_kept: bool) -> None:
    verdict = check_train_job_update(train_job(trainer={"image": "a"}), train_job(trainer={"image": "b"}), version)
    assert bool(verdict.rejections) == is_kept


@pytest.mark.parametrize("version", TRAINER_VERSIONS)
def test_runtimes_keep_what_jobsets_keep(version: str) -> None:
    spec = RUNTIME["spec"]
    networks = [{"subdomain": "a"}, {"subdomain": "b"}, None]
    first, other, without = ({**RUNTIME, "spec": {**spec, "template": {"spec": {"network": n}}}} for n in networks)
    verdict = check_runtime_update(first, other, version)
    assert {rejection.reason for rejection in verdict.rejections} == {"spec.template.spec.network: Value is immutable"}
    assert {rejection.pointer for rejection in verdict.rejections} == {
        ("spec", "template", "spec", "network", "subdomain")
    }
    assert not check_runtime_update(first, without, version).rejections
    assert not check_runtime_update(
        first, {**first, "spec": {**first["spec"], "mlPolicy": {"numNodes": 9}}}, version
    ).rejections


def test_an_unknown_release_is_a_bug() -> None:
    with pytest.raises(KeyError):
        check_train_job_update(train_job(), train_job(), "1.9")
