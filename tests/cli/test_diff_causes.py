"""What `diff` says to be the cause: whole repositories before and after an edit, the expected result by hand."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.compiler.executor import IN_PROCESS
from kubectl_trainjob.model.stages import BuildOptions
from kubectl_trainjob.repository.trees import base_and_head as trees
from kubectl_trainjob.review.compare_trees import compare_trees
from kubectl_trainjob.review.compare_unit import CompareOptions
from tests.reading import disk, workspace

OVERLAY = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\n"
CONFIG = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n"
TRAINER = "apiVersion: trainer.kubeflow.org/v1alpha1\n"
RUNTIME = f"""\
{TRAINER}kind: ClusterTrainingRuntime
metadata:
  name: torch
  labels: {{trainer.kubeflow.org/framework: torch}}
spec:
  mlPolicy:
    numNodes: 1
    torch: {{}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata:
            labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: pytorch/pytorch:2.5
                  resources:
                    limits: {{nvidia.com/gpu: 2}}
"""
JOB = f"""\
{TRAINER}kind: TrainJob
metadata: {{name: base}}
spec:
  runtimeRef: {{name: torch}}
  trainer: {{image: "pytorch/pytorch:2.5", numNodes: 1}}
"""
STAGE = f"""\
{OVERLAY}resources: [../../base]
namespace: ml-STAGE
images:
- {{name: pytorch/pytorch, newTag: "2.6"}}
patches:
- target: {{kind: TrainJob, name: base}}
  patch:
    spec:
      trainer:
        numNodes: 3
"""
TEMPLATE = f"""\
{TRAINER}kind: TrainJob
metadata:
  name: fine-{{{{ values.model }}}}
  namespace: ml
spec:
  runtimeRef: {{name: torch}}
  trainer:
    numNodes: {{{{ values.nodes }}}}
    args: ["--model={{{{ values.model }}}}"]
"""
VALUES = f"{OVERLAY}resources: [job.yaml.j2]\nvalues:\n  model: llama\n  nodes: 2\n"
FILES = {
    "runtimes/torch.yaml": RUNTIME,
    "base/job.yaml": JOB,
    "overlays/dev/overlay.yaml": STAGE.replace("STAGE", "dev"),
    "overlays/prod/overlay.yaml": STAGE.replace("STAGE", "prod"),
    "overlays/tmpl/job.yaml.j2": TEMPLATE,
    "overlays/tmpl/overlay.yaml": VALUES,
}
DEV, PROD = ("overlays/dev", "base"), ("overlays/prod", "base")
FINE = ("overlays/tmpl", "fine-llama")

Reported = dict[str, set[tuple[str, str]]]
"""The TrainJobs of each cause, by what it is and its place."""


class BaseAndHead:
    """Two directories, and what `diff` says of them."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        for side in ("old", "new"):
            self.write({**FILES, "trainjob.yaml": CONFIG}, side)

    def write(self, files: dict[str, str], side: str = "new") -> None:
        for name, text in files.items():
            path = Path(side, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def swap(self, name: str, old: str, new: str) -> None:
        text = Path("new", name).read_text()
        assert old in text
        self.write({name: text.replace(old, new)})

    def json(self, *arguments: str, code: int = 1) -> dict[str, Any]:
        ended = run("kubectl-trainjob", ["diff", "old", "new", "-o", "json", *arguments])
        reported = self._capsys.readouterr()
        assert ended == code, reported.err
        return json.loads(reported.out)

    def causes(self, *arguments: str) -> Reported:
        """The TrainJobs of each cause."""
        found = {}
        for cause in self.json(*arguments)["summary"]["causes"]:
            key = f"{cause['what']} {cause['file']}:{cause['line']}"
            found[key] = {(job["overlay"], job["name"]) for job in cause["jobs"]}
        return found

    def text(self) -> str:
        run("kubectl-trainjob", ["diff", "old", "new"])
        return self._capsys.readouterr().out


@pytest.fixture
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> BaseAndHead:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KUBECTL_EXTERNAL_DIFF", raising=False)
    return BaseAndHead(capsys)


def test_a_base_of_several_overlays(sides: BaseAndHead):
    sides.swap("base/job.yaml", "spec:\n", "spec:\n  suspend: true\n")
    whole = sides.causes()
    assert list(whole.values()) == [{DEV, PROD}]
    assert list(sides.causes("-f", "overlays/dev", "-f", "overlays/prod").values()) == [{("", "base")}]


def test_a_base_that_one_job_is_made_of(sides: BaseAndHead):
    own, _, _ = FILES["overlays/dev/overlay.yaml"].partition("patches:")
    for side in ("old", "new"):
        sides.write({"overlays/dev/overlay.yaml": own}, side)
    sides.swap("base/job.yaml", "numNodes: 1", "numNodes: 2")  # the other overlay sets its own
    assert sides.causes() == {}


def test_a_runtime_that_has_no_part_in_what_changed(sides: BaseAndHead):
    sides.swap("runtimes/torch.yaml", "pytorch:2.5", "pytorch:2.5.1")  # all but the template's set an image
    sides.swap("overlays/prod/overlay.yaml", "numNodes: 3", "numNodes: 4")
    assert sides.causes() == {
        "ClusterTrainingRuntime/torch new/runtimes/torch.yaml:22": {FINE},
        "patch new/overlays/prod/overlay.yaml:12": {PROD},
    }


def test_a_runtime_that_has_a_part_in_it(sides: BaseAndHead):
    sides.swap("runtimes/torch.yaml", "gpu: 2", "gpu: 4")
    sides.swap("overlays/prod/overlay.yaml", "numNodes: 3", "numNodes: 4")
    assert sides.causes() == {
        "ClusterTrainingRuntime/torch new/runtimes/torch.yaml:24": {DEV, PROD, FINE},
        "patch new/overlays/prod/overlay.yaml:12": {PROD},
    }


def test_a_runtime_whose_part_nobody_wrote_down(sides: BaseAndHead):
    """What a launcher adds is not copied from anywhere: both inputs stay."""
    sides.swap("runtimes/torch.yaml", "    torch: {}\n", "")
    sides.swap("overlays/prod/overlay.yaml", "numNodes: 3", "numNodes: 4")
    assert sorted(sides.causes().values(), key=len) == [{PROD}, {DEV, PROD, FINE}]


def test_an_overlay_over_another_base(sides: BaseAndHead):
    sides.write({"base2/job.yaml": JOB.replace("numNodes: 1", 'numNodes: 1, args: ["x"]')})
    sides.swap("overlays/dev/overlay.yaml", "../../base]", "../../base2]")
    found = sides.causes("-f", "overlays/dev")
    assert found == {"resources[0] new/overlays/dev/overlay.yaml:3": {("", "base")}}


def test_patches_that_are_removed(sides: BaseAndHead):
    text = FILES["overlays/dev/overlay.yaml"]
    sides.write({"overlays/dev/overlay.yaml": text[: text.index("patches:")]})
    assert sides.causes() == {"patches old/overlays/dev/overlay.yaml:7": {DEV}}
    assert "patches in old/overlays/dev/overlay.yaml:7 (removed)" in sides.text()


def lines(reported: dict[str, Any]) -> set[tuple[str, ...]]:
    """The lines that the values come from."""
    rows = [change["sources"] for each in reported["objects"] for change in each["changes"]]
    return {tuple(f"{source['file']}:{source['line']}" for source in row) for row in rows}


def test_the_line_of_a_value(sides: BaseAndHead):
    sides.swap("overlays/tmpl/overlay.yaml", "nodes: 2", "nodes: 4")
    assert lines(sides.json("--why")) == {("old/overlays/tmpl/overlay.yaml:6", "new/overlays/tmpl/overlay.yaml:6")}


def test_the_line_of_a_template(sides: BaseAndHead):
    sides.swap("overlays/tmpl/job.yaml.j2", "{{ values.nodes }}", "{{ values.nodes * 2 }}")
    assert lines(sides.json("--why")) == {("old/overlays/tmpl/job.yaml.j2:9", "new/overlays/tmpl/job.yaml.j2:9")}


def test_an_overlay_of_another_name(sides: BaseAndHead):
    shutil.move("new/overlays/prod", "new/overlays/production")
    sides.swap("overlays/production/overlay.yaml", "numNodes: 3", "numNodes: 4")
    reported = sides.json()
    jobs = reported["summary"]["jobs"]
    assert {each["change"] for each in reported["objects"]} == {"changed"}
    assert (jobs["added"], jobs["removed"]) == ([], [])
    assert [(job["overlay"], job["name"]) for job in jobs["changed"]] == [("overlays/production", "base")]


def test_an_overlay_of_another_name_for_another_namespace(sides: BaseAndHead):
    shutil.move("new/overlays/prod", "new/overlays/production")
    sides.swap("overlays/production/overlay.yaml", "ml-prod", "ml-production")
    assert {each["change"] for each in sides.json()["objects"]} == {"added", "removed"}


def test_an_overlay_that_cannot_be_read_is_none_that_is_not_there(sides: BaseAndHead):
    shutil.rmtree(Path("new/overlays/prod"))
    sides.write({"overlays/dev/overlay.yaml": f"{OVERLAY}resources: ["}, "old")
    sides.swap("overlays/dev/overlay.yaml", "ml-dev", "ml-prod")
    reported = sides.json(code=2)
    assert {(each["change"], each["overlay"]) for each in reported["objects"]} == {("removed", "overlays/prod")}


@pytest.mark.usefixtures("sides")
def test_an_overlay_that_moved_is_said_to_have():
    shutil.move("new/overlays/prod", "new/overlays/production")
    read = trees(("old", "new"), ("2.3", "2.3"), disk())
    found = compare_trees(read.read((), workspace()), CompareOptions(BuildOptions(), BuildOptions()), IN_PROCESS)
    assert (found.difference.moved, found.difference.changes) == ((("overlays/prod", "overlays/production"),), ())


def test_a_target_that_a_configuration_states(sides: BaseAndHead):
    """2.2 replaces the resources of a runtime, 2.3 merges them: only who sets some becomes something else."""
    target = f'{CONFIG}target: {{trainer: "VERSION"}}\n'
    for side, version in (("old", "2.2"), ("new", "2.3")):
        sides.write({"trainjob.yaml": target.replace("VERSION", version)}, side)
        job = JOB.replace("numNodes: 1}", "numNodes: 1, resourcesPerNode: {limits: {cpu: 4}}}")
        sides.write({"base/job.yaml": job}, side)
    assert sides.causes() == {"target.trainer new/trainjob.yaml:3": {DEV, PROD}}
    assert sides.json("--trainer-version", "2.3", code=0)["summary"]["causes"] == []


def test_what_is_printed_is_stated(sides: BaseAndHead):
    sides.write({"trainjob.yaml": f"{CONFIG}emit: trainjob\n"})
    assert sides.causes() == {"emit new/trainjob.yaml:3": {DEV, PROD, FINE}}
    sides.write({"trainjob.yaml": CONFIG})
    sides.write({"trainjob.yaml": f"{CONFIG}emit: trainjob\n"}, "old")
    assert list(sides.causes().values()) == [{DEV, PROD, FINE}]
