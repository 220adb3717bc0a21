"""Overlays in the directories of other overlays. A build tells nothing of them; a comparison of everything has them."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator

from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.repository.files.filesystem import Workspace
from kubectl_trainjob.repository.files.intake import Intake
from kubectl_trainjob.repository.files.walk import overlays


def with_inner(directories: Iterable[str], workspace: Workspace) -> Iterator[str]:
    """Overlays' directories, as shown, each with those below it. What is wrong with them is for the reader to tell."""
    intake = Intake(LIMITS, workspace)
    for shown in directories:
        real = workspace.files.named(shown).real
        root = intake.root(real, workspace.files.current.relative)
        inside = root.inside(real)
        for found in overlays(root.files, root.ignored, inside):
            yield os.path.normpath(os.path.join(shown, posixpath.relpath(f"/{found}", f"/{inside}")))
