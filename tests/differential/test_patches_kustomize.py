"""Patches do to objects what kustomize inside real kubectl does; where they do not, that is meant and shown here."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from kubectl_trainjob.compiler.errors import PatchError
from kubectl_trainjob.compiler.overlay.json_patch import apply_operations
from kubectl_trainjob.compiler.overlay.merge import merge_patch
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.kube.facts.merge_keys import Merging, merging_of
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.limits import LIMITS
from tests.differential.kustomize import Body, Layer, by_kustomize, run_kustomize
from tests.loops import sample
from tests.unit.compiler.overlay import merge_keys

CASES = yaml.safe_load((Path(__file__).parent / "patch_cases.yaml").read_text(encoding="utf-8"))


class Pair(NamedTuple):
    """An object, and a merge patch (a mapping) or operations (a list)."""

    body: Body
    patch: Any


def by_us(pair: Pair) -> Body | None:
    if isinstance(pair.patch, list):
        return apply_operations(Draft(pair.body), pair.patch, ("patch",), Steps(LIMITS)).value
    merged = merge_patch(
        Draft(pair.body), pair.patch, pair.body["apiVersion"], pair.body["kind"], ("patch",), Steps(LIMITS)
    )
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


def each(*groups: str, every: int = 1) -> pytest.MarkDecorator:
    cases = {f"{group}-{case['id']}": case for group in groups for case in CASES[group]}
    return pytest.mark.parametrize("case", sample(cases, every))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Body | None]:
    """What kustomize makes of all cases that it does not reject, in one call."""
    cases = [(group, case) for group in ("merge", "operations", "differences") for case in CASES[group]]
    made = kustomized([pair_of(case) for _, case in cases], tmp_path_factory.mktemp("cases"))
    return {f"{group} {case['id']}": body for (group, case), body in zip(cases, made, strict=True)}


@each("merge", "operations")
def test_as_kustomize(case: dict[str, Any], results: dict[str, Body | None]):
    group = "operations" if isinstance(case["patch"], list) else "merge"
    assert as_text(by_us(pair_of(case))) == as_text(results[f"{group} {case['id']}"])


def test_a_patch_that_names_its_object_itself_does_the_same(tmp_path: Path):
    # kustomize goes another way here (Resource.ApplySmPatch at once), on which null deletes a label, too.
    cases = [*CASES["merge"], next(case for case in CASES["differences"] if case["id"] == "null-label")]
    pairs, members, patches = [pair_of(case) for case in cases], [], []
    for number, (body, patch) in enumerate(pairs):
        identity = {key: body["metadata"][key] for key in ("namespace",) if key in body["metadata"]} | {
            "name": f"o{number}"
        }
        members.append({**body, "metadata": {**body["metadata"], **identity}})
        specified = {key: value for key, value in patch["metadata"].items() if key != "namespace"}
        patches.append({"patch": json.dumps({**patch, "metadata": {**specified, **identity}})})
    made = {body["metadata"]["name"]: body for body in by_kustomize(Layer(members, {"patches": patches}), tmp_path)}
    for number, pair in enumerate(pairs):
        ours = by_us(pair)
        wanted = ours and {**ours, "metadata": {**ours["metadata"], "name": f"o{number}"}}
        assert as_text(made.get(f"o{number}")) == as_text(wanted), cases[number]["id"]


@each("differences")
def test_meant_differences(case: dict[str, Any], results: dict[str, Body | None]):
    assert as_text(results[f"differences {case['id']}"]) == as_text(named(case, case["kustomize"]))
    if "ours" in case:
        assert as_text(by_us(pair_of(case))) == as_text(named(case, case["ours"]))
    else:
        rejects(case)


@each("refused", every=3)  # one process each
def test_rejected_by_both(case: dict[str, Any], tmp_path: Path):
    assert run_kustomize(layer([pair_of(case)]), tmp_path).returncode != 0
    rejects(case)


def test_the_whole_object_is_replaced(tmp_path: Path):
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "o0"}, "data": {"a": "b"}}
    new = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "o0", "labels": {"a": "b"}}}
    pair = Pair(body, [{"op": "replace", "path": "", "value": new}])
    assert by_us(pair) == kustomized([pair], tmp_path)[0] == new


def rejects(case: dict[str, Any]) -> None:
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
            "volumes": keyed(is_patch, fields(is_patch, {**FIELDS, "map": mapping(is_patch, 0)})),
            "imagePullSecrets": keyed(is_patch, st.just({})),
            "tolerations": FIELDS["items"],
            "nodeSelector": mapping(is_patch, 0),
            "topologySpreadConstraints": st.lists(
                spread, max_size=2, unique_by=lambda one: (one["topologyKey"], one["whenUnsatisfiable"])
            ),
            "hostname": TEXTS,
        },
    )


@st.composite
def merges(draw: Callable[..., Any]) -> Pair:
    """A Deployment or a Pod, and a merge patch for it."""
    protocols = draw(st.sampled_from([(), ("TCP", "UDP")]))
    is_pod = draw(st.booleans())
    specs = [draw(pod_spec(is_patch, protocols)) for is_patch in (False, True)]
    finalizers = st.lists(KEY_NAMES, max_size=3, unique=True)
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


# A failing pair is shown as it is: making it smaller would ask kubectl for minutes.
ASKING = settings(
    max_examples=8,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def agree(pairs: list[Pair]) -> None:
    with TemporaryDirectory() as folder:
        theirs = kustomized(pairs, Path(folder))
    for pair, wanted in zip(pairs, theirs, strict=True):
        before = as_text(pair.body)
        assert as_text(by_us(pair)) == as_text(wanted), pair
        assert as_text(pair.body) == before


@ASKING
@given(st.lists(merges(), min_size=1, max_size=20))
def test_merges_as_kustomize(pairs: list[Pair]):
    agree(pairs)


@pytest.mark.slow
@settings(ASKING, max_examples=200)
@given(st.lists(merges(), min_size=1, max_size=20))
def test_many_merges_as_kustomize(pairs: list[Pair]):
    agree(pairs)


def pod_spec_of(body: Body) -> Any:
    return body["spec"] if body["kind"] == "Pod" else body["spec"]["template"]["spec"]


def around_pods(kind: str, spec: Any) -> Body:
    """A runtime or a JobSet with one Pod spec."""
    jobs = {"replicatedJobs": [{"name": "node", "template": {"spec": {"template": {"spec": spec}}}}]}
    if kind == "JobSet":
        return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": kind, "metadata": {"name": "x"}, "spec": jobs}
    api_version = "trainer.kubeflow.org/v1alpha1"
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}, "spec": {"template": {"spec": jobs}}}


@pytest.mark.slow
@ASKING
@given(st.lists(merges(), min_size=1, max_size=20), st.sampled_from(["TrainingRuntime", "JobSet"]))
def test_the_pods_of_a_runtime_are_merged_as_kustomize_merges_pods(pairs: list[Pair], kind: str):
    with TemporaryDirectory() as folder:
        theirs = kustomized(pairs, Path(folder))
    for (body, patch), wanted in zip(pairs, theirs, strict=True):
        assert wanted is not None
        pair = Pair(around_pods(kind, pod_spec_of(body)), around_pods(kind, pod_spec_of(patch)))
        assert as_text(by_us(pair)) == as_text(around_pods(kind, pod_spec_of(wanted))), pair


# Random operations: what we reject, kustomize rejects, too.

ODD_KEYS = st.sampled_from(["a", "b", "a/b", "c~d", "0", "-", "x y", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.sampled_from([0, 1, 2.5]) | TEXTS,
    lambda below: st.dictionaries(ODD_KEYS, below, max_size=3) | st.lists(below, max_size=3),
    max_leaves=12,
)


def escaped(key: Any) -> str:
    return "/" + str(key).replace("~", "~0").replace("/", "~1")


@st.composite
def paths(draw: Callable[..., Any], value: Any) -> str:
    """A path that leads somewhere, most of the time."""
    path = "/data"
    while isinstance(value, dict | list) and (path == "/data" or draw(st.integers(0, 2))):
        if isinstance(value, dict):
            key = draw(st.sampled_from([*value, *value, *value, "a", "none"]))
            value = value.get(key)
        else:
            key = draw(st.sampled_from([*range(-len(value) - 1, len(value) + 2), *range(len(value)), "-"]))
            value = value[key] if isinstance(key, int) and -len(value) <= key < len(value) else None
        path += escaped(key)
    return path


@st.composite
def operations(draw: Callable[..., Any], value: Any) -> Body:
    op = draw(st.sampled_from(["add", "add", "replace", "remove", "move", "copy", "test"]))
    operation = {"op": op, "path": draw(paths(value))}
    if op in ("move", "copy"):
        operation["from"] = draw(paths(value))
    elif op != "remove":
        operation["value"] = draw(VALUES)
    return operation


@st.composite
def operated(draw: Callable[..., Any]) -> tuple[Pair, Pair | None]:
    """An object with operations that we apply, and the same with one more that we reject."""
    data = draw(st.dictionaries(ODD_KEYS, VALUES, min_size=2, max_size=4))
    body = {"apiVersion": "acme.io/v1", "kind": "Thing", "metadata": {"name": "x"}, "data": data}
    done: list[Body] = []
    rejected = None
    for _ in range(draw(st.integers(1, 6))):
        now = by_us(Pair(body, done))
        assert now is not None
        more = [*done, draw(operations(now.get("data")))]
        try:
            by_us(Pair(body, more))
        except PatchError:
            rejected = more
        else:
            done = more
    return Pair(body, done or [{"op": "test", "path": "/kind", "value": "Thing"}]), rejected and Pair(body, rejected)


@ASKING
@given(st.lists(operated(), min_size=1, max_size=20))
def test_operations_as_kustomize(drawn: list[tuple[Pair, Pair | None]]):
    agree([applied for applied, _ in drawn])


@pytest.mark.slow
@settings(ASKING, max_examples=200)
@given(st.lists(operated(), min_size=1, max_size=20))
def test_many_operations_as_kustomize(drawn: list[tuple[Pair, Pair | None]]):
    agree([applied for applied, _ in drawn])


@pytest.mark.slow
@settings(ASKING, max_examples=300)
@given(operated())
def test_operations_that_kustomize_rejects_as_well(drawn: tuple[Pair, Pair | None]):
    rejected = drawn[1]
    if rejected and rejected.patch[-1]["op"] != "copy":  # a copy from nowhere is null there: see the differences
        with TemporaryDirectory() as folder:
            assert run_kustomize(layer([rejected]), Path(folder)).returncode != 0, rejected
