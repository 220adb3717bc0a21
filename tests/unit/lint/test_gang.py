"""The rules of gang scheduling: what they find, where, and what they leave alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.lint.reported import mended, reported, shown

COSCHEDULING = "podGroupPolicy: {coscheduling: {scheduleTimeoutSeconds: 300}}"
SCHEDULER = "schedulerName: scheduler-plugins-scheduler"
SIDE = f"""\
      - name: side
        replicas: 1 # of side
        template:
          spec:
            parallelism: 2
            template:
              spec:
                {SCHEDULER}
                containers: [{{name: side, image: "acme/side:1.4"}}]
"""
NODE = f"""\
      - name: node
        template:
          metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
          spec:
            template:
              spec:
                {SCHEDULER}
                containers: [{{name: node, image: "acme/train:1.4", command: [torchrun, train.py]}}]
"""


def runtime(*jobs: str, policy: str = COSCHEDULING, more: str = "") -> str:
    """A runtime over replicatedJobs."""
    return f"""\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {{name: gang}}
spec:
  mlPolicy: {{numNodes: 2, torch: {{}}}}
  {policy}
  template:
    spec:
      {more}
      replicatedJobs:
""" + "".join(jobs)


JOB = """\
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bert}
spec:
  runtimeRef: {name: gang}
  trainer: {numNodes: 4}
"""
AWAITS = NODE.replace("name: node\n", "name: node\n        dependsOn: [{name: side, status: Complete}]\n", 1)
IN_ORDER = "startupPolicy: {startupPolicyOrder: InOrder}"


@pytest.mark.parametrize(
    ("text", "settings", "expected"),
    [
        pytest.param(runtime(SIDE, NODE) + JOB, "", [], id="clean"),
        # KTJ601
        pytest.param(
            runtime(SIDE, AWAITS),
            "",
            [("KTJ601", "dependsOn: [{name: side, status: Complete}]")],
            id="dependsOn",
        ),
        pytest.param(
            runtime(SIDE, AWAITS, policy="podGroupPolicy: {volcano: {}}").replace(SCHEDULER, "schedulerName: volcano"),
            "",
            [("KTJ601", "dependsOn: [{name: side, status: Complete}]")],
            id="dependsOn-volcano",
        ),
        pytest.param(runtime(SIDE, AWAITS, policy="# no gang"), "", [], id="dependsOn-without-a-gang"),
        pytest.param(
            runtime(SIDE, AWAITS.replace("[{name: side, status: Complete}]", "[]")), "", [], id="no-dependsOn"
        ),
        pytest.param(runtime(SIDE, NODE, more=IN_ORDER), "", [("KTJ601", IN_ORDER)], id="in-order"),
        pytest.param(runtime(NODE, more=IN_ORDER), "", [], id="one-in-order"),
        # KTJ602
        pytest.param(
            runtime(NODE, policy="podGroupPolicy: {volcano: {}, coscheduling: {}}"),
            "",
            [("KTJ602", "podGroupPolicy: {volcano: {}, coscheduling: {}}")],
            id="two-policies",
        ),
        pytest.param(runtime(NODE, policy="podGroupPolicy: {}"), "", [], id="no-policy"),
        # KTJ603
        pytest.param(
            runtime(SIDE.replace(SCHEDULER, "schedulerName: default-scheduler"), NODE),
            "",
            [("KTJ603", "schedulerName: default-scheduler")],
            id="usual-scheduler",
        ),
        pytest.param(
            runtime(NODE.replace(f"                {SCHEDULER}\n", "")), "", [("KTJ603", "spec:")], id="no-scheduler"
        ),
        pytest.param(runtime(NODE.replace(SCHEDULER, "schedulerName: ours")), "", [], id="unknown-scheduler"),
        pytest.param(
            runtime(NODE.replace(SCHEDULER, "schedulerName: ours")),
            "lint: {schedulers: [volcano]}",
            [("KTJ603", "schedulerName: ours")],
            id="other-scheduler",
        ),
        pytest.param(
            runtime(NODE.replace(SCHEDULER, "schedulerName: ours")),
            "lint: {schedulers: [a, ours]}",
            [],
            id="our-scheduler",
        ),
        pytest.param(
            runtime(NODE.replace(SCHEDULER, "schedulerName: default-scheduler")),
            "lint: {schedulers: [default-scheduler]}",
            [],
            id="the-usual-one-places-gangs",
        ),
        pytest.param(
            runtime(NODE, policy="# no gang").replace(SCHEDULER, "schedulerName: default-scheduler"),
            "",
            [],
            id="no-gang",
        ),
        # KTJ604
        pytest.param(
            runtime(SIDE.replace("replicas: 1", "replicas: 3"), NODE) + JOB,
            "",
            [("KTJ604", "replicas: 3 # of side")],
            id="replicas",
        ),
        pytest.param(
            runtime(SIDE.replace("replicas: 1", "replicas: 0"), NODE) + JOB,
            "",
            [],
            id="none-is-the-default-one",
        ),
        pytest.param(
            runtime(SIDE.replace("replicas: 1", "replicas: 3"), NODE, policy="# no gang") + JOB,
            "",
            [],
            id="replicas-alone",
        ),
    ],
)
def test_what_is_found(text: str, settings: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    assert shown(reported(tmp_path, text, settings=settings)) == expected


def test_a_second_trainer_step_is_counted_as_trainer_2_0_counts_it(tmp_path: Path) -> None:
    """There the first step's number is written into all of them, and the PodGroup has the runtime's of the second."""
    second = NODE.replace("name: node\n", "name: other\n", 1)
    text = runtime(NODE, second) + JOB
    assert "KTJ604" in [each.rule for each in reported(tmp_path, text, trainer="2.0")]


def test_the_one_scheduler_of_the_team_is_proposed(tmp_path: Path) -> None:
    text = runtime(NODE.replace(f"                {SCHEDULER}\n", ""))
    settings = "lint: {schedulers: [volcano]}"
    (found,) = reported(tmp_path / "before", text, settings=settings)
    fix = found.finding.fix
    assert fix is not None
    assert not fix.is_safe
    assert reported(tmp_path / "after", mended(text, fix), settings=settings) == []


def test_two_schedulers_are_a_choice(tmp_path: Path) -> None:
    text = runtime(NODE.replace(SCHEDULER, "schedulerName: default-scheduler"))
    (found,) = reported(tmp_path, text, settings="lint: {schedulers: [volcano, kai]}")
    assert found.finding.fix is None
    assert '"volcano" or "kai"' in found.finding.message


def group(name: str, api: str = "scheduling.x-k8s.io/v1alpha1", namespace: str = "") -> str:
    """A PodGroup written by hand."""
    inside = f", namespace: {namespace}" if namespace else ""
    return f"---\napiVersion: {api}\nkind: PodGroup\nmetadata: {{name: {name}{inside}}}\nspec: {{minMember: 2}}\n"


def jobset(name: str, *metadata: str) -> str:
    """A JobSet written by hand: with one replicatedJob for the metadata of each Pod template, "" for none."""
    jobs = "".join(
        f"  - name: job{index}\n    template:\n      spec:\n        template:\n"
        + (f"          metadata: {each}\n" if each else "")
        + f"          spec: # {index}\n            containers: [{{name: node, image: 'acme/train:1.4'}}]\n"
        for index, each in enumerate(metadata)
    )
    head = f"---\napiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: {name}}}\n"
    return f"{head}spec:\n  replicatedJobs:\n{jobs}"


def label(name: str) -> str:
    """Metadata that names a PodGroup of the scheduler-plugins."""
    return f"{{labels: {{scheduling.x-k8s.io/pod-group: {name}}}}}"


BATCH_JOB = """\
---
apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec:
  template: {spec: {containers: []}}
"""
VOLCANO = "scheduling.volcano.sh/v1beta1"
LABELLED_RUNTIME = runtime(
    NODE.replace(
        "template:\n              spec:", f"template:\n              metadata: {label('bret')}\n              spec:"
    ),
    policy="# no policy",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(group("a") + jobset("a", label("a")), [], id="member"),
        pytest.param(group("a") + jobset("b", label("a"), ""), [], id="some-are-members"),
        pytest.param(group("a"), [], id="no-workload"),
        pytest.param(jobset("a", label("a")), [], id="group-is-elsewhere"),
        pytest.param(group("a") + jobset("a", label("b")), [("KTJ607", f"metadata: {label('b')}")], id="names-another"),
        pytest.param(group("a", namespace="x") + jobset("b", label("b")), [], id="another-one-in-another-namespace"),
        pytest.param(
            group("a") + jobset("a", label("a")) + jobset("b", label("b")), [], id="the-others-group-is-elsewhere"
        ),
        pytest.param(group("a") + jobset("a", "", ""), [("KTJ607", "template:")], id="not-marked"),
        pytest.param(group("a") + jobset("c", ""), [], id="another-workload"),
        pytest.param(
            group("a", VOLCANO) + jobset("a", label("a")), [("KTJ607", f"metadata: {label('a')}")], id="wrong-mark"
        ),
        pytest.param(
            group("a", VOLCANO) + jobset("a", "{annotations: {scheduling.k8s.io/group-name: a}}"), [], id="volcano"
        ),
        pytest.param(
            group("a", VOLCANO) + BATCH_JOB,
            [("KTJ607", "template: {spec: {containers: []}}")],
            id="job",
        ),
        pytest.param(
            group("a") + f"---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p, {label('b')[1:]}\n",
            [("KTJ607", f"metadata: {{name: p, {label('b')[1:]}")],
            id="pod",
        ),
        pytest.param(
            LABELLED_RUNTIME + JOB + group("bert"),
            [("KTJ607", f"metadata: {label('bret')}")],
            id="trainjob-names-another",
        ),
        pytest.param(LABELLED_RUNTIME.replace("bret", "bert") + JOB + group("bert"), [], id="trainjob-is-a-member"),
        pytest.param(
            runtime(NODE, policy="# no policy") + JOB + group("bert"),
            [("KTJ607", "metadata: {name: bert}")],
            id="trainjob-not-marked",
        ),
        pytest.param(
            group("a") + jobset("a").replace("replicatedJobs:", "replicatedJobs: 3"),
            [("KTJ103", "replicatedJobs: 3")],
            id="types-that-nobody-looked-at",
        ),
    ],
)
def test_hand_written_gangs(text: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    assert shown(reported(tmp_path, text.removeprefix("---\n"))) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(group("a") + jobset("a", label("b")), id="another-name"),
        pytest.param(
            group("a") + jobset("a", "", "{labels: {}}", "{annotations: {a: b}}", "{labels: {b: c}}"), id="no-mark"
        ),
    ],
)
def test_a_fix_makes_members(text: str, tmp_path: Path) -> None:
    text = text.removeprefix("---\n")
    (found,) = reported(tmp_path / "before", text)
    assert found.finding.fix is not None
    after = mended(text, found.finding.fix)
    assert reported(tmp_path / "after", after) == []
    assert after.count("scheduling.x-k8s.io/pod-group: a") == text.count("containers")
