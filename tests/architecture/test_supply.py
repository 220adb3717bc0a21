"""What runs and installs when the project is checked: pinned, and without rights on strangers' code."""

from __future__ import annotations

import re
import tomllib
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))
LOCKS = sorted((ROOT / ".ci").glob("*.lock"))


@pytest.mark.parametrize("path", [pytest.param(p, id=p.name) for p in WORKFLOWS])
def test_a_workflow_gives_strangers_nothing(path: Path) -> None:
    text = path.read_text()
    workflow = yaml.load(text, Loader=yaml.BaseLoader)  # BaseLoader: the key `on` stays a string
    assert set(workflow["on"]) == {"pull_request"}
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["permissions"] == {"contents": "read"}
        assert int(job["timeout-minutes"]) <= 90
    assert "secrets." not in text
    assert not re.search(r"run:.*\$\{\{", text), "an expression in a script is an injection"


@pytest.mark.parametrize("path", [pytest.param(p, id=p.name) for p in WORKFLOWS])
def test_actions_are_pinned_by_commit(path: Path) -> None:
    used = re.findall(r"uses: *(.+)", path.read_text())
    assert used
    assert [line for line in used if not re.fullmatch(r"[\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*", line)] == []


@pytest.mark.parametrize("path", [pytest.param(p, id=p.name) for p in LOCKS])
def test_every_locked_package_has_hashes_and_no_host(path: Path) -> None:
    text = path.read_text()
    packages = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    assert packages
    assert [p.split("\n")[0] for p in packages if not re.match(r"[\w.-]+==[^ ]+ .*\\\n +--hash=sha256:", p)] == []
    assert "//" not in text


def test_the_lock_covers_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = {
        re.match(r"[\w.-]+", requirement)[0]  # type: ignore[index]
        for requirement in (*project["dependencies"], *extras["test"], *extras["dev"])
        if not requirement.startswith(project["name"])
    }
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / ".ci" / "requirements.lock").read_text(), re.MULTILINE))
    assert {re.sub(r"[-_.]+", "-", name).lower() for name in wanted} <= locked


def _locked(name: str) -> dict[str, str]:
    """Each package of a lock: its version and hashes."""
    text = (ROOT / ".ci" / name).read_text()
    entries = re.findall(r"^([\w.-]+)(==[^ ]+)[^\n]*\n((?: +--hash=.*\n)+)", text, re.MULTILINE)
    return {package: version + hashes for package, version, hashes in entries}


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        pytest.param("requirements-runtime.lock", ("project", "dependencies"), id="runtime"),
        pytest.param("requirements-image.lock", ("project", "dependencies"), id="image"),
        pytest.param("requirements-image.lock", ("project", "optional-dependencies", "cluster"), id="controller"),
        pytest.param("requirements-build.lock", ("build-system", "requires"), id="build"),
    ],
)
def test_what_is_shipped_is_what_was_tested(name: str, keys: tuple[str, ...]) -> None:
    wanted: Any = reduce(lambda table, key: table[key], keys, tomllib.loads((ROOT / "pyproject.toml").read_text()))
    locked = _locked(name)
    assert locked.items() <= _locked("requirements.lock").items()
    assert {re.split("[>=]", requirement)[0].lower() for requirement in wanted} <= set(locked)


def test_every_dependency_has_a_lower_bound() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    every = [*project["dependencies"], *(r for extra in project["optional-dependencies"].values() for r in extra)]
    assert [r for r in every if ">=" not in r and not r.startswith(project["name"])] == []
