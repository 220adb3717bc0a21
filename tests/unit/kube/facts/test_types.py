"""The Go structs, judged by the structs themselves: recorded answers always, live ones where Go is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kubectl_trainjob.kube.facts.types import canonical, container_ids, field, marshal
from tests.unit.kube.facts import go_types, vectors
from tests.unit.kube.facts.vectors import JOBSET_SPEC


def claims_without_nulls(spec: dict[str, Any]) -> dict[str, Any]:
    """JobSet's apply configuration holds claim templates as typed objects, whose nulls mean absence to the server."""

    def clean(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: clean(entry) for key, entry in value.items() if entry is not None}
        return [clean(item) for item in value] if isinstance(value, list) else value

    policies = {"volumeClaimPolicies": clean(spec["volumeClaimPolicies"])} if "volumeClaimPolicies" in spec else {}
    return {**spec, **policies}


def wrongly_applied(pairs: vectors.Pairs) -> list[Any]:
    return [value for value, answer in pairs if canonical(value, JOBSET_SPEC) != claims_without_nulls(answer)]


def wrongly_marshalled(pairs: vectors.Pairs) -> list[Any]:
    return [asked for asked, answer in pairs if marshal(asked["value"], asked["type"]) != answer]


def test_applied_as_upstream_recorded():
    assert len(vectors.recorded("applied")) >= 90
    assert wrongly_applied(vectors.recorded("applied")) == []


@pytest.mark.go
def test_applied_as_upstream_does_now():
    assert wrongly_applied(vectors.live("applied", range(5000, 6000))) == []


def test_marshalled_as_upstream_recorded():
    assert len(vectors.recorded("marshalled")) >= 120
    assert wrongly_marshalled(vectors.recorded("marshalled")) == []


@pytest.mark.go
def test_marshalled_as_upstream_does_now():
    assert wrongly_marshalled(vectors.live("marshalled", range(5000, 7000))) == []


@pytest.mark.go
def test_the_facts_are_those_of_the_pinned_modules():
    assert go_types.packaged() == go_types.FILE.read_text(encoding="utf-8")


def pod(**fields: Any) -> dict[str, Any]:
    return {"containers": [{"name": "a", "resources": {}}], **fields}


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        pytest.param(pod(hostNetwork=False), pod(), id="false"),
        pytest.param(pod(nodeSelector={}, tolerations=[]), pod(), id="empty-map-and-list"),
        pytest.param(pod(securityContext={}), pod(securityContext={}), id="empty-pointer"),
        pytest.param(pod(terminationGracePeriodSeconds=0), pod(terminationGracePeriodSeconds=0), id="zero-pointer"),
        pytest.param(pod(hostIPC=None, volumes=None), pod(), id="null"),
        pytest.param(pod(notAField=1), pod(), id="unknown"),
        pytest.param(pod(activeDeadlineSeconds=3.0), pod(activeDeadlineSeconds=3), id="integral-float"),
        pytest.param({"containers": []}, {}, id="empty-list-without-omitempty"),
        pytest.param({"containers": [None]}, {"containers": [{"name": "", "resources": {}}]}, id="null-item"),
    ],
)
def test_canonical(value: dict[str, Any], wanted: dict[str, Any]):
    assert canonical(value, "core/v1.PodSpec") == wanted


def test_an_absent_list_without_omitempty_is_null_when_marshalled():
    assert marshal({}, "core/v1.PodSpec") == {"containers": None}
    assert marshal({"containers": []}, "core/v1.PodSpec") == {"containers": []}


def test_what_does_not_change_is_the_same_object():
    for value, _ in vectors.recorded("applied"):
        once = canonical(value, JOBSET_SPEC)
        assert canonical(once, JOBSET_SPEC) is once


def test_the_input_is_not_written_to():
    for value, _ in vectors.recorded("applied"):
        before = json.dumps(value)
        canonical(value, JOBSET_SPEC)
        assert json.dumps(value) == before


def test_unchanged_subtrees_are_shared():
    kept, changed = {"name": "a", "resources": {}}, {"name": "b"}
    result = canonical({"containers": [kept, changed]}, "core/v1.PodSpec")
    assert result["containers"][0] is kept
    assert result["containers"][1] == {"name": "b", "resources": {}}


def test_a_value_of_the_wrong_type_is_left_alone():
    wrong = {"containers": {"name": "a"}, "nodeSelector": ["a"], "securityContext": "no"}
    assert canonical(wrong, "core/v1.PodSpec") is wrong


def test_fields():
    env = field("core/v1.Container", "env")
    assert env is not None
    assert (env.kind, env.strategy, env.merge_key) == ("list", "merge", "name")
    assert env.elem is not None
    assert env.elem.of == "core/v1.EnvVar"
    volumes = field("core/v1.PodSpec", "volumes")
    assert volumes is not None
    assert (volumes.strategy, volumes.merge_key) == ("merge,retainKeys", "name")
    assert field("core/v1.Container", "nothing") is None
    with pytest.raises(KeyError):
        field("core/v1.Nothing", "name")


def test_known_parts_are_not_walked_again():
    first = canonical({"containers": [{"name": "a", "resources": {"limits": {"cpu": "0.5"}}}]}, "core/v1.PodSpec")
    known = container_ids(first)
    assert canonical(first, "core/v1.PodSpec", known) is first
    changed = {**first, "containers": [*first["containers"], {"name": "b"}]}
    again = canonical(changed, "core/v1.PodSpec", known)
    assert again == canonical(changed, "core/v1.PodSpec")
    assert again["containers"][0] is first["containers"][0]
