"""Strategic merges, judged by k8s.io/apimachinery: recorded answers always, live ones where Go is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from kubectl_trainjob.compiler.errors import PatchError
from kubectl_trainjob.compiler.expand.strategic_merge import merge
from kubectl_trainjob.kube.facts.types import Field
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Source, SourceFile
from tests.unit.kube.facts import go_types, vectors
from tests.unit.kube.facts.vectors import JOBSET_SPEC

POD = "core/v1.PodSpec"
CAUSE = ("patch", "spec")
DELETION = "$deleteFromPrimitiveList"
# Upstream leaves `$patch: delete` in a map of quantities that is new; the CRDs reject such a map before.
_NO_QUANTITY = "quantities must match"
_STRUCTS = json.loads(go_types.FILE.read_text())


def answer(question: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"merged": merge(Draft(question["original"]), (), question["patch"], JOBSET_SPEC, CAUSE).value}
    except PatchError:
        return {"error": ""}


def differences(pairs: vectors.Pairs) -> list[Any]:
    wrong = []
    for question, recorded in pairs:
        if not _directs_an_entry(question["patch"]) and _NO_QUANTITY not in recorded.get("error", ""):
            mine = answer(question)
            if mine.keys() != recorded.keys() or mine.get("merged") != recorded.get("merged"):
                wrong.append((question, recorded, mine))
    return wrong


def _directs_an_entry(patch: Any) -> bool:
    """Whether `$patch` stands in a list's entry, where no patch of Trainer has it: structs lose the key."""
    if isinstance(patch, dict):
        return any(map(_directs_an_entry, patch.values()))
    entries = patch if isinstance(patch, list) else []
    return any(_directs_an_entry(item) or (isinstance(item, dict) and "$patch" in item) for item in entries)


def test_merges_as_upstream_recorded():
    pairs = vectors.recorded("merge")
    assert sum("merged" in recorded for _, recorded in pairs) > 45
    assert differences(pairs) == []


@pytest.mark.go
def test_merges_as_upstream_does_now():
    assert differences(vectors.live("merge", range(5000, 6000))) == []


def test_the_inputs_are_not_written_to():
    for question, _ in vectors.recorded("merge"):
        before = json.dumps(question)
        answer(question)
        assert json.dumps(question) == before


@pytest.mark.parametrize(
    "struct",
    [
        "trainer-2.0/v1alpha1.PodSpecOverride",
        "trainer-2.1/v1alpha1.PodTemplateSpecOverride",
        "trainer/v1alpha1.JobSetSpecPatch",
        "trainer/v1alpha1.JobTemplatePatch",
    ],
)
def test_no_patch_of_trainer_directs_a_merged_entry(struct: str):
    """Entries of merged lists are structs, of which `marshalled` keeps what Go knows."""
    assert set(_merged_entries(struct, set())) == {"string", "struct"}


def _merged_entries(struct: str, seen: set[str]) -> Iterator[str]:
    """The kinds of the entries of all lists that are merged, in a struct and below it."""
    seen.add(struct)
    for spelling in _STRUCTS[struct].values():
        known = Field(spelling)
        if known.elem is not None and known.strategy.startswith("merge"):
            yield known.elem.kind
        while known.elem is not None:
            known = known.elem
        if known.kind == "struct" and known.of not in seen:
            yield from _merged_entries(known.of, seen)


def names(*letters: str) -> list[dict[str, Any]]:
    return [{"name": letter} for letter in letters]


@pytest.mark.parametrize(
    ("original", "patch", "wanted"),
    [
        # Expected lists as printed by StrategicMergePatch (recorder, mode merge).
        pytest.param(names("a", "b"), names("b", "c"), names("a", "b", "c"), id="new-goes-last"),
        pytest.param(names("a", "b", "c"), names("c", "a"), names("b", "c", "a"), id="patch-order-wins"),
        pytest.param(names("a", "b"), names("x", "a"), names("x", "a", "b"), id="new-first-stays-first"),
    ],
)
def test_order_of_merged_lists(original: list[Any], patch: list[Any], wanted: list[Any]):
    draft = merge(Draft({"containers": original}), (), {"containers": patch}, POD, CAUSE)
    assert draft.value == {"containers": wanted}


@pytest.mark.parametrize(
    ("original", "patch", "wanted"),
    [
        pytest.param({"nodeSelector": {"a": "1"}}, {"nodeSelector": None}, {}, id="null-deletes"),
        pytest.param({}, {"affinity": {"nodeAffinity": None}}, {"affinity": {}}, id="null-in-what-is-new"),
        pytest.param(
            {"nodeSelector": {"a": "1"}}, {"nodeSelector": {"$patch": "delete"}}, {"nodeSelector": {}}, id="delete-map"
        ),
        pytest.param(
            {"nodeSelector": {"a": "1"}},
            {"nodeSelector": {"$patch": "replace", "b": "2"}},
            {"nodeSelector": {"b": "2"}},
            id="replace-map",
        ),
        pytest.param(
            {"nodeSelector": {"a": "1"}},
            {"nodeSelector": {f"{DELETION}/a": "2", f"{DELETION}/b": "3", f"{DELETION}/": "4"}},
            {"nodeSelector": {"a": "2"}},
            id="deletion-writes-what-exists",
        ),
        pytest.param(
            {"nodeSelector": {"a": "1"}},
            {"nodeSelector": {"$retainKeys/a": "2"}},
            {"nodeSelector": {"a": "1", "$retainKeys/a": "2"}},
            id="key-like-a-directive",
        ),
        pytest.param(
            {"tolerations": [{"key": "a"}]},
            {"tolerations": [{"key": "b"}]},
            {"tolerations": [{"key": "b"}]},
            id="atomic",
        ),
    ],
)
def test_mappings(original: dict[str, Any], patch: dict[str, Any], wanted: dict[str, Any]):
    assert merge(Draft(original), (), patch, POD, CAUSE).value == wanted


@pytest.mark.parametrize(
    ("patch", "cause"),
    [
        pytest.param({"containers": [{"image": "x"}]}, ("containers",), id="no-merge-key"),
        pytest.param({"containers": ["x"]}, ("containers",), id="mixed"),
        pytest.param({"$patch": "merge"}, (), id="unknown-directive"),
        pytest.param({"$setElementOrder/containers": []}, ("$setElementOrder/containers",), id="order"),
        pytest.param({"$setElementOrder": "x"}, ("$setElementOrder",), id="order-without-key"),
        pytest.param({"$retainKeys": []}, ("$retainKeys",), id="retain-keys"),
        pytest.param({DELETION: "x"}, (DELETION,), id="deletion-without-key"),
        pytest.param({f"{DELETION}s/a": "x"}, (f"{DELETION}s/a",), id="unknown-deletion"),
    ],
)
def test_what_cannot_be_merged_names_the_entry(patch: dict[str, Any], cause: tuple[str | int, ...]):
    with pytest.raises(PatchError) as caught:
        merge(Draft({"containers": names("a")}), (), patch, POD, CAUSE)
    assert caught.value.cause == (*CAUSE, *cause)


def test_each_stated_value_remembers_its_line_in_the_patch():
    source = Source(SourceFile("job.yaml", ""))
    original = {"containers": [{"name": "a", "env": [{"name": "X", "value": "1"}]}], "nodeSelector": {"p": "q"}}
    patch = {"containers": [{"name": "b"}, {"name": "a", "env": [{"name": "X", "value": "1"}]}]}
    draft = merge(Draft({"spec": original}, {"patch": source}).step("merge"), ("spec",), patch, POD, CAUSE)
    assert draft.get("spec", "containers", 0) == {"name": "b"}
    origin = draft.origin(("spec", "containers", 1, "env", 0, "value"))
    assert origin is not None
    assert origin.place is not None, "the same value is a write too"
    assert origin.place.pointer == ("spec", "containers", 1, "env", 0, "value")
    untouched = draft.origin(("spec", "nodeSelector", "p"))
    assert untouched is not None
    assert untouched.step == "start"
