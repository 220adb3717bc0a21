"""A commit's files: read as they would be from the working tree of that commit."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.repository.git import objects, revision
from kubectl_trainjob.repository.git.commits import Repository
from kubectl_trainjob.repository.git.revision import NotInRevision
from tests.cli.manifests import config, config_map, overlay, runtime, stream, train_job
from tests.loops import sample
from tests.reading import open_repository
from tests.unit.repository.files.git_repository import GitRepository, outcome, read_at

_ROOT = Path(__file__).parents[4]
_MAP = stream(config_map("plain"))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    """A repository without commits, the current directory."""
    made = GitRepository(tmp_path / "repo")
    monkeypatch.chdir(made.path)
    return made


@pytest.fixture
def opened(made: GitRepository) -> Iterator[Repository]:
    with open_repository() as repository:
        assert repository.top == str(made.path)
        yield repository


def _both(repository: Repository, *paths: str, **limits: int) -> tuple[object, object]:
    """What a reading of the working tree says, and one of its commit."""
    head = repository.revision(repository.resolve("HEAD"))
    return outcome(paths, **limits), outcome(paths, head, **limits)


@pytest.mark.parametrize(
    "paths",
    [
        (),
        ("overlays/gpu-fleet",),
        ("overlays/vision/dev", "overlays/vision/prod/overlay.yaml"),
        ("overlays/vision/base",),
        ("overlays/vision", "overlays/fashion-mnist/job.yaml"),
        ("runtimes/",),
        ("./runtimes/../overlays//fashion-mnist", "nowhere"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("own_format", sample(["sha1", "sha256"], every=2))
def test_the_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_format: str, paths: tuple[str, ...]) -> None:
    made = GitRepository(tmp_path / "repo", f"--object-format={own_format}")
    for name in ("overlays", "runtimes"):
        shutil.copytree(_ROOT / name, made.path / name)
    made.commit()
    monkeypatch.chdir(made.path)
    with open_repository() as repository:
        disk, commit = _both(repository, *paths)
    assert disk == commit
    if "nowhere" not in paths:
        assert disk["inputs"] or disk["units"]


def _odd_files(made: GitRepository) -> None:
    """Whatever a reading has something to say about."""
    made.write(
        {
            "trainjob.yaml": stream(*config(ignore=["ignored", "*.skip.yaml"], runtimes=["own/rt", "own/nowhere"])),
            "own/rt/r.yaml": stream(runtime("wanted")),
            "jobs/a.yaml": stream(train_job("job", "wanted"), config_map("beside")),
            "jobs/broken.yaml": "a: [\n",
            "jobs/aliases.yaml": "a: &a [1, 2]\nb: *a\nkind: X\n",
            "jobs/latin.yaml": b"name: \xe9\n",
            "jobs/mark.yaml": b"\xef\xbb\xbf" + _MAP.encode(),
            "jobs/crlf.yaml": _MAP.replace("\n", "\r\n"),
            "jobs/ignored/x.yaml": "a: [\n",
            "jobs/x.skip.yaml": "a: [\n",
            "jobs/.hidden/x.yaml": "a: [\n",
            "jobs/large.yaml": _MAP + "#" * 3000,
            "jobs/kustomization.yaml": "resources: []\n",
            "jobs/built/.kubectl-trainjob-index": "",
            "jobs/built/x.yaml": _MAP,
            "jobs/unlisted.yaml.j2": _MAP,
            "jobs/listed.yaml.j2": stream(config_map("{{ values.name }}")),
            "jobs/deep/" + "d/" * 70 + "x.yaml": _MAP,
            "jobs/odd \u00fc\n\u202e.yaml": "a: [\n",
            "team/trainjob.yaml": stream(*config(emit="trainjob")),
            "team/jobs/x.yaml": stream(train_job("mine", "wanted")),
            "other/trainjob.yaml": stream(train_job("another", "wanted")),
            "o/overlay.yaml": stream(
                *overlay("../jobs/listed.yaml.j2", "../jobs/a.yaml", "gone.yaml", values={"name": "x"})
            ),
            "p/overlay.yaml": stream(*overlay("../o", "../jobs/broken.yaml", patches=[{"path": "p.yaml"}])),
            "p/p.yaml": "metadata: {name: beside}\nkind: ConfigMap\napiVersion: v1\n",
        }
    )
    (made.path / "jobs/a.yaml").chmod(0o755)
    (made.path / os.fsdecode(b"jobs/\xff.yaml")).write_text("a: [\n")
    for link, target in {
        "jobs/link.yaml": "a.yaml",
        "jobs/README": "a.yaml",
        "jobs/twice": "./README",
        "jobs/below": "built",
        "jobs/nowhere": "gone.yaml",
        "jobs/circle": "circle",
        "jobs/long": "../jobs/" * 200 + "a.yaml",
        "to-jobs": "jobs",
        "absolute": str(made.path / "jobs/a.yaml"),
        "out": "../outside",
        "p/p2.yaml": "p.yaml",
        "team/over": "../jobs",
    }.items():
        (made.path / link).symlink_to(target)


_ODD_PATHS = [
    (),
    (".",),
    ("jobs", "jobs/a.yaml", "o", "p"),
    ("o/overlay.yaml", "o"),
    ("p",),
    ("team",),
    ("team/jobs", "jobs/a.yaml"),
    ("other",),
    ("to-jobs",),
    ("to-jobs/a.yaml", "jobs/link.yaml", "absolute"),
    ("jobs/nowhere",),
    ("jobs/circle",),
    ("jobs/README/x",),
    ("team/over",),
    ("out",),
    ("out/x.yaml",),
    ("jobs/unlisted.yaml.j2",),
    ("jobs/large.yaml",),
    ("jobs/" + os.fsdecode(b"\xff.yaml"),),
    ("jobs/.hidden",),
]


@pytest.mark.parametrize("paths", sample({ascii(" ".join(paths)): paths for paths in _ODD_PATHS}, every=3))
@pytest.mark.parametrize("directory", sample(["team", "", "jobs"], every=3))
def test_whatever_there_is_to_say(
    made: GitRepository, monkeypatch: pytest.MonkeyPatch, paths: tuple[str, ...], directory: str
) -> None:
    _odd_files(made)
    made.commit()
    monkeypatch.chdir(made.path / directory)
    up = "../" if directory else ""
    named = [f"{up}{path}" for path in paths]
    with open_repository() as repository:
        disk, commit = _both(repository, *named, file_bytes=2000)
        absolute = _both(repository, *(os.path.abspath(path) for path in named), file_bytes=2000)
    assert disk == commit
    assert absolute[0] == absolute[1]


def test_the_working_tree_does_not_matter(made: GitRepository, opened: Repository) -> None:
    first = made.commit({"jobs/a.yaml": stream(config_map("first")), "trainjob.yaml": stream(*config(ignore=["b*"]))})
    made.commit({"jobs/a.yaml": stream(config_map("second")), "jobs/b.yaml": _MAP})
    made.write({"jobs/a.yaml": "a: [\n", "jobs/c.yaml": "a: [\n", "trainjob.yaml": "a: [\n"})
    assert [each.id.name for each in read_at(opened, first).inputs] == ["first"]
    assert [each.id.name for each in read_at(opened, "HEAD", "jobs").inputs] == ["second"]
    shutil.rmtree(made.path / "jobs")
    assert [each.id.name for each in read_at(opened, "HEAD~1", "jobs").inputs] == ["first"]


def test_what_a_commit_does_not_have(made: GitRepository, opened: Repository) -> None:
    first = made.commit({"jobs/a.yaml": _MAP})
    made.commit({"more/b.yaml": _MAP})
    with pytest.raises(NotInRevision, match=rf"^more: no such file or directory in {first[:12]}$"):
        read_at(opened, first, "jobs", "more")
    with pytest.raises(NotInRevision, match=r"in HEAD~1 \([0-9a-f]{12}\)"):
        read_at(opened, "HEAD~1", "more/b.yaml")
    old = opened.revision(opened.resolve(first))
    assert [old.named(path).kind for path in ("jobs", "jobs/a.yaml", ".")] == ["directory", "file", "directory"]
    for path in ("more", "jobs/a.yaml/x", ".git/config", "a\0b", ""):
        with pytest.raises(NotInRevision):
            old.named(path)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        pytest.param("-", "standard input is not in HEAD", id="standard input"),
        pytest.param("..", "pass two directories instead", id="above"),
        pytest.param("../repo-other/a.yaml", "pass two directories instead", id="beside"),
        pytest.param("/dev/null", "pass two directories instead", id="device"),
        pytest.param("/dev/fd/0", "pass two directories instead", id="pipe"),
    ],
)
def test_what_no_commit_has(made: GitRepository, opened: Repository, path: str, says: str) -> None:
    made.commit({"a.yaml": _MAP})
    with pytest.raises(EnvironmentFault, match=says) as caught:
        read_at(opened, "HEAD", path)
    assert not isinstance(caught.value, NotInRevision)


def test_submodules_are_empty(made: GitRepository, opened: Repository) -> None:
    first = made.commit({"jobs/a.yaml": _MAP})
    made.git("update-index", "--add", "--cacheinfo", f"160000,{first},jobs/vendor")
    made.git("update-index", "--add", "--cacheinfo", f"160000,{first},jobs/sub.yaml")
    made.git("commit", "-q", "-m", "submodules")
    assert [each.id.name for each in read_at(opened, "HEAD", "jobs").inputs] == ["plain"]
    assert not read_at(opened, "HEAD", "jobs/vendor").inputs
    with pytest.raises(NotInRevision):
        read_at(opened, "HEAD", "jobs/vendor/a.yaml")


def test_contents_are_as_git_stores_them(made: GitRepository, opened: Repository) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n"
    made.commit({"a.yaml": pointer, "b.yaml": _MAP, ".gitattributes": "*.yaml text eol=crlf ident\n"})
    read = read_at(opened, "HEAD", "b.yaml")
    assert read.inputs[0].source.file.text == _MAP
    (found,) = read_at(opened, "HEAD", "a.yaml").diagnostics  # that it is no object
    assert found.place.source.file.text == pointer


@pytest.mark.parametrize("most", sample([0, 1 << 16, 1, (1 << 16) + 1, 1000, 1 << 20], every=3))
@pytest.mark.parametrize("packed", [False, True])
def test_limits(made: GitRepository, opened: Repository, most: int, packed: bool) -> None:
    """A file with too many bytes is broken off, and the next one can be read."""
    files = {
        f"{size:07}.yaml": _MAP + "#" * (size - len(_MAP)) for size in (most, most + 1, 3 << 20) if size > len(_MAP)
    }
    made.commit({"zz.json": "{}", **files})
    made.git("gc", "-q") if packed else None
    assert _both(opened, ".", file_bytes=most)[0] == _both(opened, ".", file_bytes=most)[1]
    documents = read_at(opened, "HEAD", ".", file_bytes=most)
    too_large = [each.place.source.file.path for each in documents.diagnostics]
    assert too_large == [name for name in [*sorted(files), "zz.json"] if len(files.get(name, "{}")) > most]
    assert documents.ignored == (most >= 2)


def test_a_thousand_files_need_one_process(
    made: GitRepository, opened: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.commit({f"jobs/{number:04}.yaml": stream(config_map(f"c{number}")) for number in range(1000)})
    files = opened.revision(opened.resolve("HEAD"))
    started = []
    start = opened._git.start
    monkeypatch.setattr(opened._git, "start", lambda *arguments: started.append(arguments) or start(*arguments))
    assert len(outcome(("jobs",), files)["inputs"]) == 1000
    assert started == [("cat-file", "--batch")]


def test_closed_repositories_leave_no_process(made: GitRepository, opened: Repository) -> None:
    made.commit({"a.yaml": _MAP})
    read_at(opened, "HEAD")
    process = opened._objects._process
    assert process is not None
    assert process.poll() is None
    opened.close()
    assert process.poll() is not None
    opened.close()
    assert len(read_at(opened, "HEAD").inputs) == 1  # it starts another one


def test_git_that_does_not_answer(made: GitRepository, opened: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe in the place of an object: git waits until somebody writes to it."""
    made.commit({"a.yaml": _MAP})
    tree = made.git("rev-parse", "HEAD^{tree}")
    found = made.path / f".git/objects/{tree[:2]}/{tree[2:]}"
    commit = opened.resolve("HEAD")
    found.unlink()
    os.mkfifo(found)
    monkeypatch.setattr(objects, "_SECONDS", 0.2)
    with pytest.raises(EnvironmentFault, match="git does not send"):
        read_at(opened, commit.id)


def _remove(made: GitRepository, identity: str) -> None:
    (made.path / f".git/objects/{identity[:2]}/{identity[2:]}").unlink()


def _spoil(made: GitRepository, identity: str) -> None:
    path = made.path / f".git/objects/{identity[:2]}/{identity[2:]}"
    path.chmod(0o644)
    path.write_bytes(b"nothing that zlib knows")


def _cut(made: GitRepository, identity: str) -> None:
    path = made.path / f".git/objects/{identity[:2]}/{identity[2:]}"
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-20])


@pytest.mark.parametrize("damage", [_remove, _spoil, _cut])
@pytest.mark.parametrize("what", ["HEAD:jobs/a.yaml", "HEAD:jobs", "HEAD^{tree}"])
def test_objects_that_are_not_there(
    made: GitRepository, opened: Repository, damage: Callable[[GitRepository, str], None], what: str
) -> None:
    text = stream(config_map("plain", data="".join(map(chr, range(0x4E00, 0x5E00)))))
    made.commit({"jobs/a.yaml": text, "b.yaml": _MAP})
    commit = opened.resolve("HEAD")
    damage(made, made.git("rev-parse", what))
    with pytest.raises(EnvironmentFault, match=r'it is (missing|broken); run "git fsck"$'):
        read_at(opened, commit.id, "jobs")
    if what != "HEAD^{tree}":
        assert len(read_at(opened, commit.id, "b.yaml").inputs) == 1


def test_partial_clones(made: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not there is not fetched, and it is said how to get it; git itself would fetch it."""
    made.commit({"a.yaml": _MAP})
    made.commit({"a.yaml": stream(config_map("other"))})
    made.git("config", "uploadpack.allowFilter", "true")
    clone = made.clone(tmp_path / "clone", "--filter=blob:none")
    monkeypatch.chdir(clone.path)
    with open_repository() as repository:
        assert len(read_at(repository, "HEAD").inputs) == 1
        with pytest.raises(EnvironmentFault, match='run "git fetch --refetch --no-filter"'):
            read_at(repository, "HEAD~1")
        clone.git("fetch", "-q", "--refetch", "--no-filter")
        assert [each.id.name for each in read_at(repository, "HEAD~1").inputs] == ["plain"]


def test_endless_directories(made: GitRepository, opened: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each tree holds the one below ten times: a hundred bytes a level, 10^30 directories."""
    monkeypatch.setattr(revision, "_MOST_ENTRIES", 10_000)
    tree = made.tree(("100644", b"notes", made.blob(b"")))
    for _ in range(30):
        tree = made.tree(*(("40000", b"%d" % number, tree) for number in range(10)))
    commit = made.commit_of(tree)
    with pytest.raises(EnvironmentFault, match="more than 10000 files and directories; pass fewer"):
        read_at(opened, commit)
    assert not read_at(opened, commit, "0/" * 30).inputs


def test_worktrees_and_directories_below(made: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made.commit({"jobs/a.yaml": _MAP})
    made.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    (tmp_path / "side/jobs/b.yaml").write_text(stream(config_map("b")))
    made.git("-C", str(tmp_path / "side"), "add", "-A")
    made.git("-C", str(tmp_path / "side"), "commit", "-q", "-m", "b")
    monkeypatch.chdir(tmp_path / "side/jobs")
    with open_repository() as repository:
        assert repository.top == str(tmp_path / "side")
        assert len(read_at(repository, "HEAD", ".").inputs) == 2
        assert len(read_at(repository, "main", ".").inputs) == 1


def test_bare_repositories(made: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made.commit({"jobs/a.yaml": _MAP})
    bare = made.clone(tmp_path / "bare.git", "--bare")
    monkeypatch.chdir(bare.path)
    with open_repository() as repository:
        found = read_at(repository, "HEAD", "jobs").inputs
    assert [each.source.file.path for each in found] == ["jobs/a.yaml"]
