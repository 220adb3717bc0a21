"""Merge patches: where each value comes from, what is shared, and the keys of lists.

What a patch makes of an object is judged by kustomize itself: tests/differential/test_patches_kustomize.py.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob.compiler.errors import PatchError
from kubectl_trainjob.compiler.overlay.merge import merge_patch
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.kube.facts.merge_keys import Merging, merging_of
from kubectl_trainjob.kube.facts.types import Field
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import Place, Pointer, Source, SourceFile
from tests.unit.compiler.overlay import merge_keys
from tests.unit.kube.facts import go_types

TRAINER = "trainer.kubeflow.org/v1alpha1"
OBJECT, PATCH = Source(SourceFile("object.yaml", "")), Source(SourceFile("overlay.yaml", ""))
CAUSE = ("patch", "patches", 0, "patch")


def recorded(body: Any) -> Draft:
    return Draft(None, {"object": OBJECT, "patch": PATCH}).put((), body, copied=("object",)).step("overlay patch")


def merged(body: Any, patch: Any, api_version: str = "v1", kind: str = "Pod") -> Any:
    draft = merge_patch(Draft(body), patch, api_version, kind, CAUSE, Steps(LIMITS))
    return draft.value if draft else None


def in_patch(*pointer: str | int) -> Place:
    return Place(PATCH, (*CAUSE[1:], *pointer))


def in_object(*pointer: str | int) -> Place:
    return Place(OBJECT, pointer)


POD = {
    "metadata": {"name": "x", "labels": {"a": "b"}, "finalizers": ["f", "g"]},
    "spec": {
        "hostname": "h",
        "containers": [
            {"name": "a", "image": "i", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]},
            {"name": "b", "image": "j"},
        ],
        "volumes": [{"name": "v"}, {"name": "w"}],
    },
}
POD_PATCH = {
    "metadata": {"labels": {"c": "d"}, "finalizers": ["g", "h"]},
    "spec": {
        "hostname": "h",
        "containers": [
            {"name": "new", "image": "k", "tty": None, "env": [{"name": "N", "$patch": "delete"}, {"name": "O"}]},
            {"name": "b", "$patch": "merge", "resources": {"limits": {"cpu": 1}}},
            {"name": "a", "env": [{"name": "C", "value": "3"}, {"name": "B", "value": "4"}]},
        ],
        "volumes": [{"$patch": "replace"}, {"name": "w", "emptyDir": {}}],
        "tolerations": [{"key": "t"}],
    },
}


@pytest.mark.parametrize(
    ("pointer", "value", "place"),
    [
        pytest.param(("spec", "hostname"), "h", in_patch("spec", "hostname"), id="the-same-value"),
        pytest.param(("metadata", "labels", "c"), "d", in_patch("metadata", "labels", "c"), id="new-entry"),
        pytest.param(("metadata", "labels", "a"), "b", in_object("metadata", "labels", "a"), id="old-entry"),
        pytest.param(("metadata", "name"), "x", in_object("metadata", "name"), id="name"),
        pytest.param(("metadata", "finalizers", 0), "g", in_patch("metadata", "finalizers", 0), id="named-scalar"),
        pytest.param(("metadata", "finalizers", 1), "h", in_patch("metadata", "finalizers", 1), id="new-scalar"),
        pytest.param(("metadata", "finalizers", 2), "f", in_object("metadata", "finalizers", 0), id="old-scalar"),
        pytest.param(
            ("spec", "containers", 0, "image"), "k", in_patch("spec", "containers", 0, "image"), id="new-item"
        ),
        pytest.param(
            ("spec", "containers", 0, "env", 0, "name"),
            "O",
            in_patch("spec", "containers", 0, "env", 1, "name"),
            id="behind-a-directive-in-what-is-new",
        ),
        pytest.param(("spec", "containers", 1, "image"), "j", in_object("spec", "containers", 1, "image"), id="moved"),
        pytest.param(
            ("spec", "containers", 1, "resources", "limits", "cpu"),
            1,
            in_patch("spec", "containers", 1, "resources", "limits", "cpu"),
            id="new-mapping-in-an-item",
        ),
        pytest.param(
            ("spec", "containers", 2, "image"), "i", in_object("spec", "containers", 0, "image"), id="moved-on"
        ),
        pytest.param(
            ("spec", "containers", 2, "env", 0, "value"),
            "3",
            in_patch("spec", "containers", 2, "env", 0, "value"),
            id="new-item-in-an-item",
        ),
        pytest.param(
            ("spec", "containers", 2, "env", 1, "value"),
            "4",
            in_patch("spec", "containers", 2, "env", 1, "value"),
            id="merged-item-in-an-item",
        ),
        pytest.param(
            ("spec", "containers", 2, "env", 2, "value"),
            "1",
            in_object("spec", "containers", 0, "env", 0, "value"),
            id="old-item-in-an-item",
        ),
        pytest.param(("spec", "volumes", 0, "name"), "w", in_patch("spec", "volumes", 1, "name"), id="replaced-list"),
        pytest.param(("spec", "tolerations", 0, "key"), "t", in_patch("spec", "tolerations", 0, "key"), id="new-list"),
    ],
)
def test_a_value_comes_from_its_line(pointer: Pointer, value: Any, place: Place):
    draft = merge_patch(recorded(POD), POD_PATCH, "v1", "Pod", CAUSE, Steps(LIMITS))
    assert draft is not None
    origin = draft.origin(pointer)
    assert origin is not None
    assert (draft.get(*pointer), origin.place) == (value, place)
    assert origin.step == ("overlay patch" if place.source is PATCH else "start")


def test_what_a_patch_replaced_is_remembered():
    draft = merge_patch(recorded(POD), POD_PATCH, "v1", "Pod", CAUSE, Steps(LIMITS))
    assert draft is not None
    origin = draft.origin(("spec", "containers", 2, "env", 1, "value"))
    assert origin is not None
    assert origin.over is not None
    assert origin.over.place == in_object("spec", "containers", 0, "env", 1, "value")


# Objects and patches in which each value stands once: so the value itself shows where it is from.

NAMES = st.sampled_from("abc")
LEAVES = st.just("leaf") | st.none()
PLAIN = st.fixed_dictionaries(
    {}, optional={"k": LEAVES, "l": LEAVES, "m": st.fixed_dictionaries({}, optional={"n": LEAVES})}
)
ENV = st.fixed_dictionaries({"name": NAMES}, optional={"value": LEAVES, "valueFrom": PLAIN})
CONTAINER = st.fixed_dictionaries(
    {"name": NAMES},
    optional={
        "image": LEAVES,
        "env": st.lists(ENV, max_size=3, unique_by=lambda item: item["name"]),
        "command": st.lists(LEAVES, max_size=3),
        "resources": PLAIN,
    },
)
SPEC = st.fixed_dictionaries(
    {},
    optional={
        "hostname": LEAVES,
        "nodeSelector": PLAIN,
        "containers": st.lists(CONTAINER, max_size=3, unique_by=lambda item: item["name"]),
        "volumes": st.lists(ENV, max_size=3, unique_by=lambda item: item["name"]),
        "tolerations": st.lists(PLAIN, max_size=2),
    },
)


def leaves(value: Any, pointer: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    if isinstance(value, dict | list):
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(below, (*pointer, key))
    else:
        yield pointer, value


def distinguished(value: Any, pointer: Pointer) -> Any:
    """The same with each leaf's own pointer in its place."""
    if isinstance(value, dict):
        return {key: distinguished(below, (*pointer, key)) for key, below in value.items()}
    if isinstance(value, list):
        return [distinguished(below, (*pointer, index)) for index, below in enumerate(value)]
    return json.dumps(pointer) if value == "leaf" else value


@given(SPEC, SPEC)
def test_each_value_knows_its_line(old: Any, new: Any):
    body, patch = ({"spec": distinguished(spec, (name, "spec"))} for name, spec in (("object", old), ("patch", new)))
    draft = merge_patch(recorded(body), patch, "v1", "Pod", CAUSE, Steps(LIMITS))
    assert draft is not None
    for pointer, value in leaves(draft.value):
        if isinstance(value, str) and value.startswith("["):
            name, *place = json.loads(value)
            origin = draft.origin(pointer)
            assert origin is not None
            assert origin.place == (in_object(*place) if name == "object" else in_patch(*place))
    assert draft.value == merged(body, patch)


def test_what_is_not_named_is_shared_and_nothing_is_written_to():
    before = copy.deepcopy((POD, POD_PATCH))
    result = merged(POD, {"spec": {"containers": [{"name": "b", "image": "k"}]}})
    merged(POD, POD_PATCH)
    assert before == (POD, POD_PATCH)
    assert result["metadata"] is POD["metadata"]
    assert result["spec"]["containers"][1] is POD["spec"]["containers"][0]
    assert result["spec"]["volumes"] is POD["spec"]["volumes"]


def test_a_patch_is_not_written_to_by_the_next_one():
    patch = {"spec": {"containers": [{"name": "a", "env": [{"name": "A"}]}]}}
    before = copy.deepcopy(patch)
    first = merged({"spec": {}}, patch)
    second = merged(first, {"spec": {"containers": [{"name": "a", "env": [{"name": "B"}]}]}})
    assert (patch, first) == (before, before)
    assert second == {"spec": {"containers": [{"name": "a", "env": [{"name": "B"}, {"name": "A"}]}]}}


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param({}, id="empty"),
        pytest.param({"metadata": {"name": "y"}, "kind": "Pod", "apiVersion": "v1"}, id="only-a-name"),
        pytest.param({"spec": {"nodeName": None, "affinity": {"$patch": "delete"}}}, id="nothing-to-delete"),
        pytest.param({"spec": {"volumes": []}, "metadata": {"labels": {}}}, id="nothing-stated"),
    ],
)
def test_a_patch_that_says_nothing_changes_nothing(patch: Any):
    assert merged(POD, patch) == POD


@pytest.mark.parametrize(
    "metadata",
    [
        pytest.param(None, id="null"),
        pytest.param({"$patch": "delete"}, id="delete"),
        pytest.param({"$patch": "replace"}, id="replace"),
    ],
)
def test_an_object_keeps_its_name(metadata: Any):
    body = {"metadata": {"name": "x", "namespace": "n", "labels": {"a": "b"}}}
    assert merged(body, {"metadata": metadata}) == {"metadata": {"name": "x", "namespace": "n"}}


@pytest.mark.parametrize(
    ("patch", "message", "at"),
    [
        pytest.param({"metadata": []}, "a list cannot be merged into a mapping", ("metadata",), id="metadata"),
        pytest.param({"spec": {"containers": [None]}}, 'has no "name"', ("spec", "containers", 0), id="null-item"),
        pytest.param({"spec": {"containers": ["a"]}}, 'has no "name"', ("spec", "containers", 0), id="scalar-item"),
        pytest.param(
            {"spec": {"containers": [{"name": {}}]}}, 'has no "name"', ("spec", "containers", 0), id="odd-key"
        ),
        pytest.param(
            {"spec": {"initContainers": [{"name": "a"}, {"tty": True}]}},
            'has no "name"',
            ("spec", "initContainers", 1),
            id="in-a-new-list",
        ),
        pytest.param(
            {"metadata": {"finalizers": [{"name": "a"}]}}, "scalars only", ("metadata", "finalizers", 0), id="set"
        ),
        pytest.param(
            {"spec": {"volumes": [{"$patch": "delete"}, {"$patch": "replace"}]}},
            'has a duplicate "$patch"',
            ("spec", "volumes", 1),
            id="directed-twice",
        ),
        pytest.param(
            {"spec": {"volumes": [{"$patch": "drop"}]}},
            'unknown value "drop" of "$patch"',
            ("spec", "volumes", 0, "$patch"),
            id="unknown-directive-of-a-list",
        ),
        pytest.param({"spec": {"$retainKeys": ["a"]}}, "of kubectl patch", ("spec", "$retainKeys"), id="retain-keys"),
    ],
)
def test_errors_name_the_entry(patch: Any, message: str, at: Pointer):
    with pytest.raises(PatchError, match=r".") as caught:
        merged(POD, patch)
    assert message in str(caught.value)
    assert caught.value.cause == (*CAUSE, *at)


# The keys of lists.


@pytest.mark.go
def test_the_facts_are_those_of_kustomize_and_the_crds():
    assert merge_keys.packaged() == merge_keys.FILE.read_text(encoding="utf-8")


GO_TYPES: go_types.Facts = json.loads(go_types.FILE.read_text(encoding="utf-8"))


def unmerged(merging: Merging, struct: str, path: str) -> Iterator[str]:
    """The lists that Go's struct tags merge by a key, and we do not merge by it."""
    for name, spelling in GO_TYPES[struct].items():
        each, below, here = Field(spelling), merging.below(name), f"{path}.{name}"
        if each.kind == "list":
            assert each.elem is not None
            if each.strategy and (below.keys or ("",))[0] != each.merge_key:
                yield here
            if below.keys and each.elem.of:
                yield from unmerged(below, each.elem.of, here)
        elif each.kind == "struct":
            yield from unmerged(below, each.of, here)


@pytest.mark.parametrize(
    ("api_version", "kind", "struct"),
    [
        pytest.param(TRAINER, "TrainingRuntime", "trainer/v1alpha1.TrainingRuntime", id="runtime"),
        pytest.param(
            TRAINER, "ClusterTrainingRuntime", "trainer/v1alpha1.ClusterTrainingRuntime", id="cluster-runtime"
        ),
        pytest.param("jobset.x-k8s.io/v1alpha2", "JobSet", "jobset/v1alpha2.JobSet", id="job-set"),
        pytest.param(TRAINER, "TrainJob", "trainer/v1alpha1.TrainJob", id="train-job"),
        pytest.param("v1", "ConfigMap", "core/v1.ConfigMap", id="config-map"),
    ],
)
def test_what_go_merges_by_key_is_merged_by_it(api_version: str, kind: str, struct: str):
    merging = merging_of(api_version, kind)
    assert merging is not None
    assert list(unmerged(merging, struct, kind)) == []


@pytest.mark.parametrize(
    ("field", "items"),
    [
        pytest.param("podSpecOverrides", [{"targetJobs": [{"name": "node"}], "volumes": [{"name": "v"}]}], id="2.0"),
        pytest.param("podTemplateOverrides", [{"targetJobs": [{"name": "node"}]}], id="2.1"),
    ],
)
def test_overrides_of_early_trainers_are_replaced_as_a_whole(field: str, items: list[Any]):
    # Their order decides and they have no key: x-kubernetes-list-type is atomic.
    body = {"spec": {field: [{"targetJobs": [{"name": "other"}]}]}}
    assert merged(body, {"spec": {field: items}}, TRAINER, "TrainJob") == {"spec": {field: items}}


def test_an_unknown_kind_has_no_keys():
    assert merging_of("acme.io/v1", "TrainJob") is None
    assert merged({"spec": {"l": [{"name": "a"}]}}, {"spec": {"l": [{"name": "b"}]}}, "acme.io/v1", "Thing") == {
        "spec": {"l": [{"name": "b"}]}
    }
