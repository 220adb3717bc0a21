"""What users of kubectl type without thinking: its flags, its names of commands, its colour variables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from kubectl_trainjob import __version__
from kubectl_trainjob.cli.app import run
from kubectl_trainjob.kube.facts.supported import TRAINER_VERSIONS
from tests.cli.conftest import Repository
from tests.cli.manifests import MPI, config_map, train_job

PLAIN = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "ClusterTrainingRuntime",
    "metadata": {"name": "plain"},
    "spec": {
        "template": {
            "spec": {
                "replicatedJobs": [
                    {
                        "name": "node",
                        "template": {
                            "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
                            "spec": {"template": {"spec": {"containers": [{"name": "node", "image": "busybox:1"}]}}},
                        },
                    }
                ]
            }
        }
    },
}
OVERLAY = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\n"


class Said(NamedTuple):
    """The exit code, stdout and stderr of a command."""

    code: int
    out: str
    err: str


Say = Callable[..., Said]


@pytest.fixture
def say(capfd: pytest.CaptureFixture[str]) -> Say:
    def called(*arguments: str) -> Said:
        capfd.readouterr()
        code = run("/usr/bin/kubectl-trainjob", list(arguments))
        return Said(code, *capfd.readouterr())

    return called


def test_version(say: Say) -> None:
    assert say("version").out.splitlines()[0] == say("--version").out.strip() == f"kubectl-trainjob {__version__}"
    found = json.loads(say("version", "-o", "json").out)
    assert (found["version"], found["supported"]["trainer"]) == (__version__, [*TRAINER_VERSIONS])


@pytest.mark.parametrize(
    ("word", "command"),
    [("validate", "lint"), ("check", "lint"), ("template", "build"), ("render", "build"), ("plan", "diff")],
)
def test_names_of_other_tools(word: str, command: str, say: Say) -> None:
    said = say(word, "a.yaml")
    assert (said.code, said.out) == (2, "")
    assert f'did you mean "{command}"?' in said.err


@pytest.mark.parametrize("version", ["2.3", "2.3.0", "v2.3.0", "v2.3"])
def test_a_release_is_a_target(version: str, repository: Repository) -> None:
    settings = f'apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\ntarget: {{trainer: "{version}"}}\n'
    repository.write({"trainjob.yaml": settings, "a.yaml": [PLAIN, train_job("a", "plain")]})
    assert repository.build().names == ["JobSet/a"]
    assert repository.build("--trainer-version", version).names == ["JobSet/a"]


@pytest.mark.parametrize("version", ["2.3.0", "v2.3.0"])
def test_init_takes_a_release(version: str, tmp_path: Path, say: Say) -> None:
    said = say("init", str(tmp_path / "new"), "--trainer-version", version)
    assert said.code == 0, said.err
    assert 'trainer: "2.3"' in (tmp_path / "new" / "trainjob.yaml").read_text()


def test_directories_of_overlays(repository: Repository) -> None:
    repository.write(
        {
            "o/overlay.yaml": f"{OVERLAY}resources: [a.yaml]\nnameSuffix: -x\n",
            "o/a.yaml": [config_map("a")],
            "p/b.yaml": [config_map("b")],
            "k/kustomization.yaml": "resources: []\n",
        }
    )
    assert repository.build("-k", "o").names == repository.build("--kustomize=o", "-R").names == ["ConfigMap/a-x"]
    assert repository.build("-R", "-f", "p").names == repository.build("p", "--recursive").names == ["ConfigMap/b"]
    for arguments, message in (
        (("-k", "o", "-f", "p"), "only one of -f or -k can be specified"),
        (("-k", "p"), "p has no overlay.yaml; pass plain manifests with -f"),
        (("-k", "k"), "build it with kubectl: kubectl kustomize k | kubectl trainjob build -"),
        (("-k", "none"), "none: No such file or directory"),
    ):
        built = repository.build(*arguments)
        assert (built.exit_code, built.out) == (2, "")
        assert message in built.err


def test_another_namespace_is_an_error_at_its_line(repository: Repository) -> None:
    repository.write({"a.yaml": [config_map("a", "team-b"), PLAIN, train_job("b", "plain", "team-c")]})
    built = repository.build("a.yaml", "-n", "team-a")
    assert (built.exit_code, built.out) == (1, "")
    assert [rule for rule, _, _ in built.findings] == ["KTJ042", "KTJ042"]
    lines = (repository.directory / "a.yaml").read_text().splitlines()
    assert {lines[line - 1].strip() for _, _, line in built.findings} == {"namespace: team-b", "namespace: team-c"}
    assert 'the namespace from the provided object "team-b" does not match the namespace "team-a"' in built.err


@pytest.mark.parametrize("command", [["build"], ["lint"], ["explain", "TrainJob/a"], ["env", "TrainJob/a"]])
def test_outside_a_repository(command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, say: Say) -> None:
    monkeypatch.chdir(tmp_path)
    said = say(*command)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error: no repository here: ")


def test_a_path_outside_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, say: Say) -> None:
    (tmp_path / "a.yaml").write_text(json.dumps(config_map("a")))
    monkeypatch.chdir(tmp_path)
    assert say("lint", ".") == say("lint", "a.yaml") == (0, "no problems in 0 TrainJobs\n", "")


@pytest.mark.parametrize("command", [["build"], ["lint"], ["explain", "x"], ["env", "x"]])
def test_an_empty_repository_says_how_to_begin(command: list[str], repository: Repository, say: Say) -> None:
    note = "note: no TrainJob here; create an example with: kubectl trainjob init\n"
    said = say(*command)
    assert (said.code, said.err.endswith(note)) == (0 if command == ["lint"] else 1, True)
    repository.write({"runtimes/plain.yaml": [PLAIN]})
    assert note not in say(*command).err


def test_secrets_of_one_name_have_their_namespaces(repository: Repository, say: Say) -> None:
    repository.write({"a.yaml": [MPI, *(train_job("a", "mpi", namespace) for namespace in ("", "dev", "prod"))]})
    secret = "secret/a-mpi-ssh-auth"
    assert [line.partition(" with ")[0] for line in say("secrets").out.splitlines()] == [
        secret,
        f"{secret} in namespace dev",
        f"{secret} in namespace prod",
    ]


def test_a_note_only_where_it_helps(repository: Repository, say: Say) -> None:
    repository.write({"a.yaml": [train_job("a", "plain"), PLAIN]})
    assert say("secrets") == (0, "", "note: no TrainJob needs a Secret\n")
    assert "unchanged" not in say("build", "a.yaml", "-O", "out").err
    assert say("build", "a.yaml", "-O", "out").err == "note: 1 of 1 files unchanged\n"


def test_quiet(repository: Repository, say: Say) -> None:
    repository.write({"a.yaml": [config_map("a")], "values.yaml": "x: 1\n"})
    assert "note: " in say("build", ".").err
    assert say("build", ".", "-q") == say("-q", "build", ".") == (0, say("build", ".").out, "")
    assert say("build", "a.yaml", "-q", "-O", "out").err == ""
    assert "error: " in say("build", "none.yaml", "-q").err


@pytest.mark.parametrize(
    ("variables", "arguments", "is_coloured"),
    [
        pytest.param({}, [], False, id="no terminal"),
        pytest.param({"FORCE_COLOR": "1"}, [], True, id="FORCE_COLOR"),
        pytest.param({"FORCE_COLOR": "1", "TERM": "dumb"}, [], True, id="FORCE_COLOR, dumb terminal"),
        pytest.param({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False, id="NO_COLOR overrules"),
        pytest.param({"NO_COLOR": "1"}, ["--color", "always"], True, id="always"),
        pytest.param({"FORCE_COLOR": "1"}, ["--color=never"], False, id="never"),
        pytest.param({"FORCE_COLOR": "1"}, ["--color=auto"], True, id="auto"),
    ],
)
def test_colour(
    variables: dict[str, str],
    arguments: list[str],
    is_coloured: bool,
    repository: Repository,
    monkeypatch: pytest.MonkeyPatch,
    say: Say,
) -> None:
    repository.write({"a.yaml": "a: [\n", "b.yaml": [config_map("b")]})
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for command in ([*arguments, "lint", "a.yaml"], ["lint", "a.yaml", *arguments]):
        assert ("\x1b[" in say(*command).out) == is_coloured
        assert "\x1b[" not in say(*command, "-o", "json").out


@pytest.fixture
def two_jobs(repository: Repository) -> Repository:
    """TrainJobs a and b, and a ConfigMap b."""
    repository.write({"a.yaml": [PLAIN, train_job("a", "plain"), train_job("b", "plain"), config_map("b")]})
    return repository


@pytest.mark.usefixtures("two_jobs")
@pytest.mark.parametrize(
    "words",
    [["TrainJob/a"], ["trainjob/a"], ["TrainJob", "a"], ["trainjobs", "a"], ["trainjobs.trainer.kubeflow.org", "a"]],
)
def test_names_of_objects(words: list[str], say: Say) -> None:
    path = "spec.runtimeRef.name"
    explained = say("explain", *words, path)
    assert (explained.code, explained.err) == (0, "")
    assert explained.out.startswith(f"TrainJob/a {path}\n")
    assert say("explain", "a", path) == explained
    assert say("env", *words) == say("env", "a")
    assert say("env", *words).code == 0


@pytest.mark.usefixtures("two_jobs")
def test_a_plain_name_also_means_what_is_generated(say: Say) -> None:
    path = "spec.replicatedJobs[node].template.spec.parallelism"
    assert say("explain", "a", path) == say("explain", "JobSet", "a", path)
    assert say("explain", "a", path).out.startswith(f"JobSet/a {path}\n")


@pytest.mark.usefixtures("two_jobs")
@pytest.mark.parametrize(
    ("words", "code", "messages"),
    [
        pytest.param(
            ["explain", "b"], 1, ["error: b matches 2 objects", "  TrainJob/b ", "  ConfigMap/b "], id="ambiguous"
        ),
        pytest.param(
            ["explain", "c"], 1, ["error: c does not exist", "note: these exist: TrainJob/a, TrainJob/b"], id="none"
        ),
        pytest.param(
            ["env", "TrainJob", "c"],
            1,
            ["error: TrainJob/c does not exist", "note: these exist: TrainJob/a, TrainJob/b"],
            id="no job",
        ),
        pytest.param(["explain", "cm/c"], 1, ["error: cm/c does not exist"], id="of an unknown kind"),
        pytest.param(
            ["explain", "ConfigMap", "x"],
            1,
            ["note: these exist: ConfigMap/b, TrainJob/a, TrainJob/b"],
            id="of another kind",
        ),
        pytest.param(["env", "ConfigMap", "b"], 2, ['"ConfigMap b" is not a TrainJob'], id="not a job"),
        pytest.param(["env", "a", "b"], 2, ['"a b" is not a TrainJob'], id="two jobs"),
        pytest.param(["explain", "a", "spec", "x"], 2, ['"x" follows the path'], id="two paths"),
    ],
)
def test_names_without_an_object(words: list[str], code: int, messages: list[str], say: Say) -> None:
    said = say(*words)
    assert (said.code, said.out) == (code, "")
    assert [each for each in messages if each not in said.err] == []


@pytest.mark.usefixtures("two_jobs")
def test_env_of_a_name_that_another_object_has(say: Say) -> None:
    assert say("env", "b").code == 0
