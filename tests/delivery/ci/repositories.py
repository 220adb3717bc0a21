"""A repository of trainings as git has it: a base, a branch with a change, and copies as CI systems check them out."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.delivery.ci.runner import ROOT

JOB = "jobs/mnist.yaml"
RUNTIME = "runtimes/torch.yaml"
GOOD = (ROOT / "overlays" / "fashion-mnist" / "job.yaml").read_text()
BIGGER = GOOD.replace("numNodes: 2", "numNodes: 4")
PAUSED = GOOD.replace("spec:\n", "spec:\n  suspend: true\n", 1)
UNBUILT = GOOD.replace("name: torch-distributed", "name: torch-distribute")
HARMLESS = f"# a comment\n{GOOD}"
UNTAGGED = GOOD.replace(":1.4", ":latest").replace("name: fashion-mnist", "name: another", 1)


class Repository:
    """The forge's repository, and the commits of a pull request to it."""

    def __init__(self, directory: Path, base: Mapping[str, str], head: Mapping[str, str], branch: str) -> None:
        self.directory = directory
        directory.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")  # as forges have it
        runtime = (ROOT / "runtimes" / "torch-distributed.yaml").read_text()
        self._commit({RUNTIME: runtime, JOB: GOOD, **base})
        self.git("switch", "--quiet", "--create", branch)
        self.head = self._commit(head)
        self.git("switch", "--quiet", "main")
        self.base = self._commit({"README.md": "what main got meanwhile\n"})
        self.git("merge", "--quiet", "--no-ff", "--no-edit", "--", self.head)
        self.merged = self.git("rev-parse", "HEAD")
        self.git("update-ref", "refs/pull/1/merge", self.merged)
        self.git("reset", "--quiet", "--hard", self.base)

    def git(self, *arguments: str) -> str:
        """Run git in the repository."""
        return git(self.directory, *arguments)

    def _commit(self, files: Mapping[str, str]) -> str:
        for path, content in files.items():
            (self.directory / path).parent.mkdir(parents=True, exist_ok=True)
            (self.directory / path).write_text(content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=files")
        return self.git("rev-parse", "HEAD")

    def checked_out(self, directory: Path, *depth: str) -> Path:
        """A copy as actions/checkout makes it for a pull request: the merge, and without `depth` all history."""
        git(directory.parent, "init", "--quiet", str(directory))
        git(directory, "remote", "add", "origin", self.directory.as_uri())
        merge = f"+{self.merged}:refs/remotes/pull/1/merge"
        branches = [] if depth else ["+refs/heads/*:refs/remotes/origin/*"]
        git(directory, "fetch", "--quiet", "--no-tags", *depth, "origin", *branches, merge)
        git(directory, "checkout", "--quiet", "--force", "refs/remotes/pull/1/merge")
        return directory


def git(directory: Path, *arguments: str) -> str:
    """Run git as somebody without settings; what it prints."""
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_NAME": "Ada" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "ada@acme.example" for who in ("AUTHOR", "COMMITTER")},
    }
    program = shutil.which("git")
    assert program
    done = subprocess.run(
        [program, *arguments], cwd=directory, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout.strip()
