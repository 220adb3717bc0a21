"""GitLab's example, its script run as a runner does: all lines in one shell, which stops at the first that fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.delivery.ci.repositories import BIGGER, HARMLESS, JOB, UNBUILT, Repository, git
from tests.delivery.ci.runner import ACTIONS, ROOT

[(NAME, DEFINITION)] = yaml.safe_load((ACTIONS / "review" / "examples" / "gitlab-ci.yml").read_text()).items()


def piped(repository: Repository, checkout: Path, temp: Path) -> tuple[int, str]:
    """Exit code and log of the job. Its package is this project's, and packages that are here are not fetched."""
    predefined = {
        "CI_PROJECT_DIR": str(checkout),
        "CI_COMMIT_SHA": repository.head,
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": repository.git("merge-base", repository.base, repository.head),
        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "$(touch canary)",
    }
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(temp),
        "TMPDIR": str(temp),
        **predefined,
        **{name: _expanded(value, predefined) for name, value in DEFINITION["variables"].items()},
        "KUBECTL_TRAINJOB": str(ROOT),
        "PYTHONPATH": sysconfig.get_path("purelib"),
        "PIP_NO_BUILD_ISOLATION": "0",  # pip's own way to say yes
        "PIP_NO_INDEX": "1",
    }
    script = "\n".join([*DEFINITION["before_script"], *DEFINITION["script"]])
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=checkout,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout


def _expanded(value: str, variables: Mapping[str, str]) -> str:
    for name, known in variables.items():
        value = value.replace(f"${name}", known)
    return value


@pytest.mark.slow
@pytest.mark.parametrize(
    ("head", "code", "verdict", "findings"),
    [
        pytest.param({JOB: HARMLESS}, 0, "safe", set(), id="nothing changes"),
        pytest.param({JOB: BIGGER}, 1, "refused", {"immutable-jobset-field"}, id="an update is refused"),
        pytest.param({JOB: UNBUILT}, 1, "unbuilt", {"runtime-not-found"}, id="the head does not build"),
    ],
)
def test_the_job(tmp_path: Path, head: Mapping[str, str], code: int, verdict: str, findings: set[str]) -> None:
    repository = Repository(tmp_path / "forge", {}, head, "$(touch${IFS}canary)")
    checkout = repository.checked_out(tmp_path / "it's a checkout")
    git(checkout, "checkout", "--quiet", "--detach", repository.head)
    (checkout / "pip.py").write_text("open('canary', 'w')\n")
    ended, log = piped(repository, checkout, tmp_path)
    assert ended == code, log
    stored: dict[str, Any] = {path: checkout / path for path in DEFINITION["artifacts"]["paths"]}
    assert all(path.is_file() for path in stored.values())
    report = json.loads(stored["review.json"].read_text())
    assert report["verdict"] == verdict
    quality = json.loads((checkout / DEFINITION["artifacts"]["reports"]["codequality"]).read_text())
    assert {each["check_name"] for each in quality} == findings
    assert not list(tmp_path.rglob("canary"))


def test_it_runs_for_merge_requests_alone_and_needs_no_token() -> None:
    assert [rule["if"] for rule in DEFINITION["rules"]] == ['$CI_PIPELINE_SOURCE == "merge_request_event"']
    assert "TOKEN" not in json.dumps(DEFINITION)
    assert DEFINITION["variables"]["GIT_DEPTH"] == "0"
    assert DEFINITION["artifacts"]["when"] == "always"
