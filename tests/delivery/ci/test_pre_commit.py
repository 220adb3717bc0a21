"""The hooks, installed and run by the real pre-commit from a copy of this repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest
import yaml

from tests.delivery.ci.repositories import GOOD, JOB, UNBUILT, UNTAGGED, Repository, git
from tests.delivery.ci.runner import ROOT
from tests.tools import require

HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
NO_LIMIT = GOOD.replace("limits:", "requests:")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps what it installed, and this project as a repository with one commit."""
    directory = tmp_path_factory.mktemp("pre-commit")
    source = directory / "source"
    source.mkdir()
    for path in ("kubectl_trainjob", "overlays", "runtimes"):
        shutil.copytree(ROOT / path, source / path, ignore=shutil.ignore_patterns("__pycache__"))
    for path in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / path, source / path)
    git(source, "init", "--quiet")
    git(source, "add", "--all", "--force")
    git(source, "commit", "--quiet", "--message=release")
    return directory


def ran(home: Path, repository: Path, *arguments: str) -> tuple[int, str]:
    """Exit code and words of `pre-commit`. Packages that this environment has are not fetched once more."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PRE_COMMIT_HOME": str(home / "cache"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONPATH": sysconfig.get_path("purelib"),
        "PIP_NO_BUILD_ISOLATION": "0",  # pip's own way to say yes
        "PIP_NO_INDEX": "1",
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(
        [require("pre-commit"), *arguments],
        cwd=repository,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    return done.returncode, done.stdout


def hooked(tmp_path: Path, home: Path, files: dict[str, str]) -> Path:
    """A repository of trainings that has both hooks."""
    repository = Repository(tmp_path / "trainings", {}, {"unused": ""}, "feature").directory
    revision = git(home / "source", "rev-parse", "HEAD")
    hooks = {"repo": str(home / "source"), "rev": revision, "hooks": [{"id": name} for name in HOOKS]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [hooks]}))
    for path, text in files.items():
        (repository / path).write_text(text)
    git(repository, "add", "--all")
    return repository


def results(said: str) -> dict[str, str]:
    """What became of each hook, by its id."""
    by_name = dict(re.findall(r"^(\w+ TrainJobs)\.+(?:\(.*\))?(Passed|Failed|Skipped)$", said, re.MULTILINE))
    return {name: by_name[hook["name"]] for name, hook in HOOKS.items()}


CONFIG = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n"
TEMPLATE = {"jobs/template.yaml.j2": "kind: TrainJob\nmetadata: {{"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "build", "lint", "rule"),
    [
        pytest.param({"jobs/mnist.yaml": f"# a\n{GOOD}"}, "Passed", "Passed", "", id="good"),
        pytest.param({JOB: UNBUILT}, "Failed", "Failed", "KTJ201", id="a build refuses it"),
        pytest.param({JOB: NO_LIMIT}, "Passed", "Failed", "KTJ301", id="the API server refuses it later"),
        pytest.param({"jobs/more.yaml": UNTAGGED}, "Passed", "Passed", "", id="a warning"),
        pytest.param({"trainjob.yaml": CONFIG, **TEMPLATE}, "Failed", "Failed", "KTJ026", id="a template"),
        pytest.param(TEMPLATE, "Passed", "Passed", "", id="a template of another tool"),
        pytest.param({"README.md": "words"}, "Skipped", "Skipped", "", id="no manifest"),
    ],
)
def test_hooks(tmp_path: Path, home: Path, files: dict[str, str], build: str, lint: str, rule: str) -> None:
    repository = hooked(tmp_path, home, files)
    git(repository, "commit", "--quiet", "--message=config", "--", ".pre-commit-config.yaml")
    code, said = ran(home, repository, "run")
    assert results(said) == {"trainjob-build": build, "trainjob-lint": lint}, said
    assert (code == 0) == ("Failed" not in (build, lint))
    assert rule in said


@pytest.mark.slow
def test_try_repo(tmp_path: Path, home: Path) -> None:
    repository = hooked(tmp_path, home, {})
    code, said = ran(home, repository, "try-repo", str(home / "source"), "--all-files")
    assert (code, results(said)) == (0, dict.fromkeys(HOOKS, "Passed")), said


def test_a_hook_runs_once_for_the_repository() -> None:
    assert list(HOOKS) == ["trainjob-build", "trainjob-lint"]
    for hook in HOOKS.values():
        assert hook["pass_filenames"] is False
        for path in ("a.yaml", "jobs/a.yml", "a.json", "jobs/a.yaml.j2"):
            assert re.search(hook["files"], path)
        assert not re.search(hook["files"], "README.md")


def test_the_manifest_is_one(tmp_path: Path) -> None:
    command = [require("pre-commit"), "validate-manifest"]
    assert subprocess.run([*command, str(ROOT / ".pre-commit-hooks.yaml")], check=False).returncode == 0
    (tmp_path / "hooks.yaml").write_text("- id: a\n")
    broken = subprocess.run([*command, str(tmp_path / "hooks.yaml")], capture_output=True, check=False)
    assert broken.returncode == 1
