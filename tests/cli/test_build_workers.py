"""A build in several processes gives what one process gives: the result, the findings, their lines and their order."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Repository
from tests.cli.manifests import MPI, PLAIN, config_map, overlay, train_job
from tests.loops import sample
from tests.tools import missing

_JOBS = 620
_TEMPLATE = """\
{% for n in range(values.count) %}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: made-{{ n }}}
spec: {runtimeRef: {name: plain}, trainer: {numNodes: {{ n }}}}
{% endfor %}
"""


def _run(where: Path, processors: set[int], *arguments: str) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        [sys.executable, "-m", "kubectl_trainjob", "build", *arguments],
        cwd=where,
        capture_output=True,
        check=False,
        preexec_fn=lambda: os.sched_setaffinity(0, processors),
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def processors() -> list[int]:
    """Two processors of this machine."""
    if not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2:
        missing("this machine has one processor")
    return sorted(os.sched_getaffinity(0))[:2]


def _jobs(broken: bool) -> dict[str, Any]:
    jobs: dict[str, Any] = {}
    for number in range(_JOBS):
        job = train_job(f"job-{number}", "mpi" if number % 50 == 0 else "plain")
        if broken and number % 7 == 0:
            job["spec"]["runtimeRef"] = {"name": "plian"}
        if number % 5 == 0:
            job["spec"]["activeDeadlineSeconds"] = 60
        jobs[f"jobs/{number}.yaml"] = [job]
    return jobs


_ARGUMENTS = [
    ["jobs", "prod", "-n", "team", "-o", "json"],
    ["jobs", "other"],
    ["prod"],
    ["prod", "--emit", "trainjob"],
]


@pytest.mark.parametrize("every", [pytest.param(4, id="some"), pytest.param(1, id="all", marks=pytest.mark.slow)])
@pytest.mark.parametrize("broken", sample({"good": False, "broken": True}, every=2))
def test_same_bytes_and_findings(
    broken: bool, every: int, repository: Repository, processors: list[int], tmp_path: Path
) -> None:
    patch = {
        "target": {"kind": "TrainJob", "name": "job-.*1"},
        "patch": {"spec": {"trainer": {"numNodes": -1 if broken else 3}}},
    }
    prod = overlay("../jobs", "../t.yaml.j2", nameSuffix="-x", nameHash=True, patches=[patch], values={"count": 30})
    repository.write(
        {**_jobs(broken), "runtimes/r.yaml": [PLAIN, MPI], "t.yaml.j2": _TEMPLATE, "prod/overlay.yaml": prod}
        | {"other/cm.yaml": [config_map("cm")]}
    )
    for arguments in _ARGUMENTS[::every]:
        alone = _run(tmp_path, {processors[0]}, *arguments)
        together = _run(tmp_path, set(processors), *arguments)
        assert together == alone
        assert alone[0] == (1 if broken else 0), alone[2][:2000]
