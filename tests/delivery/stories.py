"""Pull requests as teams open them: small repositories, each with a commit of `main` and one of a pull request.

`stories/NAME/base` is the tree of `main`, `stories/NAME/change.patch` the pull request behind its title and
description, `stories/NAME/review.md` the comment that `review` makes of it: `python -m tests.delivery.stories` writes
those comments anew.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.commands import Done, call
from tests.tools import require

FOLDER = Path(__file__).parent / "stories"
NAMES = ("image-bump", "rerun", "trainer-upgrade")
MAIN, BRANCH = "main", "feature"

# The same commits, and so the same ids, on every machine.
_GIT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    **{f"GIT_{role}_NAME": "Ada" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "ada@acme.example" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_DATE": "2026-05-04T09:00:00+00:00" for role in ("AUTHOR", "COMMITTER")},
}


def golden(name: str) -> Path:
    """The comment as it is known to be right."""
    return FOLDER / name / "review.md"


def make(name: str, folder: Path) -> Path:
    """The repository of a story in `folder`, which must be new; `feature` is checked out, one commit after `main`."""
    shutil.copytree(FOLDER / name / "base", folder)
    git(folder, "init", "--quiet", "--object-format=sha1", f"--initial-branch={MAIN}")
    _commit(folder, "Train what we train")
    git(folder, "checkout", "--quiet", "-b", BRANCH)
    patch = FOLDER / name / "change.patch"
    git(folder, "apply", "--whitespace=error-all", str(patch))
    _commit(folder, patch.read_text(encoding="utf-8").partition("diff --git ")[0].strip())
    return folder


def _commit(folder: Path, message: str) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", f"--message={message}")


def git(folder: Path, *arguments: str) -> str:
    """What git prints."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = [require("git"), *arguments]
    run = subprocess.run(command, cwd=folder, env={**inherited, **_GIT}, check=True, capture_output=True, text=True)
    return run.stdout


def review(folder: Path, out: Path, environment: Mapping[str, str] | None = None) -> Done:
    """`review main...feature` as a CI system calls it, which writes review.md, .json, .sarif and .html into `out`.

    With variables of the environment, it runs in a separate process.
    """
    formats = {"markdown": "md", "json": "json", "sarif": "sarif", "html": "html"}
    outputs = [f"-o{name}={out / 'review'}.{ending}" for name, ending in formats.items()]
    arguments = ["review", f"{MAIN}...{BRANCH}", *outputs]
    if not environment:
        return call(folder, *arguments)
    command = [sys.executable, "-m", "kubectl_trainjob", *arguments]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    return Done(done.returncode, done.stdout, done.stderr)


def _write(name: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        reported = review(make(name, folder / "repository"), folder)
        if reported.returncode not in (0, 1):
            sys.exit(reported.stderr)
        shutil.copyfile(folder / "review.md", golden(name))


if __name__ == "__main__":
    for each in NAMES:
        _write(each)
