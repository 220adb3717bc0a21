"""A value that KTJ904 reports is in no output of diff, review, env and explain, in any format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.model.secret_texts import without_secrets
from tests.cli.test_diff import JOB, RUNTIME, Repository, empty_repository

OLD, NEW, OTHER = "hf_abcdefghijklmnopqrst", "hf_ABCDEFGHIJKLMNOPQRST", "wJalrXUtnFEMI/K7MDENG+bPxRf"
ENV = "    env:\n    - {name: PLAIN, value: shown}\n    - name: HF_TOKEN\n      value: TOKEN\n"
IN_RUNTIME = RUNTIME.replace(
    "image: torch:1\n", f"image: torch:1\n                  env: [{{name: AWS_SECRET_ACCESS_KEY, value: {OTHER}}}]\n"
)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repository:
    repository = empty_repository(tmp_path, monkeypatch, capsys)
    job = JOB.replace("NAME", "bert") + ENV
    repository.commit({"jobs/bert.yaml": job.replace("value: TOKEN", f"value: {OLD}"), "runtimes/torch.yaml": RUNTIME})
    repository.write(
        {
            "jobs/bert.yaml": job.replace("value: TOKEN", f"value: {NEW}").replace("shown", "now-shown"),
            "jobs/new.yaml": job.replace("bert", "new").replace("value: TOKEN", f"value: {NEW}"),
            "runtimes/torch.yaml": IN_RUNTIME,
        }
    )
    return repository


NODE = "spec.replicatedJobs[node].template.spec.template.spec.containers[node]"
COMMANDS = [
    *(["diff", "HEAD", "-o", form] for form in ("text", "markdown", "json", "html")),
    *(["diff", "HEAD", "--emit", "trainjob", "-o", form] for form in ("text", "json")),
    *(
        ["review", "HEAD", "-o", form]
        for form in ("text", "markdown", "json", "html", "sarif", "github", "junit", "gitlab")
    ),
    *(["env", "TrainJob/bert", "-o", form] for form in ("text", "markdown", "json", "html")),
    *(["explain", "JobSet/bert", "-o", form] for form in ("text", "json")),
    ["explain", "JobSet/bert", f"{NODE}.env"],
    ["explain", "JobSet/bert", f"{NODE}.env[HF_TOKEN].value", "-o", "json"],
    ["explain", "TrainJob/bert", "spec.trainer.env[HF_TOKEN].value"],
    ["explain", "TrainJob/bert"],
    ["lint"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.usefixtures("repository")
def test_no_output_has_the_value(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("kubectl-trainjob", command) in (0, 1)
    out = "".join(capsys.readouterr())
    assert not [value for value in (OLD, NEW, OTHER) if value in out or value.replace("/", "\\/") in out]
    if command[0] in ("diff", "env") or "json" in command:
        assert "***" in out


SECRETS = {
    "DB_PASSWD": "hunter2old",
    "DB_PASSWORD": "plain-word",
    "ADMIN_CREDENTIAL": "b64.Zx81kk/Q",
    "API-KEY": "Zx81-kkQ9",
    "apiToken": "s3cr3t0ld",
    "PGPASSWORD": "canary-six",
    "DBPASS": "canary-seven",
    "accesstoken": "c4n4ry.eight",
    "MSSQL_PWD": "canary-nine",
}
IN_TEXTS = [
    "--token=canary-one",
    "--hf-token",
    "canary-two",
    "run --password 'canary three' --lr 3",
    "export WANDB_API_KEY=c4n4ryF0ur && run",
    "postgres://user:canary-five@db/x",
    "https://ghp_canary0123456789abcdef@github.com/x",
    "https://c4n4ryTEN99x@git.example.com/x",
    "curl -H 'Authorization: Basic Y2FuYXJ5OmVsZXZlbg==' https://example.com",
    "https://account.blob.core.windows.net/c?sv=2022&sig=canary%2Ftwelve",
    "https://s3.example.com/x?X-Amz-Signature=canary0013&x=1",
    "curl -uadmin:canary-14 https://example.com",
    "-u",
    "admin:canary-15",
    "mysql -uroot -pcanary-16 -h db",
    "sshpass -p 'canary-17' ssh x",
    "declare -x TOKEN=canary-18",
    "helm install --set auth.password=canary-19",
    "curl -H 'X-Api-Key: c4n4ry-20.x'",
    "run --token \\\n  canary-21",
    "-----BEGIN RSA PRIVATE KEY-----\nc4n4ry+22\n-----END RSA PRIVATE KEY-----",
    "https://hooks.slack.com/services/T0/B0/canary-23",
    "-token",
    "canary-24",
]
CANARIES = [
    *SECRETS.values(),
    "canary-one",
    "canary-two",
    "canary three",
    "c4n4ryF0ur",
    "canary-five",
    "canary0123456789",
    "c4n4ryTEN99x",
    "Y2FuYXJ5OmVsZXZlbg",
    "canary%2Ftwelve",
    "canary0013",
    *(f"canary-{number}" for number in (*range(14, 20), 21, 23, 24)),
    "c4n4ry-20",
    "c4n4ry+22",
]
NO_SECRETS = ["docker run -u 1000:1000", "mkdir -p /data; mysql -u root -p data", "python -u train.py", "design=3"]


@pytest.mark.parametrize("text", NO_SECRETS)
def test_a_text_that_only_resembles_one_with_a_secret_is_shown(text: str) -> None:
    assert without_secrets(text) == text


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.usefixtures("repository")
def test_no_output_has_secrets_in_commands_and_texts(
    command: list[str], repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    variables = "".join(f"    - {{name: {name}, value: {value}}}\n" for name, value in SECRETS.items())
    arguments = "".join(f"    - {json.dumps(text)}\n" for text in IN_TEXTS)
    job = JOB.replace("NAME", "bert") + ENV.replace("TOKEN", "NUMBER") + variables + f"    args:\n{arguments}"
    data = "".join(f"  {name}: {value}\n" for name, value in SECRETS.items())
    config = (
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n{data}  a.ini: |\n    password = canary-one\n"
    )
    repository.write({"jobs/bert.yaml": job, "jobs/config.yaml": config})
    assert run("kubectl-trainjob", command) in (0, 1)
    out = "".join(capsys.readouterr())
    assert not [value for value in CANARIES if value in out]


@pytest.mark.parametrize(
    "kind",
    [
        "kind: Secret",
        'kind: "Secret"',
        "kind: !!str Secret",
        "kind: &k Secret",
        "kind: >-\n  Secret",
        "kind: # a comment\n  Secret",
        'kind: "S\\x65cret"',
        '"k\\x69nd": Secret',
        "metadata: {annotations: {a: &k Secret}}\nkind: *k",
        "metadata: {annotations: {a: &k kind}}\n*k : Secret",
        "? kind\n: Secret",
        "kind: SecretList",
    ],
)
@pytest.mark.parametrize(
    "error", ["stringData: {a: canary-one, a: canary-one}", "stringData: {a: canary-one", "a: \tcanary-one: x"]
)
def test_no_excerpt_is_from_a_file_with_a_secret(
    kind: str, error: str, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.write({"jobs/secret.yaml": f"apiVersion: v1\n{kind}\n{error}\n"})
    for command in (["build", "jobs/secret.yaml"], ["lint", "jobs/secret.yaml"], ["review", "HEAD"]):
        run("kubectl-trainjob", command)
    captured = "".join(capsys.readouterr())
    assert "secret.yaml:" in captured
    assert "canary" not in captured


def test_no_excerpt_has_the_value_of_a_patch_of_env(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    path = "/spec/trainer/env/0/value"
    for patch in (f"    path: {path}\n    value: canary\n", f"    value: canary\n    path: {path}\n"):
        text = f"patches:\n- target: {{name: bert}}\n  patch:\n  - op: test\n{patch}"
        overlay = (
            f"apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [../../jobs, ../../runtimes]\n{text}"
        )
        repository.write({"overlays/a/overlay.yaml": overlay})
        assert run("kubectl-trainjob", ["build", "overlays/a"]) == 1
        captured = capsys.readouterr()
        assert ("KTJ053" in captured.err, "canary" in captured.err) == (True, False)


@pytest.mark.parametrize("key", ["valu", "vaule", "Value", "values", "val", "alue"])
def test_a_misspelt_key_of_a_value_shows_no_line(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = empty_repository(tmp_path, monkeypatch, capsys)
    job = JOB.replace("NAME", "bert") + f"    env:\n    - name: HF_TOKEN\n      {key}: canary-one\n"
    repository.write({"jobs/bert.yaml": job, "runtimes/torch.yaml": RUNTIME})
    assert run("kubectl-trainjob", ["lint"]) == 1
    captured = "".join(capsys.readouterr())
    assert (f'unknown field "{key}"' in captured, "canary" in captured) == (True, False)


BESIDE = {
    "a mapping as the value": "- name: HF_TOKEN\n  value:\n    canary: [",
    "a block": "- name: HF_TOKEN\n  value: |\n    abc\n   canary: ]",
    "a comment between": '- name: HF_TOKEN\n  # note\n  # note\n  value: "canary\\q"',
    "blank lines between": "- name: HF_TOKEN\n\n\n  value: canary: b",
    "another key between": "- {name: HF_TOKEN,\n   foo: 1,\n   value: canary: b}",
    "a text in two lines": '- name: HF_TOKEN\n  value: "abc\n     canary\\q"',
    "an option": '- --token\n- "canary\\q"',
    "a list after an option": "- --token\n- [canary]",
    "an alias after an option": "- --token\n- *canary",
    "a name after another key": "- value: [canary]\n  valueFrom:\n    secretKeyRef: {}\n  name: HF_TOKEN",
    "a list in one line": "- [--token, canary, {a: 1}]",
    "a flow list of several lines": '  [run,\n  "--token",\n  {a: canary}]',
    "a flow list with an option on its first line": '  ["--token",\n  {a: canary}]',
    "a flow list with a deeper option": '  [run,\n    "--token", # note\n  {a: canary}]',
    "a flow list with commas before items": "  [run\n  , --token\n  , {a: canary}]",
    "a line of a value that resembles a reference": '- name: HF_TOKEN\n  value: "abc\n    # aRef: canary\\q"',
    "a reference in a comment after a colon": "- name: HF_TOKEN\n  value: [canary] # aRef: x",
    "a reference before the value": "- name: HF_TOKEN\n  valueFrom:\n    secretKeyRef: {}\n  value: [canary]",
    "a reference in a comment": "- name: HF_TOKEN\n  value: [canary] # TODO secretKeyRef",
}


def _rejected(field: str, lines: str, repository: Repository, capsys: pytest.CaptureFixture[str]) -> str:
    """What a build prints that rejects the lines of a field."""
    indented = "".join(f"    {line}\n" for line in lines.split("\n"))
    repository.write({"jobs/bert.yaml": JOB.replace("NAME", "bert") + f"    {field}:\n{indented}"})
    assert run("kubectl-trainjob", ["build", "jobs"]) == 1
    return "".join(capsys.readouterr())


@pytest.mark.parametrize("lines", BESIDE.values(), ids=BESIDE)
def test_no_excerpt_has_a_value_whose_name_is_on_another_line(
    lines: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    field = "env" if "name:" in lines else "args"
    captured = _rejected(field, lines, empty_repository(tmp_path, monkeypatch, capsys), capsys)
    assert ("jobs/bert.yaml:" in captured, "canary" in captured) == (True, False)


def test_an_excerpt_shows_the_line_of_a_reference_to_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = empty_repository(tmp_path, monkeypatch, capsys)
    env = "    env:\n    - name: HF_TOKEN\n      valueFrom:\n        secretKeyRef: {name: hf, kee: a}\n"
    repository.write({"jobs/bert.yaml": JOB.replace("NAME", "bert") + env, "runtimes/torch.yaml": RUNTIME})
    assert run("kubectl-trainjob", ["build", "jobs", "runtimes"]) == 1
    assert "{name: hf, kee: a}" in "".join(capsys.readouterr())


SHOWN = {
    "a list after another option": '  [run,\n  "--epochs",\n  {bad: 1}]',
    "a list after an option with its value": '  [run,\n  "--token", "$TOKEN",\n  {bad: 1}]',
    "an item before an option": "- {bad: 1}\n- --token",
}


@pytest.mark.parametrize("lines", SHOWN.values(), ids=SHOWN)
def test_an_excerpt_shows_a_line_without_a_secret(
    lines: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "{bad: 1}" in _rejected("args", lines, empty_repository(tmp_path, monkeypatch, capsys), capsys)


OLD_JOB = f"""\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: p}}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 1
      template:
        spec:
          restartPolicy: Sometimes
          containers:
          - name: pytorch
            image: a:1
            args: [--token={OLD}, --lr=3]
            env:
            - name: HF_TOKEN
              value: {NEW}
            - name: PLAIN
              value: shown
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: c}}
data:
  DB_PASSWORD: {OTHER}
"""


@pytest.mark.parametrize("option", [["--diff"], ["--check"], ["-O", "out"], ["--write", "--force"]], ids=str)
def test_only_the_files_of_a_migration_have_the_values(
    option: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = empty_repository(tmp_path, monkeypatch, capsys)
    repository.write({"a.yaml": OLD_JOB})
    assert run("kubectl-trainjob", ["migrate", "a.yaml", *option]) == int(option == ["--check"])
    captured = "".join(capsys.readouterr())
    assert not [value for value in (OLD, NEW, OTHER) if value in captured]
    assert option != ["--diff"] or ("value: shown" in captured and "    ***\n" in captured)
    written = {"-O": Path("out/a.yaml"), "--write": Path("a.yaml")}.get(option[0])
    assert written is None or all(value in written.read_text() for value in (OLD, NEW, OTHER))


def test_the_printed_result_of_a_migration_has_the_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = empty_repository(tmp_path, monkeypatch, capsys)
    repository.write({"a.yaml": OLD_JOB})
    assert run("kubectl-trainjob", ["migrate", "a.yaml"]) == 0
    out, err = capsys.readouterr()
    assert [value in out for value in (OLD, NEW, OTHER)] == [True] * 3
    assert [value in err for value in (OLD, NEW, OTHER)] == [False] * 3


def test_the_changes_of_fixes_have_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = empty_repository(tmp_path, monkeypatch, capsys)
    job = f"""\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: j
  annotations:
    api-key: {NEW}
    kueue.x-k8s.io/queue-name: a
spec: {{runtimeRef: {{name: torch}}}}
"""
    repository.write({"jobs/bert.yaml": job, "runtimes/torch.yaml": RUNTIME})
    run("kubectl-trainjob", ["lint", "--fix", "--unsafe-fixes", "--diff"])
    captured = "".join(capsys.readouterr())
    assert ("+  labels:\n" in captured, NEW in captured) == (True, False)
