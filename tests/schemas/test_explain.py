"""`explain KIND.FIELD` says what `kubectl explain` says of a cluster with the released CRDs of Trainer 2.3.

`kubectl_explain.json` has answers of kubectl with a real API server. `tests/cluster/test_explained.py` asks for all.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.cli.app import run
from tests.loops import for_each

RECORDED = json.loads((Path(__file__).parent / "kubectl_explain.json").read_text())


def lines(text: str) -> list[str]:
    """The lines without blanks at their ends."""
    return [line.rstrip() for line in text.rstrip().splitlines()]


@for_each("recorded", {" ".join(each["arguments"]): each for each in RECORDED}, at_least=14)
def test_as_kubectl(recorded: Any, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("kubectl-trainjob", ["explain", *recorded["arguments"], "--trainer-version", "2.3"]) == 0
    out, err = capfd.readouterr()
    assert (lines(out), err) == (lines(recorded["output"]), "")


@pytest.mark.parametrize(
    ("words", "field"),
    [
        pytest.param(["trainjob"], "spec", id="a kind"),
        pytest.param(["TrainJob", "--recursive"], "numNodes", id="all fields"),
        pytest.param(["trainjobs.trainer.kubeflow.org.spec.trainer"], "numNodes", id="with the group"),
        pytest.param(["trainjob.spec.podSpecOverrides", "--trainer-version", "2.0"], "targetJobs", id="2.0"),
        pytest.param(["trainjob.spec.podTemplateOverrides", "--trainer-version", "2.1"], "targetJobs", id="2.1"),
        pytest.param(["trainjob.spec.runtimePatches", "--trainer-version", "next"], "manager", id="next"),
        pytest.param(["jobset.spec.replicatedJobs.template.spec.template.spec.containers"], "image", id="a JobSet"),
    ],
)
def test_fields(words: list[str], field: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("kubectl-trainjob", ["explain", *words]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert f"  {field}\t<" in out
    assert "<empty>" not in out.partition("FIELDS:")[0]


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("trainjob.spec.trianer", 'field "trianer" does not exist in TrainJob.spec; did you mean "trainer"?'),
        ("trainjob.spec.trainer.env.name.x", 'field "x" does not exist in TrainJob.spec.trainer.env.name'),
        ("trainjob.spec.runtimePatches", 'field "runtimePatches" does not exist in TrainJob.spec'),
    ],
)
def test_what_does_not_exist(word: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("kubectl-trainjob", ["explain", word, "--trainer-version", "2.1"]) == 2
    assert message in capfd.readouterr().err


def test_the_target_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\ntarget: {trainer: v2.0.1}\n"
    (tmp_path / "trainjob.yaml").write_text(settings)
    assert run("kubectl-trainjob", ["explain", "trainjob.spec.podSpecOverrides"]) == 0
    assert "FIELD: podSpecOverrides <[]Object>" in capfd.readouterr().out
