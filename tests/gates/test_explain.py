"""`explain` of one object in a large repository parses the files that can matter, and no others."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.repository.files.input_reader import InputReader
from tests.benchmark import corpus

pytestmark = pytest.mark.gate
JOBS = 200


def test_files_that_cannot_matter_are_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    (tmp_path / "trainjob.yaml").write_text("apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n")
    for folder in ("jobs", "runtimes"):
        (tmp_path / folder).mkdir()
    for number, text in enumerate(corpus.documents(JOBS)):
        folder = "jobs" if "kind: TrainJob" in text else "runtimes"
        (tmp_path / folder / f"{number}.yaml").write_text(text)
    parsed: list[str] = []
    manifests = InputReader.manifests

    def counted(self, file):
        parsed.append(file.path)
        return manifests(self, file)

    monkeypatch.setattr(InputReader, "manifests", counted)
    monkeypatch.chdir(tmp_path)
    name = f"{corpus.TEAMS[77 % len(corpus.TEAMS)]}-finetune-{77:05d}"
    try:
        assert run("kubectl-trainjob", ["explain", f"JobSet/{name}", "kind"]) == 0
    finally:
        gc.enable()
    assert capsys.readouterr().out.startswith(f"JobSet/{name} kind\n")
    assert len(parsed) == 2, parsed  # the job and its runtime
