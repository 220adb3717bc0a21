"""README, the pages of the manual and the pre-commit hook show what happens."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from functools import cache
from pathlib import Path

import pytest
import yaml

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.report.review.summary_line import _VERDICTS
from kubectl_trainjob.repository.files.config import read_config
from kubectl_trainjob.repository.files.overlay_file import read_overlay
from kubectl_trainjob.repository.yaml.read import read_stream
from tests import words
from tests.readme import COMMANDS, EXAMPLE, PAGES, README, ROOT, output, prepared, written
from tests.tools import require

FILES = [README, *PAGES]
EACH_PAGE = pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in FILES])
EXAMPLES = [
    pytest.param(*found, id=f"{path.stem}-{number}")
    for path in FILES
    for number, found in enumerate(EXAMPLE.findall(path.read_text(encoding="utf-8")))
]
LINES = 250  # of README


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return prepared(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository of the examples; they only read it."""
    return prepared(tmp_path_factory.mktemp("examples"))


def _yaml(topic: str) -> str:
    """A page's example of one of our own files."""
    page = next(path for path in PAGES if path.stem == topic)
    return next(block for block in re.findall(r"^```yaml\n(.*?)^```$", text_of(page), re.M | re.S))


def test_the_settings_shown_are_accepted() -> None:
    shown = _yaml("settings")
    config, diagnostics = read_config(SourceFile("trainjob.yaml", shown))
    assert (diagnostics, config.trainer, config.catalog) == ([], "2.3", True)
    assert set(yaml.safe_load(shown)) - {"apiVersion", "kind"} == {
        "allow",
        "catalog",
        "delivery",
        "deploy",
        "emit",
        "ignore",
        "limits",
        "lint",
        "ome",
        "runtimes",
        "target",
        "tuning",
    }


def test_the_overlay_shown_is_accepted() -> None:
    [(body, source)] = read_stream(SourceFile("overlay.yaml", _yaml("overlays"))).objects
    assert read_overlay(body, source)[1] == []
    shown = set(body) - {"apiVersion", "kind"}
    assert shown == {
        "annotations",
        "components",
        "images",
        "labels",
        "nameHash",
        "nameSuffix",
        "namePrefix",
        "namespace",
        "patches",
        "resources",
        "sweeps",
        "values",
    }
    page = text_of(next(path for path in PAGES if path.stem == "overlays"))
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.M)) == shown, "the table of fields"


def test_the_template_shown_is_rendered(repository: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (repository / "sweep").mkdir()
    (repository / "sweep" / "jobs.yaml.j2").write_text(_yaml("templates"))
    (repository / "sweep" / "overlay.yaml").write_text(
        "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [jobs.yaml.j2]\n"
        "values: {learningRates: [0.1, 0.01]}\n"
    )
    assert run("kubectl-trainjob", ["build", "sweep"]) == 0
    assert re.findall(r"^  name: (\S+)", capfd.readouterr().out, re.M) == ["sweep-1", "sweep-2"]


@pytest.mark.parametrize(("command", "shown"), EXAMPLES)
def test_commands_print_what_is_shown(command: str, shown: str, shared: Path) -> None:
    assert output(command, shared) == shown, "python -m tests.readme writes it"


def test_each_kind_of_example_is_shown() -> None:
    shown = [shlex.split(example.values[0])[2] for example in EXAMPLES]
    assert len(shown) == 9
    assert set(shown) == {"build", "diff", "env", "explain", "init", "lint"}


def test_the_job_shown_is_the_bundled_one() -> None:
    assert f"```yaml\n{text_of(ROOT / 'overlays' / 'fashion-mnist' / 'job.yaml')}```\n" in text_of(README)


@EACH_PAGE
def test_tables_and_synopses_are_those_of_the_program(path: Path) -> None:
    assert written(text_of(path), path.stem) == text_of(path), "python -m tests.readme writes them"


@EACH_PAGE
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", text_of(path), flags=re.M | re.S)
    found = (link or source for link, source in re.findall(r'\]\(([^)]+)\)|src="([^"]+)"', text))
    for target in (each for each in found if "://" not in each):
        name, _, anchor = target.partition("#")
        linked = path.parent / name
        assert linked.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.*)$", text_of(linked), re.M)
            assert anchor in {re.sub(r"[^\w-]", "", title.lower().replace(" ", "-")) for title in titles}, target


def test_every_command_has_a_page() -> None:
    assert set(COMMANDS) <= {path.stem for path in PAGES}


def test_readme_leads_to_every_page() -> None:
    assert [path.name for path in PAGES if f"/manual/{path.name})" not in text_of(README)] == []


def test_readme_is_short_and_begins_with_a_picture() -> None:
    lines = text_of(README).splitlines()
    assert len(lines) <= LINES
    assert any(".github/pictures/" in line for line in lines[:15])


def test_the_commands_that_start_a_repository_run(tmp_path: Path) -> None:
    [commands] = re.findall(r"^\. \.venv/bin/activate\n(.*?)^```$", text_of(README), re.M | re.S)
    edit = "sed -i 's/numNodes: 2/numNodes: 4/' jobs/bert.yaml\n"
    script = "set -e\n" + commands.replace("kubectl trainjob review", f"{edit}kubectl trainjob review")
    author = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, **author, "PATH": path, "HOME": str(tmp_path)}
    command = [require("bash"), "-c", script]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (ran.returncode, "Rejected: 1 update;" in ran.stdout) == (1, True), ran.stdout + ran.stderr


def test_readme_has_the_two_commands_that_ci_runs() -> None:
    commands = [line for line in text_of(README).splitlines() if line.startswith("python3 -m venv ")]
    assert [command.rpartition(" && ")[2].split()[0] for command in commands] == [
        ".venv/bin/kubectl-trainjob",
        ".venv/bin/python",
    ]


@EACH_PAGE
def test_words_are_plain(path: Path) -> None:
    prose = words.prose(text_of(path))
    assert words.avoided(prose) == []
    assert [sentence for sentence in words.sentences(prose) if len(sentence.split()) > words.LONGEST] == []


@cache
def _help(*command: str) -> str:
    arguments = [sys.executable, "-m", "kubectl_trainjob", *command, "--help"]
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_begins_with_the_synopsis_that_help_prints(name: str) -> None:
    page, shown = text_of(next(path for path in PAGES if path.stem == name)), _help(name)
    title, summary, synopsis = re.match(r"# (\S+)\n\n(.+)\n\n```\n(.*?)```\n", page, re.S).groups()  # type: ignore[union-attr]
    assert title == name
    assert f" {name} {summary} " in " ".join(_help().split()) + " ", "the summary in the list of commands"

    usage = " ".join(shown.partition("\n\n")[0].split())
    arguments = usage.partition("[OPTIONS]")[2].strip()
    assert " ".join(synopsis.split()).startswith(f"kubectl trainjob {name} {arguments}".strip())

    listed = shown.partition("\nOptions:\n")[2].partition("\nExit codes:\n")[0]
    forms = re.findall(r"^  (?:(-\w), )?(--[\w-]+)", listed, re.M)
    expected = {short or long for short, long in forms if long not in ("--help", "--quiet", "--color")}
    assert set(re.findall(r"\[(-\w|--[\w-]+)[ \]]", synopsis)) == expected
    assert set(re.findall(r"^\| `(?:-\w, )?(--[\w-]+)", page, re.M)) == {long for _, long in forms}


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_words_of_help_are_plain(name: str) -> None:
    shown = _help(*filter(None, [name]))
    assert words.avoided(shown) == []
    assert "\b" not in shown
    introduction = re.split(r"\n(?:Examples|Options):\n", shown.partition("\n\n")[2])[0]
    assert words.long_sentences(re.sub(r"(?m)^    .*\n", "", introduction)) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_defaults_have_no_parentheses(name: str) -> None:
    assert "[default: (" not in _help(name)


def test_the_help_of_review_names_each_verdict() -> None:
    introduction = " ".join(_help("review").partition("\nExamples:\n")[0].split())
    assert {each for _, each in _VERDICTS.values() if f'"{each}"' not in introduction} == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_the_examples_and_the_exit_codes_of_the_page(name: str) -> None:
    page, shown = text_of(next(path for path in PAGES if path.stem == name)), _help(name)
    examples = re.search(r"^## Examples\n\n```sh\n(.*?)^```$", page, re.M | re.S)
    assert examples, "the first section"
    assert textwrap.indent(examples[1], "    ") in shown
    codes = re.findall(r"^\| (\d+) \|", page, re.M)
    assert codes == re.findall(r"^  (\d+)  ", shown.partition("\nExit codes:\n")[2], re.M)


@pytest.mark.parametrize(
    "path", [*FILES, ROOT / "CHANGELOG.md", ROOT / ".github" / "ARCHITECTURE.md"], ids=lambda p: p.stem
)
def test_every_option_named_exists(path: Path) -> None:
    ours = re.sub(r"(?m)(^pip|^python3|^docker|kubectl (krew|create|patch|delete)) .*$", "", text_of(path))
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", ours))
    shown = "".join(map(_help, COMMANDS))
    assert {option for option in named if option not in shown} <= {"--version", "--lr", "--reconciles"}


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
