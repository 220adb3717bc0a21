"""`migrate` writes files as asked, changes nothing else, and protects what is not committed."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from kubectl_trainjob.cli.app import run
from tests.tools import require

JOB = """\
# the job of the team
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: mnist}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        spec:
          containers:
            - name: pytorch
              image: acme/mnist:1.4   # pinned
              command: [python, train.py]
"""
OTHER = "# settings\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}   # kept\ndata: {a: '1'}\n"
ASKS = JOB + "  runPolicy: {cleanPodPolicy: All}\n"


class Command:
    """The command in a directory."""

    def __init__(self, directory: Path, patch: pytest.MonkeyPatch) -> None:
        self.directory = directory
        self._patch = patch
        self.out, self.err = "", ""

    def __call__(self, *arguments: str, stdin: str = "") -> int:
        return self.run("migrate", *arguments, stdin=stdin)

    def build(self, *arguments: str) -> int:
        """The exit code of a build."""
        return self.run("build", *arguments)

    def run(self, *arguments: str, stdin: str = "") -> int:
        """The exit code of a command."""
        out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        self._patch.setattr(sys, "stdout", out)
        self._patch.setattr(sys, "stderr", err)
        code = run("kubectl-trainjob", list(arguments))
        out.flush()
        self.out, self.err = out.buffer.getvalue().decode(), err.getvalue()  # type: ignore[attr-defined]
        return code

    def file(self, name: str, text: str | None = None) -> str:
        """The text of a file, after it was written."""
        path = self.directory / name
        if text is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return path.read_text(encoding="utf-8")


@pytest.fixture
def migrate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path, monkeypatch)


def test_the_stream_has_all_documents_and_their_comments(migrate: Command) -> None:
    assert migrate("-", stdin=f"{OTHER}---\n{JOB}") == 0
    assert migrate.out.startswith(OTHER + "---\n# the job of the team\n# pinned\n")
    kinds = [each["kind"] for each in yaml.safe_load_all(migrate.out)]
    assert kinds == ["ConfigMap", "TrainingRuntime", "TrainJob"]
    assert "note: 1 job migrated\n" in migrate.err


def test_another_object_without_a_name_that_has_a_job(migrate: Command) -> None:
    workflow = "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {generateName: w-}\n"
    inside = "spec:\n  templates:\n  - resource:\n      manifest: |\n        kind: PyTorchJob\n"
    assert migrate("-", stdin=f"{workflow}{inside}---\n{JOB}") == 1
    assert ': Workflow refers to a job that migrate replaces, with "PyTorchJob"; adapt it' in migrate.err


def test_json_is_one_list(migrate: Command) -> None:
    assert migrate("-", "-o", "json", stdin=f"{OTHER}---\n{JOB}") == 0
    assert [each["kind"] for each in json.loads(migrate.out)["items"]] == ["ConfigMap", "TrainingRuntime", "TrainJob"]


def test_what_needs_a_user_is_exit_code_1_with_file_and_line(migrate: Command) -> None:
    migrate.file("a.yaml", ASKS)
    assert migrate("a.yaml") == 1
    assert "a.yaml:15:31: warning KTJ1053 migration-review: cleanPodPolicy All" in migrate.err
    assert "kind: TrainJob" in migrate.out


@pytest.mark.parametrize(("text", "code"), [(JOB, 1), (OTHER, 0)])
def test_check_prints_nothing(text: str, code: int, migrate: Command) -> None:
    migrate.file("a.yaml", text)
    assert (migrate("--check", "a.yaml"), migrate.out, migrate.file("a.yaml")) == (code, "", text)


def test_diff_shows_the_changes(migrate: Command) -> None:
    migrate.file("a.yaml", f"{OTHER}---\n{JOB}")
    assert migrate("--diff", "a.yaml") == 0
    lines = migrate.out.splitlines()
    assert lines[:2] == ["--- a/a.yaml", "+++ b/a.yaml"]
    assert "-kind: PyTorchJob" in lines
    assert "+kind: TrainJob" in lines
    assert not [line for line in lines if "ConfigMap" in line and not line.startswith(" ")]


@pytest.mark.parametrize("comments", ["# a", "\n".join(f"# {number}" for number in range(250))])
def test_comments_of_removed_values_stay_with_their_line_ends(comments: str, migrate: Command) -> None:
    spec = f"  mlPolicy:\n    numNodes: 1\n    torch:\n{comments}\n      numProcPerNode: auto # b\n"
    runtime = f"apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainingRuntime\nmetadata: {{name: r}}\nspec:\n{spec}"
    path = migrate.directory / "a.yaml"
    path.write_bytes(runtime.replace("\n", "\r\n").encode())
    assert migrate("--write", "--force", "a.yaml") == 0
    written = path.read_bytes().decode()
    assert "numProcPerNode" not in written
    assert written.count("\n") == written.count("\r\n")
    lines = written.splitlines()
    assert sum(line.startswith("#") for line in lines) == len(comments.splitlines()) + 1


def test_write_changes_only_the_files_with_changes_and_is_done_once(migrate: Command) -> None:
    migrate.file("jobs/a.yaml", f"{OTHER}---\n{JOB}")
    migrate.file("jobs/b.yaml", OTHER)
    before = (migrate.directory / "jobs/b.yaml").stat()
    assert (migrate("--write", "--force", "jobs"), migrate.out) == (0, "")
    written = migrate.file("jobs/a.yaml")
    assert written.startswith(OTHER)
    assert (migrate.directory / "jobs/b.yaml").stat().st_mtime_ns == before.st_mtime_ns
    assert migrate("--write", "jobs") == 0
    assert migrate.file("jobs/a.yaml") == written


def test_a_directory_gets_all_files(migrate: Command) -> None:
    migrate.file("jobs/a.yaml", JOB)
    migrate.file("jobs/sub/b.yaml", OTHER)
    assert migrate("jobs", "-O", "new") == 0
    assert "kind: TrainJob" in migrate.file("new/jobs/a.yaml")
    assert migrate.file("new/jobs/sub/b.yaml") == OTHER
    assert migrate.file("jobs/a.yaml") == JOB
    assert migrate("jobs", "-O", "new") == 2


def git(directory: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run([require("git"), *identity, *arguments], cwd=directory, check=True, capture_output=True)


def test_files_above_are_written_inside_the_directory(migrate: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    migrate.file("jobs/a.yaml", JOB)
    below = migrate.directory / "here"
    below.mkdir()
    monkeypatch.chdir(below)
    assert migrate("../jobs", "-O", "out") == 0
    assert "kind: TrainJob" in migrate.file("here/out/jobs/a.yaml")
    assert sorted(os.listdir(migrate.directory)) == ["here", "jobs"]


@pytest.mark.parametrize("kind", ["JAXJob", "TFJob", "PaddleJob"])
def test_a_job_without_pods(kind: str, migrate: Command) -> None:
    field = {"JAXJob": "jax", "TFJob": "tf", "PaddleJob": "paddle"}[kind] + "ReplicaSpecs"
    text = JOB.replace("PyTorchJob", kind).replace("pytorchReplicaSpecs", field).replace("Master", "Worker")
    container = {"JAXJob": "jax", "TFJob": "tensorflow", "PaddleJob": "paddle"}[kind]
    text = text.replace("replicas: 1", "replicas: 0").replace("name: pytorch", f"name: {container}")
    migrate.file("a.yaml", text)
    assert migrate("a.yaml") == 1
    assert "no role has Pods; write replicas: 1 or more" in migrate.err


def test_files_that_are_not_committed_need_force(migrate: Command) -> None:
    migrate.file("a.yaml", JOB)
    git(migrate.directory, "init", "-q")
    assert migrate("--write", "a.yaml") == 2
    assert migrate.err.endswith(
        "error: these files have changes that are not committed: a.yaml; commit, or use --force\n"
    )
    assert migrate.file("a.yaml") == JOB
    git(migrate.directory, "add", ".")
    git(migrate.directory, "commit", "-qm", "a")
    assert migrate("--write", "a.yaml") == 0
    git(migrate.directory, "checkout", "-q", "a.yaml")
    changed = migrate.file("a.yaml", JOB + "# not committed\n")
    migrate.file("b.yaml", "not yaml of a job: 1\n")
    assert migrate("--write", "a.yaml") == 2
    assert migrate.file("a.yaml") == changed
    assert migrate("--write", "--force", "a.yaml") == 0
    assert "# not committed" in migrate.file("a.yaml")


def test_files_outside_of_git_need_force(migrate: Command) -> None:
    migrate.file("a.yaml", JOB)
    assert migrate("--write", "a.yaml") == 2
    lost = "not in a git repository, so the old content would be lost; use -O DIR, or --force\n"
    assert migrate.err.endswith(f"error: a.yaml is {lost}")
    migrate.file("b.yaml", JOB.replace("mnist}", "b}"))
    assert migrate("--write", ".") == 2
    assert migrate.err.endswith(f"error: a.yaml, b.yaml are {lost}")
    assert migrate.file("a.yaml") == JOB
    assert migrate("--write", "--force", "a.yaml") == 0
    assert "kind: TrainJob" in migrate.file("a.yaml")
    assert migrate("--write", "a.yaml") == 0  # nothing changes


def test_the_note_says_what_was_done_and_what_is_next(migrate: Command) -> None:
    migrate.file("jobs/a b.yaml", JOB)
    for option, code in (("--check", 1), ("--diff", 0)):
        assert migrate(option, "jobs/a b.yaml") == code
        assert migrate.err.endswith("note: 1 job to migrate; write it with --write\n")
    migrate.file("jobs/b.yaml", JOB.replace("mnist}", "b}"))
    assert migrate("--check", "jobs") == 1
    assert migrate.err.endswith("note: 2 jobs to migrate; write them with --write\n")
    assert migrate("-", "--diff", stdin=JOB) == 0
    assert migrate.err.endswith("note: 1 job to migrate\n")
    assert migrate("--write", "--force", "jobs/a b.yaml") == 0
    next_command = "kubectl trainjob lint 'jobs/a b.yaml'"
    assert migrate.err.endswith(f"note: 1 job migrated, in jobs/a b.yaml; next: {next_command}\n")
    migrate.file("jobs/c.yaml", JOB.replace("mnist}", "c}"))
    assert migrate("--write", "--force", "jobs") == 0
    assert migrate.err.endswith("note: 2 jobs migrated, in 2 files; next: kubectl trainjob lint jobs\n")


def test_long_lists_of_numbers_are_short_texts(migrate: Command) -> None:
    text = JOB.replace("replicas: 1\n", "replicas: 1\n      restartPolicy: ExitCode\n")
    assert migrate("-", stdin=text) == 0
    assert "\n                  values: [1, 2, 3" in migrate.out
    lines = [line for line in migrate.out.splitlines() if ", " in line]
    assert len(lines) < 10
    assert max(map(len, lines)) <= 100
    (job,) = next(yaml.safe_load_all(migrate.out))["spec"]["template"]["spec"]["replicatedJobs"]
    (rule,) = job["template"]["spec"]["podFailurePolicy"]["rules"]
    assert rule["onExitCodes"]["values"] == [*range(1, 128)]


def test_placeholders_are_one_finding_for_each_document(migrate: Command) -> None:
    limits = "resources: {limits: {cpu: $CPU, memory: $MEM}}"
    text = JOB.replace("replicas: 1", "replicas: ${N}") + f"              {limits}\n"
    other = JOB.replace("replicas: 1", "replicas: one")
    migrate.file("a.yaml", f"{text}---\n{text.replace('mnist', 'b')}---\n{other.replace('mnist', 'c')}")
    assert migrate("--check", "a.yaml") == 1
    found = [line for line in migrate.err.splitlines() if "KTJ1051" in line]
    advice = 'legacy-job-rejected: "${N}" is a placeholder; fill in all of them first, for example with envsubst'
    assert found[:2] == [f"a.yaml:{line}:17: error KTJ1051 {advice}" for line in (8, 24)]
    assert len(found) == 3
    assert "one" in found[2]


def test_an_item_of_a_list_is_replaced_in_the_list(migrate: Command) -> None:
    job = "".join(f"  {line}\n" if line else "\n" for line in JOB.splitlines()[1:])
    text = f"apiVersion: v1\nkind: List\nitems:\n- {job.lstrip()}# the end\n"
    assert migrate("-", stdin=text) == 0
    (found,) = yaml.safe_load_all(migrate.out)
    assert [each["kind"] for each in found["items"]] == ["TrainingRuntime", "TrainJob"]
    assert "# the end" in migrate.out


@pytest.mark.parametrize("is_json", [False, True])
def test_every_item_of_a_list_is_replaced(is_json: bool, migrate: Command) -> None:
    jobs = [yaml.safe_load(JOB.replace("mnist}", f"{name}}}")) for name in ("a", "b", "c")]
    jobs[1]["spec"]["runPolicy"] = {"ttlSecondsAfterFinished": 60}
    whole = {"apiVersion": "v1", "kind": "List", "items": [jobs[0], yaml.safe_load(OTHER), *jobs[1:]]}
    text = json.dumps(whole) if is_json else yaml.safe_dump(whole)
    assert migrate("-", stdin=text) == 0
    (found,) = yaml.safe_load_all(migrate.out)
    names = [f"{each['kind']}/{each['metadata']['name']}" for each in found["items"]]
    assert sorted(names) == sorted(
        [*(f"TrainJob/{name}" for name in "abc"), *(f"TrainingRuntime/{name}-runtime" for name in "ab"), "ConfigMap/c"]
    )
    for item in found["items"]:
        if item["kind"] == "TrainJob":  # the webhook of Trainer rejects a job without its runtime
            runtime = f"TrainingRuntime/{item['spec']['runtimeRef']['name']}"
            assert names.index(runtime) < names.index(f"TrainJob/{item['metadata']['name']}")


def test_a_json_file_stays_one_json_value(migrate: Command) -> None:
    assert migrate("-", stdin=json.dumps(yaml.safe_load(JOB))) == 0
    assert [each["kind"] for each in json.loads(migrate.out)["items"]] == ["TrainingRuntime", "TrainJob"]


@pytest.mark.parametrize(
    "arguments", [("--check", "--diff"), ("--write", "-O", "d"), ("--diff", "-o", "json"), ("--force",)]
)
def test_options_that_contradict_each_other(arguments: tuple[str, ...], migrate: Command) -> None:
    assert migrate("-", *arguments, stdin=JOB) == 2


def test_standard_input_cannot_be_written(migrate: Command) -> None:
    assert migrate("-", "--write", stdin=JOB) == 2


def test_a_broken_document_does_not_hide_the_others(migrate: Command) -> None:
    assert migrate("-", stdin=f"a: [\n---\n{JOB}") == 1
    assert "KTJ001" in migrate.err
    assert "kind: TrainJob" in migrate.out


def test_a_field_that_the_version_does_not_have_is_reported(migrate: Command) -> None:
    text = JOB + "  runPolicy: {activeDeadlineSeconds: 60}\n"
    assert migrate("-", "--to", "2.2", stdin=text) == 0
    assert migrate("-", "--to", "2.1", stdin=text) == 1
    assert "-:15:38: error KTJ110" in migrate.err
    assert '"activeDeadlineSeconds" exists only in Trainer 2.2 and 2.3' in migrate.err


def test_a_variable_that_addresses_need_is_not_overwritten(migrate: Command) -> None:
    text = JOB + "              env: [{name: JOBSET_NAME, value: mine}]\n"
    assert migrate("-", stdin=text) == 1
    assert "kind: PyTorchJob" in migrate.out
    assert "not migrated: PyTorchJob/mnist" in migrate.err
