"""Whether what was written builds, judged by the build itself."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from kubectl_trainjob.compiler.pipeline import build
from kubectl_trainjob.compiler.printing import build_findings
from kubectl_trainjob.compiler.versions import VERSIONS
from kubectl_trainjob.kube.admission.objects import admit
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.stages import Body, BuildOptions, Manifest
from kubectl_trainjob.repository.files.filesystem import Workspace
from kubectl_trainjob.repository.files.read import read
from kubectl_trainjob.repository.positions import Locator


def errors(paths: Sequence[str], workspace: Workspace) -> list[Diagnostic]:
    """What keeps the paths from being built, each by itself."""
    return [
        found
        for path in paths
        for found in build_findings(build(read([path], workspace), BuildOptions()))
        if found.severity is Severity.ERROR
    ]


def admitted(runtime: Manifest, trainer_version: str) -> tuple[Body | None, list[Diagnostic]]:
    """A runtime as the API server and the webhook of a Trainer leave it; None where they refuse it, and why."""
    found, diagnostics = admit(runtime, VERSIONS[trainer_version].admission)
    return (found.body if found else None), diagnostics


def only_in(paths: Iterable[str], diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether all findings stand in these files, however they are called."""
    settle = Locator().settle
    found = {os.path.realpath(settle(finding.place).file.path) for finding in diagnostics}
    return found <= set(map(os.path.realpath, paths))
