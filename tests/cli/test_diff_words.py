"""What the outputs of `diff` share: the headline, verdicts, numbers, values, and which objects are in one entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.kube.updates.result import STATES, RejectedChange, UpdateResult
from kubectl_trainjob.kube.updates.trainer import check_train_job_update
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import ABSENT
from kubectl_trainjob.model.stages import JobId, identity_of
from kubectl_trainjob.report.diff.grouped_objects import group_objects, places
from kubectl_trainjob.report.diff.numbers import amount, by_group, numbers, unchanged
from kubectl_trainjob.report.diff.summary_line import summary_line
from kubectl_trainjob.report.diff.words import (
    JobNames,
    caused,
    consequence,
    members,
    rejected_when,
    rejections,
    unread,
    where,
)
from kubectl_trainjob.report.values import DiffLine, has_lines, line_diff, pair
from kubectl_trainjob.review.diff.changes import Change, Difference, Incomplete, Totals
from kubectl_trainjob.review.diff.fields import field_changes
from kubectl_trainjob.review.diff.view import Report, SourceLine, Sources, view_difference
from tests.cli import diff_reports as reports
from tests.cli.diff_reports import added, changed, identity, job, removed, report, row, totals
from tests.unit.kube.updates.cases import train_job


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        pytest.param(reports.empty(), "the generated objects are equal", id="nothing"),
        pytest.param(reports.image_bump(1), "1 TrainJob changes; 1 update is rejected", id="one"),
        pytest.param(reports.image_bump(), "40 TrainJobs change; 40 updates are rejected", id="many"),
        pytest.param(
            reports.upgrade(),
            "3 TrainJobs change; 3 updates are rejected while running; -24 nvidia.com/gpu",
            id="fewer devices",
        ),
        pytest.param(
            reports.pull_request(),
            "incomplete: 1 TrainJob cannot be built, overlays/prod cannot be built in full, 1 error in the files; "
            "1 TrainJob changes, 1 is renamed, 1 is removed; 2 updates are rejected; "
            "+16 nvidia.com/gpu, +8 rdma/hca; 2 other objects differ",
            id="everything",
        ),
        pytest.param(
            report([changed(identity("ConfigMap", "a"), job=None, update_result=None)]),
            "no TrainJob changes; 1 other object differs",
            id="only others",
        ),
        pytest.param(
            report([changed(identity("JobSet", "a"), update_result=reports.rejected("resuming"), consequence="")]),
            "1 TrainJob changes; 1 update is rejected in other states",
            id="refused, but not while running",
        ),
        pytest.param(
            report(unbuilt=[job("a")]),
            "incomplete: 1 TrainJob cannot be built; no difference was found",
            id="unbuilt",
        ),
        pytest.param(
            report(incomplete=[Incomplete("a", is_old=True, is_new=False), Incomplete("b", is_old=True, is_new=True)]),
            "incomplete: 2 overlays cannot be built in full; no difference was found",
            id="two overlays incomplete",
        ),
        pytest.param(
            report(incomplete=[Incomplete("", is_old=True, is_new=False)], problems=[reports.problem("a", "b")]),
            "incomplete: not all files can be built, 1 error in the files; no difference was found",
            id="files incomplete",
        ),
        pytest.param(
            report(new_runs=[job("a"), job("b")], numbers=(totals(2, 2, 2), totals(2, 2, 2, gpus="1"))),
            "new runs of 2 TrainJobs would change; +1 nvidia.com/gpu",
            id="only new runs",
        ),
        pytest.param(
            report([changed(job("a"))], new_runs=[job("b")]),
            "1 TrainJob changes, new runs of 1 would change",
            id="a TrainJob and new runs",
        ),
        pytest.param(
            report(
                [changed(identity("ClusterTrainingRuntime", "a"), job=None, update_result=reports.rejected(*STATES))]
            ),
            "no TrainJob changes; 1 update is rejected; 1 other object differs",
            id="a refused runtime",
        ),
        pytest.param(reports.turned(False, True), "1 TrainJob changes", id="suspended by the files"),
        pytest.param(
            reports.turned(True, False), "1 TrainJob changes; 1 update is rejected", id="started by the files"
        ),
        pytest.param(
            report([added(identity("JobSet", "a"))], numbers=(totals(0, 0, 0), totals(1, 1, 1))),
            "1 TrainJob is added; +1 Pod",
            id="one Pod",
        ),
        pytest.param(
            report([added(identity("JobSet", "a"))], numbers=(totals(0, 0, 0), totals(1, 2, 2, cpu="4"))),
            "1 TrainJob is added; +2 Pods",
            id="Pods without devices",
        ),
    ],
)
def test_headline(of: Report, expected: str) -> None:
    assert summary_line(of).in_line() == expected


def test_what_no_value_is_marked_with_is_reported_once_and_names_its_states_where_they_differ() -> None:
    def shown(of: reports.ObjectView) -> list[tuple[str, str]]:
        return [(reason.path, reason.words) for reason in rejections(of)]

    pointer = ("spec", "replicatedJobs", 0, "template")
    frozen = [RejectedChange(state, pointer, say("frozen")) for state in ("running", "resuming")]
    of = changed(identity("JobSet", "a"), update_result=UpdateResult(tuple(frozen)))
    assert shown(of) == [("spec.replicatedJobs[node].template", "is rejected: frozen")]
    other = RejectedChange("running", ("spec", "gone"), say("never"), is_gone=True)
    of = changed(identity("JobSet", "a"), update_result=UpdateResult((*frozen, other)))
    assert shown(of) == [
        ("spec.replicatedJobs[node].template", "is rejected: frozen"),
        ("spec.gone", "is rejected while running: never"),
    ]
    assert rejected_when(of.change, frozen) == ""
    assert rejected_when(of.change, [other]) == "while running"


def _nodes(count: int, *, patches: list[str] | None = None, **spec: Any) -> dict[str, Any]:
    labels = {"metadata": {"labels": {"example.com/a": "b"}}}
    given = [{"manager": name, "trainingRuntimeSpec": {"template": labels}} for name in patches or []]
    about = {"runtimePatches": given} if given else {}
    return train_job(trainer={"numNodes": count}, **about, **spec)


@pytest.mark.parametrize(
    ("old", "new", "marked"),
    [
        pytest.param(_nodes(2), _nodes(4), {"spec.trainer.numNodes"}, id="the value"),
        pytest.param(_nodes(2), _nodes(2, patches=["m.io/x"]), {"spec.runtimePatches"}, id="in the value"),
        pytest.param(
            _nodes(2, patches=["m.io/x"]), _nodes(2, patches=["m.io/y"]), {"+m.io/y", "-m.io/x"}, id="members of a list"
        ),
        pytest.param(_nodes(2), _nodes(2, labels={"a": "b"}), set(), id="what is accepted"),
        pytest.param(_nodes(2), _nodes(4, labels={"a": "b"}), {"spec.trainer.numNodes"}, id="one of two"),
    ],
)
def test_values_that_are_rejected_are_marked(old: Any, new: Any, marked: set[str]) -> None:
    verdict = check_train_job_update(old, new, "2.3")
    change = Change(identity_of(new), "changed", old, new, field_changes(old, new), verdict)
    (of,) = view_difference(
        "a", "b", Difference((change,), reports.empty().difference.summary), lambda _: SourceLine("a", 1)
    ).objects
    names = {
        f"{'-' if row.new is ABSENT else '+'}{row.path[-7:-1]}" if row.path.endswith("]") else row.path
        for row in of.rows
        if row.rejections
    }
    assert (names, of.rejections) == (marked, ())


def test_jobs_are_reported_with_their_overlays_where_several_build_one_of_that_name() -> None:
    overlays = [f"overlays/{number}" for number in range(9)]
    jobs = [JobId(job("a"), overlay) for overlay in overlays] + [JobId(job("b"), "overlays/1"), JobId(job("c"))]
    of = report(causes=[reports.cause("values", "a.yaml", 1, jobs)], unbuilt=[JobId(job("c"), "overlays/1")])
    first = ", ".join(overlays[:6])
    assert list(JobNames(of).of(jobs)) == [f"ml/a ({first} and 3 more)", "ml/b", "ml/c (no overlay)"]
    assert list(JobNames(of).of(jobs[:1])) == ["ml/a (overlays/0)"]


def test_the_same_change_in_many_overlays_is_reported_once() -> None:
    objects = [
        changed(identity("JobSet", name), row("spec.a", 1, 2), overlay=f"overlays/{number}")
        for number in range(30)
        for name in ("bert", "llama")
    ]
    (group,) = group_objects(report(objects))
    named = "overlays/0, overlays/1, overlays/2, overlays/3, overlays/4, overlays/5 and 24 more"
    assert list(members(group)) == [f"ml/bert (of {named})", f"ml/llama (of {named})"]
    (one,) = group_objects(report(objects[:2]))
    assert list(members(one)) == ["ml/bert", "ml/llama"]


def test_what_cannot_be_read_names_its_side() -> None:
    of = report(incomplete=[Incomplete("a", is_old=True, is_new=True), Incomplete("", is_old=False, is_new=True)])
    assert list(unread(of)) == ["a of main and of HEAD", "some files of HEAD"]


def test_consequence_and_cause_are_sentences() -> None:
    one, other = (changed(identity("JobSet", name)).change for name in "ab")
    assert consequence([one]) == "It applies in place."
    assert consequence([one, other]) == "Each applies in place."
    assert consequence([added(identity("JobSet", "a")).change]) == ""  # "added" says it
    assert consequence([changed(identity("JobSet", "a"), consequence="").change]) == ""
    assert caused(reports.cause("patch", "a.yaml", 3)) == "patch in a.yaml:3"
    assert caused(reports.cause("TrainJob/a", "a.yaml", 1, is_gone=True)) == "TrainJob/a in a.yaml:1 (removed)"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(None, None, "", id="nobody knows"),
        pytest.param(SourceLine("a", 1), SourceLine("a", 1), "a:1", id="the same"),
        pytest.param(SourceLine("a", 1), None, "a:1", id="only old"),
        pytest.param(None, SourceLine("a", 2), "a:2", id="only new"),
        pytest.param(SourceLine("a", 1), SourceLine("a", 2), "a:1 → :2", id="another line"),
        pytest.param(SourceLine("a", 1), SourceLine("b", 1), "a:1 → b:1", id="another file"),
    ],
)
def test_where(old: SourceLine | None, new: SourceLine | None, expected: str) -> None:
    assert where(Sources(old, new)) == expected


@pytest.mark.parametrize(
    ("resource", "quantity", "expected"),
    [
        ("cpu", "1500m", "1.5"),
        ("cpu", "4", "4"),
        ("cpu", "10", "10"),
        ("cpu", "1m", "0.001"),
        ("memory", "64Gi", "64Gi"),
        ("memory", "65536Mi", "64Gi"),
        ("memory", "1536Mi", "1.5Gi"),
        ("memory", "1500Mi", "≈1.46Gi"),
        ("memory", "20Ti", "20480Gi"),
        ("memory", "512Mi", "512Mi"),
        ("memory", "1000", "1000"),
        ("memory", "0", "0"),
        ("hugepages-2Mi", "4Mi", "4Mi"),
        ("nvidia.com/gpu", "32k", "32000"),
        ("nvidia.com/gpu", "500m", "500m"),
        ("memory", "1e30", "1e30"),
        ("cpu", "9" * 30, "999999999999999999999999999999"),
    ],
)
def test_amount(resource: str, quantity: str, expected: str) -> None:
    assert amount(resource, Quantity.parse(quantity)) == expected


def test_numbers_stand_in_a_persons_order_with_their_differences() -> None:
    before = totals(1, 2, 8, memory="8Gi", gpus="8", **{"example.com/fpga": "0"})
    after = totals(2, 2, 16, memory="7Gi", gpus="16", cpu="1500m")
    reported = [(each.name, each.before, each.after, each.difference) for each in numbers(before, after)]
    assert reported == [
        ("TrainJobs", "1", "2", "+1"),
        ("Pods", "2", "2", ""),
        ("processes", "8", "16", "+8"),
        ("CPU", "0", "1.5", "+1.5"),
        ("memory", "8Gi", "7Gi", "-1Gi"),
        ("nvidia.com/gpu", "8", "16", "+8"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((8, 0), (16, 0), "8 → 16 (+8)"),
        ((8, 1), (8, 1), "8 and 1 TrainJob of unknown size"),
        (
            (8, 1),
            (16, 2),
            "8 and 1 TrainJob of unknown size → 16 and 2 TrainJobs of unknown size (+8, +1 of unknown size)",
        ),
        ((0, 1), (0, 0), "0 and 1 TrainJob of unknown size → 0 and 0 TrainJobs of unknown size (-1 of unknown size)"),
    ],
)
def test_processes_that_are_not_known_are_reported(
    before: tuple[int, int], after: tuple[int, int], expected: str
) -> None:
    sides = (Totals(processes=known, unsized=unsized) for known, unsized in (before, after))
    assert [each.in_line() for each in numbers(*sides)] == [expected]


def test_groups_are_reported_where_there_are_several_and_one_changes() -> None:
    reported = by_group(reports.pull_request().difference.summary)
    assert reported is not None
    assert [each.name for each in reported.columns[2:]] == ["TrainJobs", "Pods", "processes", "nvidia.com/gpu"]
    assert [row[2:] for row in reported.rows] == [
        ["3", "8 → 9 (+1)", "32 → 48 (+16)", "32 → 52 (+20)"],
        ["1 → 0 (-1)", "1 → 0 (-1)", "4 → 0 (-4)", "4 → 0 (-4)"],
    ]
    assert by_group(reports.image_bump().difference.summary) is None
    assert by_group(reports.upgrade().difference.summary) is None


def test_numbers_that_stay_are_one_sentence() -> None:
    same = numbers(*[totals(2, 4, 16, memory="8Gi")] * 2)
    assert unchanged(same) == "no number changes: 2 TrainJobs, 4 Pods, 16 processes, 8Gi memory"
    one = numbers(*[totals(1, 1, 1)] * 2)
    assert unchanged(one) == "no number changes: 1 TrainJob, 1 Pod, 1 process"
    assert unchanged(numbers(totals(1, 1, 1), totals(2, 1, 1))) == ""
    assert unchanged([]) == ""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (ABSENT, "not set"),
        (None, "null"),
        (4, "4"),
        ("4", "'4'"),
        (True, "true"),
        ("true", "'true'"),
        ("", "''"),
        ("acme/train:1", "acme/train:1"),
        ("a\tb", '"a\\tb"'),
        ("\ud800", '"\\ud800"'),
        ({}, "{}"),
        (["--lr", "é"], '["--lr", "é"]'),
    ],
)
def test_short_values_are_distinguished(value: Any, expected: str) -> None:
    assert pair(value, ABSENT)[0] == expected


def test_masked_values_are_distinguished_by_words() -> None:
    assert list(pair("***", "***")) == ["*** (before)", "*** (after)"]
    assert line_diff({"a": "***"}, {"a": "***"}) == [DiffLine("…", "the values differ, but are not shown")]


@given(st.text(max_size=2000), st.text(min_size=1, max_size=5), st.text(max_size=2000))
def test_long_texts_are_cut_around_what_differs(lead: str, what: str, rest: str) -> None:
    old, new = pair(f"{lead}x{rest}", f"{lead}{what}y{rest}")
    assert old != new or f"{lead}x{rest}" == f"{lead}{what}y{rest}"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("a\nb\n", "a\nc\n", [" a", "-b", "+c"], id="one line"),
        pytest.param(ABSENT, "a\nb", ["+a", "+b"], id="new"),
        pytest.param("a\nb", ABSENT, ["-a", "-b"], id="gone"),
        pytest.param("a\nb\n", "a\nb", [" a", " b", "…only the old text ends with a line feed"], id="last line feed"),
        pytest.param("a\nb", "a\nb\n", [" a", " b", "…only the new text ends with a line feed"], id="new line feed"),
        pytest.param({"a": 1}, {"a": [1, "2"]}, ["-a: 1", "+a:", "+- 1", "+- '2'"], id="mappings as YAML"),
        pytest.param([1, {"a": "b"}], [1], [" - 1", "-- a: b"], id="lists as YAML"),
        pytest.param([], {}, ["-[]", "+{}"], id="empty ones"),
        pytest.param(4, "a\nb", ["-4", "+a", "+b"], id="a number"),
        pytest.param(
            "".join(f"{n}\n" for n in range(20)),
            "".join(f"{n}\n" for n in range(20) if n != 10),
            ["…7 lines are the same", " 7", " 8", " 9", "-10", " 11", " 12", " 13", "…6 lines are the same"],
            id="far lines are counted",
        ),
        pytest.param("\ud800\n", "a\n", ["-\ud800", "+a"], id="lone surrogate"),
        pytest.param(["\ud800"], ABSENT, ["-[", '-  "\\ud800"', "-]"], id="what no YAML reader takes"),
    ],
)
def test_lines(old: Any, new: Any, expected: list[str]) -> None:
    assert [line.sign + line.text for line in line_diff(old, new)] == expected


LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=30).map("\n".join)


@given(LINES, LINES)
def test_the_lines_of_a_diff_are_those_of_both_texts(old: str, new: str) -> None:
    """Read as any diff: without those of the one side it is the other one, but for the lines that were counted."""
    reported = line_diff(old, new)
    if any("lines are the same" in line.text for line in reported) or old == new:
        return
    for text_, sign in ((old, "-"), (new, "+")):
        lines = [line.text for line in reported if line.sign in (" ", sign)]
        assert lines == ([*text_.split("\n")[:-1]] if text_.endswith("\n") or not text_ else text_.split("\n")) or (
            text_ == "" and lines == [""]
        )


def test_texts_of_many_lines_are_matched_at_their_ends_only() -> None:
    old = [f"old {number}" for number in range(3000)]
    new = [f"new {number}" for number in range(3000)]
    reported = line_diff("\n".join(["same", *old, "end"]), "\n".join(["same", *new, "end"]))
    assert reported[0] == DiffLine(" ", "same")
    assert reported[-1] == DiffLine("…", "5602 more lines")
    assert len(reported) == 401


def test_a_long_line_is_cut_around_what_differs() -> None:
    reported = line_diff("a" * 5000 + "x\nb", "a" * 5000 + "y\nb")
    assert [line.sign for line in reported] == ["-", "+", " "]
    assert reported[0].text.endswith("x")
    assert reported[1].text.endswith("y")
    assert max(len(line.text) for line in reported) < 320


@pytest.mark.parametrize(
    ("value", "expected"),
    [("a", False), ("a\nb", True), ({"a": 1}, False), ({"a": "b" * 80}, True), ([1], False), (None, False)],
)
def test_which_values_have_lines(value: Any, expected: bool) -> None:
    assert has_lines(value, ABSENT) is has_lines(ABSENT, value) is expected


def test_what_changes_alike_is_reported_once() -> None:
    (group,) = group_objects(reports.image_bump())
    assert len(group.members) == 40
    assert [where(row.sources) for row in group.rows] == ["runtimes/torch-distributed.yaml:31"]
    assert places(group.members[0], group) == []
    assert len(group_objects(reports.large(10))) == 10


def test_the_same_values_in_several_files_are_reported_once_with_all_files() -> None:
    objects = [
        changed(identity("JobSet", name), row("spec.a", 1, 2, (f"{name}.yaml", 3), (f"{name}.yaml", 4)))
        for name in "ab"
    ]
    (group,) = group_objects(report(objects))
    assert group.rows[0].sources == Sources()
    assert [places(reported, group) for reported in group.members] == [
        [SourceLine("a.yaml", 4)],
        [SourceLine("b.yaml", 4)],
    ]


def test_values_that_name_their_own_job_are_alike() -> None:
    (group,) = group_objects(reports.upgrade())
    assert [reported.change.identity.name for reported in group.members] == ["bert", "llama", "vit"]
    assert group.has_names
    assert not group_objects(reports.image_bump())[0].has_names


@pytest.mark.parametrize(
    ("names", "values"),
    [
        pytest.param("ab", ("a0", "b0"), id="short names"),
        pytest.param(("one", "two"), ("ones", "twos"), id="parts of words"),
        pytest.param(("one", "two"), ("one", "three"), id="another name"),
        pytest.param(("one", "two"), ("two", "one"), id="the other's name"),
    ],
)
def test_values_that_name_something_else_are_not_alike(names: Sequence[str], values: Sequence[str]) -> None:
    pairs = zip(names, values, strict=True)
    objects = [changed(identity("JobSet", name), row("spec.a", "x", value)) for name, value in pairs]
    assert [(len(group.members), group.has_names) for group in group_objects(report(objects))] == [(1, False)] * 2


def test_numbers_and_texts_are_not_alike() -> None:
    objects = [changed(identity("JobSet", str(value)), row("spec.a", 1, value)) for value in (2, "2", 2.0, None)]
    assert [len(group.members) for group in group_objects(report(objects))] == [1, 1, 1, 1]


def test_those_that_running_jobs_reject_stand_first_else_the_order_is_the_reports() -> None:
    objects = [
        changed(identity("JobSet", "a"), row("spec.a", 1, 2)),
        changed(identity("JobSet", "b"), row("spec.b", 1, 2), update_result=reports.rejected("running")),
        removed(identity("JobSet", "c")),
        changed(
            identity("JobSet", "d"), row("spec.d", 1, 2), update_result=reports.rejected("resuming"), consequence=""
        ),
    ]
    assert [group.change.identity.name for group in group_objects(report(objects))] == ["b", "a", "c", "d"]


def test_values_that_only_carry_a_new_name_are_counted() -> None:
    def renamed(name: str) -> reports.ObjectView:
        old, new = f"{name}-1111111111", f"{name}-2222222222"
        rows = (
            row("metadata.name", old, new),
            row("data[hosts]", f"{old}-node-0.{old}\n", f"{new}-node-0.{new}\n"),
            row("spec.lr", 1, 2),
        )
        return added(identity("JobSet", new), *rows, counterpart=identity("JobSet", old))

    (group,) = group_objects(report([renamed("bert"), renamed("llama")]))
    assert (len(group.members), [each.path for each in group.rows], group.carried) == (2, ["spec.lr"], 2)


def test_a_made_objects_values_may_carry_the_new_name_of_its_job() -> None:
    rows = (row("data[hosts]", "bert-1111111111-node-0.bert-1111111111\n", "bert-2222222222-node-0.bert-2222222222\n"),)
    made = identity("ConfigMap", "bert-2222222222-hostfile")
    was = identity("ConfigMap", "bert-1111111111-hostfile")
    (group,) = group_objects(report([added(made, *rows, counterpart=was, job=job("bert-2222222222"))]))
    assert (group.rows, group.carried) == ((), 1)


def test_what_a_person_may_have_written_is_shown() -> None:
    """A job that is renamed by hand may have its image renamed with it."""
    rows = (row("metadata.name", "llama", "mistral"), row("image", "acme/llama:1", "acme/mistral:1"))
    reported = added(identity("JobSet", "mistral"), *rows, counterpart=identity("JobSet", "llama"))
    (group,) = group_objects(report([reported]))
    assert ([each.path for each in group.rows], group.carried) == (["image"], 1)
