"""`review` as it is called: what it concludes of a change, what it says of each job, what it writes and how it ends.

What is expected follows from the files by hand. That verdicts are the API server's is for tests/conformance and
tests/cluster; that pages are safe for tests/hostile.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.report.markdown_syntax import length
from tests.cli.test_diff import JOB, RUNTIME, Repository, empty_repository

CONFIG = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n"
OVERLAY = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\n"
# GPUs with memory to share and a health probe's worth of settings: nothing for lint to say.
CLEAN = RUNTIME.replace(
    "                  image: torch:1\n",
    "                  image: torch:1\n                  volumeMounts: [{name: shm, mountPath: /dev/shm}]\n",
).replace(
    "                containers:\n",
    "                volumes: [{name: shm, emptyDir: {medium: Memory}}]\n                containers:\n",
)
BERT = JOB.replace("NAME", "bert")
JOB_SET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: by-hand, namespace: ml}
spec:
  replicatedJobs:
  - name: node
    template:
      spec:
        template:
          spec:
            restartPolicy: Never
            containers:
            - {name: node, image: "train:1", resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1}}}
"""


class Reported(NamedTuple):
    """A review as JSON, and how the command ended."""

    code: int
    report: dict[str, Any]

    @property
    def verdict(self) -> str:
        return self.report["verdict"]

    @property
    def jobs(self) -> dict[str, tuple[str, str]]:
        """The change and the outcome of each row."""
        return {each["name"]: (each["change"], each["outcome"]) for each in self.report["jobs"]}

    @property
    def rules(self) -> list[str]:
        return [each["rule"] for each in self.report["lint"]["results"]]

    def gpus(self, name: str) -> tuple[str | None, str | None]:
        (row,) = [each for each in self.report["jobs"] if each["name"] == name]
        before, after = (
            row[side] and row[side]["resources"].get("nvidia.com/gpu", "0") for side in ("before", "after")
        )
        return before, after


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repository:
    made = empty_repository(tmp_path, monkeypatch, capsys)
    made.commit({"runtimes/torch.yaml": CLEAN, "jobs/bert.yaml": BERT})
    return made


def call(repository: Repository, *arguments: str) -> tuple[int, str, str]:
    code = run("kubectl-trainjob", ["review", *arguments])
    reported = repository._capsys.readouterr()
    return code, reported.out, reported.err


def review(repository: Repository, *arguments: str) -> Reported:
    code, out, _ = call(repository, *(arguments or ("HEAD",)), "-o", "json")
    return Reported(code, json.loads(out))


def test_nothing_differs(repository: Repository) -> None:
    reported = review(repository)
    assert (reported.code, reported.verdict, reported.jobs, reported.rules) == (0, "safe", {}, [])
    assert reported.report["headline"] == "safe: the generated objects are equal"


_SEARCH = """\
apiVersion: kubectl-trainjob.dev/v1alpha1
kind: Overlay
resources: [../../jobs]
sweeps:
- target: {name: bert}
  method: bayes
  maxTrials: 10
  metric: {name: loss, goal: minimize}
  parameters: {lr: {type: double, min: 0.001, max: 0.01}}
"""


def test_a_changed_search_space_ends_the_trials_of_katib(repository: Repository) -> None:
    repository.commit({"overlays/search/overlay.yaml": _SEARCH})
    repository.write({"overlays/search/overlay.yaml": _SEARCH.replace("0.01}", "0.02}")})
    reported = review(repository, "HEAD", "-f", "overlays/search", "--fail-on", "ends")
    assert (reported.code, reported.verdict, reported.jobs) == (1, "ends", {})
    assert reported.report["headline"].startswith("ends running jobs: the trials of 1 Experiment would end; ")
    [removed] = [each for each in reported.report["diff"]["objects"] if each["change"] == "removed"]
    assert removed["consequence"] == "is deleted where pruning is on: its trials end"


CHANGES = [
    pytest.param(
        {"jobs/vit.yaml": JOB.replace("NAME", "vit")}, {"vit": ("added", "new")}, "safe", 0, ("0", "16"), id="a new job"
    ),
    pytest.param(
        {"jobs/bert.yaml": BERT.replace("numNodes: 2", "numNodes: 4")},
        {"bert": ("changed", "refused")},
        "refused",
        1,
        ("16", "32"),
        id="more nodes",
    ),
    pytest.param({"jobs/bert.yaml": None}, {"bert": ("removed", "ends")}, "ends", 0, ("16", "0"), id="a job goes"),
    pytest.param(
        {"jobs/bert.yaml": BERT.replace("spec:\n", "spec:\n  suspend: true\n", 1)},
        {"bert": ("changed", "suspends")},
        "ends",
        0,
        ("16", "16"),
        id="suspended",
    ),
    pytest.param(
        {"jobs/bert.yaml": BERT.replace("research}", "research, kueue.x-k8s.io/priority-class: high}")},
        {"bert": ("changed", "changes")},
        "changes",
        0,
        ("16", "16"),
        id="a label of Kueue",
    ),
    pytest.param(
        {"jobs/bert.yaml": BERT.replace("name: bert", "name: bert-large")},
        {"bert-large": ("renamed", "reruns")},
        "reruns",
        0,
        ("16", "16"),
        id="another name",
    ),
    pytest.param(
        {"trainjob.yaml": f"{CONFIG}emit: trainjob\n"},
        {"bert": ("changed", "reruns")},
        "reruns",
        0,
        ("16", "16"),
        id="printed as itself",
    ),
]


@pytest.mark.parametrize(("files", "jobs", "verdict", "code", "gpus"), CHANGES)
def test_a_change(
    repository: Repository,
    files: dict[str, str | None],
    jobs: dict[str, tuple[str, str]],
    verdict: str,
    code: int,
    gpus: tuple[str, str],
) -> None:
    repository.write(files)
    reported = review(repository)
    assert (reported.jobs, reported.verdict, reported.code) == (jobs, verdict, code)
    assert reported.gpus(*jobs) == gpus


def test_a_suspended_job_starts(repository: Repository) -> None:
    repository.commit({"jobs/bert.yaml": BERT.replace("spec:\n", "spec:\n  suspend: true\n", 1)})
    repository.write({"jobs/bert.yaml": BERT})
    reported = review(repository)
    assert (reported.jobs, reported.verdict) == ({"bert": ("changed", "starts")}, "safe")


@pytest.mark.parametrize("edit", [None, "bert-large"])
def test_a_suspended_job_may_have_been_started(repository: Repository, edit: str | None) -> None:
    """Kueue and people start what a file suspends: what goes may run. What comes under another name waits."""
    suspended = BERT.replace("spec:\n", "spec:\n  suspend: true\n", 1)
    repository.commit({"jobs/bert.yaml": suspended})
    repository.write({"jobs/bert.yaml": suspended.replace("name: bert", f"name: {edit}") if edit else None})
    reported = review(repository)
    assert reported.verdict == "ends"
    assert set(reported.jobs.values()) == {("renamed" if edit else "removed", "ends")}


def test_a_train_job_whose_jobset_cannot_follow(repository: Repository) -> None:
    """It starts, and JobSet rejects what Trainer 2.2 then applies: nothing of a JobSet's Pods may change any more."""
    suspended = BERT.replace("spec:\n", "spec:\n  suspend: true\n", 1)
    config = f'{CONFIG}emit: trainjob\ntarget: {{trainer: "2.2"}}\n'
    repository.commit({"trainjob.yaml": config, "jobs/bert.yaml": suspended})
    repository.write({"jobs/bert.yaml": BERT, "runtimes/torch.yaml": CLEAN.replace("torch:1", "torch:2")})
    reported = review(repository)
    assert (reported.code, reported.verdict, reported.jobs) == (1, "refused", {"bert": ("changed", "stuck")})
    assert reported.report["headline"].startswith("rejected: 1 job would be stuck; ")


@pytest.mark.parametrize("label", ["kueue.x-k8s.io/queue-name: other", "team: nlp"])
def test_a_label_of_a_live_train_job(repository: Repository, label: str) -> None:
    repository.commit({"trainjob.yaml": f"{CONFIG}emit: trainjob\n"})
    repository.write({"jobs/bert.yaml": BERT.replace("{kueue.x-k8s.io/queue-name: research}", f"{{{label}}}")})
    reported = review(repository)
    assert (reported.code, reported.verdict, reported.jobs) == (0, "changes", {"bert": ("changed", "changes")})


def test_a_runtime_that_live_jobs_do_not_follow(repository: Repository) -> None:
    repository.commit({"trainjob.yaml": f"{CONFIG}emit: trainjob\n"})
    repository.write({"runtimes/torch.yaml": CLEAN.replace("torch:1", "torch:2")})
    reported = review(repository)
    assert (reported.code, reported.verdict, reported.jobs) == (0, "safe", {"bert": ("changed", "kept")})
    assert reported.report["headline"].startswith("safe: new runs of 1 TrainJob would change")


def test_a_name_hash_makes_a_new_run(repository: Repository) -> None:
    overlay = f"{OVERLAY}resources: [../../jobs]\nnameHash: true\n"
    repository.commit({"overlays/prod/overlay.yaml": overlay})
    repository.write({"jobs/bert.yaml": BERT.replace("numNodes: 2", "numNodes: 4")})
    reported = review(repository, "HEAD", "-f", "overlays/prod")
    (row,) = reported.report["jobs"]
    assert (row["change"], row["outcome"], row["overlay"]) == ("renamed", "reruns", "")
    assert row["former"]["name"] != row["name"]
    assert reported.gpus(row["name"]) == ("16", "32")
    assert (reported.verdict, reported.code) == ("reruns", 0)


def test_what_is_new_cannot_be_built(repository: Repository) -> None:
    repository.write({"jobs/bert.yaml": BERT.replace("name: torch", "name: tortch")})
    reported = review(repository)
    assert (reported.code, reported.verdict, reported.rules) == (1, "unbuilt", ["KTJ201"])
    assert reported.jobs == {"bert": ("unknown", "unbuilt")}
    assert reported.gpus("bert") == ("16", None)
    _, text, _ = call(repository, "HEAD")
    assert text.count("KTJ201") == 1  # as a finding, and not as a problem once more


def test_a_base_that_cannot_be_built_hides_nothing_of_the_head(repository: Repository) -> None:
    repository.commit({"jobs/bert.yaml": BERT.replace("name: torch", "name: tortch")})
    unlimited = "                    requests: {nvidia.com/gpu: 8}\n"
    runtime = CLEAN.replace(
        "                    limits: {cpu: 4, memory: 8Gi, nvidia.com/gpu: 8}\n",
        f"                    limits: {{cpu: 4, memory: 8Gi}}\n{unlimited}",
    )
    repository.write(
        {"jobs/bert.yaml": BERT, "jobs/vit.yaml": JOB.replace("NAME", "vit"), "runtimes/torch.yaml": runtime}
    )
    reported = review(repository)
    assert reported.jobs == {"bert": ("unknown", "unknown"), "vit": ("added", "new")}
    assert reported.gpus("bert")[0] is None
    assert "KTJ301" in reported.rules
    assert reported.report["diff"]["problems"][0]["side"] == "old"
    _, markdown, _ = call(repository, "HEAD", "-o", "markdown")
    assert "`KTJ201 runtime-not-found` in `HEAD (" in markdown
    assert re.search(r"\| `ml/bert` \| not compared \| ❌ not known \| .* \| \? → 16 \|", markdown)


@pytest.mark.parametrize("name", ["bert", "vit"])
def test_a_job_that_turns_to_what_was_broken_before(repository: Repository, name: str) -> None:
    """The error stands on both sides; that this job rests on it is new."""
    broken = CLEAN.replace("name: torch", "name: lab").replace("  mlPolicy:", "  bogus: 1\n  mlPolicy:")
    lab = JOB.replace("NAME", "lab").replace("name: torch", "name: lab")
    repository.commit({"runtimes/lab.yaml": broken, "jobs/lab.yaml": lab})
    repository.write({f"jobs/{name}.yaml": lab.replace("name: lab", f"name: {name}", 1)})
    reported = review(repository)
    assert (reported.code, reported.verdict) == (1, "unbuilt")
    assert reported.jobs == {name: ("unknown", "unbuilt")}


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_why_a_base_cannot_be_built_is_said(repository: Repository, form: str) -> None:
    """Also where the new side has another error in the same line."""
    repository.commit({"jobs/bert.yaml": BERT.replace("name: torch", "name: gone1")})
    repository.write({"jobs/bert.yaml": BERT.replace("name: torch", "name: gone2")})
    _, shown, _ = call(repository, "HEAD", "-o", form)
    assert "gone1" in shown
    assert "gone2" in shown


def test_a_job_of_another_name_that_the_base_cannot_build_has_one_row(repository: Repository) -> None:
    overlay = f"{OVERLAY}resources: [../../jobs]\nnameHash: true\n"
    lost = BERT.replace("name: torch", "name: gone")
    repository.commit({"overlays/prod/overlay.yaml": overlay, "jobs/bert.yaml": lost})
    repository.write({"jobs/bert.yaml": BERT})
    reported = review(repository, "HEAD", "-f", "overlays/prod")
    (row,) = reported.report["jobs"]
    assert (row["outcome"], row["before"], row["after"]["pods"]) == ("unknown", None, 2)
    assert reported.report["diff"]["summary"]["before"]["jobs"] == reported.report["diff"]["summary"]["after"]["jobs"]


def test_a_configuration_that_the_base_breaks(repository: Repository) -> None:
    """What the base was to print is not known, so nobody says that every job would run again."""
    repository.commit({"trainjob.yaml": f"{CONFIG}emit: trainjob\nbogus: 1\n"})
    repository.write({"trainjob.yaml": f"{CONFIG}emit: trainjob\n"})
    reported = review(repository)
    assert reported.verdict == "unknown"
    assert "reruns" not in {outcome for _, outcome in reported.jobs.values()}


def test_a_base_that_cannot_be_read_is_said(repository: Repository) -> None:
    repository.commit({"jobs/vit.yaml": "kind: [TrainJob\n"})
    repository.write({"jobs/vit.yaml": JOB.replace("NAME", "vit")})
    reported = review(repository)
    assert (reported.code, reported.verdict) == (0, "unknown")
    assert reported.jobs == {"vit": ("unknown", "unknown")}
    assert reported.gpus("vit") == (None, "16")
    assert reported.report["headline"].startswith("incomplete: not all files can be built")


def test_what_both_sides_cannot_build_is_no_news(repository: Repository) -> None:
    repository.commit({"jobs/lost.yaml": JOB.replace("NAME", "lost").replace("name: torch", "name: gone")})
    repository.write({"jobs/vit.yaml": JOB.replace("NAME", "vit")})
    reported = review(repository)
    assert (reported.code, reported.verdict, reported.rules) == (0, "safe", [])
    assert reported.jobs == {"vit": ("added", "new")}


def test_paths_in_messages_about_hidden_lines_are_no_news(repository: Repository) -> None:
    overlay = (
        "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [lost.yaml, ../../../out.yaml]\n"
        "patches: [{target: {kind: Secret}, path: gone.yaml}]\n"
    )
    for side in ("old", "work/new"):
        repository.write({f"{side}/trainjob.yaml": CONFIG, f"{side}/prod/overlay.yaml": overlay})
    reported = review(repository, "old", "work/new")
    assert (reported.code, reported.rules, reported.report["lint"]["summary"]["before"]) == (0, [], 3)


@pytest.mark.parametrize(
    ("text", "jobs", "verdict"),
    [
        pytest.param(JOB_SET.replace("train:1", "train:2"), {"by-hand": ("changed", "refused")}, "refused", id="image"),
        pytest.param(
            JOB_SET.replace("namespace: ml}", "namespace: ml, labels: {a: b}}"),
            {"by-hand": ("changed", "changes")},
            "changes",
            id="label",
        ),
        pytest.param(None, {"by-hand": ("removed", "ends")}, "ends", id="gone"),
        pytest.param(
            JOB_SET.replace("by-hand", "by-hand-2"), {"by-hand-2": ("renamed", "reruns")}, "reruns", id="another name"
        ),
    ],
)
def test_a_jobset_that_is_written_by_hand(
    repository: Repository, text: str | None, jobs: dict[str, tuple[str, str]], verdict: str
) -> None:
    repository.commit({"jobs/by-hand.yaml": JOB_SET})
    repository.write({"jobs/by-hand.yaml": text})
    reported = review(repository)
    assert (reported.jobs, reported.verdict) == (jobs, verdict)
    assert [(each["kind"], each["before"], each["after"]) for each in reported.report["jobs"]] == [
        ("JobSet", None, None)
    ]
    _, shown, _ = call(repository, "HEAD")
    assert f"JobSet/ml/{next(iter(jobs))} " in shown


def test_a_jobset_that_the_cluster_names(repository: Repository) -> None:
    """`kubectl create` makes another one each time: no update, and none is removed. Two have a row each."""
    text = JOB_SET.replace("name: by-hand,", "generateName: by-hand-,")
    repository.commit({"jobs/a.yaml": text, "jobs/b.yaml": text.replace("by-hand", "other")})
    repository.write({"jobs/a.yaml": text.replace("train:1", "train:2").replace("- name: node", "- name: renamed")})
    repository.write({"jobs/b.yaml": None})
    reported = review(repository)
    assert reported.jobs == {"by-hand-*": ("changed", "kept"), "other-*": ("removed", "kept")}
    assert (reported.code, reported.verdict) == (0, "safe")


@pytest.mark.parametrize("way", [1, -1])
def test_a_jobset_that_gets_or_loses_its_name(repository: Repository, way: int) -> None:
    before, after = [JOB_SET, JOB_SET.replace("name: by-hand,", "generateName: by-hand-,")][::way]
    repository.commit({"jobs/a.yaml": before})
    repository.write({"jobs/a.yaml": after})
    impacts = {"by-hand": ("removed", "ends"), "by-hand-*": ("added", "new")}
    names = {"by-hand": ("added", "new"), "by-hand-*": ("removed", "kept")}
    assert review(repository).jobs == (impacts if way == 1 else names)


def test_a_rejected_update_of_something_else(repository: Repository) -> None:
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: ml}\nimmutable: true\ndata: {a: VALUE}\n"
    repository.commit({"jobs/config.yaml": config.replace("VALUE", "x")})
    repository.write({"jobs/config.yaml": config.replace("VALUE", "y")})
    reported = review(repository)
    assert (reported.code, reported.verdict, reported.jobs) == (1, "refused", {})


VOLUME = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: ml}\nspec: {}\n"


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        pytest.param(VOLUME, None, "changes", id="goes"),
        pytest.param(VOLUME, VOLUME.replace("{}", "{accessModes: [ReadWriteMany]}"), "changes", id="changes"),
        pytest.param(None, VOLUME, "safe", id="comes"),
    ],
)
def test_what_jobs_may_need(repository: Repository, before: str | None, after: str | None, verdict: str) -> None:
    repository.commit({"jobs/data.yaml": before or ""})
    repository.write({"jobs/data.yaml": after})
    reported = review(repository)
    assert (reported.code, reported.verdict, reported.jobs) == (0, verdict, {})
    _, shown, _ = call(repository, "HEAD")
    assert ("PersistentVolumeClaim/ml/data: " in shown) is (verdict == "changes")


def test_a_rejection_is_reported_once(repository: Repository) -> None:
    """The difference shows it; as a finding it stands in what programs read."""
    repository.write({"jobs/bert.yaml": BERT.replace("numNodes: 2", "numNodes: 4")})
    reported = review(repository)
    assert reported.rules == ["KTJ803"]
    assert reported.report["jobs"][0]["findings"] == {"errors": 0, "warnings": 0, "infos": 0}
    assert reported.report["headline"] == "rejected: 1 update; 1 TrainJob changes; +2 Pods, +16 nvidia.com/gpu"
    for form in ("text", "markdown", "html"):
        assert "KTJ803" not in call(repository, "HEAD", "-o", form)[1]
    assert "KTJ803" in call(repository, "HEAD", "-o", "sarif")[1]


def test_a_terminal_shows_why_an_update_is_rejected_and_what_to_do(repository: Repository) -> None:
    repository.commit({"jobs/vit.yaml": JOB.replace("NAME", "vit")})
    repository.write({"runtimes/torch.yaml": CLEAN.replace("torch:1", "torch:2")})
    _, shown, _ = call(repository, "HEAD")
    reason, details = shown.split("\n\n")[2].splitlines()
    assert reason == (
        "ml/bert, ml/vit: the update is rejected in every state (spec.replicatedJobs is immutable); "
        "use a new name (nameHash of an overlay gives TrainJobs one), or delete and create it again."
    )
    assert details == "Details: kubectl trainjob diff, with the same arguments"


NO_MEMORY = {"runtimes/torch.yaml": RUNTIME, "jobs/vit.yaml": JOB.replace("NAME", "vit"), "jobs/bert.yaml": None}


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [pytest.param("error", 0), pytest.param("warning", 1), pytest.param("info", 1), pytest.param("never", 0)],
)
def test_new_findings_fail_as_wanted(repository: Repository, fail_on: str, code: int) -> None:
    repository.write(NO_MEMORY)
    reported = review(repository, "HEAD", "--fail-on", fail_on)
    assert (reported.code, reported.rules) == (code, ["KTJ309"])
    assert reported.report["jobs"][0]["findings"] == {"errors": 0, "warnings": 1, "infos": 0}


@pytest.mark.parametrize(("files", "verdict"), [(change.values[0], change.values[2]) for change in CHANGES])
def test_a_verdict_can_fail(repository: Repository, files: dict[str, str | None], verdict: str) -> None:
    repository.write(files)
    order = ["refused", "reruns", "ends", "changes", "safe"]
    codes = {name: review(repository, "HEAD", "--fail-on", name).code for name in ("reruns", "ends", "changes")}
    assert codes == {name: int(order.index(verdict) <= order.index(name)) for name in codes}


def test_never_means_never(repository: Repository) -> None:
    repository.write({"jobs/bert.yaml": BERT.replace("name: torch", "name: tortch")})
    assert review(repository, "HEAD", "--fail-on", "never").code == 0


def test_a_finding_of_a_runtime_counts_for_each_job(repository: Repository) -> None:
    repository.commit({"jobs/vit.yaml": JOB.replace("NAME", "vit")})
    repository.write({"runtimes/torch.yaml": RUNTIME})
    reported = review(repository)
    assert {each["name"]: each["findings"]["warnings"] for each in reported.report["jobs"]} == {"bert": 1, "vit": 1}


def test_a_row_counts_a_line_once_as_the_headline_does(repository: Repository) -> None:
    """The launcher and the node get their resources from one line."""
    runtime = (Path(__file__).parents[2] / "runtimes" / "deepspeed-distributed.yaml").read_text()
    resources = '    resourcesPerNode: {requests: {nvidia.com/gpu: "1"}}\n'
    job = BERT.replace("name: torch", "name: deepspeed-distributed") + resources
    repository.write({"runtimes/mpi.yaml": runtime, "jobs/bert.yaml": job})
    _, shown, _ = call(repository, "HEAD", "-o", "markdown")
    assert "**1 new error**" in shown
    assert "| 1 error" in shown
    assert review(repository).report["jobs"][0]["findings"]["errors"] == 2  # as in its list, one for each container


def test_findings_that_were_there_are_counted_and_not_reported(repository: Repository) -> None:
    repository.commit({"runtimes/torch.yaml": RUNTIME})
    repository.write({"jobs/vit.yaml": JOB.replace("NAME", "vit")})
    reported = review(repository)
    assert reported.report["lint"]["summary"]["before"] == 1
    assert "KTJ309" in reported.rules  # of the new job


def test_overlays_are_distinguished(repository: Repository) -> None:
    overlays = {f"overlays/{name}/overlay.yaml": f"{OVERLAY}resources: [../../jobs]\n" for name in ("dev", "prod")}
    repository.commit({**overlays, "trainjob.yaml": CONFIG})
    repository.write({"jobs/bert.yaml": BERT.replace("numNodes: 2", "numNodes: 4")})
    reported = review(repository)
    assert sorted(each["overlay"] for each in reported.report["jobs"]) == ["overlays/dev", "overlays/prod"]
    _, shown, _ = call(repository, "HEAD", "-o", "markdown")
    assert "| `ml/bert` (`overlays/dev`) | changed |" in shown
    reported = review(repository, "HEAD", "-f", "overlays/prod")
    assert len(reported.report["jobs"]) == 1


def test_overlays_that_nobody_named_are_not_safe(repository: Repository) -> None:
    gone: dict[str, str | None] = dict.fromkeys(("overlays/eu/overlay.yaml", "overlays/eu/job.yaml"))
    overlay = f"{OVERLAY}resources: [job.yaml]\n"
    repository.commit({"overlays/eu/overlay.yaml": overlay, "overlays/eu/job.yaml": JOB.replace("NAME", "eu")})
    repository.write(gone)
    assert review(repository).verdict == "ends"
    repository.write({"overlays/readme.txt": "the overlays"})
    reported = review(repository, "HEAD", "-f", "overlays")
    assert (reported.verdict, reported.report["leftOut"], reported.jobs) == ("unknown", ["overlays/eu"], {})
    assert "incomplete: overlays/eu is reviewed only if passed with -f" in reported.report["headline"]


def test_what_ci_systems_take_for_commands_is_inert_on_stderr(repository: Repository) -> None:
    """The note names an overlay."""
    repository.commit({"overlays/##[add-mask]x/overlay.yaml": f"{OVERLAY}resources: [../../jobs]\n"})
    _, _, err = call(repository, "HEAD", "-f", "overlays")
    assert "add-mask" in err
    assert "##[" not in err


def test_versions_of_trainer(repository: Repository) -> None:
    (repository.folder / "jobs/bert.yaml").write_text(BERT + "    resourcesPerNode: {limits: {cpu: 8}}\n")
    reported = review(repository, "--trainer-version", "2.2..2.3")
    assert reported.gpus("bert") == ("0", "16")  # 2.2 replaces the runtime's resources, 2.3 merges
    assert reported.report["diff"]["old"] == "Trainer 2.2"


def test_every_report_in_one_run(repository: Repository) -> None:
    repository.write(NO_MEMORY)
    formats = ("markdown", "json", "html", "sarif", "github", "junit", "gitlab")
    code, out, err = call(repository, "HEAD", *(part for form in formats for part in ("-o", f"{form}=out.{form}")))
    assert (code, err) == (0, "")
    assert out.startswith("Would run again: 1 job; 1 TrainJob is renamed; 1 new warning")
    for form in formats:
        (repository.folder / f"out.{form}").rename(repository.folder / f"one.{form}")
        single, alone, _ = call(repository, "HEAD", "-o", form)
        assert (single, alone) == (0, (repository.folder / f"one.{form}").read_text())
    sarif = json.loads((repository.folder / "one.sarif").read_text())
    assert [each["ruleId"] for each in sarif["runs"][0]["results"]] == ["KTJ309"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(("HEAD", "-o", "yaml"), 'unknown format "yaml"', id="format"),
        pytest.param(("HEAD", "-o", "json", "-o", "text"), "only one report can go to stdout", id="two on stdout"),
        pytest.param(("HEAD", "-o", "json="), "has no file name", id="no file"),
        pytest.param(("HEAD", "-o", "json=x", "-o", "html=./x"), "cannot go to one file", id="one file"),
        pytest.param(("HEAD", "-o", "json=no/such/x"), "No such file or directory", id="no directory"),
        pytest.param(("nowhere",), "nowhere", id="unknown commit"),
        pytest.param(("a", "b", "c"), "two", id="three sides"),
        pytest.param(("..",), "is empty; pass a commit", id="unset variables"),
        pytest.param(("HEAD", "-f", "absent"), "neither", id="absent path"),
        pytest.param(("--trainer-version", "9"), "not supported", id="version"),
    ],
)
def test_what_cannot_run(repository: Repository, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = call(repository, *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_nothing_is_written_that_a_fault_interrupts(repository: Repository) -> None:
    code, out, _ = call(repository, "HEAD", "-o", "json", "-o", "html=no/such/x")
    assert (code, out) == (2, "")


@pytest.mark.slow
def test_a_large_review_fits_and_counts_what_does_not(repository: Repository) -> None:
    jobs = {f"jobs/{number:04}.yaml": JOB.replace("NAME", f"sweep-{number:04}") for number in range(1500)}
    repository.commit(jobs)
    repository.write(
        {path: text.replace("numNodes: 2", f"numNodes: {3 + int(path[5:9])}") for path, text in jobs.items()}
    )
    code, out, _ = call(repository, "HEAD", "-o", "markdown")
    assert code == 1
    assert length(out) <= 65_536
    rows = re.findall(r"^\| `ml/sweep-", out, re.MULTILINE)
    (left,) = re.findall(r"Not shown for lack of room: (\d+) jobs", out)
    assert len(rows) + int(left) == 1500


def test_the_same_on_every_machine(repository: Repository, tmp_path_factory: pytest.TempPathFactory) -> None:
    repository.write({**NO_MEMORY, "jobs/lost.yaml": BERT.replace("name: torch", "name: gone").replace("bert", "lost")})
    head = repository.git("rev-parse", "HEAD")
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "change")
    clone = tmp_path_factory.mktemp("elsewhere") / "clone"
    repository.git("clone", "-q", str(repository.folder), str(clone))
    first = _run_apart(repository.folder, f"{head}..main", "1", "UTC")
    assert [bool(text) for text in first] == [True] * 3
    assert _run_apart(clone, f"{head}..main", "2", "Asia/Tokyo") == first


def _run_apart(folder: Path, sides: str, seed: str, zone: str) -> list[bytes]:
    """The reports that a process with this seed and this zone writes."""
    reports = [folder.parent / f"review-{seed}.{form}" for form in ("markdown", "html", "json")]
    options = [f"-o{report.suffix[1:]}={report}" for report in reports]
    command = [sys.executable, "-m", "kubectl_trainjob", "review", sides, *options]
    environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone}
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    return [report.read_bytes() for report in reports]
