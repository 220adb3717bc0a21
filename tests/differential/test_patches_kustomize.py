"""Patches do to objects what kustomize inside real kubectl does; where they do not, that is meant and shown here."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubectl_trainjob.api.merge_keys import Merging, merging_of
from kubectl_trainjob.draft import Draft
from kubectl_trainjob.limits import LIMITS
from kubectl_trainjob.overlay.json_patch import apply_operations
from kubectl_trainjob.overlay.merge import PatchError, merge_patch
from tests.differential.kustomize import Body, Layer, by_kustomize, run_kustomize
from tests.unit.overlay import merge_keys

CASES = yaml.safe_load((Path(__file__).parent / "patch_cases.yaml").read_text(encoding="utf-8"))


class Pair(NamedTuple):
    """An object, and a merge patch (a mapping) or operations (a list)."""

    body: Body
    patch: Any


def by_us(pair: Pair) -> Body | None:
    if isinstance(pair.patch, list):
        return apply_operations(Draft(pair.body), pair.patch, ("patch",), LIMITS).value
    merged = merge_patch(Draft(pair.body), pair.patch, pair.body["apiVersion"], pair.body["kind"], ("patch",))
    return merged.value if merged else None


def layer(pairs: Sequence[Pair]) -> Layer:
    """One kustomization of all objects; each patch is aimed at its object by a name made for it."""
    members, patches = [], []
    for number, (body, patch) in enumerate(pairs):
        members.append({**body, "metadata": {**body["metadata"], "name": f"o{number}"}})
        patches.append({"target": {"name": f"o{number}"}, "patch": json.dumps(patch)})
    return Layer(members, {"patches": patches})


def kustomized(pairs: Sequence[Pair], folder: Path) -> list[Body | None]:
    """What kustomize makes of each object, under the object's own name; None where it deletes one."""
    made = {body["metadata"]["name"]: body for body in by_kustomize(layer(pairs), folder)}
    results = [made.get(f"o{number}") for number in range(len(pairs))]
    for result, (body, _) in zip(results, pairs, strict=True):
        if result is not None:
            result["metadata"]["name"] = body["metadata"]["name"]
    return results


def as_text(body: Body | None) -> str:
    """Equal for equal data of equal types, in the same order of lists."""
    return json.dumps(body, sort_keys=True)


def named(case: dict[str, Any], content: Any) -> Body:
    """An object of the case's kind."""
    api_version, kind = case["of"].split(" ")
    body: Body = {"apiVersion": api_version, "kind": kind, **content}
    return {**body, "metadata": {"name": "x", **body.get("metadata", {})}}


def pair_of(case: dict[str, Any]) -> Pair:
    patch = case["patch"]
    return Pair(named(case, case["object"]), patch if isinstance(patch, list) else named(case, patch))


def each(*groups: str) -> pytest.MarkDecorator:
    cases = [pytest.param(case, id=f"{group}-{case['id']}") for group in groups for case in CASES[group]]
    return pytest.mark.parametrize("case", cases)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Body | None]:
    """What kustomize makes of all cases that it does not refuse, in one call."""
    cases = [(group, case) for group in ("merge", "operations", "differences") for case in CASES[group]]
    made = kustomized([pair_of(case) for _, case in cases], tmp_path_factory.mktemp("cases"))
    return {f"{group} {case['id']}": body for (group, case), body in zip(cases, made, strict=True)}


@each("merge", "operations")
def test_as_kustomize(case: dict[str, Any], results: dict[str, Body | None]):
    group = "operations" if isinstance(case["patch"], list) else "merge"
    assert as_text(by_us(pair_of(case))) == as_text(results[f"{group} {case['id']}"])


@each("differences")
def test_meant_differences(case: dict[str, Any], results: dict[str, Body | None]):
    assert as_text(results[f"differences {case['id']}"]) == as_text(named(case, case["kustomize"]))
    if "ours" in case:
        assert as_text(by_us(pair_of(case))) == as_text(named(case, case["ours"]))
    else:
        refuses(case)


@each("refused")
def test_refused_by_both(case: dict[str, Any], tmp_path: Path):
    assert run_kustomize(layer([pair_of(case)]), tmp_path).returncode != 0
    refuses(case)


def test_the_whole_object_is_replaced(tmp_path: Path):
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "o0"}, "data": {"a": "b"}}
    new = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "o0", "labels": {"a": "b"}}}
    pair = Pair(body, [{"op": "replace", "path": "", "value": new}])
    assert by_us(pair) == kustomized([pair], tmp_path)[0] == new


def refuses(case: dict[str, Any]) -> None:
    with pytest.raises(PatchError) as caught:
        by_us(pair_of(case))
    assert case["error"] in str(caught.value)
    assert caught.value.cause == ("patch", *case["at"])


# Every list that we merge by key in kinds that kustomize knows.

CUSTOM = ("trainer.kubeflow.org/", "jobset.x-k8s.io/")
CORE = [kind for kind in merge_keys.kinds() if not kind.startswith(CUSTOM) and "Kustomization" not in kind]


def filled(merging: Merging, name: str) -> Any:
    """A value with every list that is merged, each with an entry of its own and one that all such lists have."""
    if merging.keys == ():
        return [name, "shared"]
    if merging.keys is None:
        return {field: filled(below, name) for field, below in merging.fields.items()}
    inner = {field: filled(below, name) for field, below in merging.fields.items()}
    return [dict.fromkeys(merging.keys, name), {**dict.fromkeys(merging.keys, "shared"), **inner}]


def test_the_lists_of_core_kinds(tmp_path: Path):
    pairs = []
    for kind in CORE:
        api_version, _, name = kind.partition(" ")
        merging = merging_of(api_version, name)
        assert merging is not None
        head = {"apiVersion": api_version, "kind": name}
        old, patch = filled(merging, "old"), filled(merging, "new")
        metadata = {"name": "x"}
        pairs.append(
            Pair(
                {**old, **head, "metadata": {**old.get("metadata", {}), **metadata}},
                {**patch, **head, "metadata": {**patch.get("metadata", {}), **metadata}},
            )
        )
    wrong = [
        pair.body["kind"]
        for pair, theirs in zip(pairs, kustomized(pairs, tmp_path), strict=True)
        if as_text(by_us(pair)) != as_text(theirs)
    ]
    assert len(CORE) > 80
    assert wrong == []


# Random objects and patches. What is meant to differ is not among them: each field has one type (kustomize keeps the
# old value's quotes), and a list is only directed where the object has one (see `directed`).

KEY_NAMES = st.sampled_from("abcd")
TEXTS = st.sampled_from(["x", "y", "1", "true", ""])
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "text": TEXTS,
    "number": st.sampled_from([0, 1, 2.5]),
    "truth": st.booleans(),
    "list": st.lists(TEXTS | st.integers(0, 2) | st.none(), max_size=3),
    "items": st.lists(st.fixed_dictionaries({"name": KEY_NAMES}, optional={"value": st.none() | TEXTS}), max_size=2),
}


def fields(is_patch: bool, optional: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Body]:
    """Some of the fields; a patch may delete each."""
    return st.fixed_dictionaries(
        {}, optional={key: st.none() | each if is_patch else each for key, each in optional.items()}
    )


def mapping(is_patch: bool, depth: int = 2) -> st.SearchStrategy[Body]:
    """A mapping of which no schema knows anything."""
    below = {"map": mapping(is_patch, depth - 1)} if depth else {}
    plain = fields(is_patch, {**FIELDS, **below})
    return st.builds(dict.__or__, plain, directives("delete", "replace", "merge")) if is_patch else plain


def directives(*words: str) -> st.SearchStrategy[Body]:
    """Seldom one of the words."""
    return st.sampled_from([*[{}] * 6, *({"$patch": word} for word in words)])


def keyed(is_patch: bool, content: st.SearchStrategy[Body], key: str = "name") -> st.SearchStrategy[list[Body]]:
    """A list that is merged by one key."""
    item = st.builds(
        lambda name, rest, directive: {key: name, **rest, **directive},
        KEY_NAMES,
        content,
        directives("delete", "merge") if is_patch else st.just({}),
    )
    return st.lists(item, max_size=3, unique_by=lambda item: item[key])


def ports(is_patch: bool, protocols: Sequence[str]) -> st.SearchStrategy[list[Body]]:
    """Ports that all state a protocol, or none does."""
    head = st.fixed_dictionaries(
        {"containerPort": st.integers(80, 82), **({"protocol": st.sampled_from(protocols)} if protocols else {})}
    )
    item = st.builds(
        lambda *parts: {key: value for part in parts for key, value in part.items()},
        head,
        fields(is_patch, {"name": TEXTS}),
        directives("delete") if is_patch else st.just({}),
    )
    return st.lists(item, max_size=3, unique_by=lambda item: (item["containerPort"], item.get("protocol")))


def container(is_patch: bool, protocols: Sequence[str]) -> st.SearchStrategy[Body]:
    return fields(
        is_patch,
        {
            "image": TEXTS,
            "command": FIELDS["list"],
            "env": keyed(is_patch, fields(is_patch, {"value": TEXTS, "valueFrom": mapping(is_patch, 0)})),
            "volumeMounts": keyed(is_patch, fields(is_patch, {"name": TEXTS}), "mountPath"),
            "resources": mapping(is_patch, 1),
            "ports": ports(is_patch, protocols),
        },
    )


def pod_spec(is_patch: bool, protocols: Sequence[str]) -> st.SearchStrategy[Body]:
    spread = st.fixed_dictionaries(
        {"topologyKey": KEY_NAMES, "whenUnsatisfiable": KEY_NAMES}, optional={"maxSkew": st.integers(1, 2)}
    )
    return fields(
        is_patch,
        {
            "containers": keyed(is_patch, container(is_patch, protocols)),
            "initContainers": keyed(is_patch, container(is_patch, protocols)),
            "volumes": keyed(is_patch, mapping(is_patch, 1)),
            "imagePullSecrets": keyed(is_patch, st.just({})),
            "tolerations": FIELDS["items"],
            "nodeSelector": mapping(is_patch, 0),
            "topologySpreadConstraints": st.lists(spread, max_size=2, unique_by=lambda one: tuple(one.values())[:2]),
            "hostname": TEXTS,
        },
    )


@st.composite
def merges(draw: Callable[..., Any]) -> Pair:
    """A Deployment or a Pod, and a merge patch for it."""
    protocols = draw(st.sampled_from([(), ("TCP", "UDP")]))
    is_pod = draw(st.booleans())
    specs = [draw(pod_spec(is_patch, protocols)) for is_patch in (False, True)]
    finalizers = st.lists(KEY_NAMES, max_size=3)
    made = []
    for spec in specs:
        metadata = {"name": "x", **draw(fields(False, {"finalizers": finalizers}))}
        if is_pod:
            made.append({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
        else:
            made.append(
                {
                    "apiVersion": "apps/v1",
                    "kind": "Deployment",
                    "metadata": metadata,
                    "spec": {"template": {"spec": spec}},
                }
            )
    return Pair(made[0], directed(draw, made[0], made[1]))


KEYED = ("containers", "initContainers", "volumes", "imagePullSecrets", "env", "volumeMounts", "ports", "finalizers")


def directed(draw: Callable[..., Any], old: Any, patch: Any, field: str = "") -> Any:
    """The patch, now and then with a directive for a list that the object has, too."""
    if isinstance(patch, dict) and isinstance(old, dict) and patch.get("$patch") != "replace":
        return {key: directed(draw, old.get(key), value, key) for key, value in patch.items()}
    if not (isinstance(patch, list) and isinstance(old, list) and field in KEYED):
        return patch
    said = draw(directives("delete", "replace"))
    if said:
        return [said, *patch]
    key = next(
        (
            key
            for key in ("name", "mountPath", "containerPort")
            if patch and isinstance(patch[0], dict) and key in patch[0]
        ),
        "",
    )
    if not key or field == "ports":
        return patch
    known = {item[key]: item for item in old}
    return [directed(draw, known.get(item[key]), item) for item in patch]


MANY = settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
FEW = settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def agree(pairs: list[Pair]) -> None:
    with TemporaryDirectory() as folder:
        theirs = kustomized(pairs, Path(folder))
    for pair, wanted in zip(pairs, theirs, strict=True):
        before = as_text(pair.body)
        assert as_text(by_us(pair)) == as_text(wanted), pair
        assert as_text(pair.body) == before


@FEW
@given(st.lists(merges(), min_size=1, max_size=20))
def test_merges_as_kustomize(pairs: list[Pair]):
    agree(pairs)


@pytest.mark.slow
@MANY
@given(st.lists(merges(), min_size=1, max_size=20))
def test_many_merges_as_kustomize(pairs: list[Pair]):
    agree(pairs)
