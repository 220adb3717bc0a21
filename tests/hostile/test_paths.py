"""Hostile repositories through the real command: no byte from outside is printed, nothing hangs, nothing is skipped in
silence.

Hard links are no way out: only who can read a file already can make one, and git has none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.manifests import config, config_map, overlay, stream, train_job
from tests.hostile.paths_program import build, run
from tests.hostile.paths_shapes import DIRECTORIES, FILES, Shape
from tests.hostile.paths_texts import NAMES, WAYS_OUT
from tests.hostile.paths_ways import (
    DIRECTORY_WAYS,
    FILE_WAYS,
    FOUND_DIRECTORIES,
    IGNORED_DIRECTORY_WAYS,
    IGNORED_FILE_WAYS,
    JOB,
    LISTING_WAYS,
    NAMED_DIRECTORY_WAYS,
    NAMED_FILE_WAYS,
    PLAIN,
    SECRET,
    Way,
)
from tests.hostile.paths_world import new_repository, prepared, write
from tests.loops import sample
from tests.tools import require

pytestmark = pytest.mark.slow

BROKEN = "kind: TrainJob\na: [\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return new_repository(tmp_path)


def _pairs(ways: Mapping[str, Way], shapes: Mapping[str, Shape]) -> Iterator[Any]:
    """All pairs; the default run has every fourth way with a shape, others are slow."""
    for i, (way_name, way) in enumerate(ways.items()):
        for j, (shape_name, shape) in enumerate(shapes.items()):
            is_sample = i == j % len(ways) and i % 4 == 0
            yield pytest.param(way, shape, id=f"{way_name}-{shape_name}", marks=() if is_sample else pytest.mark.slow)


@pytest.mark.parametrize(("way", "shape"), [*_pairs(FILE_WAYS, FILES), *_pairs(DIRECTORY_WAYS, DIRECTORIES)])
def test_what_a_repository_names(repository: Path, way: Way, shape: Shape) -> None:
    shape.make(prepared(repository, way))
    ended = build(repository, *way.arguments)
    if way.slot in FOUND_DIRECTORIES and "link" in shape.phrase:
        ended.check()
        assert f"note: skipped: {way.slot} (link)" in ended.err
    elif way.slot == "jobs/x.yaml" and shape.phrase == "large":  # the file of another tool
        ended.check()
        assert f"note: skipped: {way.slot} (too large)" in ended.err
    else:
        ended.check_rejected(way.slot, shape.phrase)


def _named_pairs(ways: Mapping[str, Way], shapes: Mapping[str, Shape]) -> Iterator[Any]:
    """Without the pipe: one that a person names is read as `build <(generate)` is."""
    return _pairs(ways, {name: shape for name, shape in shapes.items() if name != "pipe"})


@pytest.mark.parametrize(
    ("way", "shape"), [*_named_pairs(NAMED_FILE_WAYS, FILES), *_named_pairs(NAMED_DIRECTORY_WAYS, DIRECTORIES)]
)
def test_what_a_person_names(repository: Path, way: Way, shape: Shape) -> None:
    shape.make(prepared(repository, way))
    ended = build(repository, *way.arguments)
    if shape.inside:
        assert (ended.code in (0, 1, 2), "Traceback" in ended.err) == (True, False)
    else:
        ended.check_rejected(way.arguments[-1], shape.named)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "shape"), [*_pairs(IGNORED_FILE_WAYS, FILES), *_pairs(IGNORED_DIRECTORY_WAYS, DIRECTORIES)]
)
def test_what_is_ignored_is_not_touched(repository: Path, way: Way, shape: Shape) -> None:
    shape.make(prepared(repository, way))
    ended = build(repository)
    ended.check()
    assert (ended.code, ended.out, ended.err) == (0, PLAIN, "")


@pytest.mark.slow
@pytest.mark.parametrize(("way", "shape"), [*_pairs(LISTING_WAYS, FILES)])
def test_an_overlay_that_cannot_be_read_lists_nothing(repository: Path, way: Way, shape: Shape) -> None:
    shape.make(prepared(repository, way))
    build(repository, *way.arguments).check_rejected("jobs/t.yaml.j2", "is a template that no overlay lists")


def _secrets_beside(repository: Path) -> None:
    for name in ("outside", "repo-secrets"):
        write(repository.with_name(name), {"secret": SECRET})


@pytest.mark.parametrize("text", sample(WAYS_OUT, every=9))
def test_resource_that_leads_out(repository: Path, text: str) -> None:
    _secrets_beside(repository)
    write(repository, {"o/overlay.yaml": "", "deep/o/overlay.yaml": stream(*overlay(text))})
    ended = build(repository, "deep/o")
    ended.check_rejected("deep/o/overlay.yaml:", " error KTJ0")
    assert "root:" not in ended.err


@pytest.mark.slow
@pytest.mark.parametrize("text", WAYS_OUT.values(), ids=WAYS_OUT)
def test_patch_that_leads_out(repository: Path, text: str) -> None:
    _secrets_beside(repository)
    patches = [{"target": {"kind": "ConfigMap"}, "path": text}]
    write(repository, {"deep/o/overlay.yaml": stream(*overlay("a.yaml", patches=patches)), "deep/o/a.yaml": PLAIN})
    ended = build(repository, "deep/o")
    ended.check_rejected(" error KTJ0")
    assert "root:" not in ended.err


@pytest.mark.slow
@pytest.mark.parametrize("text", WAYS_OUT.values(), ids=WAYS_OUT)
def test_runtimes_that_lead_out(repository: Path, text: str) -> None:
    _secrets_beside(repository)
    write(repository, {"trainjob.yaml": stream(*config(runtimes=[text])), "jobs/a.yaml": JOB})
    build(repository, "jobs").check_rejected("error")


@pytest.mark.slow
@pytest.mark.parametrize("text", WAYS_OUT.values(), ids=WAYS_OUT)
def test_patterns_that_lead_out(repository: Path, text: str) -> None:
    """They select entries of the repository, so all that they can do is to select none, or to be rejected."""
    _secrets_beside(repository)
    write(repository, {"trainjob.yaml": stream(*config(ignore=[text])), "jobs/a.yaml": PLAIN})
    ended = build(repository, "jobs")
    ended.check()
    assert (ended.code, ended.out) == (0, PLAIN) or (ended.code, ended.out) == (1, "")


def test_link_behind_which_the_way_goes_up(repository: Path) -> None:
    """For the system `link/..` is where the link leads; paths of a repository are meant as they are written."""
    write(repository.with_name("outside"), {"inner/x": "", "a.yaml": SECRET})
    write(repository, {"o/overlay.yaml": stream(*overlay("link/../a.yaml")), "o/a.yaml": PLAIN})
    (repository / "o/link").symlink_to("../../outside/inner")
    ended = build(repository, "o")
    ended.check()
    assert (ended.code, ended.out) == (0, PLAIN)


def _shown(name: str) -> str:
    """The longest part of a name that is shown as it is."""
    return max("".join(char if " " <= char <= "~" else "\0" for char in name).split("\0"), key=len)


_PLACES = ["jobs/{}.yaml", "jobs/{}.d/x.yaml", "jobs/{}.d/deep/x.yaml"]


@pytest.mark.parametrize("place", sample(_PLACES, every=3))
@pytest.mark.parametrize("kind", ["broken", "locked", "link"])
def test_names(repository: Path, kind: str, place: str) -> None:
    for name in NAMES.values():
        file = repository / place.format(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to("../secret") if kind == "link" else file.write_text(BROKEN)
        file.chmod(0) if kind == "locked" else None
    ended = build(repository, "jobs")
    ended.check_rejected()
    if kind == "locked":  # the first one ends it
        assert any(_shown(name) in ended.err for name in NAMES.values())
    else:
        assert [name for name in NAMES.values() if _shown(name) not in ended.err] == []
        assert sum(" error KTJ0" in line for line in ended.err.splitlines()) == len(NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_name_everywhere(repository: Path, name: str) -> None:
    """As an overlay's directory that its template names, passed by, named as a PATH, and as where to write to."""
    template = stream(config_map("plain")) + "data: {from: {{ overlay.name | tojson }}}\n"
    template = template.replace("data: {}\n", "")
    write(repository, {f"{name}/overlay.yaml": stream(*overlay("t.yaml.j2")), f"{name}/t.yaml.j2": template})
    write(repository, {"jobs/a.yaml": PLAIN})
    if name.encode(errors="ignore").decode() == name:  # else YAML cannot say it
        write(repository, {"trainjob.yaml": stream(*config(runtimes=[name]))})
    passed, named, missing = build(repository), build(repository, name), build(repository, f"{name}/missing")
    written = build(repository, "jobs", "-O", f"../{name}/out")
    for ended in (passed, named, missing, written):
        ended.check()
    assert (passed.code, passed.out, missing.code, written.code) == (0, PLAIN, 2, 0)
    assert all(_shown(name) in ended.err for ended in (passed, missing, written))
    assert named.code == 1 or yaml.safe_load(named.out)["data"]["from"] in (name, name.rpartition("\\")[2])
    assert (repository.parent / name / "out/configmap_plain.yaml").read_text() == PLAIN


def test_a_hard_link_is_a_file(repository: Path) -> None:
    write(repository, {"a.txt": PLAIN})
    (repository / "jobs").mkdir()
    os.link(repository / "a.txt", repository / "jobs/a.yaml")
    assert build(repository, "jobs").out == PLAIN


def test_names_that_differ_in_case_are_two_files(repository: Path) -> None:
    write(repository, {f"jobs/{name}.yaml": stream(config_map(f"c{i}")) for i, name in enumerate(("a", "A", "ſ", "s"))})
    ended = build(repository, "jobs")
    ended.check()
    assert [body["metadata"]["name"] for body in yaml.safe_load_all(ended.out)] == ["c0", "c1", "c2", "c3"]


@pytest.mark.parametrize(("levels", "is_read"), [(64, True), (65, False), (300, False)])
def test_depth_of_directories(repository: Path, levels: int, is_read: bool) -> None:
    """Counted from the directory that is read; the template makes us look for overlays as deep."""
    deep = "/".join(["jobs", *["d"] * levels])
    write(
        repository,
        {f"{deep}/a.yaml": PLAIN, "jobs/t.yaml.j2": "", "o/overlay.yaml": stream(*overlay("../jobs/t.yaml.j2"))},
    )
    ended = build(repository, "jobs")
    if is_read:
        ended.check()
        assert (ended.code, ended.out) == (0, PLAIN)
    else:
        ended.check_rejected("d:1:1: error KTJ025", "is below too many directories")


@pytest.mark.slow
@pytest.mark.parametrize(("count", "suffix"), [(20_000, "yaml"), (20_001, "yaml"), (100_000, "txt")])
def test_many_files(repository: Path, count: int, suffix: str) -> None:
    (repository / "jobs").mkdir()
    for number in range(count):
        name = repository / f"jobs/{number}.{suffix}"
        name.write_text(stream(config_map(f"c{number}")) if suffix == "yaml" else "")
    write(repository, {"jobs/last.yaml": PLAIN} if suffix == "txt" else {})
    ended = build(repository, "jobs")
    if count == 20_001:
        ended.check_rejected("error KTJ022", "more than 20000 documents")
    else:
        ended.check()
        assert ended.out.count("kind: ConfigMap") == (1 if suffix == "txt" else count)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda git, _: git.symlink_to("../outside"), id="link"),
        pytest.param(lambda git, _: git.symlink_to("nowhere"), id="link to nowhere"),
        pytest.param(lambda git, _: os.mkfifo(git), id="pipe"),
        pytest.param(lambda git, _: git.write_text("gitdir: ../outside\n"), id="file"),
        pytest.param(lambda git, outside: write(git, {"commondir": str(outside), "HEAD": "ref: x"}), id="elsewhere"),
    ],
)
def test_git_s_own_folder_is_only_a_mark(tmp_path: Path, make: Callable[[Path, Path], object]) -> None:
    write(tmp_path, {"repo/jobs/a.yaml": PLAIN, "outside/config": SECRET, "outside/a.yaml": SECRET})
    make(tmp_path / "repo/.git", tmp_path / "outside")
    ended = build(tmp_path / "repo")
    ended.check()
    assert (ended.code, ended.out) == (0, PLAIN)


@pytest.mark.parametrize(
    "name", sample(["yaml", "click", "jinja2", "sitecustomize", "usercustomize", "kubectl_trainjob", "json"], every=3)
)
def test_python_in_a_repository_is_not_run(repository: Path, name: str) -> None:
    """By the command that is installed; `python -m` takes modules from the current directory, whoever calls it."""
    files = [f"{name}.py", f"{name}/__init__.py", f"o/{name}.py"]
    write(repository, dict.fromkeys(files, "import os\nos._exit(42)\n"))
    write(repository, {"o/overlay.yaml": stream(*overlay("t.yaml.j2")), "o/t.yaml.j2": PLAIN})
    ended = run([require("kubectl-trainjob"), "build", "o"], repository)
    ended.check()
    assert (ended.code, ended.out) == (0, PLAIN)


def test_what_cannot_be_read_is_not_replaced_by_the_catalogue(repository: Path) -> None:
    """A link for a runtime whose name the catalogue has, too."""
    write(
        repository,
        {"trainjob.yaml": stream(*config(catalog=True)), "jobs/a.yaml": stream(train_job("j", "torch-distributed"))},
    )
    assert build(repository, "jobs").code == 0
    (repository / "runtimes").mkdir()
    (repository / "runtimes/torch-distributed.yaml").symlink_to("../torch.txt")
    build(repository, "jobs").check_rejected("runtimes/torch-distributed.yaml", "symbolic link")
