"""`diff` compiles what both sides say alike once, and parses a file that did not change once."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import pytest

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.compiler import pipeline
from kubectl_trainjob.repository.yaml.read import Reader
from tests.benchmark import corpus

pytestmark = pytest.mark.gate
JOBS, CHANGED = 60, 4


def test_work_grows_with_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    for side in ("old", "new"):
        corpus.write_files(tmp_path / side, JOBS)
    for file in sorted((tmp_path / "new" / "jobs").rglob("*.yaml"))[:CHANGED]:
        file.write_text(file.read_text().replace("numNodes: ", "numNodes: 1"))
    compiled: list[str] = []
    parsed: list[str] = []
    compile_job, values = pipeline.compile_job, Reader._values

    def counted(job, *arguments):
        compiled.append(job.manifest.id.name)
        return compile_job(job, *arguments)

    def noted(self, file, diagnostics):
        parsed.append(file.path)
        return values(self, file, diagnostics)

    monkeypatch.setattr(pipeline, "compile_job", counted)
    monkeypatch.setattr(Reader, "_values", noted)
    monkeypatch.chdir(tmp_path)
    try:
        assert run("kubectl-trainjob", ["diff", "old", "new", "-o", "json"]) == 1
    finally:
        gc.enable()
    changed = json.loads(capsys.readouterr().out)["summary"]["jobs"]["changed"]
    assert len(changed) == CHANGED
    assert len(compiled) == JOBS + CHANGED
    assert len(parsed) == JOBS + CHANGED + len(corpus.runtimes())
