"""Completion as people meet it: real kubectl asks, and real shells complete what is typed."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from kubectl_trainjob.cli import completion
from kubectl_trainjob.cli.app import app, run
from kubectl_trainjob.kube.facts.supported import TRAINER_VERSIONS
from kubectl_trainjob.repository import catalogue
from tests.cli.conftest import Repository
from tests.cli.manifests import config_map, train_job
from tests.loops import sample
from tests.tools import require

FILES, NOTHING, DIRECTORIES = ":0", ":4", ":16"  # cobra's ShellCompDirective
COMMANDS = app.list_commands(click.Context(app))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory with something to complete."""
    (tmp_path / "some dir").mkdir()
    (tmp_path / "some dir" / "a b.yaml").touch()
    (tmp_path / "job.yaml").touch()
    return tmp_path


def environment() -> dict[str, str]:
    """The programs of this installation, and kubectl, are found first."""
    programs = {
        str(Path(require(name)).parent) for name in ("kubectl-trainjob", "kubectl_complete-trainjob", "kubectl")
    }
    path = os.pathsep.join([*sorted(programs), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "TERM": "dumb", "PS1": "$ ", "PROMPT": "$ "}


def asked_by_kubectl(*words: str) -> list[str]:
    """What kubectl hands to a shell for `kubectl trainjob WORDS<TAB>`: candidates without descriptions, directive."""
    done = subprocess.run(
        [require("kubectl"), "__complete", "trainjob", *words],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=600,
        check=True,
    )
    assert "Traceback" not in done.stderr
    return [line.partition("\t")[0] for line in done.stdout.splitlines()]


ANSWERS = [
    pytest.param([""], [*COMMANDS, NOTHING], id="the commands"),
    pytest.param(["bu"], ["build", NOTHING], id="a command"),
    pytest.param(["buidl", ""], [NOTHING], id="behind an unknown command"),
    pytest.param(["build", ""], [FILES], id="a path"),
    pytest.param(["build", "a.yaml", ""], [FILES], id="another path"),
    pytest.param(["build", "-f", ""], [FILES], id="an option's path"),
    pytest.param(["build", "--filename="], [FILES], id="an option's path behind ="),
    pytest.param(["build", "--trainer-v"], ["--trainer-version", NOTHING], id="an option"),
    pytest.param(["build", "--", "-"], [FILES], id="no option behind --"),
    pytest.param(["build", "-o", ""], ["yaml", "json", NOTHING], id="a choice"),
    pytest.param(["build", "-o", "j"], ["json", NOTHING], id="a choice's start"),
    pytest.param(["build", "--output=j"], ["json", NOTHING], id="a choice behind ="),
    pytest.param(["build", "--output", "=", "j"], ["json", NOTHING], id="a choice behind = as bash sees it"),
    pytest.param(["build", "--output", "="], ["yaml", "json", NOTHING], id="a choice behind = at its end"),
    pytest.param(["build", "--trainer-version", ""], [*TRAINER_VERSIONS, NOTHING], id="versions"),
    pytest.param(["build", "--output=", ""], [FILES], id="behind an option with an empty value"),
    pytest.param(["build", "-n", ""], [NOTHING], id="a free text"),
    pytest.param(["build", "-o", "yaml", ""], [FILES], id="behind an option and its value"),
    pytest.param(["build", "--allow-empty", ""], [FILES], id="behind a flag"),
    pytest.param(["build", "--output-dir"], ["--output-directory", NOTHING], id="a long option"),
    pytest.param(["help", "l"], ["limits", "lint", "logs", NOTHING], id="pages of the manual"),
    pytest.param(["init", ""], ["runtime", "job", "overlay", NOTHING], id="the forms of init"),
    pytest.param(["init", "x"], [DIRECTORIES], id="a directory"),
    pytest.param(["init", "x", ""], [NOTHING], id="behind the last argument"),
    pytest.param(["init", "--emit", ""], ["jobset", "trainjob", NOTHING], id="what is emitted"),
    pytest.param(["init", "--trainer-version="], [*TRAINER_VERSIONS, NOTHING], id="versions of init"),
    pytest.param(["init", "--runtime", ""], [*sorted(catalogue.versions()), NOTHING], id="runtimes"),
    pytest.param(["init", "job", "a", "--runtime", "torchtune-q"], ["torchtune-qwen2.5-1.5b", NOTHING], id="a runtime"),
    pytest.param(["init", "runtime", "pl"], ["plain", NOTHING], id="a runtime as an argument"),
    pytest.param(["init", "overlay", "a", "--name"], ["--namespace", NOTHING], id="an option of a form"),
    pytest.param(["lint", ""], [FILES], id="a path of lint"),
    pytest.param(["lint", "--baseline", ""], [FILES], id="a baseline"),
    pytest.param(["build", "-O", ""], [DIRECTORIES], id="an option's directory"),
    pytest.param(["explain", "TrainJob/a", ""], [NOTHING], id="a field is not a file"),
    pytest.param(["completion", ""], ["bash", "zsh", "fish", NOTHING], id="shells"),
]


NAMES = [
    pytest.param(["explain", ""], ["TrainJob/a", "TrainJob/b", "ConfigMap/b", NOTHING], id="objects"),
    pytest.param(["explain", "trainj"], ["TrainJob/a", "TrainJob/b", NOTHING], id="objects of a kind"),
    pytest.param(["explain", "TrainJob", ""], ["a", "b", NOTHING], id="names after a kind"),
    pytest.param(["explain", "-f", "b.yaml", ""], ["ConfigMap/b", NOTHING], id="objects of a file"),
    pytest.param(["env", ""], ["TrainJob/a", "TrainJob/b", NOTHING], id="jobs"),
    pytest.param(["diff", "f"], ["feature", NOTHING], id="a branch"),
    pytest.param(["review", "v1"], ["v1.0", NOTHING], id="a tag"),
    pytest.param(["diff", "v1.0..f"], ["v1.0..feature", NOTHING], id="the end of a range"),
    pytest.param(["diff", "main...v"], ["main...v1.0", NOTHING], id="the end of a range from a merge base"),
    pytest.param(["lint", "--since", "fe"], ["feature", NOTHING], id="a reference of lint"),
    pytest.param(["lint", "--select", "KTJ30"], ["KTJ301", "KTJ302"], id="rules"),
    pytest.param(["lint", "--ignore", "KTJ1,KTJ30"], ["KTJ1,KTJ301", "KTJ1,KTJ302"], id="more rules"),
    pytest.param(["help", "KTJ30"], ["KTJ301", "KTJ302"], id="pages of rules"),
]


@pytest.fixture
def named(repository: Repository) -> Repository:
    """A repository with objects, branches and tags."""
    shutil.rmtree(repository.directory / ".git")
    repository.write({"a.yaml": [train_job("a", "plain"), train_job("b", "plain")], "b.yaml": [config_map("b")]})
    commit = ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a")
    for command in (("init", "-qb", "main"), ("add", "-A"), commit, ("branch", "feature"), ("tag", "v1.0")):
        subprocess.run(["git", *command], check=True)
    return repository


@pytest.mark.usefixtures("named")
@pytest.mark.parametrize(("words", "answer"), NAMES)
def test_names(words: list[str], answer: list[str]) -> None:
    found = [line.partition("\t")[0] for line in completion.complete(words)]
    assert found[: len(answer)] == answer
    assert found[-1] == NOTHING


def test_names_of_a_branch_that_a_shell_would_run(named: Repository) -> None:
    subprocess.run(["git", "branch", "$(touch${IFS}a)"], check=True)
    texts = (
        "a;b",
        "`b`",
        "b'c",
        "b c",
        "b\nc",
        "b\x1b[2J",
        "$(b)",
        "b>c",
        "b|c",
        "b&",
        "!b",
        "~b",
        "b*",
        "{b,c}",
        "b#c",
        "b\\c",
    )
    named.write({"c.yaml": [config_map(text) for text in texts]})
    assert completion.complete(["explain", "-f", "c.yaml", ""]) == [NOTHING]
    assert completion.complete(["diff", "$"]) == [NOTHING]


@pytest.mark.usefixtures("named")
def test_kubectl_completes_names() -> None:
    assert asked_by_kubectl("explain", "trainjob/b") == ["TrainJob/b", NOTHING]
    assert asked_by_kubectl("diff", "f") == ["feature", NOTHING]


@pytest.mark.parametrize("words", [["explain", ""], ["diff", ""], ["status", ""], ["logs", ""], ["suspend", "a", ""]])
def test_without_a_repository_or_a_cluster(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    assert completion.complete(words) == [NOTHING]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("words", "answer"), ANSWERS)
def test_candidates(words: list[str], answer: list[str]) -> None:
    assert [line.partition("\t")[0] for line in completion.complete(words)] == answer


@pytest.mark.parametrize(
    ("words", "answer"),
    [each for each in ANSWERS if each.id in {"the commands", "a command", "a path", "a choice behind =", "a directory"}]
    + [pytest.param(["init", "--runtime", ""], [*sorted(catalogue.versions()), NOTHING], id="runtimes")],
)
def test_kubectl_asks_and_understands(words: list[str], answer: list[str]) -> None:
    assert asked_by_kubectl(*words) == answer


def test_kubectl_shows_descriptions() -> None:
    done = subprocess.run(
        [require("kubectl"), "__complete", "trainjob", "build", "--allow"],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=600,
        check=True,
    )
    assert done.stdout.splitlines()[0] == "--allow-empty\tAccept inputs without any object to print"


def test_every_candidate_fits_on_its_line() -> None:
    for command in COMMANDS:
        for line in completion.complete([command, "-"]):
            assert re.fullmatch(r":\d+|-{1,2}[a-zA-Z][\w-]*(\t[^\t\n]+)?", line)


class _Broken(click.Command):
    def make_context(self, *_arguments: object, **_options: object) -> click.Context:  # type: ignore[override]
        raise RuntimeError("a bug")


def test_whatever_goes_wrong_is_not_seen(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(type(app), "get_command", lambda *_: _Broken("build"))
    monkeypatch.setattr(sys, "argv", ["kubectl_complete-trainjob", "build", ""])
    assert completion.answer_kubectl() == 0
    assert capfd.readouterr() == (":4\n", "")


def test_without_words_it_answers_for_the_first(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["kubectl_complete-trainjob"])
    assert completion.answer_kubectl() == 0
    assert capfd.readouterr().out.splitlines()[-1] == NOTHING


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["build", "-o", ""], id="a choice"),
        pytest.param(["init", "--runtime", ""], id="runtimes"),
        pytest.param(["init", "job", "a", "-"], id="options"),
    ],
)
def test_nothing_heavy_is_imported(words: list[str]) -> None:
    program = (
        "import sys; from kubectl_trainjob.cli.completion import answer_kubectl; answer_kubectl()\n"
        "print(*sorted(m for m in sys.modules if m.startswith(('kubectl_trainjob.', 'yaml', 'json'))))"
    )
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
    *answer, modules = done.stdout.splitlines()
    assert (len(answer) > 1, answer[-1]) == (True, NOTHING)
    assert {module for module in modules.split() if not module.startswith("kubectl_trainjob.cli")} <= {
        "kubectl_trainjob.kube",
        "kubectl_trainjob.kube.facts",
        "kubectl_trainjob.kube.facts.supported",
        "kubectl_trainjob.kube.facts.validation",
        "kubectl_trainjob.model",
        "kubectl_trainjob.model.faults",
        "kubectl_trainjob.model.limits",
        "kubectl_trainjob.model.message",
        "kubectl_trainjob.model.printable",
        "kubectl_trainjob.model.source",
        "kubectl_trainjob.repository",
        "kubectl_trainjob.repository.catalogue",
    }


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_the_script_is_one_that_the_shell_reads(shell: str, tmp_path: Path) -> None:
    program = require(shell)
    done = subprocess.run(
        [require("kubectl-trainjob"), "completion", shell], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    (tmp_path / "script").write_text(done.stdout)
    checked = subprocess.run([program, "-n", str(tmp_path / "script")], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param([], "error: pass the shell: bash, zsh or fish\n", id="no shell"),
        pytest.param(["tcsh"], "'tcsh' is not one of 'bash', 'zsh', 'fish'.\n", id="another shell"),
    ],
)
def test_the_shell_has_to_be_named(arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("kubectl-trainjob", ["completion", *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("Usage: kubectl trainjob completion [OPTIONS] bash|zsh|fish\n")
    assert err.endswith(message)


START = {"bash": ["--norc", "--noprofile", "-i"], "zsh": ["-f", "-i"]}
SETUP = {
    "bash": "source <(kubectl-trainjob completion bash)",
    "zsh": "autoload -U compinit; compinit -u -D; source <(kubectl-trainjob completion zsh)",
}
KUBECTL_IN_ZSH = "autoload -U compinit; compinit -u -D; source <(kubectl completion zsh)"
_TO_START, _TO_END = "\x01", "\x05"  # keys that move the cursor

Typed = Callable[[str, str, str], list[str]]


def _until(terminal: int, mark: bytes) -> bytes:
    seen = b""
    while mark not in seen:
        ready, _, _ = select.select([terminal], [], [], 30)
        assert ready, f"the shell says nothing more: {seen!r}"
        seen += os.read(terminal, 65536)
    return seen


@pytest.fixture
def typed(folder: Path) -> Iterator[Typed]:
    """Types keys into a shell on a terminal, and returns the words that the line has then."""
    terminals = []

    def in_shell(shell: str, setup: str, keys: str) -> list[str]:
        program, env = require(shell), environment()
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.execve(program, [shell, *START[shell]], env)
        terminals.append((pid, terminal))
        os.write(terminal, f"{setup}; printf 'rea%s\\n' dy\n".encode())
        _until(terminal, b"ready\r\n")
        os.write(terminal, f"{keys}{_TO_START}printf '{{%s}}' {_TO_END}; printf 'do%s\\n' ne\n".encode())
        shown = _until(terminal, b"done\r\n").decode()
        return re.findall(r"\{([^{}]*)\}", shown.rpartition("{%s}")[2] or shown)

    yield in_shell
    for pid, terminal in terminals:
        os.close(terminal)
        os.waitpid(pid, 0)


TYPED = [
    pytest.param("bu\t", ["build"], id="command"),
    pytest.param("build --tr\t2.0", ["build", "--trainer-version", "2.0"], id="option"),
    pytest.param("build -o j\t", ["build", "-o", "json"], id="choice"),
    pytest.param("build --output=j\t", ["build", "--output=json"], id="choice behind ="),
    pytest.param("build jo\t", ["build", "job.yaml"], id="file"),
    pytest.param("build --filename=jo\t", ["build", "--filename=job.yaml"], id="file behind ="),
    pytest.param("build some\\ dir/a\t", ["build", "some dir/a b.yaml"], id="file with blanks"),
    pytest.param("build -n jo\t", ["build", "-n", "jo"], id="no file where none may stand"),
    pytest.param("init so\t", ["init", "some dir/"], id="directory"),
    pytest.param("init jo\tx", ["init", "job", "x"], id="form"),
    pytest.param("init --runtime xgboost-\t", ["init", "--runtime", "xgboost-distributed"], id="runtime"),
    pytest.param("buidl jo\t", ["buidl", "jo"], id="behind a wrong word"),
]


THROUGH_KUBECTL = {"command", "choice behind =", "file behind =", "directory", "runtime", "behind a wrong word"}


@pytest.mark.parametrize(("keys", "words"), sample(TYPED, every=3))
@pytest.mark.parametrize("shell", sample(list(START), every=2))
def test_a_shell_completes(shell: str, keys: str, words: list[str], typed: Typed) -> None:
    found = typed(shell, SETUP[shell], f"kubectl-trainjob {keys}")
    assert [word.removesuffix("/") for word in found] == [
        "kubectl-trainjob",
        *(word.removesuffix("/") for word in words),
    ]


@pytest.mark.parametrize(("keys", "words"), sample([each for each in TYPED if each.id in THROUGH_KUBECTL], every=3))
def test_a_shell_completes_the_plugin_through_kubectl(keys: str, words: list[str], typed: Typed) -> None:
    found = typed("zsh", KUBECTL_IN_ZSH, f"kubectl trainjob {keys}")
    assert [word.removesuffix("/") for word in found] == [
        *("kubectl", "trainjob"),
        *(word.removesuffix("/") for word in words),
    ]


@pytest.mark.parametrize(
    ("line", "candidates"),
    sample(
        [
            pytest.param("bu", ["build"], id="command"),
            pytest.param("build -o ", ["json", "yaml"], id="choices"),
            pytest.param("build --output=", ["--output=json", "--output=yaml"], id="choices behind ="),
            pytest.param("build --trainer-v", ["--trainer-version"], id="option"),
            pytest.param("build ", ["job.yaml", "some dir/"], id="files"),
            pytest.param("build some\\ dir/", ["some dir/a b.yaml"], id="files with blanks"),
            pytest.param('build "some di', ["some dir/"], id="files in quotes"),
            pytest.param("build --filename=jo", ["--filename=job.yaml"], id="files behind ="),
            pytest.param("build some\\ dir -o y", ["yaml"], id="behind a file with blanks"),
            pytest.param("build -n ", [], id="no file where none may stand"),
            pytest.param("init so", ["some dir/"], id="directories alone"),
            pytest.param("init --runtime xg", ["xgboost", "xgboost-distributed"], id="runtime"),
            pytest.param("buidl ", [], id="behind a wrong word"),
        ],
        every=4,
    ),
)
def test_fish_completes(line: str, candidates: list[str], folder: Path) -> None:
    program = "kubectl-trainjob completion fish | source; complete -C $argv[1]"
    done = subprocess.run(
        [require("fish"), "--no-config", "-c", program, f"kubectl-trainjob {line}"],
        capture_output=True,
        text=True,
        env=environment(),
        cwd=folder,
        timeout=600,
        check=True,
    )
    assert done.stderr == ""
    assert [each.partition("\t")[0] for each in done.stdout.splitlines()] == candidates
