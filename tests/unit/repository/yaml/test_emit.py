"""How plain data is laid out."""

import datetime

import pytest

from kubectl_trainjob.repository.yaml.emit import Emitter


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param({}, "{}\n", id="nothing"),
        pytest.param({"b": "x", "a": 1}, "b: x\na: 1\n", id="own order"),
        pytest.param({"a": {"b": {"c": "d"}}}, "a:\n  b:\n    c: d\n", id="mappings"),
        pytest.param({"a": ["x", {"b": 1, "c": 2}]}, "a:\n- x\n- b: 1\n  c: 2\n", id="list under its key"),
        pytest.param(
            {"a": [{"b": [{"c": ["d"]}], "e": 1}]}, "a:\n- b:\n  - c:\n    - d\n  e: 1\n", id="lists in lists' mappings"
        ),
        pytest.param({"a": [[1, [2]], [[]]]}, "a:\n-\n  - 1\n  -\n    - 2\n-\n  - []\n", id="lists of lists"),
        pytest.param({"a": {}, "b": [], "c": [{}], "d": ()}, "a: {}\nb: []\nc:\n- {}\nd: []\n", id="empty ones"),
        pytest.param({"a": True, "b": False, "c": None}, "a: true\nb: false\nc: null\n", id="words"),
        pytest.param(
            {"a": "true", "b": "null", "c": "1", "y": ""},
            "a: 'true'\nb: 'null'\nc: '1'\n'y': ''\n",
            id="strings like words",
        ),
        pytest.param({"a": [-5, 2**63 - 1]}, "a:\n- -5\n- 9223372036854775807\n", id="integers"),
        pytest.param({"a": [1.5, 1e-7, 1e300, 3.0, -0.0]}, "a:\n- 1.5\n- 1.0e-07\n- 1.0e+300\n- 3\n- 0\n", id="floats"),
        pytest.param({"a": "x\ny\n", "b": ["x\n\ny"]}, "a: |\n  x\n  y\nb:\n- |-\n  x\n\n  y\n", id="blocks"),
        pytest.param({"a": [{"b": "x\ny"}]}, "a:\n- b: |-\n    x\n    y\n", id="block in a list's mapping"),
        pytest.param({"a": " x\ny"}, 'a: " x\\ny"\n', id="no block possible"),
        pytest.param({"k" * 901: {"b": [1]}}, "? " + "k" * 901 + "\n:\n  b:\n  - 1\n", id="long key"),
        pytest.param(
            {"a": [{"k" * 901: 1, "b": 2}]}, "a:\n- ? " + "k" * 901 + "\n  : 1\n  b: 2\n", id="long key in a list"
        ),
    ],
)
def test_layout(body, text):
    assert Emitter().document(body) == text


def test_shared_objects_are_printed_in_full():
    shared = {"x": ["y"]}
    assert (
        Emitter().document({"a": shared, "b": [shared, shared]})
        == "a:\n  x:\n  - 'y'\nb:\n- x:\n  - 'y'\n- x:\n  - 'y'\n"
    )


def test_keys_by_name_and_leading_keys_only_at_the_top():
    body = {"z": {"kind": 1, "a": 2}, "kind": "K", "B": 0, "a": 0, "C": 0}
    assert (
        Emitter(sort_keys=True, lead=("apiVersion", "kind")).document(body)
        == "kind: K\nB: 0\nC: 0\na: 0\nz:\n  a: 2\n  kind: 1\n"
    )


def test_memory_is_bounded_and_does_not_show():
    emitter = Emitter(sort_keys=True)
    bodies = [{f"key{i}": f"value{i}", "n": {f"k{i}": i}} for i in range(20_000)]
    assert [emitter.document(body) for body in bodies] == [Emitter(sort_keys=True).document(body) for body in bodies]
    assert max(len(memory) for memory in vars(emitter).values() if isinstance(memory, dict)) <= 8192


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), float("-inf"), 2**63, -(2**63) - 1, "\ud800", "a\n\udfff"],
    ids=["nan", "inf", "-inf", "large", "small", "surrogate", "surrogate in lines"],
)
def test_what_no_manifest_can_hold_is_rejected(value):
    with pytest.raises(ValueError, match=r"."):
        Emitter().document({"a": [value]})


@pytest.mark.parametrize(
    "value", [datetime.date(2024, 1, 1), b"a", {1}, object()], ids=["date", "bytes", "set", "object"]
)
def test_what_is_not_plain_data_is_rejected(value):
    with pytest.raises(TypeError, match="not plain data"):
        Emitter().document({"a": value})


@pytest.mark.parametrize("key", [1, None, True])
def test_keys_are_strings(key):
    with pytest.raises(TypeError):
        Emitter().document({"a": {key: 1}})
