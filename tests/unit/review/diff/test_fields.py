"""What differs between two bodies.

Judged by kubectl's decoding, by recorded objects with one leaf changed, by upstream's verdicts on updates, and by
taking what is reported out of both sides.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob.compiler.job import compile_job
from kubectl_trainjob.compiler.prepare import PreparedUnit, prepare
from kubectl_trainjob.model.source import ABSENT, Pointer, value_at
from kubectl_trainjob.model.stages import BuildOptions
from kubectl_trainjob.review.diff.changes import FieldChange
from kubectl_trainjob.review.diff.fields import Order, field_changes, weave
from tests.conformance.cases import FOLDER, VERSIONS, load, read_lines
from tests.loops import for_each, sampled
from tests.reading import read
from tests.tools import require

POD: Pointer = ("spec", "replicatedJobs", 0, "template", "spec", "template", "spec")


def job_set(**pod: Any) -> dict[str, Any]:
    template = {"spec": {"template": {"spec": pod}}}
    return _typed("jobset.x-k8s.io/v1alpha2 JobSet", replicatedJobs=[{"name": "node", "template": template}])


def _typed(kind: str, **spec: Any) -> dict[str, Any]:
    api_version, name = kind.split(" ")
    return {"apiVersion": api_version, "kind": name, "metadata": {"name": "a"}, "spec": spec}


def custom(value: Any) -> dict[str, Any]:
    return _typed("example.com/v1 Custom", x=value)


def reported(old: Any, new: Any, below: Pointer) -> list[tuple[Any, ...]]:
    """The changes as (where in the new object, old, new), where in the old one in front if that is another place."""
    found = []
    for change in field_changes(old, new):
        assert change.old_pointer is not None
        assert change.new_pointer is not None
        places = [pointer[len(below) :] for pointer in (change.old_pointer, change.new_pointer)]
        assert all(pointer[: len(below)] == below for pointer in (change.old_pointer, change.new_pointer))
        found.append((*(places[places[0] == places[1] :]), change.old, change.new))
    return found


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, [], id="order of keys"),
        pytest.param({"a": 1, "b": {"c": 2}}, {"a": 1, "b": {"c": 3}}, [(("b", "c"), 2, 3)], id="the smallest value"),
        pytest.param({"a": {"b": {"c": 1}}}, {"a": {}}, [(("a", "b"), {"c": 1}, ABSENT)], id="a whole mapping"),
        pytest.param({}, {"a": {}}, [(("a",), ABSENT, {})], id="an empty mapping"),
        pytest.param({"a": None}, {}, [(("a",), None, ABSENT)], id="null takes away"),
        pytest.param({"a": None}, {"a": {}}, [(("a",), None, {})], id="null and empty"),
        pytest.param({"a": 1}, {"a": "1"}, [(("a",), 1, "1")], id="a number and a text"),
        pytest.param({"a": 1, "b": 0}, {"a": True, "b": False}, [(("a",), 1, True), (("b",), 0, False)], id="booleans"),
        pytest.param({"a": 1, "b": [2]}, {"a": 1.0, "b": [2.0]}, [], id="JSON has one kind of numbers"),
        pytest.param({"a": [1]}, {"a": {"0": 1}}, [(("a",), [1], {"0": 1})], id="list and mapping"),
        pytest.param({"a": "x\ny"}, {"a": "x\nz"}, [(("a",), "x\ny", "x\nz")], id="a text of several lines"),
        pytest.param(
            {"a": 1, "b": 2, "c": 3, "d": 4},
            {"d": 5, "x": 6, "a": 7},
            [(("d",), 4, 5), (("x",), ABSENT, 6), (("a",), 1, 7), (("b",), 2, ABSENT), (("c",), 3, ABSENT)],
            id="the new order, and what is gone behind what it stood behind",
        ),
        pytest.param(["a", "b"], ["x", "a", "b"], [((2,), (0,), ABSENT, "x")], id="an item more"),
        pytest.param(["a", "b", "c"], ["a", "c"], [((1,), (2,), "b", ABSENT)], id="an item less"),
        pytest.param(["a"], [], [((0,), "a", ABSENT)], id="nothing left"),
        pytest.param(["a", "b", "c"], ["a", "x", "c"], [((1,), "b", "x")], id="an item changed"),
        pytest.param(
            ["train.py", "--lr=1"],
            ["train.py", "--seed=0", "--lr=2"],
            [((2,), (1,), ABSENT, "--seed=0"), ((1,), (2,), "--lr=1", "--lr=2")],
            id="an option keeps its name",
        ),
        pytest.param(["a", "a"], ["a", "a", "a"], [((2,), ABSENT, "a")], id="one more of the same"),
        pytest.param(
            [[1, 2], [3]], [[3], [1, 2]], [((0,), (2,), [1, 2], ABSENT), ((2,), (1,), ABSENT, [1, 2])], id="moved"
        ),
        pytest.param([True, 1, "1"], [1, "1"], [((0,), (2,), True, ABSENT)], id="booleans in lists"),
        pytest.param([[1, 2]], [[1, 3]], [((0, 1), 2, 3)], id="lists in lists"),
        pytest.param(
            [{"key": "a", "v": 1}, {"key": "b", "v": 1}],
            [{"key": "b", "v": 2}],
            [((0,), (1,), {"key": "a", "v": 1}, ABSENT), ((1, "v"), (0, "v"), 1, 2)],
            id="items that look alike",
        ),
        pytest.param(
            [{"name": "a", "v": 1}, {"name": "b"}],
            [{"name": "c"}, {"name": "a", "v": 2}],
            [((2,), (0,), ABSENT, {"name": "c"}), ((0, "v"), (1, "v"), 1, 2), ((1,), (2,), {"name": "b"}, ABSENT)],
            id="by name",
        ),
        pytest.param(
            [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}],
            [{"name": "a"}, {"name": "c"}, {"name": "x"}, {"name": "b"}, {"name": "d"}],
            [((), Order("bc"), Order("cb")), ((4,), (2,), ABSENT, {"name": "x"})],
            id="another order",
        ),
        pytest.param(
            [{"name": "a", "v": 1}, {"name": "a", "v": 2}],
            [{"name": "a", "v": 1}, {"name": "a", "v": 3}],
            [((1, "v"), 2, 3)],
            id="two of one name",
        ),
        pytest.param(
            [{"name": 1}, {"name": "1"}], [{"name": "1"}, {"name": 1}], [((), Order("11"), Order("11"))], id="1"
        ),
        pytest.param({"limits": {"cpu": "1000m"}}, {"limits": {"cpu": 1}}, [], id="a resource"),
        pytest.param(
            {"limits": {"wait": "1000m"}},
            {"limits": {"wait": "1"}},
            [(("limits", "wait"), "1000m", "1")],
            id="nothing that is known to be a resource",
        ),
        pytest.param({"cpu": "1000m"}, {"cpu": "1"}, [(("cpu",), "1000m", "1")], id="nothing known to be a quantity"),
        pytest.param(
            {"resources": [{"name": "cpu", "nominalQuota": "9000m"}]},
            {"resources": [{"name": "cpu", "nominalQuota": 9}]},
            [],
            id="Kueue's quota",
        ),
    ],
)
def test_custom_resources(old, new, changes):
    assert reported(custom(old), custom(new), ("spec", "x")) == changes


def _ports(*ports: dict[str, Any]) -> dict[str, Any]:
    return {"containers": [{"name": "c", "ports": list(ports)}]}


def _mounts(*mounts: dict[str, Any]) -> dict[str, Any]:
    return {"containers": [{"name": "c", "volumeMounts": list(mounts)}]}


NODE = ("containers", 0)
PORTS = (*NODE, "ports")
MOUNTS = (*NODE, "volumeMounts")


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        pytest.param(
            _ports({"containerPort": 1}, {"containerPort": 1, "protocol": "UDP"}),
            _ports({"containerPort": 1, "protocol": "UDP", "name": "u"}, {"containerPort": 1, "protocol": "TCP"}),
            [
                (PORTS, Order(("1/TCP", "1/UDP")), Order(("1/UDP", "1/TCP"))),
                ((*PORTS, 1, "name"), (*PORTS, 0, "name"), ABSENT, "u"),
                ((*PORTS, 0, "protocol"), (*PORTS, 1, "protocol"), ABSENT, "TCP"),
            ],
            id="ports by number and protocol",
        ),
        pytest.param(
            _mounts({"name": "v", "mountPath": "/a"}, {"name": "v", "mountPath": "/b"}),
            _mounts({"name": "v", "mountPath": "/b", "readOnly": True}),
            [
                ((*MOUNTS, 0), (*MOUNTS, 1), {"name": "v", "mountPath": "/a"}, ABSENT),
                ((*MOUNTS, 1, "readOnly"), (*MOUNTS, 0, "readOnly"), ABSENT, True),
            ],
            id="mounts by path",
        ),
        pytest.param(
            {"initContainers": [{"name": "a"}, {"name": "b"}]},
            {"initContainers": [{"name": "b"}, {"name": "a"}]},
            [(("initContainers",), Order("ab"), Order("ba"))],
            id="init containers run in order",
        ),
        pytest.param(
            {"tolerations": [{"key": "a", "operator": "Exists"}]},
            {"tolerations": [{"key": "b", "operator": "Exists"}, {"key": "a", "operator": "Equal"}]},
            [
                (("tolerations", 1), ("tolerations", 0), ABSENT, {"key": "b", "operator": "Exists"}),
                (("tolerations", 0, "operator"), ("tolerations", 1, "operator"), "Exists", "Equal"),
            ],
            id="tolerations have no keys",
        ),
        pytest.param(
            {"volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}], "overhead": {"any": "1"}},
            {"volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1024Mi"}}], "overhead": {"any": "1000m"}},
            [],
            id="quantities by the API's types",
        ),
        pytest.param(
            {"overhead": {"memory": "1Gi", "cpu": "1e3"}},
            {"overhead": {"memory": 1073741824, "cpu": "1k"}},
            [],
            id="the same amount in another notation, as Quantity.Cmp has it",
        ),
        pytest.param(
            {"volumes": [{"name": "v", "emptyDir": {}}]},
            {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "x"}}]},
            [
                (("volumes", 0, "emptyDir"), {}, ABSENT),
                (("volumes", 0, "persistentVolumeClaim"), ABSENT, {"claimName": "x"}),
            ],
            id="another kind of volume",
        ),
        pytest.param(
            {"topologySpreadConstraints": [{"topologyKey": "z", "whenUnsatisfiable": w} for w in "ab"]},
            {"topologySpreadConstraints": [{"topologyKey": "z", "whenUnsatisfiable": w} for w in "b"]},
            [
                (
                    ("topologySpreadConstraints", 0),
                    ("topologySpreadConstraints", 1),
                    {"topologyKey": "z", "whenUnsatisfiable": "a"},
                    ABSENT,
                )
            ],
            id="two keys",
        ),
    ],
)
def test_job_sets(old, new, changes):
    found = reported(job_set(**old), job_set(**new), POD)
    assert sorted(found, key=repr) == sorted(changes, key=repr)
    assert field_changes(job_set(**new), job_set(**new)) == ()


def test_rules_and_patches():
    rules = [{"name": "r", "action": "FailJobSet"}, {"name": "s", "action": "RestartJobSet"}]
    old, new = ({"failurePolicy": {"rules": each}} for each in (rules, rules[::-1]))
    pointer = ("spec", "failurePolicy", "rules")
    kind = "jobset.x-k8s.io/v1alpha2 JobSet"
    assert field_changes(_typed(kind, **old), _typed(kind, **new)) == (
        FieldChange(pointer, pointer, Order("rs"), Order("sr")),
    )
    patches = [{"manager": "a", "trainingRuntimeSpec": {}}, {"manager": "b"}]
    kind = "trainer.kubeflow.org/v1alpha1 TrainJob"
    change = field_changes(_typed(kind, runtimePatches=patches), _typed(kind, runtimePatches=patches[1:]))
    assert change == (FieldChange(("spec", "runtimePatches", 0), ("spec", "runtimePatches", 1), patches[0], ABSENT),)


def test_resources_of_every_kind():
    old, new = ({"resourcesPerNode": {"requests": {"gpu": each}}} for each in ("1000m", 1))
    for kind, is_same in (("trainer.kubeflow.org/v1alpha1 TrainJob", True), ("example.com/v1 Custom", False)):
        assert (field_changes(_typed(kind, trainer=old), _typed(kind, trainer=new)) == ()) is is_same
    for kind in ("scheduling.x-k8s.io/v1alpha1 PodGroup", "scheduling.volcano.sh/v1beta1 PodGroup"):
        assert field_changes(_typed(kind, minResources={"cpu": "2000m"}), _typed(kind, minResources={"cpu": 2})) == ()
    requests = ({"resources": {"requests": {"storage": each}}} for each in ("1Ti", "1024Gi"))
    assert field_changes(*(_typed("v1 PersistentVolumeClaim", **each) for each in requests)) == ()
    hard = ({"hard": {"requests.nvidia.com/gpu": each, "requests.cpu": each}} for each in ("8", 8))
    assert field_changes(*(_typed("v1 ResourceQuota", **each) for each in hard)) == ()


def test_the_name_is_a_change():
    old, new = job_set(), job_set()
    new["metadata"] = {"name": "b"}
    assert field_changes(old, new) == (FieldChange(("metadata", "name"), ("metadata", "name"), "a", "b"),)


@pytest.mark.slow
def test_deep_and_long():
    deep: Any = 1
    for depth in range(64):
        deep = {"k": deep} if depth % 2 else [deep]
    assert len(field_changes(custom(deep), custom(json.loads(json.dumps(deep).replace("1", "2"))))) == 1
    many = [f"a{index % 7}" for index in range(20_000)]
    assert reported(custom(many), custom(["x", *many]), ("spec", "x")) == [((20_000,), (0,), ABSENT, "x")]
    for other in (many[::-1], [f"a{index % 5}" for index in range(20_000)], ["a0"] * 20_000):
        assert _taken_out(custom(many), custom(other))
    named = [{"name": str(index)} for index in range(20_000)]
    (change,) = field_changes(custom(named), custom(named[::-1]))
    assert (len(change.old), change.new[::-1]) == (20_000, change.old)


@pytest.mark.parametrize(
    ("old", "new", "order"),
    [
        pytest.param("abc", "abc", "abc", id="the same"),
        pytest.param("abc", "ca", "cab", id="behind what it stood behind"),
        pytest.param("abc", "xc", "abxc", id="at the start"),
        pytest.param("abcd", "", "abcd", id="all gone"),
    ],
)
def test_weave(old, new, order):
    assert "".join(weave(old, list(new))) == order


# kubectl decodes into the Go types and prints what it has: two spellings of one Pod come out the same.


_RESPELLED = [
    pytest.param({"limits": {"cpu": "1000m", "x.y/gpu": 8}}, {"limits": {"cpu": 1, "x.y/gpu": "8"}}, id="quantities"),
    pytest.param({"limits": {"memory": "1024Mi"}}, {"limits": {"memory": "1Gi"}}, id="binary"),
    pytest.param({"limits": {"memory": "1Gi"}}, {"limits": {"memory": "1G"}}, id="binary and decimal"),
    pytest.param({"limits": {"cpu": 1}}, {"requests": {"cpu": 1}}, id="requests and limits"),
    pytest.param({"limits": {"cpu": "0.1"}}, {"limits": {"cpu": "100m"}}, id="fractions"),
    pytest.param({"limits": {"cpu": ".5"}}, {"limits": {"cpu": "0.50"}}, id="zeros"),
    pytest.param({"limits": {"cpu": "1"}}, {"limits": {"cpu": "1001m"}}, id="a little more"),
]


@pytest.mark.parametrize(("old", "new"), _RESPELLED)
def test_quantities_kubectl(old, new):
    _judge_by_kubectl(*({"name": "c", "image": "i", "resources": each} for each in (old, new)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param({"tcpSocket": {"port": 80}}, {"tcpSocket": {"port": "80"}}, id="int or string"),
        pytest.param({"tcpSocket": {"port": 80}}, {"tcpSocket": {"port": 80.0}}, id="80.0"),
        pytest.param({"periodSeconds": 1}, {"periodSeconds": 1.0}, id="1.0"),
        pytest.param({"exec": {"command": ["a", "b"]}}, {"exec": {"command": ["b", "a"]}}, id="order of a command"),
    ],
)
def test_probes_kubectl(old, new):
    _judge_by_kubectl(*({"name": "c", "image": "i", "livenessProbe": each} for each in (old, new)))


def _judge_by_kubectl(*containers: dict[str, Any]) -> None:
    pods = [_typed("v1 Pod", containers=[each]) for each in containers]
    old, new = map(_decoded, pods)
    assert (field_changes(*pods) == ()) is (old == new)
    assert (field_changes(*(job_set(containers=[each]) for each in containers)) == ()) is (old == new)


def _decoded(pod: Any) -> Any:
    command = [require("kubectl"), "set", "env", "--local", "-f-", "ANY=x", "-ojson"]
    done = subprocess.run(command, input="---\n" + json.dumps(pod), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


# What is reported is taken out of both sides; the rest must be the same, with quantities as numbers and lists whose
# members have keys (API reference, listMapKeys) in one order.

_KEYS = {
    "ports": ("containerPort", "protocol"),
    "volumeMounts": ("mountPath",),
    "volumeDevices": ("devicePath",),
    "hostAliases": ("ip",),
    "topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    "runtimePatches": ("manager",),
    "ownerReferences": ("uid",),
    "targets": ("jobName",),
    "conditions": ("type",),
}
_UNITS = {
    "m": Fraction(1, 1000),
    "k": Fraction(1000),
    "M": Fraction(10**6),
    "Mi": Fraction(2**20),
    "Gi": Fraction(2**30),
}


def _taken_out(old: Any, new: Any) -> tuple[FieldChange, ...]:
    changes = field_changes(old, new)
    for change in changes:
        for body, pointer, value in ((old, change.old_pointer, change.old), (new, change.new_pointer, change.new)):
            assert pointer is not None
            if value is ABSENT:
                assert value_at(body, pointer) is None
                assert value_at(body, pointer[:-1]) is not None
            elif isinstance(value, Order):
                assert isinstance(value_at(body, pointer), list)
            else:
                assert value_at(body, pointer) is value
        assert isinstance(change.old, Order) or not any(
            isinstance(change.old, kind) and isinstance(change.new, kind) for kind in (dict, list)
        )
    sides = (
        _without(old, [(change.old_pointer, change.old, change.new) for change in changes]),
        _without(new, [(change.new_pointer, change.new, change.old) for change in changes]),
    )
    left, right = (json.dumps(_normal(side, sorts=True), sort_keys=True) for side in sides)
    assert left == right
    equal = [json.dumps(_normal(side), sort_keys=True) for side in (old, new)]
    assert (changes == ()) is (equal[0] == equal[1])
    assert (field_changes(new, old) == ()) is (changes == ())
    return changes


def _without(body: Any, changes: list[tuple[Pointer | None, Any, Any]]) -> Any:
    body = deepcopy(body)
    for pointer, value, other in sorted(changes, key=lambda change: list(map(_place, change[0] or ())), reverse=True):
        assert pointer
        parent = value_at(body, pointer[:-1])
        if value is ABSENT or isinstance(value, Order):
            continue
        if other is ABSENT:
            del parent[pointer[-1]]
        else:
            parent[pointer[-1]] = "<changed>"
    return body


def _place(key: str | int) -> tuple[int, str]:
    return (key, "") if isinstance(key, int) else (-1, key)


def _normal(value: Any, key: str = "", under: str = "", sorts: bool = False) -> Any:
    if isinstance(value, dict):
        return {name: _normal(entry, name, key, sorts) for name, entry in value.items()}
    if isinstance(value, list):
        items = [_normal(item, "", key, sorts) for item in value]
        names = [_name(item, _KEYS.get(key, ("name",))) for item in items]
        is_keyed = sorts and None not in names and len(set(map(json.dumps, names))) == len(names)
        return [item for _, item in sorted(zip(names, items, strict=True), key=str)] if is_keyed else items
    if under in ("requests", "limits") and not isinstance(value, bool):
        return str(_amount(str(value)))
    return int(value) if isinstance(value, float) else value


def _name(item: Any, keys: tuple[str, ...]) -> Any:
    parts = [item.get(key, "TCP" if key == "protocol" else None) for key in keys] if isinstance(item, dict) else [None]
    return None if any(part in (None, "") for part in parts) else parts


def _amount(text: str) -> Fraction | str:
    unit = next((unit for unit in ("Mi", "Gi", "m", "k", "M") if text.endswith(unit)), "")
    try:
        return Fraction(text.removesuffix(unit)) * _UNITS.get(unit, 1)
    except ValueError:
        return text


_scalars = st.sampled_from([None, True, False, 0, 1, 1.0, 2, "", "1", "a", "b\nc"])
_plain = st.recursive(
    _scalars,
    lambda below: st.one_of(
        st.lists(below, max_size=5), st.dictionaries(st.sampled_from(["a", "b", "c", "name"]), below, max_size=4)
    ),
    max_leaves=20,
)
_quantities = st.sampled_from([1, "1", "1000m", "1Gi", "1024Mi", "1k", 1000, 1000.0, "odd", None])
_resources = st.fixed_dictionaries(
    {},
    optional={
        name: st.dictionaries(st.sampled_from(["cpu", "memory", "a/b"]), _quantities) for name in ("requests", "limits")
    },
)
_words = st.sampled_from(["a", "b", "c"])
_containers = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "name": st.sampled_from(["x", "y", "z"]),
            "args": st.lists(_words, max_size=6),
            "env": st.lists(st.fixed_dictionaries({"name": _words}, optional={"value": _words}), max_size=4),
            "ports": st.lists(
                st.fixed_dictionaries(
                    {}, optional={"containerPort": st.sampled_from([1, 2]), "protocol": st.sampled_from(["TCP", "UDP"])}
                ),
                max_size=3,
            ),
            "volumeMounts": st.lists(st.fixed_dictionaries({"name": _words, "mountPath": _words}), max_size=3),
            "resources": _resources,
            "x": _plain,
        },
    ),
    max_size=3,
)
_pods = st.fixed_dictionaries(
    {"containers": _containers},
    optional={
        "initContainers": _containers,
        "tolerations": st.lists(st.fixed_dictionaries({"key": _words}, optional={"value": _words}), max_size=4),
    },
)


@given(old=_plain, new=_plain)
def test_nothing_is_lost_in_unknown_kinds(old, new):
    _taken_out(custom(old), custom(new))


@given(old=_pods, new=_pods, kind=st.sampled_from([None, "v1 Pod"]))
def test_nothing_is_lost_in_pods(old, new, kind):
    _taken_out(*((_typed(kind, **pod) if kind else job_set(**pod)) for pod in (old, new)))


@given(old=st.lists(_scalars, max_size=9), new=st.lists(_scalars, max_size=9))
def test_lists_without_keys_change_as_little_as_possible(old, new):
    changes = field_changes(custom(old), custom(new))
    touched = sum((change.old is not ABSENT) + (change.new is not ABSENT) for change in changes)
    assert touched == len(old) + len(new) - 2 * _common([*map(_text, old)], [*map(_text, new)])


def _text(value: Any) -> str:
    return json.dumps(int(value) if isinstance(value, float) else value)


def _common(old: list[str], new: list[str]) -> int:
    """How long the longest common subsequence is."""
    row = [0] * (len(new) + 1)
    for mine in old:
        last = row
        row = [0]
        for index, theirs in enumerate(new):
            row.append(last[index] + 1 if mine == theirs else max(last[index + 1], row[-1]))
    return row[-1]


# Recorded objects with one leaf changed or taken away.


@cache
def _recorded(version: str) -> list[Any]:
    cases = load(version)[::4]
    return [one for case in cases for job in case.expected.get("jobs", ()) for one in job.get("objects", ())]


@pytest.mark.parametrize("version", VERSIONS)
def test_one_leaf_of_recorded_objects(version):
    chance = random.Random(version)
    for body in _recorded(version):
        leaves = list(_leaves(body))
        for pointer in chance.sample(leaves, min(4, len(leaves))):
            _check_leaf(body, pointer)


def _check_leaf(body: Any, pointer: Pointer) -> None:
    other = deepcopy(body)
    value_at(other, pointer[:-1])[pointer[-1]] = "changed"
    names = _member_of(pointer)
    is_key = names is not None and pointer[-1] in names and _keys_clear(value_at(body, pointer[:-2]), names)
    if is_key:
        gone, come = sorted(field_changes(body, other), key=lambda change: change.old is ABSENT)
        assert (gone.old_pointer, gone.new) == (pointer[:-1], ABSENT)
        assert (come.new_pointer, come.old) == (pointer[:-1], ABSENT)
        return
    assert field_changes(body, other) == (FieldChange(pointer, pointer, value_at(body, pointer), "changed"),)
    if isinstance(pointer[-1], str):
        del value_at(other, pointer[:-1])[pointer[-1]]
        assert field_changes(body, other) == (FieldChange(pointer, pointer, value_at(body, pointer), ABSENT),)
        (change,) = field_changes(other, body)
        assert change == FieldChange(pointer, pointer, ABSENT, value_at(body, pointer))


def _member_of(pointer: Pointer) -> tuple[str, ...] | None:
    """The keys of the list that the leaf's mapping is a member of."""
    if len(pointer) < 3 or not isinstance(pointer[-2], int):
        return None
    return _KEYS.get(str(pointer[-3]), ("name",))


def _keys_clear(items: list[Any], names: tuple[str, ...]) -> bool:
    found = [_name(item, names) for item in items]
    return None not in found and len(set(map(json.dumps, found))) == len(found)


def _leaves(value: Any, pointer: Pointer = ()) -> Iterator[Pointer]:
    if isinstance(value, dict | list) and value:
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(entry, (*pointer, key))
    elif pointer not in (("apiVersion",), ("kind",)):
        yield pointer


@pytest.mark.parametrize("version", VERSIONS)
def test_unlike_recorded_objects(version):
    """Objects that have nothing to do with each other, and themselves in another order of keys."""
    chance = random.Random(version)
    job_sets = [body for body in _recorded(version) if body["kind"] == "JobSet"]
    for body in chance.sample(job_sets, 60):
        _taken_out(body, chance.choice(job_sets))
        assert field_changes(body, json.loads(json.dumps(body, sort_keys=True))) == ()


# What upstream's webhooks say of recorded updates: what is rejected has changed, and where nothing has, nothing is.


@sampled(every=6)
@for_each("update", {each["name"]: each for each in read_lines(FOLDER / "updates.jsonl.xz")}, at_least=271)
def test_recorded_updates(update):
    old, new = (_prepared(update[side]) for side in ("old", "new"))
    jobs = [{job.manifest.id: job.manifest.body for job in side.jobs} for side in (old, new)]
    objects = [_expanded(side) for side in (old, new)]
    for verdict, before, after in (("trainjob", *jobs), ("jobset", *objects)):
        changes = [change for name in before.keys() & after.keys() for change in _taken_out(before[name], after[name])]
        changed = [change.pointer for change in changes]
        for rejected in {finding["field"] for findings in update[verdict].values() for finding in findings}:
            path = tuple(rejected.split("."))
            assert any(pointer[: len(path)] == path for pointer in changed), rejected


def _prepared(text: str) -> PreparedUnit:
    return prepare(read(["-"], lambda _: text.encode()), BuildOptions())


def _expanded(prepared: PreparedUnit) -> dict[Any, Any]:
    compiled = [compile_job(job, prepared.target, prepared.admitted) for job in prepared.jobs]
    return {(one.id.kind, one.id.name): one.body for each in compiled for one in each.objects}
