"""`diff` as it is called: two revisions, a revision and the files, two directories, two versions of Trainer.

What is expected follows from the files by hand; that verdicts are the API server's is for tests/conformance and
tests/cluster.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.cli.app import run
from tests.tools import require

RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: torch
spec:
  mlPolicy:
    numNodes: 2
    torch: {}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata:
            labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: torch:1
                  resources:
                    limits: {cpu: 4, memory: 8Gi, nvidia.com/gpu: 8}
"""
JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: NAME
  namespace: ml
  labels: {kueue.x-k8s.io/queue-name: research}
spec:
  runtimeRef: {name: torch}
  trainer:
    numNodes: 2
"""
NODE = "/spec/replicatedJobs/0/template/spec/template/spec/containers/0"


class Repository:
    """A git repository and the command, run in it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys

    def write(self, files: dict[str, str | None]) -> None:
        for name, text in files.items():
            path = self.folder / name
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def git(self, *arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *arguments]
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, files: dict[str, str | None]) -> str:
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "change")
        return self.git("rev-parse", "HEAD")

    def diff(self, *arguments: str) -> tuple[int, str, str]:
        return self.call("diff", *arguments)

    def call(self, *arguments: str) -> tuple[int, str, str]:
        code = run("kubectl-trainjob", arguments)
        reported = self._capsys.readouterr()
        return code, reported.out, reported.err

    def json(self, *arguments: str, code: int = 1) -> dict[str, Any]:
        ended, out, err = self.diff(*arguments, "-o", "json")
        assert ended == code, err
        return json.loads(out)


def empty_repository(folder: Path, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repository:
    """A git repository without a commit, which is the current directory."""
    require("git")
    patch.chdir(folder)
    patch.delenv("KUBECTL_EXTERNAL_DIFF", raising=False)
    made = Repository(folder, capsys)
    made.git("init", "-q", "-b", "main")
    return made


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repository:
    made = empty_repository(tmp_path, monkeypatch, capsys)
    made.commit(
        {
            "runtimes/torch.yaml": RUNTIME,
            "jobs/a.yaml": JOB.replace("NAME", "a"),
            "jobs/b.yaml": JOB.replace("NAME", "b"),
        }
    )
    return made


def changes(reported: dict[str, Any]) -> dict[str, str]:
    return {f"{each['kind']}/{each['name']}": each["change"] for each in reported["objects"]}


def job(name: str) -> dict[str, str]:
    return {"namespace": "ml", "name": name, "overlay": ""}


def test_nothing_differs(repository: Repository):
    code, out, err = repository.diff("HEAD")
    assert (code, err) == (0, "")
    assert out.startswith("the generated objects are equal\nHEAD (")
    assert repository.json("HEAD", code=0)["objects"] == []


def test_an_image_of_a_runtime(repository: Repository):
    repository.write({"runtimes/torch.yaml": RUNTIME.replace("torch:1", "torch:2")})
    reported = repository.json("HEAD")
    assert changes(reported) == {"JobSet/a": "changed", "JobSet/b": "changed"}
    (first, _) = reported["objects"]
    assert first["namespace"] == "ml"
    assert first["verdict"] == dict.fromkeys(("running", "suspended", "suspending", "resuming"), "refused")
    assert {each["pointer"] for each in first["refused"]} == {f"{NODE}/image"}
    line = {"file": "runtimes/torch.yaml", "line": 21}
    assert first["changes"] == [
        {
            "path": "spec.replicatedJobs[node].template.spec.template.spec.containers[node].image",
            "pointer": f"{NODE}/image",
            "old": "torch:1",
            "new": "torch:2",
            "sources": [{"side": "old", **line}, {"side": "new", **line}],
        }
    ]
    assert reported["summary"]["causes"] == [
        {
            "what": "ClusterTrainingRuntime/torch",
            "removed": False,
            "file": "runtimes/torch.yaml",
            "line": 21,
            "jobs": [job("a"), job("b")],
        }
    ]


def test_numbers_before_and_after(repository: Repository):
    repository.write(
        {"jobs/a.yaml": JOB.replace("NAME", "a").replace("numNodes: 2", "numNodes: 4"), "jobs/b.yaml": None}
    )
    reported = repository.json("HEAD")
    assert changes(reported) == {"JobSet/a": "changed", "JobSet/b": "removed"}
    summary = reported["summary"]
    assert summary["jobs"] == {
        "added": [],
        "removed": [job("b")],
        "changed": [job("a")],
        "unbuilt": [],
        "renamed": [],
    }
    before = {
        "jobs": 2,
        "pods": 4,
        "processes": 32,
        "unsized": 0,
        "resources": {"cpu": "16", "memory": "32Gi", "nvidia.com/gpu": "32"},
    }
    assert summary["before"] == before
    after = before | {"jobs": 1}
    assert summary["after"] == after
    assert summary["groups"] == [{"namespace": "ml", "queue": "research", "before": before, "after": after}]


def test_two_commits_and_what_a_branch_changed(repository: Repository):
    first = repository.git("rev-parse", "HEAD")
    repository.git("checkout", "-q", "-b", "work")
    repository.commit({"jobs/a.yaml": None})
    repository.git("checkout", "-q", "main")
    repository.commit({"jobs/b.yaml": None})
    assert changes(repository.json("main..work")) == {"JobSet/a": "removed", "JobSet/b": "added"}
    assert changes(repository.json("main...work")) == {"JobSet/a": "removed"}
    assert changes(repository.json(f"{first}..")) == {"JobSet/b": "removed"}
    repository.git("checkout", "-q", "work")
    assert changes(repository.json("main")) == {"JobSet/a": "removed", "JobSet/b": "added"}
    assert changes(repository.json()) == {"JobSet/a": "removed"}  # since this branch left main


def test_two_directories(repository: Repository):
    repository.write(
        {
            "old/a.yaml": RUNTIME + "---\n" + JOB.replace("NAME", "a"),
            "new/a.yaml": RUNTIME.replace("torch:1", "torch:2") + "---\n" + JOB.replace("NAME", "a"),
        }
    )
    reported = repository.json("old", "new")
    ((change,),) = [each["changes"] for each in reported["objects"]]
    assert [each["file"] for each in change["sources"]] == ["old/a.yaml", "new/a.yaml"]
    assert [cause["file"] for cause in reported["summary"]["causes"]] == ["new/a.yaml"]


def test_only_what_is_named(repository: Repository):
    repository.write({"jobs/a.yaml": None, "jobs/b.yaml": None, "jobs/c.yaml": JOB.replace("NAME", "c")})
    assert changes(repository.json("HEAD", "-f", "jobs/a.yaml")) == {"JobSet/a": "removed"}
    assert changes(repository.json("HEAD", "-f", "jobs/b.yaml", "-f", "jobs/c.yaml")) == {
        "JobSet/b": "removed",
        "JobSet/c": "added",
    }
    code, _, err = repository.diff("HEAD", "-f", "jobs/d.yaml")
    assert code == 2
    assert "neither" in err


def overlay(text: str) -> str:
    return f"apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [../../jobs]\n{text}"


def test_each_overlay_for_itself(repository: Repository):
    repository.commit(
        {"overlays/dev/overlay.yaml": overlay(""), "overlays/prod/overlay.yaml": overlay("labels: [{pairs: {a: b}}]\n")}
    )
    repository.write(
        {
            "overlays/prod/overlay.yaml": overlay(
                "patches: [{target: {kind: TrainJob}, patch: {spec: {trainer: {numNodes: 3}}}}]\n"
            )
        }
    )
    reported = repository.json("HEAD")
    assert {each["overlay"] for each in reported["objects"]} == {"overlays/prod"}
    repository.write({"jobs/a.yaml": None})
    reported = repository.json("HEAD")
    removed = [each["overlay"] for each in reported["objects"] if each["change"] == "removed"]
    assert removed == ["overlays/dev", "overlays/prod"]


def test_a_hash_in_the_name_makes_a_new_run(repository: Repository):
    repository.commit({"overlays/prod/overlay.yaml": overlay("nameHash: true\n")})
    repository.write({"jobs/a.yaml": JOB.replace("NAME", "a").replace("numNodes: 2", "numNodes: 3")})
    reported = repository.json("HEAD", "-f", "overlays/prod")
    gone, made = sorted(reported["objects"], key=lambda each: each["change"], reverse=True)
    assert (gone["change"], made["change"]) == ("removed", "added")
    assert gone["counterpart"]["name"] == made["name"] != gone["name"] == made["counterpart"]["name"]
    assert made["verdict"] is None
    assert any(each["pointer"].endswith("/parallelism") and each["new"] == 3 for each in made["changes"])
    assert [each["new"]["name"] for each in reported["summary"]["jobs"]["renamed"]] == [made["name"]]


def test_what_a_trainer_gets(repository: Repository):
    repository.write({"runtimes/torch.yaml": RUNTIME.replace("torch:1", "torch:2")})
    reported = repository.json("HEAD", "--emit", "trainjob")
    assert changes(reported) == {"ClusterTrainingRuntime/torch": "changed"}
    (runtime,) = reported["objects"]
    assert runtime["verdict"] is None
    assert "runtime snapshot" in runtime["consequence"]
    assert [job["name"] for job in reported["summary"]["jobs"]["changed"]] == ["a", "b"]


def test_a_train_job_for_a_trainer(repository: Repository):
    repository.write({"jobs/a.yaml": JOB.replace("NAME", "a").replace("numNodes: 2", "numNodes: 4")})
    (job,) = repository.json("HEAD", "--emit", "trainjob")["objects"]
    assert set(job["verdict"].values()) == {"refused"}
    assert {each["pointer"] for each in job["refused"]} == {"/spec/trainer/numNodes"}
    assert all(each["reason"].startswith("spec.trainer: field is immutable") for each in job["refused"])


def test_an_upgrade_of_trainer(repository: Repository):
    resources = "    resourcesPerNode: {limits: {memory: 16Gi}}\n"
    repository.write({"jobs/a.yaml": JOB.replace("NAME", "a") + resources})
    reported = repository.json("--trainer-version", "2.2..2.3")
    assert (reported["old"], reported["new"]) == ("Trainer 2.2", "Trainer 2.3")
    assert changes(reported) == {"JobSet/a": "changed"}  # 2.2 replaces the runtime's resources, 2.3 merges
    assert reported["summary"]["before"]["resources"]["nvidia.com/gpu"] == "16"
    assert reported["summary"]["after"]["resources"]["nvidia.com/gpu"] == "32"
    assert reported["summary"]["causes"] == []


def test_what_cannot_be_built_is_named(repository: Repository):
    wrong = JOB.replace("NAME", "a").replace("{name: torch}", "{name: torhc}")
    repository.write(
        {"jobs/a.yaml": wrong, "jobs/b.yaml": JOB.replace("NAME", "b").replace("numNodes: 2", "numNodes: 4")}
    )
    reported = repository.json("HEAD", code=2)
    assert changes(reported) == {"JobSet/b": "changed"}
    assert reported["summary"]["jobs"]["unbuilt"] == [job("a")]
    _, _, err = repository.diff("HEAD")
    assert "error: the head, the working tree, cannot be built in full; the base can:" in err
    assert "jobs/a.yaml:8:22: error KTJ201 runtime-not-found" in err


def test_why(repository: Repository):
    repository.write({"jobs/a.yaml": JOB.replace("NAME", "a").replace("numNodes: 2", "numNodes: 4")})
    _, without, _ = repository.diff("HEAD")
    _, out, _ = repository.diff("HEAD", "--why")
    assert "jobs/a.yaml:10" not in without
    assert "parallelism: 2 → 4  (jobs/a.yaml:10)" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["nothing"], '"nothing"', id="unknown"),
        pytest.param(["--", "--output=x"], "is not a name of a commit", id="option"),
        pytest.param(["a", "b"], '"a" is not a directory; compare commits as a..b', id="two-words"),
        pytest.param(["a", "b", "c"], "compare two commits as A..B", id="three-words"),
        pytest.param(["./jobs"], "is a directory", id="one-directory"),
        pytest.param(["--trainer-version", "2.2..9"], 'Trainer "9" is not supported', id="version"),
        pytest.param(["HEAD", "-f", "-"], "standard input", id="stdin"),
        pytest.param(["HEAD", "-f", ".."], "outside", id="outside"),
    ],
)
def test_what_cannot_run(repository: Repository, arguments: list[str], message: str):
    code, out, err = repository.diff(*arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_secrets_are_masked(repository: Repository):
    secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  namespace: ml\nstringData:\n  token: {}\n"
    repository.commit({"jobs/s.yaml": secret.format("hunter2-old")})
    repository.write({"jobs/s.yaml": secret.format("hunter2-new")})
    for output in ("text", "json", "markdown", "html"):
        code, out, err = repository.diff("HEAD", "-o", output, "--why")
        assert code == 1
        assert "hunter2" not in out + err
        assert "token" in out


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], dict[str, str]]:
    """What a program in KUBECTL_EXTERNAL_DIFF found."""
    copies, script = tmp_path / ".copies", tmp_path / ".show"
    script.write_text(f'#!/bin/sh\n[ "$1" = -u ] && cp -r "$2" "$3" "{copies}"\nexit 1\n')
    script.chmod(0o700)
    monkeypatch.setenv("KUBECTL_EXTERNAL_DIFF", f"{script} -u")
    copies.mkdir()
    return lambda: {str(path.relative_to(copies)): path.read_text() for path in copies.rglob("*.yaml")}


def test_another_program_shows_it(repository: Repository, shown: Callable[[], dict[str, str]]):
    secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  token: {}\n"
    repository.commit({"jobs/s.yaml": secret.format("hunter2-old")})
    repository.write(
        {"jobs/a.yaml": None, "jobs/s.yaml": secret.format("hunter2-new"), "jobs/c.yaml": JOB.replace("NAME", "c")}
    )
    code, _, _ = repository.diff("HEAD")
    assert code == 1
    found = shown()
    assert set(found) == {
        "old/secret_s.yaml",
        "new/secret_s.yaml",
        "old/ml.jobset_a.yaml",
        "new/ml.jobset_c.yaml",
    }
    assert "hunter2" not in "".join(found.values())


def test_another_program_that_cannot_run(repository: Repository, monkeypatch: pytest.MonkeyPatch):
    repository.write({"jobs/a.yaml": None})
    monkeypatch.setenv("KUBECTL_EXTERNAL_DIFF", "no-such-program-of-ours")
    code, _, err = repository.diff("HEAD")
    assert code == 2
    assert "no-such-program-of-ours cannot be run" in err
    monkeypatch.setenv("KUBECTL_EXTERNAL_DIFF", "diff $(id)")
    code, _, err = repository.diff("HEAD")
    assert code == 2
    assert "letters, digits" in err


def test_the_order_of_a_list(repository: Repository):
    variables = "                  env: [{{name: {}, value: '1'}}, {{name: {}, value: '1'}}]\n"
    repository.commit({"runtimes/torch.yaml": RUNTIME + variables.format("A", "B"), "jobs/b.yaml": None})
    repository.write({"runtimes/torch.yaml": RUNTIME + variables.format("B", "A")})
    _, out, _ = repository.diff("HEAD")
    assert "containers[node].env: order A, B → order B, A" in out
    ((change,),) = [each["changes"] for each in repository.json("HEAD")["objects"]]
    assert (change["old"], change["new"]) == (["A", "B"], ["B", "A"])


def test_a_program_that_we_leave_when_we_must_end(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    repository.write({"jobs/a.yaml": None})
    temporary, program = tmp_path / ".tmp", tmp_path / ".slow"
    temporary.mkdir()
    program.write_text("#!/bin/sh\ntouch $0.started\nexec sleep 900\n")
    program.chmod(0o700)
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setenv("KUBECTL_EXTERNAL_DIFF", str(program))
    child = subprocess.Popen([sys.executable, "-m", "kubectl_trainjob", "diff", "HEAD"], stdout=subprocess.DEVNULL)
    while not (tmp_path / ".slow.started").exists():
        assert child.poll() is None
        time.sleep(0.01)
    child.terminate()
    assert child.wait(600) == 128 + signal.SIGTERM
    assert list(temporary.iterdir()) == []


def test_a_secret_is_masked_whatever_a_patch_made_of_it(repository: Repository):
    secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  token: {}\n"
    patch = "patches: [{target: {kind: Secret}, patch: [{op: replace, path: /kind, value: ConfigMap}]}]\n"
    repository.commit({"jobs/s.yaml": secret.format("hunter2-old"), "overlays/o/overlay.yaml": overlay(patch)})
    repository.write({"jobs/s.yaml": secret.format("hunter2-new")})
    for output in ("text", "json", "markdown", "html"):
        code, out, err = repository.diff("HEAD", "-f", "overlays/o", "-o", output, "--why")
        assert code == 1, err
        assert "ConfigMap" in out
        assert "hunter2" not in out + err


@pytest.mark.parametrize("argument", ["", "..", "..."])
def test_unset_variables_compare_nothing(repository: Repository, argument: str):
    code, out, err = repository.diff(argument)
    assert (code, out) == (2, "")
    assert "is empty; pass a commit" in err


def test_a_bare_repository_has_commits_alone(
    repository: Repository, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
):
    repository.commit({"jobs/a.yaml": None})
    bare = tmp_path_factory.mktemp("bare")
    repository.git("clone", "--quiet", "--bare", ".", str(bare))
    monkeypatch.chdir(bare)
    assert changes(repository.json("HEAD~1..HEAD")) == {"JobSet/a": "removed"}
    code, out, err = repository.diff("HEAD")
    assert (code, out) == (2, "")
    assert "a bare repository has only commits" in err


def test_where_a_branch_was_pushed_to_is_not_where_it_is_from(
    repository: Repository, tmp_path_factory: pytest.TempPathFactory
):
    origin = tmp_path_factory.mktemp("origin")
    repository.git("clone", "--quiet", "--bare", ".", str(origin))
    repository.git("remote", "add", "origin", str(origin))
    repository.git("fetch", "--quiet", "origin")
    repository.git("checkout", "-q", "-b", "work")
    repository.commit({"jobs/a.yaml": None})
    repository.git("push", "--quiet", "--set-upstream", "origin", "work")
    reported = repository.json()
    assert reported["old"].startswith("merge base of origin/main and HEAD (")
    assert changes(reported) == {"JobSet/a": "removed"}
    repository.git("update-ref", "-d", "refs/remotes/origin/main")
    repository.git("branch", "-D", "main")
    code, _, err = repository.diff()
    assert code == 2
    assert "no branch to compare with" in err
