"""GitLab's example, its script run as a runner does: all lines in one shell, which stops at the first that fails."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.delivery.ci.repositories import BIGGER, HARMLESS, JOB, UNBUILT, Repository, git
from tests.delivery.ci.runner import ACTIONS

[(NAME, DEFINITION)] = yaml.safe_load((ACTIONS / "review" / "examples" / "gitlab-ci.yml").read_text()).items()


@pytest.fixture(scope="module")
def packages(released: Path, wheelhouse: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What makes pip install this project's wheel, and what it needs, from folders, by the hashes of a lock."""
    lock = tmp_path_factory.mktemp("lock") / "kubectl-trainjob.lock"
    wheels = [*released.glob("*.whl"), *wheelhouse.glob("*.whl")]
    lock.write_text("".join(map(_locked, wheels)))
    return {"LOCK": str(lock), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": f"{released} {wheelhouse}"}


def _locked(wheel: Path) -> str:
    name, version, *_ = wheel.name.split("-")
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


def piped(repository: Repository, checkout: Path, temp: Path, packages: Mapping[str, str]) -> tuple[int, str]:
    """Exit code and log of the job."""
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
        **packages,
    }
    script = "\n".join([*DEFINITION["before_script"], *DEFINITION["script"]])
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=checkout,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
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
def test_the_job(
    tmp_path: Path, packages: dict[str, str], head: Mapping[str, str], code: int, verdict: str, findings: set[str]
) -> None:
    repository = Repository(tmp_path / "forge", {}, head, "$(touch${IFS}canary)")
    checkout = repository.checked_out(tmp_path / "it's a checkout")
    git(checkout, "checkout", "--quiet", "--detach", repository.head)
    (checkout / "pip.py").write_text("open('canary', 'w')\n")
    ended, log = piped(repository, checkout, tmp_path, packages)
    assert ended == code, log
    stored: dict[str, Any] = {path: checkout / path for path in DEFINITION["artifacts"]["paths"]}
    assert all(path.is_file() for path in stored.values())
    report = json.loads(stored["review.json"].read_text())
    assert report["verdict"] == verdict
    quality = json.loads((checkout / DEFINITION["artifacts"]["reports"]["codequality"]).read_text())
    assert {each["check_name"] for each in quality} == findings
    assert not list(tmp_path.rglob("canary"))


def test_nothing_that_pip_trusts_is_in_the_checkout() -> None:
    """pip installs wheels of its cache without their hashes: a merge request could add `.cache/pip/wheels/…`."""
    assert "cache" not in DEFINITION
    assert DEFINITION["variables"]["PIP_NO_CACHE_DIR"] == "1"
    assert not [value for value in DEFINITION["variables"].values() if "CI_PROJECT_DIR" in value]


def test_it_runs_for_merge_requests_alone_and_needs_no_token() -> None:
    assert [rule["if"] for rule in DEFINITION["rules"]] == ['$CI_PIPELINE_SOURCE == "merge_request_event"']
    assert "TOKEN" not in json.dumps(DEFINITION)
    assert DEFINITION["variables"]["GIT_DEPTH"] == "0"
    assert DEFINITION["artifacts"]["when"] == "always"
