"""What README and the pre-commit hook show is what happens."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.files.config import read_config
from kubectl_trainjob.repository.files.overlay_file import read_overlay
from kubectl_trainjob.repository.yaml.read import read_stream
from tests.readme import written

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^```console\n\$ kubectl trainjob (.*)\n((?:.*\n)*?)```$", README, re.MULTILINE)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of this repository's examples, with the job of README's second command, whose runtimeRef is misspelt."""
    (tmp_path / ".git").mkdir()
    for folder in ("runtimes", "overlays", "tests/examples/upgrade", "tests/examples/lint"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    job = (ROOT / "overlays" / "fashion-mnist" / "job.yaml").read_text()
    (tmp_path / "job.yaml").write_text(job.replace("name: torch-distributed\n", "name: torch-distribute\n"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _yaml(kind: str) -> str:
    """README's example of one of our own files."""
    return next(block for block in re.findall(r"^```yaml\n(.*?)^```$", README, re.M | re.S) if f"kind: {kind}" in block)


def test_the_settings_shown_are_accepted() -> None:
    config, diagnostics = read_config(SourceFile("trainjob.yaml", _yaml("Config")))
    assert (diagnostics, config.trainer, config.catalog) == ([], "2.3", True)


def test_the_overlay_shown_is_accepted() -> None:
    [(body, source)] = read_stream(SourceFile("overlay.yaml", _yaml("Overlay"))).objects
    assert read_overlay(body, source)[1] == []
    shown = set(body) - {"apiVersion", "kind"}
    assert shown == {
        "annotations",
        "images",
        "labels",
        "nameHash",
        "nameSuffix",
        "namespace",
        "patches",
        "resources",
        "values",
    }


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(("command", "output"), SHOWN)
def test_commands_print_what_is_shown(command: str, output: str, capfd: pytest.CaptureFixture[str]) -> None:
    run("kubectl-trainjob", shlex.split(command))
    out, err = capfd.readouterr()
    assert out + err == output


def test_a_result_an_error_a_history_and_upgrades_are_shown() -> None:
    assert len(SHOWN) == 6


def test_the_job_shown_is_the_bundled_one() -> None:
    assert f"```yaml\n{(ROOT / 'overlays' / 'fashion-mnist' / 'job.yaml').read_text()}```\n" in README


def test_tables_are_those_of_the_code() -> None:
    assert written(README) == README, "python -m tests.readme writes them"


def test_links_lead_somewhere() -> None:
    targets = [t for t in re.findall(r"\]\(([^)]+)\)", README) if "://" not in t]
    assert targets
    assert [t for t in targets if not (ROOT / t).exists()] == []


COMMANDS = ("build", "diff", "init", "lint", "review")


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", ".github/ARCHITECTURE.md"])
def test_every_option_named_exists(name: str) -> None:
    shown = subprocess.run(
        "; ".join(f"{sys.executable} -m kubectl_trainjob {command} --help" for command in COMMANDS),
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    ours = re.sub(r"(?m)^(pip|docker|kubectl krew) .*$", "", (ROOT / name).read_text(encoding="utf-8"))
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", ours))
    assert {option for option in named if option not in shown.stdout} <= {"--quiet"}


def test_the_hook_builds_a_repository(repository: Path, capfd: pytest.CaptureFixture[str]) -> None:
    hook, *_ = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    program, *arguments = [*shlex.split(hook["entry"]), *hook["args"]]
    assert (hook["id"], program) == ("trainjob-build", "kubectl-trainjob")
    assert run(program, arguments) == 1, "the misspelt job is in the repository"
    capfd.readouterr()
    (repository / "job.yaml").unlink()
    shutil.rmtree(repository / "tests")
    assert run(program, arguments) == 0
    notes = capfd.readouterr().err.splitlines()
    assert [note.partition(":")[0] for note in notes] == ["note"]
    assert "overlays/vision/prod" in notes[0]
