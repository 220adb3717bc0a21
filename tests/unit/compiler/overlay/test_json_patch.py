"""JSON 6902 operations: the RFC's own examples, origins, errors and limits.

kustomize itself shows how it applies them: tests/differential/test_patches_kustomize.py.
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob.compiler.errors import PatchError
from kubectl_trainjob.compiler.overlay.json_patch import apply_operations
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.model.draft import Draft, DraftSnapshot
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import Origin, Place, Pointer, Source, SourceFile

OBJECT, PATCH = Source(SourceFile("object.yaml", "")), Source(SourceFile("overlay.yaml", ""))
CAUSE = ("patch", "patches", 0, "patch")


def recorded(body: Any) -> Draft:
    return Draft(None, {"object": OBJECT, "patch": PATCH}).put((), body, copied=("object",)).step("overlay patch")


def patched(body: Any, *operations: Any) -> Any:
    return apply_operations(Draft(body), list(operations), CAUSE, Steps(LIMITS)).value


def op(name: str, path: Any, value: Any = ..., **more: Any) -> dict[str, Any]:
    """An operation; a third argument is its value."""
    return {"op": name, "path": path, **({} if value is ... else {"value": value}), **more}


def moved(name: str, origin: str, path: str) -> dict[str, Any]:
    return {"op": name, "from": origin, "path": path}


@pytest.mark.parametrize(
    ("body", "operations", "wanted"),
    [
        pytest.param({"foo": "bar"}, [op("add", "/baz", "qux")], {"baz": "qux", "foo": "bar"}, id="A.1"),
        pytest.param({"foo": ["bar", "baz"]}, [op("add", "/foo/1", "qux")], {"foo": ["bar", "qux", "baz"]}, id="A.2"),
        pytest.param({"baz": "qux", "foo": "bar"}, [op("remove", "/baz")], {"foo": "bar"}, id="A.3"),
        pytest.param({"foo": ["bar", "qux", "baz"]}, [op("remove", "/foo/1")], {"foo": ["bar", "baz"]}, id="A.4"),
        pytest.param(
            {"baz": "qux", "foo": "bar"}, [op("replace", "/baz", "boo")], {"baz": "boo", "foo": "bar"}, id="A.5"
        ),
        pytest.param(
            {"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}},
            [moved("move", "/foo/waldo", "/qux/thud")],
            {"foo": {"bar": "baz"}, "qux": {"corge": "grault", "thud": "fred"}},
            id="A.6",
        ),
        pytest.param(
            {"foo": ["all", "grass", "cows", "eat"]},
            [moved("move", "/foo/1", "/foo/3")],
            {"foo": ["all", "cows", "eat", "grass"]},
            id="A.7",
        ),
        pytest.param(
            {"baz": "qux", "foo": ["a", 2, "c"]},
            [op("test", "/baz", "qux"), op("test", "/foo/1", 2)],
            {"baz": "qux", "foo": ["a", 2, "c"]},
            id="A.8",
        ),
        pytest.param(
            {"foo": "bar"},
            [op("add", "/child", {"grandchild": {}})],
            {"foo": "bar", "child": {"grandchild": {}}},
            id="A.10",
        ),
        pytest.param({"/": 9, "~1": 10}, [op("test", "/~01", 10)], {"/": 9, "~1": 10}, id="A.14"),
        pytest.param(
            {"foo": ["bar"]}, [op("add", "/foo/-", ["abc", "def"])], {"foo": ["bar", ["abc", "def"]]}, id="A.16"
        ),
    ],
)
def test_examples_of_the_rfc(body: Any, operations: list[Any], wanted: Any):
    before = copy.deepcopy(body)
    assert patched(body, *operations) == wanted
    assert body == before


@pytest.mark.parametrize(
    ("body", "operation", "field"),
    [
        pytest.param({"baz": "qux"}, op("test", "/baz", "bar"), "value", id="A.9"),
        pytest.param({"foo": "bar"}, op("add", "/baz/bat", "qux"), "path", id="A.12"),
        pytest.param({"/": 9, "~1": 10}, op("test", "/~01", "10"), "value", id="A.15"),
    ],
)
def test_errors_of_the_rfc(body: Any, operation: Any, field: str):
    with pytest.raises(PatchError) as caught:
        patched(body, operation)
    assert caught.value.cause == (*CAUSE, 0, field)


@pytest.mark.parametrize(
    ("operation", "message", "field"),
    [
        pytest.param(None, 'a mapping with "op" and "path"', (), id="null"),
        pytest.param("add", 'a mapping with "op" and "path"', (), id="text"),
        pytest.param(op([], "/a"), "unknown operation", ("op",), id="odd-op"),
        pytest.param(op("delete", "/a"), "write add, remove, replace, move, copy or test", ("op",), id="no-op-is-near"),
        pytest.param(op("replce", "/a", 1), 'did you mean "replace"?', ("op",), id="an-op-is-near"),
        pytest.param(op("add", None, 1), "is not a valid path", ("path",), id="no-text"),
        pytest.param(op("add", "", {}), '"" is not a valid path', ("path",), id="add-the-object"),
        pytest.param(op("replace", "", []), "an object must be a mapping", ("value",), id="replace-the-object"),
        pytest.param(moved("copy", "", "/b"), '"" is not a valid path', ("from",), id="copy-the-object"),
        pytest.param(moved("move", "/spec/l/0", "/spec/l/0/x"), "into itself", ("path",), id="item-into-itself"),
        pytest.param(moved("move", "/spec/l/-1", "/spec/l/2/x"), "into itself", ("path",), id="last-into-itself"),
        pytest.param(op("remove", "/spec/imag"), '"spec" has no "imag"; did you mean "image"?', ("path",), id="near"),
        pytest.param(op("remove", "/non"), 'the object has no "non"', ("path",), id="top"),
        pytest.param(op("add", "/spec/l/1e0", 1), '"1e0" is not a valid index', ("path",), id="odd-index"),
        pytest.param(op("add", "/spec/l/" + "9" * 5000, 1), "is not a valid index", ("path",), id="long-index"),
        pytest.param(
            op("add", "/spec/l/-5", 1), '"-5" is not a valid index in "spec.l"', ("path",), id="before-the-start"
        ),
        pytest.param(op("test", "/spec/l/0/__class__", 1), "is a scalar", ("path",), id="attribute"),
    ],
)
def test_errors_name_the_field(operation: Any, message: str, field: Pointer):
    with pytest.raises(PatchError) as caught:
        patched({"spec": {"image": "i", "l": ["a", "b", "c"]}}, op("test", "/spec/image", "i"), operation)
    assert message in str(caught.value)
    assert caught.value.cause == (*CAUSE, 1, *field)


# Origins.


def from_patch(index: int, *pointer: str | int) -> Place:
    return Place(PATCH, (*CAUSE[1:], index, "value", *pointer))


def from_object(*pointer: str | int) -> Place:
    return Place(OBJECT, pointer)


@pytest.mark.parametrize(
    ("operations", "pointer", "place"),
    [
        pytest.param([op("add", "/m/n", {"o": [7]})], ("m", "n", "o", 0), from_patch(0, "o", 0), id="add"),
        pytest.param([op("add", "/l/1", 7)], ("l", 1), from_patch(0), id="insert"),
        pytest.param([op("add", "/l/1", 7)], ("l", 2), from_object("l", 1), id="insert-shifts"),
        pytest.param([op("add", "/l/-", 7)], ("l", 3), from_patch(0), id="append"),
        pytest.param([op("replace", "/l/1", 7)], ("l", 1), from_patch(0), id="replace"),
        pytest.param([op("replace", "/l/1", 7)], ("l", 2), from_object("l", 2), id="replace-shifts-nothing"),
        pytest.param([op("remove", "/l/0")], ("l", 1, "k"), from_object("l", 2, "k"), id="remove-shifts"),
        pytest.param([op("remove", "/m")], ("l", 0), from_object("l", 0), id="remove-an-entry"),
        pytest.param([moved("move", "/l/2", "/l/0")], ("l", 0, "k"), from_object("l", 2, "k"), id="move"),
        pytest.param([moved("move", "/l/2", "/l/0")], ("l", 2), from_object("l", 1), id="move-shifts"),
        pytest.param([moved("move", "/l/0", "/m/x")], ("m", "x"), from_object("l", 0), id="move-out"),
        pytest.param([moved("copy", "/m", "/l/0")], ("l", 0, "a"), from_object("m", "a"), id="copy"),
        pytest.param([moved("copy", "/m", "/l/0")], ("m", "a"), from_object("m", "a"), id="copied"),
        pytest.param(
            [moved("copy", "/m", "/c"), op("replace", "/c/a", 7)], ("c", "a"), from_patch(1), id="change-of-a-copy"
        ),
        pytest.param(
            [moved("copy", "/m", "/c"), op("replace", "/c/a", 7)], ("m", "a"), from_object("m", "a"), id="change-of-one"
        ),
        pytest.param(
            [op("add", "/n", {"a": 7}), moved("move", "/n", "/m/n")], ("m", "n", "a"), from_patch(0, "a"), id="moved-on"
        ),
        pytest.param([op("replace", "", {"a": 7})], ("a",), from_patch(0, "a"), id="the-object"),
    ],
)
def test_a_value_comes_from_its_line(operations: list[Any], pointer: Pointer, place: Place):
    draft = apply_operations(recorded({"l": [1, 2, {"k": 3}], "m": {"a": 4}}), operations, CAUSE, Steps(LIMITS))
    assert written(draft.origin(pointer)) == place


def written(origin: Origin | None) -> Place | None:
    """Where a value was written that may have been moved since."""
    assert origin is not None
    if origin.place is not None and isinstance(origin.place.source.edits, DraftSnapshot):
        return written(origin.place.source.edits.origin(origin.place.pointer))
    return origin.place


def test_a_copy_knows_what_copied_it_and_what_it_replaced():
    operations = [moved("copy", "/m/a", "/m/b"), moved("move", "/l/0", "/m/a")]
    draft = apply_operations(recorded({"l": [1, 2], "m": {"a": 4, "b": 5}}), operations, CAUSE, Steps(LIMITS))
    reported = []
    for pointer in (("m", "b"), ("m", "a")):
        origin = draft.origin(pointer)
        assert origin is not None
        assert origin.over is not None
        reported.append((written(origin), origin.causes, origin.over.value))
    by = [Place(PATCH, (*CAUSE[1:], number)) for number in range(2)]
    assert reported == [(from_object("m", "a"), (by[0],), 5), (from_object("l", 0), (by[1],), 4)]


def test_what_was_removed_and_comes_again_knows_what_it_was():
    operations = [op("remove", "/m"), op("add", "/m", {"a": 8, "n": 1})]
    draft = apply_operations(recorded({"m": {"a": 4}}), operations, CAUSE, Steps(LIMITS))
    again = draft.origin(("m", "a"))
    assert again is not None
    removal = again.over
    assert removal is not None
    assert (removal.removes, removal.causes) == (True, (Place(PATCH, (*CAUSE[1:], 0)),))
    assert removal.over is not None
    assert removal.over.place == from_object("m", "a")
    new = draft.origin(("m", "n"))
    assert new is not None
    assert new.over is None


def test_what_an_operation_replaced_is_remembered():
    body = {"l": [1, 2], "m": {"a": 4}}
    operations = [op("replace", "/l/1", 7), op("add", "/m/a", 8), op("add", "/l/0", 9)]
    draft = apply_operations(recorded(body), operations, CAUSE, Steps(LIMITS))
    over = [draft.origin(pointer).over for pointer in (("l", 2), ("m", "a"), ("l", 0))]  # type: ignore[union-attr]
    assert [each and each.place for each in over] == [from_object("l", 1), from_object("m", "a"), None]


DATA = st.recursive(
    st.just("leaf"),
    lambda below: st.dictionaries(st.sampled_from("abc"), below, max_size=3) | st.lists(below, max_size=3),
    max_leaves=8,
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
    return json.dumps(pointer)


@st.composite
def programs(draw: Callable[..., Any]) -> tuple[Any, list[Any]]:
    """An object and operations that can be applied to it."""
    body = distinguished(draw(st.dictionaries(st.sampled_from("abc"), DATA, min_size=1, max_size=3)), ("object",))
    now, operations = body, list[Any]()
    for index in range(draw(st.integers(1, 6))):
        path, origin = (draw(st.sampled_from([*places(now), "/d", "/a/-", "/b/0"])) for _ in range(2))
        value = distinguished(draw(DATA), ("patch", index, "value"))
        name = draw(st.sampled_from(["add", "replace", "remove", "move", "copy"]))
        operation = op(name, path, value, **{"from": origin})
        try:
            now = patched(body, *operations, operation)
        except PatchError:
            operation = op("test", "/none", None)
        operations.append(operation)
    return body, operations


def places(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict | list):
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield f"{path}/{key}"
            yield from places(below, f"{path}/{key}")


@given(programs())
def test_each_value_knows_its_line(program: tuple[Any, list[Any]]):
    body, operations = program
    before = copy.deepcopy(program)
    draft = apply_operations(recorded(body), operations, CAUSE, Steps(LIMITS))
    for pointer, value in leaves(draft.value):
        name, *place = json.loads(value)
        expected = from_object(*place) if name == "object" else Place(PATCH, (*CAUSE[1:], *place))
        assert written(draft.origin(pointer)) == expected
    assert draft.value == patched(body, *operations)
    assert program == before


def test_parts_that_other_objects_have_as_well_are_not_written_to():
    shared = {"l": [{"k": 1}], "m": {}}
    one, other = {"a": shared, "b": {"c": 1}}, {"a": shared}
    result = patched(
        one, op("add", "/a/l/0/k2", 2), op("remove", "/a/m"), moved("copy", "/a", "/b/a"), op("add", "/b/a/l/-", 3)
    )
    assert result == {"a": {"l": [{"k": 1, "k2": 2}]}, "b": {"c": 1, "a": {"l": [{"k": 1, "k2": 2}, 3]}}}
    assert other == {"a": {"l": [{"k": 1}], "m": {}}}


def test_tests_alone_change_nothing():
    draft = Draft({"a": 1})
    assert apply_operations(draft, [op("test", "/a", 1)], CAUSE, Steps(LIMITS)) is draft


# Limits.


def limit_error(body: Any, operations: list[Any], **limits: int) -> PatchError:
    with pytest.raises(PatchError) as caught:
        apply_operations(Draft(body), operations, CAUSE, Steps(replace(LIMITS, **limits)))
    return caught.value


def test_a_patch_has_a_thousand_operations_at_most():
    operation = op("add", "/l/0", 1)
    assert len(patched({"l": []}, *[operation] * 1000)["l"]) == 1000
    error = limit_error({"l": []}, [operation] * 1001)
    assert "(limits.patchOperations)" in str(error)
    assert error.cause == CAUSE


@pytest.mark.parametrize(
    ("body", "operations"),
    [
        pytest.param({"l": [[], []]}, [moved("copy", "/l", "/l/-")], id="into-itself"),
        pytest.param(
            {"m": {"a": [1] * 100}}, [moved("copy", "/m", "/m/b"), moved("move", "/m/b", "/m/a/-")], id="mapping"
        ),
        pytest.param(
            {"l": ["x"]},
            [moved("copy", "/l", "/m"), op("add", "/l", []), *[moved("copy", "/m", "/l/-")] * 2],
            id="side-by-side",
        ),
    ],
)
def test_copies_of_copies_end_early_and_cost_nothing(body: Any, operations: list[Any]):
    tracemalloc.start()
    error = limit_error(body, operations * 30)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "(limits.patchedBytes)" in str(error)
    assert error.cause[:-1] == CAUSE
    assert peak < 32 << 20


@pytest.mark.parametrize(
    ("operations", "index"),
    [
        pytest.param([moved("copy", "/a", "/b"), moved("copy", "/a", "/c")], 1, id="copy"),
        pytest.param([moved("copy", "/a", "/b"), op("add", "/c", "x" * (2 << 20))], 1, id="add-after-a-copy"),
        pytest.param([op("add", "/c", "x" * (2 << 20)), moved("copy", "/a", "/b")], 1, id="copy-after-an-add"),
    ],
)
def test_an_object_with_copies_has_four_mebibytes_at_most(operations: list[Any], index: int):
    error = limit_error({"a": "x" * (3 << 19)}, operations)
    assert "larger than 4194304 bytes (limits.patchedBytes)" in str(error)
    assert error.cause == (*CAUSE, index)


def test_a_large_object_may_be_patched_when_nothing_is_copied():
    large = {"data": {"a": "x" * 5_000_000}}
    assert patched(large, op("add", "/data/b", "y"), moved("move", "/data/a", "/data/c"))["data"].keys() == {"b", "c"}


@pytest.mark.parametrize(
    ("operations", "index"),
    [
        pytest.param([op("add", "/a" * depth, {}) for depth in range(1, 100)], 63, id="step-by-step"),
        pytest.param([op("add", "/a", json.loads("[" * 64 + "]" * 64))], 0, id="at-once"),
        pytest.param(
            [
                op("add", "/a", json.loads("[" * 60 + "]" * 60)),
                op("add", "/b", {"c": {"d": {"e": {}}}}),
                moved("copy", "/a", "/b/c/d/e/f"),
            ],
            2,
            id="copy",
        ),
        pytest.param(
            [
                op("add", "/a", json.loads("[" * 60 + "]" * 60)),
                op("add", "/b", {"c": {"d": {"e": {}}}}),
                moved("move", "/a", "/b/c/d/e/f"),
            ],
            2,
            id="move",
        ),
    ],
)
def test_an_object_does_not_become_too_deep(operations: list[Any], index: int):
    error = limit_error({}, operations)
    assert "64 nested mappings and lists (limit depth)" in str(error)
    assert error.cause == (*CAUSE, index)


def test_a_path_of_any_length_is_an_error_like_others():
    error = limit_error({"l": {}}, [op("add", "/l" * 100_000, 1)])
    assert str(error) == '"l" has no "l"; correct the path, or add the missing parent first'


def test_the_library_is_not_loaded_before_there_is_an_operation():
    module = "kubectl_trainjob.compiler.overlay.json_patch"
    program = f"import sys, {module} as _; print([m for m in sys.modules if 'json' in m[:4]])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "jsonpatch" not in done.stdout
