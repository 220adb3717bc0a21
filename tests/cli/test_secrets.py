"""A value that KTJ904 reports is in no output of diff, review, env and explain, in any format."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_trainjob.cli.app import run
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
