"""What `diff` reads: the same of two directories as of two commits, each overlay for itself, what is wrong by side.

Two commits are the judge of two directories.
"""

from __future__ import annotations

import io
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kubectl_trainjob.repository.yaml.read import Reader
from tests.cli.test_diff import JOB, RUNTIME, Repository, changes, empty_repository, overlay

Files = dict[str, str | None]

TEMPLATE = JOB.replace("NAME", "tuned-{{ values.model }}").replace("numNodes: 2", "numNodes: {{ values.nodes }}")
PATCHED = overlay(
    "namespace: team\npatches:\n- target: {kind: TrainJob, name: a}\n  patch: {spec: {trainer: {numNodes: 3}}}\n"
    "- path: ../../patches/nodes.yaml\n"
)
NODES = (
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n"
    "metadata: {name: c, namespace: ml}\nspec: {trainer: {numNodes: 4}}\n"
)
FILES: Files = {
    "runtimes/torch.yaml": RUNTIME,
    "jobs/jobs.yaml": "---\n".join(JOB.replace("NAME", name) for name in ("a", "alpha", "c")),
    "patches/nodes.yaml": NODES,
    "trainjob.yaml": "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\nignore: [patches]\n",
    "overlays/dev/overlay.yaml": PATCHED,
    "overlays/hash/overlay.yaml": overlay("nameHash: true\n"),
    "overlays/model/overlay.yaml": overlay("values: {model: llama, nodes: 2}\n").replace("../../jobs", "job.yaml.j2"),
    "overlays/model/job.yaml.j2": TEMPLATE,
}


def edited(file: str, old: str, new: str) -> Files:
    text = FILES[file]
    assert text is not None
    assert old in text
    return {file: text.replace(old, new)}


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repository:
    folder = tmp_path / "git"
    folder.mkdir()
    repository = empty_repository(folder, monkeypatch, capsys)
    repository.commit(FILES)
    return repository


def relative(folder: Path) -> tuple[str, str]:
    del folder
    return "old", "new"


def absolute(folder: Path) -> tuple[str, str]:
    return f"{folder}/old/", f"{folder}/new/"


def links(folder: Path) -> tuple[str, str]:
    for side in ("old", "new"):
        (folder / side).rename(folder / f"{side}-1")
        (folder / side).symlink_to(f"{side}-1")
    return "old", "new"


def at_other_levels(folder: Path) -> tuple[str, str]:
    (folder / "old").rename(folder / "x")
    (folder / "old").mkdir()
    (folder / "x").rename(folder / "old/x")
    return "./old/x", "new"


def plain(reported: dict[str, Any], *bases: str) -> str:
    """A report without the names of the sides, and without what the directories add to paths."""
    text = json.dumps(reported | {"old": "", "new": ""}, indent=1)
    for base in bases:
        text = text.replace(f'"{base.rstrip("/").removeprefix("./")}/', '"')
    return text.replace('"old-1/', '"').replace('"new-1/', '"')


EDITS = [
    pytest.param(
        edited("overlays/dev/overlay.yaml", "name: a}", "name: alpha}"), {"patches[0].target.name"}, id="target"
    ),
    pytest.param(edited("jobs/jobs.yaml", "name: alpha", "name: alfa"), {"TrainJob/alfa"}, id="name"),
    pytest.param(edited("overlays/model/overlay.yaml", "llama", "gemma"), {"values.model"}, id="value"),
    pytest.param(
        edited("overlays/model/job.yaml.j2", "numNodes: {{ values.nodes }}", "numNodes: 9"),
        {"template"},
        id="template",
    ),
    pytest.param(edited("patches/nodes.yaml", "numNodes: 4", "numNodes: 5"), {"patch"}, id="patch"),
    pytest.param(edited("runtimes/torch.yaml", "torch:1", "torch:2"), {"ClusterTrainingRuntime/torch"}, id="image"),
    pytest.param(edited("overlays/dev/overlay.yaml", "namespace: team", ""), {"namespace"}, id="namespace"),
    pytest.param({"overlays/dev/overlay.yaml": None}, set(), id="overlay-gone"),
    pytest.param({"overlays/new/overlay.yaml": overlay("")}, set(), id="overlay-new"),
    pytest.param({"patches/nodes.yaml": None}, {"patch"}, id="error"),
    pytest.param(edited("jobs/jobs.yaml", "{name: torch}", "{name: torhc}"), set(), id="error-in-jobs"),
]
NAMED = [relative, absolute, links, at_other_levels]


@pytest.mark.parametrize(
    ("named", "edit", "causes"),
    [
        pytest.param(
            named, *edit.values, id=f"{edit.id}-{named.__name__}", marks=() if (i + j) % 6 == 0 else pytest.mark.slow
        )
        for i, edit in enumerate(EDITS)
        for j, named in enumerate(NAMED)
    ],
)
def test_two_directories_are_reported_as_two_commits_are(
    made: Repository, named: Callable[[Path], tuple[str, str]], edit: Files, causes: set[str], monkeypatch
):
    folder = made.folder.parent
    shutil.copytree(made.folder, folder / "old", ignore=shutil.ignore_patterns(".git"))
    made.write(edit)
    shutil.copytree(made.folder, folder / "new", ignore=shutil.ignore_patterns(".git"))
    _, out, _ = made.diff("HEAD", "-o", "json")
    by_git = json.loads(out)
    assert {cause["what"] for cause in by_git["summary"]["causes"]} == causes
    monkeypatch.chdir(folder)
    sides = named(folder)
    _, out, _ = made.diff(*sides, "-o", "json")
    assert plain(json.loads(out), *sides) == plain(by_git)


def test_a_renamed_job_in_a_directory(made: Repository):
    shutil.copytree(made.folder / "jobs", made.folder / "old/jobs")
    shutil.copytree(made.folder / "jobs", made.folder / "new/jobs")
    made.write({"new/jobs/jobs.yaml": edited("jobs/jobs.yaml", "name: alpha", "name: alfa")["jobs/jobs.yaml"]})
    renamed = made.json("old", "new")["summary"]["jobs"]["renamed"]
    assert [(each["old"]["name"], each["new"]["name"]) for each in renamed] == [("alpha", "alfa")]


def test_overlays_of_directories_are_compared(made: Repository):
    for side, nodes in (("old", 3), ("new", 5)):
        for name in ("jobs/jobs.yaml", "runtimes/torch.yaml"):
            made.write({f"{side}/{name}": FILES[name]})
        text = overlay(
            f"patches: [{{target: {{kind: TrainJob}}, patch: {{spec: {{trainer: {{numNodes: {nodes}}}}}}}}}]"
        )
        made.write({f"{side}/overlays/dev/overlay.yaml": text})
    code, out, err = made.diff("old", "new", "-o", "json")
    assert (code, err) == (1, "")
    assert {each["overlay"] for each in json.loads(out)["objects"]} == {"overlays/dev"}
    _, _, err = made.diff("old", "new", "-f", ".")  # the whole of a directory, which is no repository
    assert err == "note: overlays are only compared if passed with -f: overlays/dev\n"
    assert made.diff("old", "new", "-f", "overlays/dev")[::2] == (1, "")


def test_overlays_outside_of_any_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KUBECTL_EXTERNAL_DIFF", raising=False)
    outside = Repository(tmp_path, capsys)
    own = overlay("").replace("../../jobs", "jobs.yaml, torch.yaml")
    for side, jobs in (("old", FILES["jobs/jobs.yaml"]), ("new", edited("jobs/jobs.yaml", "2", "5")["jobs/jobs.yaml"])):
        files = {"overlay.yaml": own, "jobs.yaml": jobs, "torch.yaml": FILES["runtimes/torch.yaml"]}
        outside.write({f"{side}/prod/{name}": text for name, text in files.items()})
    assert {each["overlay"] for each in outside.json("old", "new")["objects"]} == {"prod"}


def test_an_overlay_in_an_overlays_directory(made: Repository):
    inner = overlay("namespace: inner\n").replace("../../jobs", "..")
    made.commit({"overlays/hash/inner/overlay.yaml": inner})
    made.write({"overlays/hash/inner/overlay.yaml": inner.replace("namespace: inner", "namespace: other")})
    assert {each["overlay"] for each in made.json("HEAD")["objects"]} == {"overlays/hash/inner"}


def test_a_directory_that_is_no_overlay_any_more(made: Repository):
    files: Files = {
        "overlays/own/overlay.yaml": overlay("").replace("../../jobs", "d.yaml"),
        "overlays/own/d.yaml": JOB.replace("NAME", "d"),
    }
    made.commit(files)
    made.write({"overlays/own/overlay.yaml": None})
    found = [(each["change"], each["overlay"]) for each in made.json("HEAD")["objects"]]
    assert sorted(found) == [("added", ""), ("removed", "overlays/own")]


@pytest.mark.parametrize(
    ("paths", "missing"),
    [
        pytest.param(["jobs/new.yaml", "jobs/typo.yaml"], "jobs/typo.yaml", id="last"),
        pytest.param(["typo", "jobs"], "typo", id="first"),
        pytest.param(["jobs/jobs.yaml/deep"], "jobs/jobs.yaml/deep", id="below-a-file"),
        pytest.param(["jobs/jobs.yaml", "jobs/new.yaml", "overlays/dev"], "", id="none"),
    ],
)
def test_every_path_is_on_some_side(made: Repository, paths: list[str], missing: str):
    made.write({"jobs/new.yaml": JOB.replace("NAME", "new"), "overlays/dev/overlay.yaml": None})
    code, out, err = made.diff("HEAD", *(f"-f{path}" for path in paths), "-o", "json")
    if missing:
        assert (code, out) == (2, "")
        assert err.startswith(f"error: {missing}: neither HEAD (")
        assert err.endswith("nor the working tree has it; correct the path\n")
    else:
        assert (code, err) == (1, "")


WRONG = JOB.replace("{name: torch}", "{name: torhc}")


@pytest.mark.parametrize(
    ("old", "new", "sides"),
    [
        pytest.param("", "d", {"new": ["d"]}, id="only-now"),
        pytest.param("d", "", {"old": ["d"]}, id="no-longer"),
        pytest.param("d", "d", {"both": ["d"]}, id="on-both"),
        pytest.param("de", "ef", {"both": ["e"], "new": ["f"], "old": ["d"]}, id="all-three"),
    ],
)
def test_what_is_wrong_is_reported_by_side(made: Repository, old: str, new: str, sides: dict[str, list[str]]):
    made.commit(
        {"overlays/dev/overlay.yaml": None} | {f"jobs/{name}.yaml": WRONG.replace("NAME", name) for name in old}
    )
    made.write({f"jobs/{name}.yaml": None for name in old if name not in new})
    made.write({f"jobs/{name}.yaml": "# moved\n" + WRONG.replace("NAME", name) for name in new})
    code, out, err = made.diff("HEAD", "-o", "json")
    assert code == 2
    problems = json.loads(out)["problems"]
    assert {each["rule"] for each in problems} == {"KTJ201"}
    found: dict[str, list[str]] = {}
    for each in problems:
        found.setdefault(each["side"], []).append(each["file"])
    assert found == {side: [f"jobs/{name}.yaml" for name in names] for side, names in sides.items()}
    heads = [line for line in err.splitlines() if line.startswith("error: ")]
    head = made.git("rev-parse", "--short=12", "HEAD")
    words = {
        "both": "error: base and head cannot be built in full:",
        "new": f"error: the head, the working tree, cannot be built in full{'; the base can' * (len(sides) == 1)}:",
        "old": f"error: the base, HEAD ({head}), cannot be built in full{'; the head can' * (len(sides) == 1)}:",
    }
    assert heads == [words[side] for side in ("both", "new", "old") if side in sides]


def test_an_error_of_a_repeated_job_is_not_in_the_base(made: Repository):
    job = JOB.replace("NAME", "d")
    made.commit({"overlays/dev/overlay.yaml": None, "jobs/d.yaml": job})
    made.write({"jobs/d.yaml": job + "---\n" + job.replace("{name: torch}", "{name: nope}")})
    code, out, err = made.diff("HEAD", "-o", "json")
    assert code == 2
    sides = {each["rule"]: each["side"] for each in json.loads(out)["problems"]}
    assert (sides["KTJ201"], "base and head" in err) == ("new", False)


def test_what_both_trainers_reject_is_no_upgrades_fault(made: Repository):
    made.write({"jobs/d.yaml": WRONG.replace("NAME", "d")})
    code, out, err = made.diff("--trainer-version", "2.2..2.3", "-o", "json")
    assert code == 2
    assert {each["side"] for each in json.loads(out)["problems"]} == {"both"}
    assert err.startswith("error: base and head cannot be built in full:\n")


def test_standard_input_for_two_trainers(made: Repository, monkeypatch: pytest.MonkeyPatch):
    text = RUNTIME + "---\n" + JOB.replace("NAME", "d") + "    resourcesPerNode: {limits: {memory: 16Gi}}\n"
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    assert changes(made.json("--trainer-version", "2.2..2.3", "-f", "-")) == {"JobSet/d": "changed"}


def test_standard_input_is_in_no_directory(made: Repository):
    code, _, err = made.diff("jobs", "runtimes", "-f", "-")
    assert code == 2
    assert "standard input" in err


def test_wrong_arguments_are_reported_with_the_usage(made: Repository):
    code, _, err = made.diff("a", "b")
    assert code == 2
    assert err.startswith("Usage: kubectl trainjob diff ")


def test_each_file_is_parsed_once_for_all_overlays(made: Repository, monkeypatch: pytest.MonkeyPatch):
    made.commit({f"overlays/o{number}/overlay.yaml": overlay(f"namespace: n{number}\n") for number in range(5)})
    parsed: Counter[str] = Counter()
    values = Reader._values
    monkeypatch.setattr(Reader, "_values", lambda *given: parsed.update([given[1].path]) or values(*given))
    assert made.diff("HEAD")[0] == 0
    assert parsed["jobs/jobs.yaml"] == parsed["runtimes/torch.yaml"] == 1
