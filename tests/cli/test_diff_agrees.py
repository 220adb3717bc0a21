"""`diff` reports exactly the objects that differ between two builds: of the examples, and of recorded updates."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.cli.app import run
from tests.conformance.updates import recorded
from tests.loops import sample, slow

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
Reported = dict[tuple[str, str, str, str, str], str]
Side = dict[str, dict[tuple[str, str, str, str], str]]  # by build unit, then by object


def replaced(pattern: str, by: str, *files: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        for name in files:
            file = folder / name
            text, count = re.subn(pattern, by, file.read_text(), flags=re.MULTILINE)
            assert count, name
            file.write_text(text)

    return edit


def moved(old: str, new: str) -> Callable[[Path], None]:
    return lambda folder: (folder / old).rename(folder / new) and None


EDITS = {
    "image of a runtime": replaced("runtime:v2.3.0", "runtime:v2.3.1", "runtimes/deepspeed.yaml"),
    "size of a runtime": replaced("numProcPerNode: 1 ", "numProcPerNode: 3 ", "runtimes/deepspeed.yaml"),
    "a value": replaced("finetune:4.4.0", "finetune:4.5.0", "overlays/gpu-fleet/language/overlay.yaml"),
    "a patch": replaced("value: 8$", "value: 2", "overlays/vision/prod/large.yaml"),
    "a namespace": replaced("^namespace: .*", "namespace: elsewhere", "overlays/vision/dev/overlay.yaml"),
    "a job": replaced("numNodes: 2", "numNodes: 4", "overlays/fashion-mnist/job.yaml"),
    "a job's name": replaced("name: fashion-mnist$", "name: fashion", "overlays/fashion-mnist/job.yaml"),
    "a file elsewhere": moved("overlays/fashion-mnist/job.yaml", "overlays/fashion-mnist/train.yaml"),
    "a job that is gone": lambda folder: (folder / "overlays/fashion-mnist/job.yaml").unlink(),
    "an overlay that is gone": lambda folder: shutil.rmtree(folder / "overlays/vision/dev"),
    "a comment": lambda folder: (folder / "runtimes/plain.yaml").write_text(
        "# words\n" + (folder / "runtimes/plain.yaml").read_text()
    ),
    "an image that jobs override": replaced("pytorch:2.13.0", "pytorch:2.14.0", "runtimes/torch.yaml"),
}
UNCHANGED = {"a comment", "a file elsewhere"}
UNCHANGED_JOB_SETS = {*UNCHANGED, "an image that jobs override"}


@pytest.fixture
def ours(capfd: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """What a command says as JSON; None where it ends with an error."""

    def call(*arguments: str) -> Any:
        capfd.readouterr()
        code = run("kubectl-trainjob", [*arguments, "-o", "json"])
        out, err = capfd.readouterr()
        assert code in (0, 1), err
        return json.loads(out)

    return call


def built(ours: Callable[..., Any], side: str, unit: str, *options: str) -> dict[tuple[str, str, str, str], str]:
    items = ours("build", str(Path(side) / unit), "--allow-empty", *options)["items"]
    return {identity(item): json.dumps(item, sort_keys=True) for item in items}


def identity(item: dict[str, Any]) -> tuple[str, str, str, str]:
    metadata = item["metadata"]
    return item["apiVersion"], item["kind"], metadata.get("namespace", ""), metadata.get("name", "")


def units(side: str) -> list[str]:
    return ["", *sorted(str(file.parent.relative_to(side)) for file in Path(side).rglob("overlay.yaml"))]


def all_built(ours: Callable[..., Any], side: str, *options: str) -> Side:
    return {unit: built(ours, side, unit, *options) for unit in units(side)}


def differing(old: Side, new: Side) -> Reported:
    reported: Reported = {}
    for unit in {**old, **new}:
        before, after = (side.get(unit, {}) for side in (old, new))
        for key in {**before, **after}:
            if before.get(key) != after.get(key):
                reported[unit, *key] = "added" if key not in before else "removed" if key not in after else "changed"
    return reported


def by_diff(ours: Callable[..., Any], old: str, new: str, *options: str) -> Reported:
    objects = ours("diff", old, new, *options)["objects"]
    return {
        (each["overlay"], each["apiVersion"], each["kind"], each["namespace"], each["name"]): each["change"]
        for each in objects
    }


@pytest.fixture
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    monkeypatch.chdir(tmp_path)
    for side in ("old", "new"):
        for folder in ("runtimes", "overlays"):
            shutil.copytree(ROOT / folder, tmp_path / side / folder)
        (tmp_path / side / ".git").mkdir()
    return tmp_path / "old", tmp_path / "new"


@pytest.fixture(scope="module")
def unedited() -> dict[str, Side]:
    """What the examples give, by what is emitted; the tests fill it."""
    return {}


@pytest.mark.parametrize(
    ("name", "emit"),
    [
        *sample([pytest.param(name, "jobset") for name in EDITS], every=12),
        *(slow(pytest.param(name, "trainjob")) for name in EDITS),
    ],
)
def test_examples(
    name: str, emit: str, sides: tuple[Path, Path], ours: Callable[..., Any], unedited: dict[str, Side]
) -> None:
    if emit not in unedited:
        unedited[emit] = all_built(ours, "old", "--emit", emit)
    EDITS[name](sides[1])
    old, new = unedited[emit], all_built(ours, "new", "--emit", emit)
    expected = differing(old, new)
    assert by_diff(ours, "old", "new", "--emit", emit) == expected
    assert by_diff(ours, "new", "old", "--emit", emit) == differing(new, old)
    assert bool(expected) == (name not in (UNCHANGED_JOB_SETS if emit == "jobset" else UNCHANGED))


@pytest.mark.parametrize("emit", ["jobset", "trainjob"])
def test_recorded_updates(emit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ours: Callable[..., Any]):
    monkeypatch.chdir(tmp_path)
    seen = 0
    for update in recorded()[::9]:
        if "multikueue" in update.old + update.new:
            continue
        for side, text in (("old", update.old), ("new", update.new)):
            (tmp_path / side).mkdir(exist_ok=True)
            (tmp_path / side / "all.yaml").write_text(text)
        expected = differing(*(all_built(ours, side, "--emit", emit) for side in ("old", "new")))
        assert by_diff(ours, "old", "new", "--emit", emit) == expected, update.name
        seen += len(expected)
    assert seen > 10
