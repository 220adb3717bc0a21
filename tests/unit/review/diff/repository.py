"""Small repositories and what their TrainJobs become."""

from __future__ import annotations

from pathlib import Path

from kubectl_trainjob.compiler.job import compile_job
from kubectl_trainjob.compiler.prepare import prepare
from kubectl_trainjob.model.diagnostic import has_errors
from kubectl_trainjob.model.stages import BuildOptions
from kubectl_trainjob.review.diff.changes import ComparedJob
from tests.reading import read

HEAD = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\n"
TRAINER = "apiVersion: trainer.kubeflow.org/v1alpha1\n"


def write(root: Path, files: dict[str, str]) -> None:
    """Write files below a folder; an overlay gets its head."""
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text((HEAD if path.endswith("overlay.yaml") else "") + text)


def compiled(*paths: str, text: str = "", **options: str) -> dict[str, ComparedJob]:
    """Each TrainJob of the paths, or of a text, by its name; nothing is wrong with any."""
    documents = read(paths or ["-"], lambda _most: text.encode())
    prepared = prepare(documents, BuildOptions(**options))
    found = {}
    for job in prepared.jobs:
        built = compile_job(job, prepared.target, prepared.admitted)
        problems = [*prepared.findings, *built.findings]
        assert not has_errors(problems), problems
        bodies = tuple(each.body for each in built.objects)
        found[built.source.id.name] = ComparedJob(built.source, built.runtime, bodies)
    return found
