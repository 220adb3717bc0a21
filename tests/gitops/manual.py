"""The blocks of the manual, which the tests run as they are."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.gitops import programs
from tests.readme import MANUAL


def block(page: str, language: str, start: str) -> str:
    """The block of a page whose text begins so."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", (MANUAL / f"{page}.md").read_text(), re.MULTILINE | re.DOTALL)
    return next(each for each in found if each.startswith(start))


def path_with(*folders: Path | str) -> str:
    """PATH with folders, this environment and the programs of Argo CD and Flux."""
    return os.pathsep.join(map(str, (*folders, Path(sys.executable).parent, programs.folder(), os.environ["PATH"])))


def shell(script: str, folder: Path, **environment: str) -> str:
    """Run a script in a folder; its output."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path_with(), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout
