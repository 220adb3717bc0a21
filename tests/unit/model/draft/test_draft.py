"""`Draft` writes like plain assignment on a copy, shares what it does not touch, and knows where each value is from."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Place, Source, SourceFile

JOB = Source(SourceFile("job.yaml", ""))
RUNTIME = Source(SourceFile("runtime.yaml", ""))
INPUTS = {"trainJob": JOB, "runtime": RUNTIME}
TEMPLATE = {"spec": {"replicatedJobs": [{"name": "a", "n": 1}, {"name": "b", "n": 2}], "suspend": True}}


def recorded():
    return Draft({}, INPUTS).step("runtime").put((), TEMPLATE, copied=("runtime", "spec", "template"))


def test_a_write_leaves_the_input_alone_and_shares_the_rest():
    before = copy.deepcopy(TEMPLATE)
    draft = Draft(TEMPLATE).put(("spec", "replicatedJobs", 0, "n"), 5)
    assert draft.get("spec", "replicatedJobs", 0) == {"name": "a", "n": 5}
    assert before == TEMPLATE
    assert draft.get("spec", "replicatedJobs", 1) is TEMPLATE["spec"]["replicatedJobs"][1]


def test_missing_mappings_are_made_and_the_next_index_appends():
    draft = Draft({}).put(("metadata", "labels", "a/b"), "c").put(("items", 0), 1).put(("items", 1), 2)
    assert draft.value == {"metadata": {"labels": {"a/b": "c"}}, "items": [1, 2]}


@pytest.mark.parametrize(
    "pointer", [("spec", "nope"), ("nope", "x"), ("spec", "replicatedJobs", 9), ("spec", "suspend", "x")]
)
def test_get_of_nothing_is_none(pointer):
    assert Draft(TEMPLATE).get(*pointer) is None


def test_drop_removes_an_entry_and_ignores_a_missing_one():
    assert Draft(TEMPLATE).drop(("spec", "suspend")).get("spec") == {
        "replicatedJobs": TEMPLATE["spec"]["replicatedJobs"]
    }
    draft = Draft(TEMPLATE)
    assert draft.drop(("spec", "nope")) is draft


def test_a_draft_without_inputs_records_nothing():
    assert Draft(TEMPLATE).put(("spec", "suspend"), False).origin(("spec", "suspend")) is None


def test_a_copied_value_comes_from_its_line_however_deep():
    assert recorded().origin(("spec", "replicatedJobs", 1, "n")).place == Place(
        RUNTIME, ("spec", "template", "spec", "replicatedJobs", 1, "n")
    )


def test_a_write_hides_the_origin_below_it_and_remembers_what_it_replaced():
    draft = recorded().step("resources").put(("spec", "suspend"), False, copied=("trainJob", "spec", "suspend"))
    origin = draft.origin(("spec", "suspend"))
    assert (origin.step, origin.place) == ("resources", Place(JOB, ("spec", "suspend")))
    assert origin.over.place == Place(RUNTIME, ("spec", "template", "spec", "suspend"))
    assert draft.origin(("spec", "replicatedJobs", 0, "n")).step == "runtime"


def test_a_computed_value_leads_to_its_first_cause():
    draft = recorded().put(("spec", "n"), {"a": 1}, because=(("trainJob", "spec", "x"), ("runtime", "spec", "y")))
    assert draft.origin(("spec", "n", "a")).first_place() == Place(JOB, ("spec", "x"))
    assert draft.origin(("spec", "n", "a")).causes == (Place(JOB, ("spec", "x")), Place(RUNTIME, ("spec", "y")))


def test_origins_move_with_the_items_of_a_list():
    draft = recorded().put(("spec", "replicatedJobs", 0, "n"), 7, copied=("trainJob", "n"))
    moved = draft.arrange(("spec", "replicatedJobs"), [1, 0])
    assert [job["name"] for job in moved.get("spec", "replicatedJobs")] == ["b", "a"]
    assert moved.origin(("spec", "replicatedJobs", 1, "n")).place == Place(JOB, ("n",))
    assert moved.origin(("spec", "replicatedJobs", 0, "n")).place.pointer[-2:] == (1, "n")
    assert moved.origin(("spec", "replicatedJobs", 1, "name")).place.pointer[-2:] == (0, "name")


KEYS = st.sampled_from(["a", "b", "c"])
WRITES = st.lists(st.tuples(st.lists(KEYS, min_size=1, max_size=4).map(tuple), st.integers() | st.none()), max_size=12)


@given(WRITES)
def test_recording_changes_nothing_in_the_data(writes):
    plain, traced = Draft({}), Draft({}, INPUTS)
    for pointer, value in writes:
        if any(not isinstance(plain.get(*pointer[:i]), dict | None) for i in range(1, len(pointer))):
            continue
        plain = plain.drop(pointer) if value is None else plain.put(pointer, value)
        traced = (
            traced.drop(pointer)
            if value is None
            else traced.step("s").put(pointer, value, copied=("trainJob", *pointer))
        )
        if value is not None:
            assert traced.origin(pointer).place == Place(JOB, pointer)
    assert plain.value == traced.value


@given(WRITES)
def test_many_writes_are_as_many_puts(writes):
    one, each = Draft(TEMPLATE, INPUTS), []
    for pointer, value in writes:
        if any(not isinstance(one.get(*pointer[:i]), dict | None) for i in range(1, len(pointer))):
            continue
        one = one.put(pointer, value, copied=("trainJob", *pointer))
        each.append((pointer, value, ("trainJob", *pointer), ()))
    before = copy.deepcopy(TEMPLATE)
    many = Draft(TEMPLATE, INPUTS).put_each(each)
    assert many.value == one.value
    assert before == TEMPLATE
    assert [many.origin(pointer) for pointer, *_ in each] == [one.origin(pointer) for pointer, *_ in each]


def test_many_writes_leave_the_written_values_alone():
    value = {"a": 1}
    draft = Draft({}).put_each([(("x",), value, None, ()), (("x", "b"), 2, None, ())])
    assert (draft.value, value) == ({"x": {"a": 1, "b": 2}}, {"a": 1})


def test_an_entry_is_a_draft_of_its_own():
    entry = recorded().entry("spec", "replicatedJobs", 1)
    assert entry.value is TEMPLATE["spec"]["replicatedJobs"][1]
    assert entry.origin(("n",)).place.pointer[-2:] == (1, "n")
    assert recorded().entry("nope").value is None
    assert Draft(TEMPLATE).entry("spec").origin(()) is None


def test_entries_come_back_with_their_origins():
    draft = recorded()
    written = draft.entry("spec", "suspend").put((), False, copied=("trainJob", "spec", "suspend"))
    spec = draft.entry("spec").with_entries({"suspend": written, "replicatedJobs": None, "nope": None})
    assert spec.value == {"suspend": False}
    assert spec.origin(("suspend",)).place == Place(JOB, ("spec", "suspend"))
    assert spec.origin(("suspend",)).over.place.pointer[-1] == "suspend"
    assert draft.with_entries({"spec": spec}).origin(("spec", "suspend")).place == Place(JOB, ("spec", "suspend"))
    assert draft.with_entries({"nope": None}) is draft


def test_a_missing_mapping_is_made_for_its_entries():
    assert Draft({}).entry("a").with_entries({"b": Draft(1)}).value == {"b": 1}
    nothing = Draft({}).entry("a")
    assert nothing.with_entries({"b": None}) is nothing


def test_items_come_back_with_their_origins():
    jobs = recorded().entry("spec", "replicatedJobs")
    new = jobs.entry(2).put((), {"name": "c"}, copied=("trainJob", "new"))
    listed = jobs.with_items([new, None, jobs.entry(1)])
    assert [job["name"] for job in listed.value] == ["c", "b"]
    assert listed.origin((0, "name")).place == Place(JOB, ("new", "name"))
    assert listed.origin((0,)).over is None
    assert listed.origin((1, "n")).place.pointer[-2:] == (1, "n")


def test_a_graft_keeps_its_origins():
    draft = recorded()
    grafted = draft.graft(("spec", "copy"), draft.entry("spec", "replicatedJobs", 0))
    assert grafted.get("spec", "copy") is TEMPLATE["spec"]["replicatedJobs"][0]
    assert grafted.origin(("spec", "copy", "n")).place.pointer[-2:] == (0, "n")
    assert grafted.put(("spec", "copy", "n"), 9).get("spec", "replicatedJobs", 0, "n") == 1
    assert Draft({}).graft(("a",), Draft(1)).value == {"a": 1}


def test_a_draft_knows_whether_it_records():
    assert (recorded().records, Draft({}).records) == (True, False)


def test_a_cause_in_no_input_is_a_mistake():
    with pytest.raises(KeyError, match="trainjob"):
        recorded().put(("a",), 1, because=(("trainjob", "spec"),))


def test_the_place_to_edit_is_the_first_cause():
    draft = recorded().put(("a",), 1, because=(("runtime", "b"), ("trainJob", "c")))
    place = draft.place(("a",))
    assert place is not None
    assert place.pointer == ("b",)
    assert Draft({"a": 1}).place(("a",)) is None
