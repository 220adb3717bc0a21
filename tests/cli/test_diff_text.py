"""What `diff` prints by default: a small repository, a change of its files, and all that stands on a terminal.

What is expected was written by hand, from the files.
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest

from tests.cli import diff_reports as reports
from tests.cli.pages import difference_as_text as as_text
from tests.cli.test_diff import JOB, RUNTIME, Repository, empty_repository, overlay

IN_POD = "spec.replicatedJobs[node].template.spec.template.spec"
NUMBERS = "6 Pods, 48 processes, 24 CPU, 48Gi memory, 48 nvidia.com/gpu"
REJECTED = (
    "is rejected in every state (spec.replicatedJobs is immutable); "
    "use a new name (nameHash of an overlay gives TrainJobs one), or delete and create it again."
)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repository:
    """A runtime of two nodes with 8 GPUs each, and three jobs with it."""
    made = empty_repository(tmp_path, monkeypatch, capsys)
    jobs: dict[str, str | None] = {f"jobs/{name}.yaml": JOB.replace("NAME", name) for name in ("bert", "llama", "vit")}
    made.commit({"runtimes/torch.yaml": RUNTIME, **jobs})
    return made


def job(name: str, *edits: tuple[str, str]) -> str:
    text = JOB.replace("NAME", name)
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return text


def printed(repository: Repository, *arguments: str, code: int = 1) -> str:
    """Stdout, with COMMIT for the commit's id."""
    ended, out, err = repository.diff(*arguments)
    assert ended == code, err
    return re.sub(r"HEAD \([0-9a-f]+\)", "HEAD (COMMIT)", out)


def test_an_image_of_a_runtime(repository: Repository) -> None:
    repository.write({"runtimes/torch.yaml": RUNTIME.replace("torch:1", "torch:2")})
    assert printed(repository, "HEAD") == (
        f"""\
3 TrainJobs change; 3 updates are rejected
HEAD (COMMIT) → the working tree

no number changes: 3 TrainJobs, {NUMBERS}

ClusterTrainingRuntime/torch in runtimes/torch.yaml:21 → 3 TrainJobs: ml/bert, ml/llama, ml/vit

3 × JobSet in namespace ml: changed
  Each {REJECTED}
✗ {IN_POD}.containers[node].image: torch:1 → torch:2
  in ml/bert, ml/llama, ml/vit
"""
    )


def test_the_nodes_of_a_job_with_their_lines(repository: Repository) -> None:
    repository.write({"jobs/bert.yaml": job("bert", ("numNodes: 2", "numNodes: 3"))})
    assert printed(repository, "HEAD", "--why") == (
        f"""\
1 TrainJob changes; 1 update is rejected; +1 Pod, +8 nvidia.com/gpu
HEAD (COMMIT) → the working tree

TrainJobs       3
Pods            6 → 7 (+1)
processes       48 → 56 (+8)
CPU             24 → 28 (+4)
memory          48Gi → 56Gi (+8Gi)
nvidia.com/gpu  48 → 56 (+8)

JobSet/bert in namespace ml: changed
  It {REJECTED}
✗ {IN_POD}.containers[node].env[PET_NNODES].value: '2' → '3'  (jobs/bert.yaml:10)
✗ spec.replicatedJobs[node].template.spec.parallelism: 2 → 3  (jobs/bert.yaml:10)
✗ spec.replicatedJobs[node].template.spec.completions: 2 → 3  (jobs/bert.yaml:10)
"""
    )


def test_nothing_differs(repository: Repository) -> None:
    assert printed(repository, "HEAD", code=0) == (
        f"""\
the generated objects are equal
HEAD (COMMIT) → the working tree

no number changes: 3 TrainJobs, {NUMBERS}
"""
    )


def test_what_cannot_be_built(repository: Repository) -> None:
    repository.write({"jobs/bert.yaml": job("bert", ("{name: torch}", "{name: torhc}"))})
    assert printed(repository, "HEAD", code=2) == (
        """\
incomplete: 1 TrainJob cannot be built, 1 error in the files; no difference was found
HEAD (COMMIT) → the working tree

cannot be built, so not compared: ml/bert

no number changes: 2 TrainJobs, 4 Pods, 32 processes, 16 CPU, 32Gi memory, 32 nvidia.com/gpu
"""
    )


def test_an_error_that_two_overlays_share_is_one(repository: Repository) -> None:
    files: dict[str, str | None] = {f"overlays/{name}/overlay.yaml": overlay(f"namespace: {name}\n") for name in "ab"}
    repository.commit(files)
    repository.write({"jobs/bert.yaml": job("bert", ("{name: torch}", "{name: torhc}"))})
    first = printed(repository, "HEAD", code=2).splitlines()[0]
    assert first == "incomplete: 2 TrainJobs cannot be built, 1 error in the files; no difference was found"


def test_what_cannot_be_read(repository: Repository) -> None:
    repository.write({"jobs/bert.yaml": "a: ["})
    assert printed(repository, "HEAD", code=2) == (
        """\
incomplete: not all files can be built, 1 error in the files; no difference was found
HEAD (COMMIT) → the working tree

cannot be built in full: some files of the working tree

no number changes: 2 TrainJobs, 4 Pods, 32 processes, 16 CPU, 32Gi memory, 32 nvidia.com/gpu
"""
    )


def test_a_job_that_a_hash_names_anew(repository: Repository) -> None:
    repository.commit({"overlays/prod/overlay.yaml": overlay("nameHash: true\n")})
    repository.write({"jobs/bert.yaml": job("bert", ("  trainer:\n", "  trainer:\n    args: [--lr]\n"))})
    out = printed(repository, "HEAD", "-f", "overlays/prod")
    old, new = (re.search(pattern, out) for pattern in (r"renamed from (bert-\w+)", r"renamed to (bert-\w+)"))
    assert old is not None
    assert new is not None
    blocks = out.replace(old[1], "bert-OLD").replace(new[1], "bert-NEW").removesuffix("\n").split("\n\n")
    assert [*blocks[:2], *sorted(blocks[2:])] == [
        "1 TrainJob is renamed\nHEAD (COMMIT) → the working tree",
        f"no number changes: 3 TrainJobs, {NUMBERS}",
        f"""\
JobSet/bert-NEW in namespace ml: added, renamed from bert-OLD
  {IN_POD}.containers[node].args: not set → ["--lr"]
  2 more values only contain the new name.""",
        """\
JobSet/bert-OLD in namespace ml: removed, renamed to bert-NEW
  It is deleted where pruning is on: a running job ends.""",
    ]


def test_two_overlays_that_change_alike(repository: Repository) -> None:
    names = ("overlays/dev", "overlays/prod")
    repository.commit({f"{name}/overlay.yaml": overlay("") for name in names})
    repository.write({"jobs/bert.yaml": job("bert", ("  trainer:\n", "  trainer:\n    image: torch:3\n"))})
    assert printed(repository, "HEAD") == (
        f"""\
2 TrainJobs change; 2 updates are rejected
HEAD (COMMIT) → the working tree

no number changes: 6 TrainJobs, 12 Pods, 96 processes, 48 CPU, 96Gi memory, 96 nvidia.com/gpu

TrainJob/bert in jobs/bert.yaml:10 → 2 TrainJobs: ml/bert (overlays/dev, overlays/prod)

2 × JobSet in namespace ml, of 2 overlays: changed
  Each {REJECTED}
✗ {IN_POD}.containers[node].image: torch:1 → torch:3
  in ml/bert (of overlays/dev, overlays/prod)
"""
    )


def test_an_upgrade_of_trainer(repository: Repository) -> None:
    """2.2 replaces the runtime's resources by those of the job, 2.3 merges them."""
    repository.write({"jobs/bert.yaml": job("bert") + "    resourcesPerNode: {limits: {memory: 16Gi}}\n"})
    assert printed(repository, "--trainer-version", "2.2..2.3", "-f", "jobs/bert.yaml", "-f", "runtimes") == (
        f"""\
1 TrainJob changes; 1 update is rejected; +16 nvidia.com/gpu
Trainer 2.2 → Trainer 2.3

TrainJobs       1
Pods            2
processes       2
CPU             0 → 8 (+8)
memory          32Gi
nvidia.com/gpu  0 → 16 (+16)

JobSet/bert in namespace ml: changed
  It {REJECTED}
✗ {IN_POD}.containers[node].resources.limits.cpu: not set → '4'
✗ {IN_POD}.containers[node].resources.limits[nvidia.com/gpu]: not set → '8'
"""
    )


def test_an_upgrade_that_changes_no_train_job(repository: Repository) -> None:
    repository.write({"jobs/bert.yaml": job("bert") + "    resourcesPerNode: {limits: {memory: 16Gi}}\n"})
    arguments = ("--trainer-version", "2.2..2.3", "-f", "jobs/bert.yaml", "-f", "runtimes", "--emit", "trainjob")
    assert printed(repository, *arguments) == (
        """\
new runs of 1 TrainJob would change; +16 nvidia.com/gpu
Trainer 2.2 → Trainer 2.3

TrainJobs       1
Pods            2
processes       2
CPU             0 → 8 (+8)
memory          32Gi
nvidia.com/gpu  0 → 16 (+16)

1 TrainJob stays as written, but new runs change: ml/bert
"""
    )


def test_a_runtime_as_a_trainer_gets_it(repository: Repository) -> None:
    repository.write({"runtimes/torch.yaml": RUNTIME.replace("nvidia.com/gpu: 8", "nvidia.com/gpu: 4")})
    assert printed(repository, "HEAD", "--emit", "trainjob") == (
        f"""\
new runs of 3 TrainJobs would change; -24 nvidia.com/gpu; 1 other object differs
HEAD (COMMIT) → the working tree

TrainJobs       3
Pods            6
processes       48 → 24 (-24)
CPU             24
memory          48Gi
nvidia.com/gpu  48 → 24 (-24)

ClusterTrainingRuntime/torch in runtimes/torch.yaml:23 → 3 TrainJobs: ml/bert, ml/llama, ml/vit

3 TrainJobs stay as written, but new runs change: ml/bert, ml/llama, ml/vit

ClusterTrainingRuntime/torch: changed
  It has no effect on TrainJobs that exist: running jobs keep their runtime snapshot, and so do suspended ones.
  spec.template.{IN_POD}.containers[node].resources.limits[nvidia.com/gpu]: 8 → 4
"""
    )


def test_files_that_suspend_a_job(repository: Repository) -> None:
    repository.write({"jobs/bert.yaml": job("bert", ("spec:\n", "spec:\n  suspend: true\n"))})
    assert printed(repository, "HEAD", "--emit", "trainjob") == (
        f"""\
1 TrainJob changes
HEAD (COMMIT) → the working tree

no number changes: 3 TrainJobs, {NUMBERS}

TrainJob/bert in namespace ml: changed
  It applies in place and suspends the job, and its Pods end.
  spec.suspend: false → true
"""
    )


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("variable", "is_coloured"), [("", True), ("NO_COLOR", False)])
def test_colour_is_for_terminals_only(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, variable: str, is_coloured: bool
) -> None:
    repository.write({"jobs/bert.yaml": job("bert", ("numNodes: 2", "numNodes: 3"))})
    plain = printed(repository, "HEAD")
    assert "\x1b" not in plain
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    if variable:
        monkeypatch.setenv(variable, "1")
    kept = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", _Terminal(kept, encoding="utf-8"))
    repository.diff("HEAD")
    shown = kept.getvalue().decode()
    assert ("\x1b[31m'2'\x1b[0m → \x1b[32m'3'\x1b[0m" in shown) == is_coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown).partition("\n")[0] == plain.partition("\n")[0]


def test_colour_changes_no_word() -> None:
    for of in (reports.pull_request(), reports.image_bump(), reports.upgrade(), reports.empty()):
        coloured = as_text(of, has_colour=True)
        assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == as_text(of)
        assert coloured != as_text(of)
