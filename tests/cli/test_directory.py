"""`-O DIR`: what is written, what is left alone, what is rejected, and what a cut-off leaves. Real files throughout."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.stages import ObjectId
from kubectl_trainjob.repository.files import root as root_module
from kubectl_trainjob.repository.files.walk import INDEX_FILE
from kubectl_trainjob.repository.output import folder as folder_module
from kubectl_trainjob.repository.output.directory import DirectoryResult, write_directory
from kubectl_trainjob.repository.output.folder import NEW, Folder, open_directory
from kubectl_trainjob.repository.output.layout import layout
from tests.benchmark import corpus
from tests.ordinary import ordinary_user
from tests.printed import render
from tests.reading import current
from tests.tools import require

ROOT = Path(__file__).resolve().parents[2]
FIRST = {"jobset_a.yaml": "a: 1\n", "namespaces/n/jobset_b.yaml": "b: ä\n", "namespaces/n/podgroup_b.yaml": "p: 1\n"}
SECOND = {"jobset_a.yaml": "a: 2\n", "jobset_c.yaml": "c: 1\n", "namespaces/o/jobset_b.yaml": "b: 1\n"}
THIRD = {"jobset_c.yaml": "c: 3\n", "namespaces/n/podgroup_b.yaml": "p: 1\n"}

Tree = dict[str, bytes | None]


@pytest.fixture(params=["handles", pytest.param("paths", marks=pytest.mark.slow)], autouse=True)
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With handles of directories, and by path as where there are none."""
    if request.param == "paths":
        monkeypatch.setattr(folder_module, "_HAS_HANDLES", False)
        monkeypatch.setattr(root_module, "_HAS_DIRECTORY_HANDLES", False)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def write(out: Path, files: dict[str, str], *inputs: Path | str) -> DirectoryResult:
    return write_directory(str(out), files.items(), [str(path) for path in inputs], current())


def tree(out: Path) -> Tree:
    """Every file below a directory, its content, and every folder and link."""
    found: Tree = {}
    for path in sorted(out.rglob("*")):
        name = str(path.relative_to(out))
        found[name] = path.read_bytes() if path.is_file() and not path.is_symlink() else None
    return found


def fresh(files: dict[str, str], where: Path | None = None) -> Tree:
    """What a directory holds that was never written to before."""
    with tempfile.TemporaryDirectory(dir=where) as folder:
        write(Path(folder), files)
        return tree(Path(folder))


def marks(out: Path) -> dict[str, tuple[int, int, int]]:
    found = {path: path.lstat() for path in (out, *out.rglob("*"))}
    return {str(path): (stat.st_ino, stat.st_mtime_ns, stat.st_mode) for path, stat in found.items()}


def test_a_new_directory(out: Path) -> None:
    assert write(out / "deep" / "er", FIRST) == DirectoryResult(tuple(FIRST), (), (), ())
    found = tree(out / "deep" / "er")
    assert {path: text for path, text in found.items() if text is not None and path != INDEX_FILE} == {
        path: text.encode() for path, text in FIRST.items()
    }
    assert {path for path, text in found.items() if text is None} == {"namespaces", "namespaces/n"}


def test_sha256sum_reads_the_index(out: Path) -> None:
    write(out, FIRST)
    done = subprocess.run(
        ["sha256sum", "--strict", "-c", INDEX_FILE], cwd=out, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [f"{path}: OK" for path in sorted(FIRST)]


def test_rights_are_those_of_any_new_file(out: Path) -> None:
    old = os.umask(0o027)
    try:
        write(out, FIRST)
        (out / "by-hand").touch()
        (out / "folder-by-hand").mkdir()
    finally:
        os.umask(old)
    file, folder = (out / "by-hand").stat().st_mode, (out / "folder-by-hand").stat().st_mode
    assert {path.stat().st_mode for path in out.rglob("*") if path.is_file()} == {file}
    assert {path.stat().st_mode for path in (out, *out.rglob("*")) if path.is_dir()} == {folder}


def test_nothing_is_touched_when_nothing_changed(out: Path) -> None:
    write(out, FIRST)
    before = marks(out)
    assert write(out, FIRST) == DirectoryResult((), (), tuple(FIRST), ())
    assert marks(out) == before


def test_only_what_changed_is_written_and_what_is_stale_removed(out: Path) -> None:
    write(out, FIRST | {"jobset_same.yaml": "s"})
    before = marks(out)
    result = write(out, SECOND | {"jobset_same.yaml": "s"})
    assert result == DirectoryResult(
        ("jobset_c.yaml", "namespaces/o/jobset_b.yaml"),
        ("jobset_a.yaml",),
        ("jobset_same.yaml",),
        ("namespaces/n/jobset_b.yaml", "namespaces/n/podgroup_b.yaml"),
    )
    assert tree(out) == fresh(SECOND | {"jobset_same.yaml": "s"})
    assert marks(out)[str(out / "jobset_same.yaml")] == before[str(out / "jobset_same.yaml")]


def test_the_order_of_files_does_not_show(out: Path) -> None:
    write(out, dict(reversed(FIRST.items())))
    assert tree(out) == fresh(FIRST)


def test_a_result_without_objects_removes_all_of_ours(out: Path) -> None:
    write(out, FIRST)
    write(out, {})
    assert tree(out) == {INDEX_FILE: b""}


def test_what_is_not_ours_is_left_alone(out: Path, tmp_path: Path) -> None:
    write(out, FIRST)
    foreign = ["README.md", "kustomization.yaml", ".git/config", "namespaces/n/notes.yaml", "namespaces/own/a.yaml"]
    for name in foreign:
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text("mine")
    (out / "link").symlink_to(tmp_path)
    os.mkfifo(out / "namespaces" / "pipe")
    write(out, SECOND)
    assert all((out / name).read_text() == "mine" for name in foreign)
    assert (out / "link").readlink() == tmp_path
    write(out, {})
    assert {path.name for path in (out / "namespaces").iterdir()} == {"n", "own", "pipe"}


def test_the_directory_may_be_a_link(out: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    out.symlink_to("real")
    write(out, FIRST)
    assert out.is_symlink()
    assert tree(tmp_path / "real") == fresh(FIRST)


def test_the_same_content_is_taken_for_ours(out: Path) -> None:
    """An index that was lost, or never committed, is made anew from files that are as they should be."""
    write(out, FIRST)
    (out / INDEX_FILE).unlink()
    assert write(out, FIRST).unchanged == tuple(FIRST)
    assert tree(out) == fresh(FIRST)


def test_other_line_ends_are_no_edit(out: Path) -> None:
    """Git on Windows checks files out with them."""
    write(out, FIRST)
    for path in (path for path in out.rglob("*") if path.is_file()):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    before = marks(out)
    assert write(out, FIRST).unchanged == tuple(FIRST)
    assert marks(out) == before
    write(out, SECOND)
    assert tree(out) == fresh(SECOND)


def _outside(out: Path) -> Path:
    outside = out.parent / "outside"
    outside.mkdir()
    (outside / "jobset_b.yaml").write_text("b: ä\n")
    return outside


def _replace(path: Path, make: Callable[[Path], object]) -> None:
    if path.is_dir():
        path.rename(path.with_name("moved"))
    else:
        path.unlink(missing_ok=True)
    make(path)


def _sparse(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


REJECTED = [
    pytest.param(
        lambda out: (out / "jobset_c.yaml").write_text("mine"),
        r"out/jobset_c\.yaml: it is not in the index of what was built here; move it away; nothing was written",
        id="not ours",
    ),
    pytest.param(
        lambda out: (out / "jobset_a.yaml").write_text("edited"),
        r"out/jobset_a\.yaml: it was edited after it was built; change its source instead, then remove or restore it",
        id="edited",
    ),
    pytest.param(
        lambda out: (out / "namespaces/n/jobset_b.yaml").write_text("edited"),
        r"out/namespaces/n/jobset_b\.yaml: it was edited after it was built",
        id="edited and stale",
    ),
    pytest.param(
        lambda out: [(out / name).write_text("mine") for name in ("jobset_a.yaml", "jobset_c.yaml")],
        r"out/jobset_a\.yaml: it was edited .*; nothing was written \(1 more of this kind\)",
        id="two",
    ),
    pytest.param(
        lambda out: _replace(out / "jobset_a.yaml", lambda path: path.symlink_to("namespaces/n/jobset_b.yaml")),
        r"out/jobset_a\.yaml: it is a symbolic link; move it away",
        id="link",
    ),
    pytest.param(
        lambda out: (out / "jobset_c.yaml").symlink_to("nowhere"),
        r"out/jobset_c\.yaml: it is a symbolic link; move it away",
        id="dangling link",
    ),
    pytest.param(
        lambda out: _replace(out / "namespaces/n", lambda path: path.symlink_to(_outside(out))),
        r"out/namespaces/n/jobset_b\.yaml: it is a symbolic link; move it away",
        id="link for a folder",
    ),
    pytest.param(
        lambda out: (out / "namespaces/o").symlink_to(_outside(out)),
        r"out/namespaces/o/jobset_b\.yaml: it is a symbolic link; move it away",
        id="link for a new folder",
    ),
    pytest.param(
        lambda out: _sparse(out / "jobset_c.yaml", LIMITS.output_bytes + 1),
        r"out/jobset_c\.yaml: it is not in the index of what was built here",
        id="too large to look at",
    ),
    pytest.param(
        lambda out: os.mkfifo(out / "jobset_c.yaml"),
        r"out/jobset_c\.yaml: it is not a regular file; move it away",
        id="pipe",
    ),
    pytest.param(
        lambda out: (out / "jobset_c.yaml").mkdir(),
        r"out/jobset_c\.yaml: it is not a regular file; move it away",
        id="folder in the way",
    ),
    pytest.param(
        lambda out: (out / "namespaces/o").write_text("mine"),
        r"out/namespaces/o/jobset_b\.yaml: a file has the name of a directory in its path; move the file away",
        id="file in the way of a folder",
    ),
    pytest.param(
        lambda out: (out / INDEX_FILE).write_text("<<<<<<< HEAD\n"),
        rf"out/{re.escape(INDEX_FILE)}: line 1 is not a line of an index; remove it and all files that were built",
        id="merge conflict in the index",
    ),
    pytest.param(
        lambda out: (out / INDEX_FILE).write_text(f"{'0' * 64}  ../outside/jobset_b.yaml\n"),
        "line 1 is not a line of an index",
        id="index leads out",
    ),
    pytest.param(
        lambda out: (out / INDEX_FILE).write_text(f"{'0' * 64}  .git/config\n"),
        "line 1 is not a line of an index",
        id="index names something hidden",
    ),
    pytest.param(
        lambda out: _replace(out / INDEX_FILE, lambda path: path.symlink_to("/dev/null")),
        rf"out/{re.escape(INDEX_FILE)}: it is a symbolic link",
        id="index is a link",
    ),
    pytest.param(
        lambda out: _replace(out / INDEX_FILE, Path.mkdir),
        rf"out/{re.escape(INDEX_FILE)}: it is not a regular file",
        id="index is a folder",
    ),
]


@pytest.mark.parametrize(("meddle", "message"), REJECTED)
def test_rejected_before_anything_is_written(meddle: Callable[[Path], object], message: str, out: Path) -> None:
    write(out, FIRST)
    meddle(out)
    before = marks(out.parent)
    with pytest.raises(EnvironmentFault, match=message):
        write(out, SECOND)
    assert marks(out.parent) == before


def test_the_target_is_a_file(out: Path) -> None:
    out.write_text("mine")
    with pytest.raises(EnvironmentFault, match="out: it is not a directory"):
        write(out, FIRST)
    with pytest.raises(EnvironmentFault, match=r"out/below: .*; nothing was written"):
        write(out / "below", FIRST)
    assert out.read_text() == "mine"


def test_a_target_below_many_directories(out: Path) -> None:
    deep = os.path.join(out, *"d" * 1100)
    write(Path(deep), FIRST)
    assert sorted(os.listdir(deep)) == [INDEX_FILE, "jobset_a.yaml", "namespaces"]
    with pytest.raises(EnvironmentFault, match="name too long; nothing was written"):
        write(Path(os.path.join(out, *"e" * 4000)), FIRST)
    assert os.listdir(out) == ["d"]
    subprocess.run(["rm", "-r", str(out)], check=True)  # Python would call itself too often


@pytest.mark.parametrize(
    ("target", "input_"),
    [
        pytest.param("jobs", "jobs", id="the input itself"),
        pytest.param("jobs/out", "jobs", id="inside"),
        pytest.param("jobs/not/yet/there", "jobs", id="inside, in folders that are not there"),
        pytest.param("link/out", "jobs", id="inside through a link"),
        pytest.param("jobs/out", "link", id="the input is a link"),
        pytest.param("jobs/../jobs/out", "./jobs/team/..", id="roundabout"),
    ],
)
def test_a_directory_inside_an_input_is_rejected(
    target: str, input_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("jobs/team").mkdir(parents=True)
    Path("link").symlink_to("jobs")
    with pytest.raises(EnvironmentFault, match=f'{target}: it is in the input "{input_}", therefore the next build'):
        write_directory(target, FIRST.items(), ["-", input_], current())
    assert tree(tmp_path / "jobs") == {"team": None}


@pytest.mark.parametrize(
    "input_", ["jobset_a.yaml", "JobSet_A.yaml", "namespaces", "namespaces/n", "namespaces/n/podgroup_b.yaml"]
)
def test_an_input_is_never_written_over(input_: str, out: Path) -> None:
    """Neither what would be written nor what would be removed, however a file system takes upper case."""
    write(out, FIRST)
    before = marks(out)
    for files in (FIRST, SECOND, {}):
        with pytest.raises(EnvironmentFault, match="it is an input of this build; choose another directory"):
            write(out, files, out / input_)
    assert marks(out) == before


def test_inputs_may_lie_below_the_directory(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobset.yaml").write_text("mine")
    write(tmp_path, FIRST, tmp_path / "jobs", tmp_path / "jobset.yaml", "-", tmp_path / "gone")
    assert tree(tmp_path) == fresh(FIRST) | {"jobs": None, "jobset.yaml": b"mine"}


@pytest.mark.parametrize("path", ["/etc/x.yaml", "../x.yaml", "a/../x.yaml", ".hidden", "a//b", "A.yaml", "", "a\n"])
def test_other_paths_than_those_of_a_layout_are_a_bug(path: str, out: Path) -> None:
    with pytest.raises(ValueError, match="not a path of a layout"):
        write(out, {path: ""})
    assert not out.exists()


def test_more_than_the_limit_is_rejected(out: Path) -> None:
    files = [("a.yaml", "é" * 3), ("b.yaml", "ab")]
    write_directory(str(out), files, [], current(), most=8)
    before = marks(out)
    with pytest.raises(EnvironmentFault, match=r"the result is larger than 8 bytes, the limit \(limits.outputBytes\)"):
        write_directory(str(out), [*files, ("c.yaml", "c")], [], current(), most=8)
    assert marks(out) == before


_CHANGING = ("open", "mkdir", "replace", "unlink", "rmdir")


class _Fuse:
    """Lets `left` calls that change files through, then fails each."""

    def __init__(self, left: int, error: BaseException) -> None:
        self.left = left
        self.error = error

    def on(self, name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def guarded(*arguments: Any, **options: Any) -> Any:
            if name == "open" and not arguments[1] & os.O_CREAT:
                return real(*arguments, **options)
            if self.left == 0:
                raise self.error
            self.left -= 1
            return real(*arguments, **options)

        return guarded


@contextlib.contextmanager
def failing(after: int, error: BaseException) -> Iterator[None]:
    """The calls that change files fail after the first `after` ones."""
    fuse = _Fuse(after, error)
    with pytest.MonkeyPatch.context() as patch:
        for name in _CHANGING:
            patch.setattr(os, name, fuse.on(name))
        yield


ERRORS = [
    pytest.param(OSError(28, "No space left on device"), EnvironmentFault, id="no space"),
    pytest.param(KeyboardInterrupt(), KeyboardInterrupt, id="interrupt"),
]


@pytest.mark.parametrize("following", [SECOND, THIRD, {}], ids=["the same", "another", "nothing"])
@pytest.mark.parametrize(("error", "raised"), ERRORS)
def test_cut_off_anywhere_the_next_write_finishes(
    error: BaseException, raised: type[BaseException], following: dict[str, str], tmp_path: Path
) -> None:
    for calls in range(100):
        out = tmp_path / str(calls)
        write(out, FIRST)
        (out / "README.md").write_text("mine")
        with failing(calls, error), contextlib.suppress(raised):
            write(out, SECOND)
            break
        assert_whole(out)
        write(out, following)
        assert tree(out) == fresh(following) | {"README.md": b"mine"}
    assert 10 < calls < 100


def assert_whole(out: Path) -> None:
    """Each file is one of the first or of the second write; none goes before all that is new is there."""
    found = tree(out)
    for path, content in found.items():
        if content is not None and not path.startswith(".kubectl-trainjob-") and path != "README.md":
            assert content in {files[path].encode() for files in (FIRST, SECOND) if path in files}
    if not found.keys() >= FIRST.keys():
        assert {path: found.get(path) for path in SECOND} == {path: text.encode() for path, text in SECOND.items()}


def test_a_fault_reports_how_far_it_came(out: Path) -> None:
    write(out, FIRST)
    with (
        failing(6, OSError(28, "No space left on device")),
        pytest.raises(EnvironmentFault, match=r"out/jobset_c\.yaml: No space left on device; 1 of 5 changes were made"),
    ):
        write(out, SECOND)


_KILLED = """
import os, signal, sys
from kubectl_trainjob.repository.output.directory import write_directory
from tests.reading import current
left, replace = int(sys.argv[2]), os.replace
def dying(*arguments, **options):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    replace(*arguments, **options)
os.replace = dying
write_directory(sys.argv[1], eval(sys.argv[3]).items(), [], current())
"""


def run(program: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, **options)


def test_killed_anywhere_the_next_write_finishes(tmp_path: Path) -> None:
    for calls in range(20):
        out = tmp_path / str(calls)
        write(out, FIRST)
        done = run(_KILLED, str(out), str(calls), repr(SECOND))
        if done.returncode == 0:
            break
        assert done.returncode == -9, done.stderr
        assert (out / ".kubectl-trainjob-new").exists()
        assert_whole(out)
        write(out, SECOND)
        assert tree(out) == fresh(SECOND)
    assert calls == 5  # the index, three files, the index


_LIMITED = """
import resource, sys
from kubectl_trainjob.repository.output.directory import write_directory
from tests.reading import current
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
write_directory(sys.argv[1], {"a.yaml": "a" * 500, "b.yaml": "b" * 2000}.items(), [], current())
"""


def test_no_room_for_a_file(out: Path) -> None:
    done = run(_LIMITED, str(out))
    assert "EnvironmentFault" in done.stderr
    assert "out/b.yaml: File too large; 1 of 2 changes were made, each of them whole; build again to" in done.stderr
    assert {path for path in tree(out) if path != INDEX_FILE} == {"a.yaml"}
    write(out, FIRST)
    assert tree(out) == fresh(FIRST)


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder of a user who is not allowed everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with ordinary_user():
            yield folder
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o700)


@pytest.mark.parametrize(
    ("locked", "message"),
    [
        pytest.param("out", rf"out/{re.escape(INDEX_FILE)}: Permission denied; 0 of 5 changes were made", id="top"),
        pytest.param("out/namespaces", "out/namespaces/o: Permission denied; 2 of 5 changes", id="below"),
        pytest.param("out/namespaces/n", "n/jobset_b.yaml: Permission denied; 3 of 5 changes", id="removal"),
    ],
)
def test_folders_that_may_not_be_written(locked: str, message: str, unprivileged: Path) -> None:
    out = unprivileged / "out"
    write(out, FIRST)
    (unprivileged / locked).chmod(0o500)
    assert write(out, FIRST).unchanged == tuple(FIRST)
    with pytest.raises(EnvironmentFault, match=message):
        write(out, SECOND)
    (unprivileged / locked).chmod(0o700)
    write(out, SECOND)
    assert tree(out) == fresh(SECOND, unprivileged)


def test_a_file_that_may_not_be_read(unprivileged: Path) -> None:
    out = unprivileged / "out"
    write(out, FIRST)
    (out / "jobset_a.yaml").chmod(0o000)
    with pytest.raises(EnvironmentFault, match="Permission denied; nothing was written"):
        write(out, SECOND)
    unprivileged.chmod(0o500)
    with pytest.raises(EnvironmentFault, match="new: Permission denied; nothing was written"):
        write(unprivileged / "new", SECOND)


@pytest.mark.parametrize("name", ["jobset_a.yaml", "jobset_c.yaml", "namespaces/n/podgroup_b.yaml"])
def test_an_edit_meanwhile_is_not_lost(name: str, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(out, FIRST)
    create = Folder.create

    def edited_meanwhile(folder: Folder, *arguments: Any) -> None:
        create(folder, *arguments)
        (out / name).write_text("mine")

    monkeypatch.setattr(Folder, "create", edited_meanwhile)
    with pytest.raises(EnvironmentFault, match=f"{name}: another process changed it during the build; ") as fault:
        write(out, SECOND)
    assert "of 5 changes were made" in str(fault.value)
    assert (out / name).read_text() == "mine"


def test_no_link_is_followed(tmp_path: Path) -> None:
    """Not even one that is put in place when everything had been looked at."""
    (tmp_path / "out").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "out" / "folder").symlink_to("../outside")
    (tmp_path / "out" / "file").symlink_to("../outside/file")
    with open_directory(str(tmp_path / "out")) as top:
        with pytest.raises(OSError, match=r"directory|symbolic"), top.below("folder/below", make=True):
            pass
        with pytest.raises(FileExistsError):
            top.create("file", b"")
        top.create(NEW, b"mine")
        top.move_new(top, "file")
    assert tree(tmp_path / "outside") == {}
    assert (tmp_path / "out" / "file").read_bytes() == b"mine"


_ENDLESS = """
import sys
from kubectl_trainjob.repository.output.directory import write_directory
from tests.reading import current
for number in range(30):
    files = {f"jobset_{sys.argv[2]}{n}.yaml": f"{number}" for n in range(number % 7 + 1)}
    write_directory(sys.argv[1], files.items(), [], current())
"""


def test_two_at_a_time_take_turns(out: Path) -> None:
    """Whoever comes last has its files there, and nothing else."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    started = [subprocess.Popen([sys.executable, "-c", _ENDLESS, str(out), name], env=environment) for name in "ab"]
    assert [process.wait() for process in started] == [0, 0]
    last = {f"jobset_{name}{n}.yaml": "29" for name in "ab" for n in range(29 % 7 + 1)}
    found = set(tree(out)) - {INDEX_FILE}
    assert found in ({path for path in last if path.startswith(f"jobset_{name}")} for name in "ab")
    assert tree(out) == fresh({path: last[path] for path in found})


EXTRA: list[dict[str, Any]] = [
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "zoo"}},
    {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "zoo"}},
    {"apiVersion": "serving.knative.dev/v1", "kind": "Service", "metadata": {"name": "web", "namespace": "zoo"}},
    {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "system:x"},
        "rules": [],
    },
    {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "system-x"},
        "rules": [],
    },
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "ä" * 100, "namespace": "con"}, "data": {"ä": "on"}},
]


def test_kubectl_reads_the_same_objects(out: Path) -> None:
    objects = [*corpus.runtimes(), *map(corpus.train_job, range(10)), *EXTRA]
    texts = ["".join(render([body], "yaml")) for body in objects]
    paths = layout(map(_identity, objects))
    write_directory(str(out), zip(paths, texts, strict=True), [], current())
    (out / "README.md").write_text("no manifest")
    found = read_by_kubectl(out)
    assert sorted(found, key=_identity) == sorted(objects, key=_identity)
    kinds = [body["kind"] for body in found]
    assert kinds.index("Namespace") < kinds.index("Service")
    assert max(index for index, kind in enumerate(kinds) if kind.endswith("Runtime")) < kinds.index("TrainJob")


def _identity(body: dict[str, Any]) -> ObjectId:
    metadata = body["metadata"]
    return ObjectId(body["apiVersion"], body["kind"], metadata.get("namespace", ""), metadata["name"])


def read_by_kubectl(out: Path) -> list[dict[str, Any]]:
    """The objects of a directory in kubectl's order; the annotation is what makes it print them."""
    command = [require("kubectl"), "annotate", "--local", "-R", "-f", str(out), "example.com/read=yes", "-o", "json"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    decoder, at, found = json.JSONDecoder(), 0, []
    while at < len(text):
        body, at = decoder.raw_decode(text, at)
        at += len(text[at:]) - len(text[at:].lstrip())
        del body["metadata"]["annotations"]["example.com/read"]
        if not body["metadata"]["annotations"]:
            del body["metadata"]["annotations"]
        found.append(body)
    return found
