"""`lint`: the engine around the rules. What rules find is checked in tests/unit/lint."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.cli.app import run
from tests.tools import require

RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: torch}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: registry.example/train:latest
                  command: [torchrun, train.py]
                  resources:
                    limits: {cpu: 1, memory: 1Gi}
"""
JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: NAME
spec:
  runtimeRef: {name: torch}
  trainer: {numNodes: 1}
"""
CONFIG = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n"
OVERLAY = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\n"


@dataclass(frozen=True)
class Linted:
    exit_code: int
    out: str
    err: str

    @property
    def report(self) -> Any:
        return json.loads(self.out)

    @property
    def found(self) -> list[tuple[str, str, int]]:
        """Rule, file and line of each result of `-o json`."""
        return [(each["rule"], each["file"], each["line"]) for each in self.report["results"]]


class Repository:
    """A git repository, the current directory."""

    def __init__(self, root: Path, lint: Callable[..., Linted]) -> None:
        self.root = root
        self.lint = lint

    def write(self, files: dict[str, str]) -> None:
        for path, text in files.items():
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def commit(self, message: str = "more") -> None:
        for command in (["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", message]):
            subprocess.run(["git", *command], cwd=self.root, check=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Repository:
    subprocess.run(["git", "init", "-q", "-b", "main", str(tmp_path)], check=True)
    monkeypatch.chdir(tmp_path)

    def lint(*arguments: str, stdin: str = "") -> Linted:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capfd.readouterr()
        exit_code = run("/usr/bin/kubectl-trainjob", ["lint", *arguments])
        return Linted(exit_code, *capfd.readouterr())

    found = Repository(tmp_path, lint)
    found.write({"runtimes/torch.yaml": RUNTIME, "jobs/a.yaml": JOB.replace("NAME", "a")})
    return found


LATEST = ("KTJ901", "runtimes/torch.yaml", 17)


def test_a_finding_stands_at_the_line_to_edit(repository: Repository) -> None:
    linted = repository.lint("-o", "json")
    assert (linted.exit_code, linted.found, linted.err) == (0, [LATEST], "")
    (result,) = linted.report["results"]
    assert set(result) == {
        "rule", "name", "severity", "class", "message", "file", "line", "column", "endLine", "endColumn", "object",
        "namespace", "pointer", "related", "fix", "fingerprint",
    }  # fmt: skip
    assert (result["severity"], result["class"], result["name"]) == ("warning", "policy", "image-tag-latest")


@pytest.mark.parametrize(
    ("fail_on", "exit_code"),
    [
        pytest.param("error", 0, id="error"),
        pytest.param("warning", 1, id="warning"),
        pytest.param("info", 1, id="info"),
        pytest.param("never", 0, id="never"),
    ],
)
def test_what_fails(repository: Repository, fail_on: str, exit_code: int) -> None:
    assert repository.lint("--fail-on", fail_on).exit_code == exit_code


def test_what_a_build_rejects_is_a_finding(repository: Repository) -> None:
    repository.write({"jobs/b.yaml": JOB.replace("NAME", "b").replace("torch", "tosh")})
    linted = repository.lint("-o", "json")
    assert linted.exit_code == 1
    assert ("KTJ201", "jobs/b.yaml", 6) in linted.found
    assert linted.report["unverifiable"][0]["cause"] == "TrainJob/b cannot be built"
    assert repository.lint("--fail-on", "never").exit_code == 0
    assert repository.lint("--fail-on", "never", "--strict").exit_code == 1


def test_jobs_that_cannot_be_built_have_their_namespaces(repository: Repository) -> None:
    for name in ("dev", "prod"):
        overlay = f"{OVERLAY}resources: [../../jobs]\nnamespace: {name}\n"
        repository.write({f"overlays/{name}/overlay.yaml": overlay})
    repository.write({"jobs/b.yaml": JOB.replace("NAME", "b").replace("torch", "tosh")})
    repository.write({"trainjob.yaml": CONFIG + "deploy: [overlays/*]\n"})
    [unchecked] = repository.lint("-o", "json").report["unverifiable"]
    assert unchecked["cause"] == "TrainJob/b in namespace dev and TrainJob/b in namespace prod cannot be built"


def test_each_overlay_is_looked_at_for_itself(repository: Repository) -> None:
    repository.write({"runtimes/torch.yaml": RUNTIME.replace(":latest", ":v1")})
    for name in ("dev", "prod"):
        images = f"images: [{{name: registry.example/train, newTag: {'v2' if name == 'prod' else 'latest'}}}]\n"
        repository.write(
            {f"overlays/{name}/overlay.yaml": f"{OVERLAY}resources: [../../jobs, ../../runtimes]\n{images}"}
        )
    found = repository.lint("-o", "json").found
    assert found == [("KTJ901", "overlays/dev/overlay.yaml", 4)]
    assert repository.lint("overlays/prod", "-o", "json").found == []


def test_a_finding_of_an_object_that_two_overlays_edit_is_one(repository: Repository) -> None:
    """Its fix is another value in each overlay."""
    unlabelled = RUNTIME.replace(":latest", ":v1").replace("trainer.kubeflow.org/trainjob-ancestor-step: trainer", "")
    repository.write({"runtimes/torch.yaml": unlabelled})
    for name in ("dev", "prod"):
        labels = f"labels: [{{pairs: {{stage: {name}}}}}]\n"
        repository.write(
            {f"overlays/{name}/overlay.yaml": f"{OVERLAY}resources: [../../jobs, ../../runtimes]\n{labels}"}
        )
    report = repository.lint("overlays/dev", "overlays/prod", "-o", "json").report
    (result,) = report["results"]
    assert (result["rule"], result["line"], bool(result["fix"])) == ("KTJ207", 9, True)


def test_an_empty_place_can_fail(repository: Repository) -> None:
    (repository.root / "empty").mkdir()
    assert repository.lint("empty").exit_code == 0
    assert repository.lint("empty", "--fail-if-empty").exit_code == 1


@pytest.mark.parametrize(
    "setting",
    [
        pytest.param("lint: {ignore: [KTJ901]}\n", id="by id"),
        pytest.param("lint: {ignore: [image-tag-latest]}\n", id="by name"),
        pytest.param("lint: {select: [KTJ601]}\n", id="another one is selected"),
        pytest.param('lint: {perPath: {"runtimes/**": {ignore: [KTJ901]}}}\n', id="below a path"),
        pytest.param("lint: {perPath: {runtimes: {ignore: [KTJ901]}}}\n", id="of a directory"),
    ],
)
def test_settings_take_findings_away(repository: Repository, setting: str) -> None:
    repository.write({"trainjob.yaml": CONFIG + setting})
    linted = repository.lint("-o", "json", "--fail-on", "info")
    assert (linted.exit_code, linted.found) == (0, [])


def test_settings_change_how_bad_it_is(repository: Repository) -> None:
    settings = 'lint: {severity: {KTJ901: error}, perPath: {"jobs/**": {severity: {KTJ901: info}}}}\n'
    repository.write({"trainjob.yaml": CONFIG + settings})
    linted = repository.lint("-o", "json")
    assert linted.exit_code == 1
    assert [each["severity"] for each in linted.report["results"]] == ["error"]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        pytest.param("lint: {ignore: [KTJ201]}\n", "is a build error", id="a build error"),
        pytest.param(
            "lint: {severity: {KTJ201: info}}\n", "is a build error", id="a build error with a lower severity"
        ),
        pytest.param("lint: {ignore: [image-tag-lates]}\n", 'did you mean "image-tag-latest"?', id="a typing error"),
        pytest.param("lint: {ignored: [KTJ901]}\n", 'did you mean "ignore"?', id="no setting"),
        pytest.param("lint: {severity: {KTJ901: fatal}}\n", "write error, warning or info", id="no severity"),
        pytest.param("delivery: jenkins\n", "write argocd, flux or kubectl", id="no delivery"),
    ],
)
def test_wrong_settings_are_reported(repository: Repository, setting: str, said: str) -> None:
    repository.write({"trainjob.yaml": CONFIG + setting})
    linted = repository.lint("-o", "json")
    assert linted.exit_code == 1
    (reported,) = [each for each in linted.report["results"] if each["rule"] == "KTJ040"]
    assert (reported["file"], reported["line"]) == ("trainjob.yaml", 3)
    assert said in reported["message"]


def commented(comment: str) -> dict[str, str]:
    line = "image: registry.example/train:latest"
    return {"runtimes/torch.yaml": RUNTIME.replace(line, f"{line}  # trainjob: {comment}")}


@pytest.mark.parametrize(
    ("comment", "rules"),
    [
        pytest.param("ignore[KTJ901] pinned by the registry", [], id="a reason"),
        pytest.param("ignore[image-tag-latest] pinned until=2999-01-01", [], id="by name, for some time"),
        pytest.param("ignore[KTJ901]", ["KTJ073"], id="no reason"),
        pytest.param("ignore[KTJ901] pinned until=2024-01-31", ["KTJ072", "KTJ901"], id="expired"),
        pytest.param("ignore[KTJ601] gang", ["KTJ071", "KTJ901"], id="another rule"),
        pytest.param("ignore[KTJ999] r", ["KTJ070", "KTJ901"], id="no rule of that id"),
        pytest.param("ignore[KTJ901] r until=soon", ["KTJ070", "KTJ901"], id="no date"),
        pytest.param("ignore[KTJ901, KTJ601] r", ["KTJ070", "KTJ901"], id="two rules"),
        pytest.param("ignore KTJ901", ["KTJ070", "KTJ901"], id="no brackets"),
        pytest.param("ignore[KTJ201] r", ["KTJ070", "KTJ901"], id="a refusal"),
    ],
)
def test_a_comment_takes_a_finding_away(repository: Repository, comment: str, rules: list[str]) -> None:
    repository.write(commented(comment))
    linted = repository.lint("-o", "json")
    assert sorted({rule for rule, _, _ in linted.found}) == rules
    assert {(path, line) for _, path, line in linted.found} <= {LATEST[1:]}
    assert ("KTJ901" in {rule for rule, *_ in repository.lint("-o", "json", "--no-ignores").found}) is True


@pytest.mark.parametrize(
    "owner",
    [
        pytest.param("metadata: {name: torch", id="the object"),
        pytest.param(
            "            template:\n              metadata: {labels: {a: b}",
            id="the template of the Pod",
        ),
    ],
)
def test_an_annotation_takes_findings_away(repository: Repository, owner: str) -> None:
    text = RUNTIME.replace(
        "            template:\n              spec:",
        "            template:\n              metadata: {labels: {a: b}}\n              spec:",
    )
    assert owner in text
    annotation = "annotations: {lint.kubectl-trainjob.dev/ignore.KTJ901: pinned by the registry}"
    repository.write({"runtimes/torch.yaml": text.replace(owner, f"{owner}, {annotation}")})
    assert repository.lint("-o", "json").found == []
    repository.write({"runtimes/torch.yaml": text.replace(owner, f"{owner}, {annotation}").replace(":latest", ":v1")})
    assert [rule for rule, _, _ in repository.lint("-o", "json").found] == ["KTJ071"]


def test_since_reports_what_is_new(repository: Repository) -> None:
    repository.commit("base")
    assert repository.lint("--since", "HEAD", "-o", "json").found == []
    moved = RUNTIME.replace("spec:\n  mlPolicy", "# more\n# lines\nspec:\n  mlPolicy", 1)
    repository.write({"runtimes/torch.yaml": moved, "runtimes/other.yaml": RUNTIME.replace("torch}", "other}")})
    linted = repository.lint("--since", "HEAD", "-o", "json")
    assert linted.found == [("KTJ901", "runtimes/other.yaml", 17)]
    assert linted.report["summary"]["before"] == 1


def test_a_finding_in_a_job_under_another_hash_is_not_new(repository: Repository) -> None:
    """The hash in the name of a job is another one after each change of the job."""
    overlay = f"{OVERLAY}resources: [../jobs]\nnameHash: true\n"
    job = JOB.replace("NAME", "h").replace("{numNodes: 1}", "{\n    numNodes: 2,\n    image: a:latest}")
    repository.write({"jobs/a.yaml": job, "env/overlay.yaml": overlay})
    repository.commit("base")
    found = repository.lint("env", "-o", "json").report["results"]
    assert [each["rule"] for each in found] == ["KTJ901"] * len(found)
    repository.lint("env", "--write-baseline", "base.json")
    repository.write({"jobs/a.yaml": job.replace("numNodes: 2", "numNodes: 3")})
    changed = repository.lint("env", "-o", "json").report["results"]
    assert found
    assert [each["fingerprint"] for each in changed] == [each["fingerprint"] for each in found]
    for options in (("--since", "HEAD"), ("--baseline", "base.json")):
        assert repository.lint("env", "-o", "json", *options).found == [], options


def test_since_looks_at_where_the_branch_began(repository: Repository) -> None:
    repository.write({"runtimes/torch.yaml": RUNTIME.replace(":latest", ":v1")})
    repository.commit("base")
    subprocess.run(["git", "checkout", "-qb", "branch"], check=True)
    repository.write(
        {"jobs/b.yaml": JOB.replace("NAME", "b").replace("{numNodes: 1}", "{numNodes: 1, image: a:latest}")}
    )
    repository.commit("branch")
    subprocess.run(["git", "checkout", "-q", "main"], check=True)
    repository.write(
        {"jobs/c.yaml": JOB.replace("NAME", "c").replace("{numNodes: 1}", "{numNodes: 1, image: a:latest}")}
    )
    repository.commit("main goes on")
    subprocess.run(["git", "checkout", "-q", "branch"], check=True)
    assert [path for _, path, _ in repository.lint("--since", "main", "-o", "json").found] == ["jobs/b.yaml"]


@pytest.mark.parametrize(
    "ref", [pytest.param("nowhere", id="unknown"), pytest.param("", id="empty"), pytest.param("--all", id="an option")]
)
def test_since_rejects_what_is_no_commit(repository: Repository, ref: str) -> None:
    repository.commit()
    linted = repository.lint(f"--since={ref}")
    assert (linted.exit_code, linted.out) == (2, "")


def test_a_baseline_takes_what_was_there(repository: Repository) -> None:
    assert repository.lint("--write-baseline", "base.json").exit_code == 0
    again = repository.lint("--write-baseline", "again.json")
    assert again.exit_code == 0
    assert Path("base.json").read_text() == Path("again.json").read_text()
    linted = repository.lint("--baseline", "base.json", "-o", "json")
    assert (linted.found, linted.report["summary"]["baselined"], linted.err) == ([], 1, "")
    repository.write(
        {
            "runtimes/other.yaml": RUNTIME.replace("torch}", "other}"),
            "jobs/b.yaml": JOB.replace("NAME", "b").replace("torch", "x"),
        }
    )
    found = {rule: path for rule, path, _ in repository.lint("--baseline", "base.json", "-o", "json").found}
    assert found["KTJ901"] == "runtimes/other.yaml"
    assert found["KTJ201"] == "jobs/b.yaml"
    repository.write({"runtimes/torch.yaml": RUNTIME.replace(":latest", ":v1")})
    assert "note: 1 finding of base.json no longer exists; update" in repository.lint("--baseline", "base.json").err


def test_a_baseline_never_hides_a_rejection(repository: Repository) -> None:
    repository.write({"jobs/b.yaml": JOB.replace("NAME", "b").replace("torch", "tosh")})
    repository.lint("--write-baseline", "base.json")
    assert "KTJ201" in {rule for rule, *_ in repository.lint("--baseline", "base.json", "-o", "json").found}


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schemaVersion": 2, "findings": []}', '{"schemaVersion": 1, "findings": [{}]}']
)
def test_a_broken_baseline_is_rejected(repository: Repository, text: str) -> None:
    repository.write({"base.json": text})
    linted = repository.lint("--baseline", "base.json")
    assert (linted.exit_code, linted.out) == (2, "")
    assert "base.json" in linted.err


def test_several_reports_in_one_run(repository: Repository) -> None:
    linted = repository.lint("-o", "json=lint.json", "-o", "sarif=lint.sarif", "-o", "markdown")
    assert linted.exit_code == 0
    assert json.loads(Path("lint.json").read_text())["schemaVersion"] == 1
    assert json.loads(Path("lint.sarif").read_text())["version"] == "2.1.0"
    assert "KTJ901" in linted.out
    assert "KTJ901" in repository.lint("-o", "json=lint.json").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["-o", "json", "-o", "sarif"], "only one report", id="two for stdout"),
        pytest.param(["-o", "xml"], "unknown format", id="no format"),
        pytest.param(["-o", "json="], "no file", id="no file"),
        pytest.param(["--diff"], "--fix --diff", id="diff of nothing"),
        pytest.param(["nowhere.yaml"], "no such file", id="no file to read"),
        pytest.param(["explain"], "lint explain KTJ301", id="explain nothing"),
        pytest.param(["explain", "KTJ999"], 'rule "KTJ999" does not exist', id="explain no rule"),
    ],
)
def test_wrong_uses(repository: Repository, arguments: list[str], said: str) -> None:
    linted = repository.lint(*arguments)
    assert (linted.exit_code, linted.out) == (2, "")
    assert said in linted.err


def test_the_rules_and_their_manuals(repository: Repository) -> None:
    rules = repository.lint("rules").out.splitlines()
    assert any(line.split() == ["KTJ901", "warning", "policy", "image-tag-latest"] for line in rules)
    assert sorted(rules, key=lambda line: int(line.split()[0].removeprefix("KTJ"))) == rules
    for name in ("KTJ901", "ktj901", "image-tag-latest"):
        assert repository.lint("explain", name).out.startswith("KTJ901 image-tag-latest\n  warning, policy, ")


def test_since_reports_updates_that_a_cluster_rejects(repository: Repository) -> None:
    repository.write({"runtimes/torch.yaml": RUNTIME.replace(":latest", ":v1")})
    repository.commit("base")
    repository.write({"runtimes/torch.yaml": RUNTIME.replace(":latest", ":v2")})
    linted = repository.lint("--since", "HEAD", "-o", "json")
    assert (linted.exit_code, linted.found) == (1, [("KTJ803", "runtimes/torch.yaml", 17)])
    assert linted.report["results"][0]["object"] == "JobSet/a"
    linted = repository.lint("-o", "json")
    assert (linted.exit_code, linted.found) == (0, [])


def test_a_rejected_update_points_at_a_new_value_rather_than_at_what_lost_one(repository: Repository) -> None:
    limited = WITHOUT_LIMIT.replace("requests:", "limits:\n        memory: 1Gi") + "      requests: {cpu: 1}\n"
    requested = WITHOUT_LIMIT + "        cpu: 1\n      limits: {memory: 1Gi}\n"
    repository.write({"runtimes/torch.yaml": RUNTIME.replace(":latest", ":v1"), "jobs/gpu.yaml": limited})
    repository.commit("base")
    repository.write({"jobs/gpu.yaml": requested})
    linted = repository.lint("--since", "HEAD", "-o", "json")
    assert ("KTJ803", "jobs/gpu.yaml", 11) in linted.found


def test_built_files_that_are_out_of_date(repository: Repository) -> None:
    repository.write({"runtimes/torch.yaml": RUNTIME.replace(":latest", ":v1")})
    assert run("kubectl-trainjob", ["build", "jobs", "-O", "built"]) == 0
    assert repository.lint("-o", "json").found == []
    repository.write({"runtimes/torch.yaml": RUNTIME.replace(":latest", ":v2")})
    assert [(rule, path) for rule, path, _ in repository.lint("-o", "json").found] == [
        ("KTJ819", "built/jobset_a.yaml")
    ]


SECRET = "s3cr3t-d34db33f-c4f3"


@pytest.mark.parametrize("form", ["human", "json", "sarif", "github", "junit", "gitlab", "markdown"])
def test_a_secret_that_was_found_is_not_reported(repository: Repository, form: str) -> None:
    text = RUNTIME.replace("resources:", f"env: [{{name: HF_TOKEN, value: {SECRET}}}]\n                  resources:")
    repository.write({"runtimes/torch.yaml": text})
    linted = repository.lint("-o", form)
    assert "KTJ904" in linted.out
    assert SECRET not in linted.out + linted.err
    repository.lint("--write-baseline", "base.json")
    assert "KTJ904" in Path("base.json").read_text()
    assert SECRET not in Path("base.json").read_text()


WITHOUT_LIMIT = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: gpu
spec:
  runtimeRef: {name: torch}
  trainer:
    # eight of them
    resourcesPerNode:
      requests:
        nvidia.com/gpu: 8  # all
"""


def test_a_fix_is_shown_made_and_then_there_is_nothing_left(repository: Repository) -> None:
    repository.write({"runtimes/torch.yaml": RUNTIME.replace(":latest", ":v1"), "jobs/gpu.yaml": WITHOUT_LIMIT})
    file = repository.root / "jobs" / "gpu.yaml"
    (found,) = [each for each in repository.lint("-o", "json").report["results"] if each["rule"] == "KTJ301"]
    assert (found["file"], found["line"], found["object"], found["class"]) == (
        "jobs/gpu.yaml",
        11,
        "JobSet/gpu",
        "late",
    )
    assert found["pointer"].endswith("/containers/0/resources/limits")
    shown = repository.lint("--fix", "--diff")
    assert shown.exit_code == 1
    assert file.read_text() == WITHOUT_LIMIT
    assert [line for line in shown.out.splitlines() if line.startswith("+ ")] == [
        "+      limits:",
        "+        nvidia.com/gpu: 8",
    ]
    mended = repository.lint("--fix", "-o", "json")
    assert "KTJ301" not in {each["rule"] for each in mended.report["results"]}
    assert mended.exit_code == 0
    assert "1 finding fixed in 1 file" in mended.err
    assert file.read_text().startswith(WITHOUT_LIMIT.rstrip("\n"))
    again = file.read_text()
    assert "note: no safe fix is left" in repository.lint("--fix").err
    assert "note: no fix is left" in repository.lint("--unsafe-fixes").err
    assert file.read_text() == again


def test_the_same_words_at_two_places_are_two_findings(repository: Repository) -> None:
    runtime = RUNTIME.replace(":latest", ":v1")
    jobs = {f"jobs/{name}.yaml": WITHOUT_LIMIT.replace("name: gpu", f"name: {name}") for name in ("gpu", "other")}
    repository.write({"runtimes/torch.yaml": runtime, **jobs})
    assert "2 findings fixed in 2 files" in repository.lint("--fix").err


def test_a_build_warns_of_what_is_rejected_later(repository: Repository, capfd: pytest.CaptureFixture[str]) -> None:
    repository.write({"runtimes/torch.yaml": RUNTIME.replace(":latest", ":v1"), "jobs/gpu.yaml": WITHOUT_LIMIT})
    assert run("kubectl-trainjob", ["build"]) == 0
    out, err = capfd.readouterr()
    assert "kind: JobSet" in out
    assert err.count("\n") == 1
    assert err.startswith("warning: a JobSet will be accepted and never start (jobs/gpu.yaml:11: KTJ301 ")
    assert run("kubectl-trainjob", ["build", "--strict"]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert "jobs/gpu.yaml:11:9: error KTJ301" in err


def test_a_directory_that_is_no_repository(tmp_path_factory: pytest.TempPathFactory, repository: Repository) -> None:
    folder = tmp_path_factory.mktemp("no-repository")
    for path, text in {"prod/overlay.yaml": f"{OVERLAY}resources: [a.yaml]\n", "prod/a.yaml": RUNTIME}.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    assert [(rule, line) for rule, _, line in repository.lint(str(folder), "-o", "json").found] == [("KTJ901", 17)]


def test_a_comment_about_what_nobody_looked_at_is_not_called_unused(repository: Repository) -> None:
    job = JOB.replace("NAME", "a")
    image = "  trainer: {numNodes: 1, image: a:latest}  # trainjob: ignore[KTJ901] pinned\n"
    broken = job.replace("  trainer: {numNodes: 1}\n", image) + "  bogus: 1\n"
    repository.write({"runtimes/torch.yaml": RUNTIME.replace(":latest", ":v1"), "jobs/a.yaml": broken})
    assert [rule for rule, _, _ in repository.lint("-o", "json").found] == ["KTJ101"]
    repository.write({"jobs/a.yaml": job})
    repository.commit()
    repository.write({"jobs/a.yaml": job.replace("name: a", "name: a  # trainjob: ignore[KTJ803] known")})
    assert repository.lint("-o", "json").found == []
    assert [rule for rule, _, _ in repository.lint("-o", "json", "--since", "HEAD").found] == ["KTJ071"]


JOBSET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: js}
spec:
  replicatedJobs:
  - name: workers
    template:
      spec:
        template:
          spec:
            containers:
            - {name: a, image: "a:1", resources: {requests: {nvidia.com/gpu: 1}}}
"""


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        pytest.param("", "", [("KTJ301", 12)], id="late"),
        pytest.param("requests", "limits", [], id="nothing"),
        pytest.param("name: workers", "name: Workers", [("KTJ701", 6)], id="refused"),
        pytest.param("- name: workers", "- name: 1", [("KTJ103", 6)], id="unreadable"),
        pytest.param("spec:\n  replicatedJobs", "spec: []\nx:\n  replicatedJobs", [("KTJ103", 4)], id="no spec"),
    ],
)
def test_a_jobset_that_somebody_wrote(repository: Repository, old: str, new: str, found: list[tuple[str, int]]) -> None:
    repository.write({"runtimes/torch.yaml": RUNTIME.replace(":latest", ":v1"), "js.yaml": JOBSET.replace(old, new, 1)})
    reported = repository.lint("-o", "json").found
    assert [(rule, line) for rule, path, line in reported if path == "js.yaml" and rule != "KTJ101"] == found


PACKAGED = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", "2.3"])
@pytest.mark.parametrize("trainer", ["  trainer: {numNodes: 2}\n", "  trainer: {}\n"], ids=["two", "empty"])
def test_a_job_of_each_packaged_runtime_has_no_error(repository: Repository, version: str, trainer: str) -> None:
    names = []
    for file in sorted((PACKAGED / "runtimes").glob("*.yaml")):
        text = file.read_text()
        name = next(line.split()[1] for line in text.splitlines() if line.startswith("  name:"))
        names.append(name)
        jobs = JOB.replace("NAME", f"j{len(names)}").replace("{name: torch}", f"{{name: {name}}}")
        repository.write(
            {f"runtimes/{file.name}": text, f"jobs/{name}.yaml": jobs.replace("  trainer: {numNodes: 1}\n", trainer)}
        )
    (repository.root / "runtimes" / "torch.yaml").unlink()
    (repository.root / "jobs" / "a.yaml").unlink()
    reported = repository.lint("-o", "json", "--trainer-version", version).report["results"]
    assert len(names) > 5
    errors = [each for each in reported if each["severity"] == "error" and each["class"] != "rejected"]
    assert errors == [], "what this Trainer does not have is refused, and a build says so"


def test_a_runtime_with_a_wrong_quantity_is_rejected_and_no_more(repository: Repository) -> None:
    repository.write({"runtimes/torch.yaml": RUNTIME.replace("cpu: 1", 'cpu: ""')})
    assert [rule for rule, _, _ in repository.lint("-o", "json").found] == ["KTJ103"]


@pytest.mark.parametrize("count", ["1e999", "Infinity", "-5", "0", "true", '"1"', "1.5"])
def test_a_baseline_counts(repository: Repository, count: str) -> None:
    repository.write({"b.json": f'{{"schemaVersion": 1, "findings": [{{"fingerprint": "a", "count": {count}}}]}}'})
    linted = repository.lint("--baseline", "b.json")
    assert (linted.exit_code, linted.out) == (2, "")


def test_a_rule_that_a_team_made_an_error_can_be_in_a_baseline(repository: Repository) -> None:
    repository.write(
        {
            "trainjob.yaml": CONFIG + "lint: {severity: {KTJ716: error}}\n",
            "jobs/a.yaml": JOB.replace("NAME", "a") + "  activeDeadlineSeconds: 5\n",
        }
    )
    assert repository.lint("--write-baseline", "b.json").exit_code == 0
    assert repository.lint("--baseline", "b.json").exit_code == 0


def test_another_secret_in_the_place_of_one_is_news(repository: Repository) -> None:
    secret = "env: [{name: HF_TOKEN, value: hf_jVkWq0R2mT9xYb4L}]"
    text = RUNTIME.replace("resources:", f"{secret}\n                  resources:").replace(":latest", ":v1")
    repository.write({"runtimes/torch.yaml": text})
    repository.lint("--write-baseline", "b.json")
    repository.write({"runtimes/torch.yaml": text.replace("[{", "[{name: A, value: b}, {")})
    assert repository.lint("--baseline", "b.json", "-o", "json").found == []
    repository.write({"runtimes/torch.yaml": text.replace("HF_TOKEN", "OTHER_TOKEN")})
    assert [rule for rule, _, _ in repository.lint("--baseline", "b.json", "-o", "json").found] == ["KTJ904"]


def test_fingerprints_never_change(repository: Repository) -> None:
    """Baselines have them. The message, which is hashed where the line is hidden, may not change either."""
    secret = "env: [{name: HF_TOKEN, value: hf_jVkWq0R2mT9xYb4L}]"
    key = "metadata: {name: a-mpi-ssh-auth}\nstringData: {ssh-privatekey: '-----BEGIN PRIVATE KEY-----'}\n"
    repository.write(
        {
            "runtimes/torch.yaml": RUNTIME.replace("resources:", f"{secret}\n                  resources:"),
            "secret.yaml": f"apiVersion: v1\nkind: Secret\n{key}",
        }
    )
    assert {each["rule"]: each["fingerprint"] for each in repository.lint("-o", "json").report["results"]} == {
        "KTJ811": "ffabfc2e11bb420b451afd536dcc02f9",
        "KTJ901": "0032772a7f94518e134e46e10cb5b9c7",
        "KTJ904": "d89922f1a2d5d1d266499e87dc6dca14",
    }


@pytest.mark.parametrize("form", ["human", "junit", "markdown"])
def test_the_line_of_another_finding_shows_no_secret(repository: Repository, form: str) -> None:
    entries = f"env: [{{name: HF_TOKEN, value: {SECRET}, bogus: 1}}]\n                  "
    repository.write({"runtimes/torch.yaml": RUNTIME.replace("resources:", f"{entries}resources:")})
    linted = repository.lint("-o", form)
    assert "KTJ101" in linted.out
    assert SECRET not in linted.out + linted.err


def test_a_comment_behind_a_key_is_about_its_list(repository: Repository) -> None:
    text = RUNTIME.replace("                containers:", "                containers:  # trainjob: ignore[KTJ901] r")
    assert "\n                - name: node" in text
    repository.write({"runtimes/torch.yaml": text})
    assert repository.lint("-o", "json").found == []


def test_what_looks_like_a_comment_in_json_is_none(repository: Repository) -> None:
    import yaml

    body = yaml.safe_load(RUNTIME)
    body["metadata"]["annotations"] = {"a": " # trainjob: ignore[KTJ901] r"}
    repository.write({"runtimes/torch.json": json.dumps(body)})
    (repository.root / "runtimes" / "torch.yaml").unlink()
    assert [rule for rule, _, _ in repository.lint("-o", "json").found] == ["KTJ901"]


def test_an_annotation_that_one_overlay_needs_is_used(repository: Repository) -> None:
    annotation = "name: torch, annotations: {lint.kubectl-trainjob.dev/ignore.KTJ901: dev may}"
    repository.write({"runtimes/torch.yaml": RUNTIME.replace(":latest", ":v1").replace("name: torch", annotation, 1)})
    for name in ("latest", "v2"):
        images = f"images: [{{name: registry.example/train, newTag: {name}}}]\n"
        overlay = f"{OVERLAY}resources: [../../jobs, ../../runtimes]\n{images}"
        repository.write({f"overlays/{name}/overlay.yaml": overlay})
    paths = ["overlays/latest", "overlays/v2"]
    assert repository.lint(*paths, "-o", "json").found == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["--fix", "--diff", "-o", "json"],
        ["--write-baseline", "a", "--baseline", "b"],
        ["--write-baseline", "a", "--since", "HEAD"],
        ["--write-baseline", "a", "--fix"],
    ],
)
def test_options_that_contradict_each_other(repository: Repository, arguments: list[str]) -> None:
    assert repository.lint(*arguments).exit_code == 2
    assert not (repository.root / "a").exists()


def test_settings_that_cannot_be_read_are_reported_once(repository: Repository) -> None:
    repository.write({"trainjob.yaml": f"{CONFIG}emit: jobset\nemit: jobset\n"})
    assert {rule for rule, path, _ in repository.lint("-o", "json").found if path == "trainjob.yaml"} == {"KTJ004"}


FINDINGS = JOB.replace("NAME", "a").replace(
    "{numNodes: 1}",
    "{numNodes: 1, env: [{name: API_TOKEN, value: hf_abcdefghijklmnop}], "
    "resourcesPerNode: {limits: {nvidia.com/gpu: 4}}}",
)
"""A job with the findings KTJ309, KTJ901 and KTJ904."""
_OF_RUFF = {
    "E711": "KTJ901",
    "E712": "KTJ904",
    "F401": "KTJ309",
    "E7": "KTJ9",
    "F": "KTJ3",
    "E71": "KTJ90",
    "ALL": "ALL",
}
_CHOICES = [
    ("E711", ""),
    ("E7", ""),
    ("E7,F401", ""),
    ("E711,F", "F401"),
    ("E7", "E711"),
    ("E711", "E7"),
    ("E711", "E711"),
    ("E7", "E7"),
    ("E7,F", "E71"),
    ("E711,F", "E71,ALL"),
    ("ALL", "E7"),
    ("ALL", "E712,F"),
    ("ALL", "ALL"),
]


@pytest.mark.slow
def test_choosing_rules_is_as_in_ruff(repository: Repository, tmp_path_factory: pytest.TempPathFactory) -> None:
    source = tmp_path_factory.mktemp("ruff") / "a.py"
    source.write_text("import os\nx = 1\nif x == None or x == True:\n    pass\n")
    repository.write({"jobs/a.yaml": FINDINGS})
    every = set(_OF_RUFF.values())
    assert {rule for rule, _, _ in repository.lint("-o", "json").found} >= every - {"KTJ9", "KTJ90", "KTJ3", "ALL"}
    for select, ignore in _CHOICES:
        words = [f"--select={select}", *([f"--ignore={ignore}"] if ignore else [])]
        command = [require("ruff"), "check", "--isolated", "--output-format=json", *words, str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        expected = {_OF_RUFF[each["code"]] for each in json.loads(done.stdout) if each["code"] in _OF_RUFF}
        ours = [",".join(_OF_RUFF[name] for name in word.partition("=")[2].split(",")) for word in words]
        found = repository.lint("-o", "json", "--select", ours[0], *(["--ignore", *ours[1:]] if ours[1:] else []))
        assert {rule for rule, _, _ in found.found} & every == expected, (select, ignore)


def test_choices_and_settings(repository: Repository) -> None:
    settings = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\nlint: {select: [KTJ9], ignore: [KTJ901]}\n"
    repository.write({"jobs/a.yaml": FINDINGS, "trainjob.yaml": settings})

    def rules(*arguments: str) -> set[str]:
        return {rule for rule, _, _ in repository.lint("-o", "json", *arguments).found}

    assert rules() == {"KTJ904"}
    assert rules("--ignore", "secret-in-env") == set()
    assert rules("--select", "KTJ901,shm-missing") == {"KTJ901", "KTJ309"}
    for arguments, message in (
        (["--select", "KTJ77x"], 'rule "KTJ77x" does not exist'),
        (["--ignore", "secrets-in-env"], 'did you mean "secret-in-env"?'),
        (["--ignore", "KTJ201"], "KTJ201 runtime-not-found is a build error: it cannot be ignored"),
    ):
        linted = repository.lint(*arguments)
        assert (linted.exit_code, linted.out) == (2, "")
        assert message in linted.err
