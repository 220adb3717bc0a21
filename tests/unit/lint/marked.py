"""Repositories whose texts mark the lines where a rule must be reported, and nothing else of that rule.

A line that ends with `# <- KTJnnn` is marked, in a manifest, an overlay or a patch.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.stages import BuildOptions
from kubectl_trainjob.model.units import Documents
from kubectl_trainjob.repository.positions import Locator
from kubectl_trainjob.review.updates import update_findings
from tests.compiled import compare, lint
from tests.reading import read

CONFIG = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n"
OVERLAY = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\n"
RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: plain
spec:
  mlPolicy:
    numNodes: 1
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              template:
                spec:
                  containers:
                    - name: node
                      image: python:3.13-slim
"""
JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: mnist
spec:
  runtimeRef:
    name: plain
"""


def joined(*documents: str) -> str:
    """Documents as one file; those that are indented are brought to the margin."""
    return "---\n".join(dedent(each).strip("\n") + "\n" for each in documents)


def documents_of(root: Path, files: dict[str, str], *named: str) -> Documents:
    """A repository's files, of which all or the named ones are read."""
    for path, text in {"trainjob.yaml": CONFIG, **files}.items():
        head = OVERLAY if path.endswith("overlay.yaml") and not text.startswith("apiVersion") else ""
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(head + text)
    return read([str(root / path) for path in named] or [str(root)], lambda _most: b"")


def found(documents: Documents, rule: str = "", **options: str) -> list[Diagnostic]:
    """All that lint finds, or what it finds of one rule."""
    every = lint(documents, BuildOptions(**options)).diagnostics
    return [each for each in every if rule in ("", each.rule.id)]


def found_since(old: Documents, new: Documents, rule: str = "", **options: str) -> list[Diagnostic]:
    """All that lint finds in what changed, or what it finds of one rule."""
    wanted = BuildOptions(**options)
    every = update_findings(compare(old, new, wanted), (), Locator().resolve)
    return [each.diagnostic for each in every if rule in ("", each.diagnostic.rule.id)]


def lines(diagnostics: list[Diagnostic]) -> list[tuple[str, int]]:
    """The name of the file and the line of each."""
    spots = (Locator().resolve(each.place) for each in diagnostics)
    return sorted((Path(location.file.path).name, location.span.line) for location in spots)


def marked(root: Path, rule: str) -> list[tuple[str, int]]:
    """The lines of a repository that are marked."""
    return sorted(
        (file.name, number)
        for file in root.rglob("*.*")
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if line.endswith(f"# <- {rule}")
    )
