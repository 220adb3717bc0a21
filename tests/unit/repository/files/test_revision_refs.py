"""Which commit a name means, and what is said where it means none."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.repository.git import git as git_module
from kubectl_trainjob.repository.git.commits import Repository
from tests.cli.manifests import config_map, stream
from tests.loops import sample
from tests.reading import open_repository
from tests.tools import require
from tests.unit.repository.files.git_repository import GitRepository, read_at


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    """Three commits on `main`, a tag `v1.2` of the first one, and `side` beside the last."""
    made = GitRepository(tmp_path / "repo")
    made.commit({"a.yaml": "1"})
    made.git("tag", "-a", "-m", "first", "v1.2")
    made.commit({"a.yaml": "2"})
    made.git("branch", "side")
    made.commit({"a.yaml": "3"})
    made.git("checkout", "-q", "side")
    made.commit({"b.yaml": "1"})
    made.git("checkout", "-q", "main")
    monkeypatch.chdir(made.path)
    return made


@pytest.fixture
def opened(made: GitRepository) -> Iterator[Repository]:
    with open_repository(str(made.path)) as repository:
        yield repository


@pytest.mark.parametrize(
    "ref",
    sample(
        [
            "HEAD",
            "@",
            "main",
            "heads/main",
            "refs/heads/main",
            "v1.2",
            "v1.2^{}",
            "v1.2^{commit}",
            "v1.2^{tag}",
            "tags/v1.2^0",
            "HEAD~2",
            "HEAD^",
            "HEAD^^",
            "main~1^1~0",
            "@~1",
            "main@{1}",
            "@{1}",
            "main@{0}~1",
            "HEAD@{one second ago}",
            "@{-1}",
            "@{-1}~1",
            "side",
            "v1.2-1-g{}",
            "{}",
        ],
        every=2,
    ),
)
def test_names_mean_what_git_takes_them_for(made: GitRepository, opened: Repository, ref: str) -> None:
    ref = (
        ref.replace("{}", made.git("rev-parse", "HEAD~1")[:9])
        if ref.endswith(("g{}", "{}")) and "^" not in ref
        else ref
    )
    commit = opened.resolve(ref)
    assert commit.id == made.git("rev-parse", f"{ref}^{{commit}}")
    assert commit.name == ref
    assert str(commit) == (commit.id[:12] if commit.id.startswith(ref) else f"{ref} ({commit.id[:12]})")


@pytest.mark.parametrize(
    ("ref", "says"),
    [
        pytest.param("mian", 'did you mean "main"', id="typing error"),
        pytest.param("mian~1", 'did you mean "main~1"', id="typing error before an ancestor"),
        pytest.param("V1.3", 'did you mean "v1.2"', id="tag"),
        pytest.param("release", 'did you mean "origin/release"', id="remote branch"),
        pytest.param("HEAD~99", "pass an existing branch, tag or id", id="too far"),
        pytest.param("main@{upstream}", "no upstream configured for branch 'main'", id="no upstream"),
        pytest.param("0123456789abcdef", "pass an existing branch, tag or id", id="id of nothing"),
        pytest.param("f" * 40, "pass an existing branch, tag or id", id="whole id of nothing"),
        pytest.param("HEAD;id", "pass an existing branch, tag or id", id="shell"),
        pytest.param("$(id)", "pass an existing branch, tag or id", id="substitution"),
    ],
)
def test_names_of_nothing(made: GitRepository, opened: Repository, ref: str, says: str) -> None:
    made.git("update-ref", "refs/remotes/origin/release", "HEAD")
    with pytest.raises(EnvironmentFault) as caught:
        opened.resolve(ref)
    assert str(caught.value).startswith(f'commit "{ref}" does not exist in "{made.path}"')
    assert says in str(caught.value)


def test_what_is_no_commit(made: GitRepository, opened: Repository) -> None:
    made.git("tag", "tree", "HEAD^{tree}")
    with pytest.raises(EnvironmentFault, match='commit "tree" does not exist'):
        opened.resolve("tree")


def test_merge_base(made: GitRepository, opened: Repository) -> None:
    base = opened.merge_base(opened.resolve("main"), opened.resolve("side"))
    assert base.id == made.git("merge-base", "main", "side")
    assert str(base) == f"merge base of main and side ({base.id[:12]})"
    assert opened.merge_base(opened.resolve("HEAD"), opened.resolve("HEAD~1")).id == opened.resolve("HEAD~1").id


def test_no_merge_base(made: GitRepository, opened: Repository) -> None:
    other = made.commit_of(made.git("rev-parse", "HEAD^{tree}"))
    with pytest.raises(EnvironmentFault, match="have no common ancestor; pass the commit to compare with"):
        opened.merge_base(opened.resolve("main"), opened.resolve(other))


def _with_origin(made: GitRepository) -> None:
    made.git("remote", "add", "origin", "https://example.org/x")
    for branch in ("main", "master", "dev"):
        made.git("update-ref", f"refs/remotes/origin/{branch}", "HEAD")
    made.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/dev")


def test_the_branch_that_work_is_based_on(made: GitRepository, opened: Repository) -> None:
    """What was taken goes, one after another."""
    _with_origin(made)
    made.git("branch", "master")
    made.git("checkout", "-q", "side")
    made.git("branch", "-q", "--set-upstream-to", "master")
    made.git("tag", "main", "v1.2")  # of a branch's name
    taken = []
    for step in (
        ("branch", "--unset-upstream"),
        ("symbolic-ref", "--delete", "refs/remotes/origin/HEAD"),
        ("update-ref", "-d", "refs/remotes/origin/main"),
        ("update-ref", "-d", "refs/remotes/origin/master"),
        ("branch", "-q", "-D", "main"),
        ("branch", "-q", "-D", "master"),
    ):
        commit = opened.upstream()
        taken.append(commit.name)
        assert commit.id == made.git("rev-parse", "master")
        made.git(*step)
    assert taken == ["master", "origin/dev", "origin/main", "origin/master", "heads/main", "master"]
    with pytest.raises(
        EnvironmentFault, match=r"neither an upstream nor origin/HEAD, .*; pass a REF, for example HEAD~1"
    ):
        opened.upstream()


def test_upstream_that_is_gone(made: GitRepository, opened: Repository) -> None:
    """It was deleted after a merge, say."""
    _with_origin(made)
    made.git("branch", "-q", "--set-upstream-to", "origin/master")
    made.git("update-ref", "-d", "refs/remotes/origin/master")
    assert opened.upstream().name == "origin/dev"


_NO_COMMIT = "this repository has no commit yet: run git add . && git commit"


def test_detached_and_empty(made: GitRepository, tmp_path: Path) -> None:
    made.git("checkout", "-q", "--detach", "side")
    with open_repository() as repository:
        assert repository.upstream().name == "main"
    empty = GitRepository(tmp_path / "empty")
    with open_repository(str(empty.path)) as repository:
        for ref in ("HEAD", "main~1"):
            with pytest.raises(EnvironmentFault, match=rf'commit "{ref}" does not exist in .*; {_NO_COMMIT}$'):
                repository.resolve(ref)
        with pytest.raises(EnvironmentFault, match=f"^{_NO_COMMIT}$"):
            repository.upstream()


_DEEPEN = r'shallow[;:] get it with "git fetch --unshallow", in actions/checkout with "fetch-depth: 0"'


def test_shallow_clones(made: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made.write({"a.yaml": stream(config_map("a"))})
    made.commit()
    clone = made.clone(tmp_path / "clone", "--depth=1", "--no-single-branch")
    monkeypatch.chdir(clone.path)
    with open_repository() as repository:
        assert len(read_at(repository, "HEAD").inputs) == 1
        main, side = repository.resolve("HEAD"), repository.resolve("origin/side")
        for missing in ("HEAD~1", made.git("rev-parse", "HEAD~1"), "release-7"):
            with pytest.raises(EnvironmentFault, match=f'commit "{missing}" does not exist in .*{_DEEPEN}'):
                repository.resolve(missing)
        with pytest.raises(
            EnvironmentFault, match=f"have no common ancestor in this clone, whose history is {_DEEPEN}"
        ):
            repository.merge_base(main, side)
    clone.git("fetch", "-q", "--unshallow")
    with open_repository() as repository:
        assert repository.merge_base(main, side).id == made.git("merge-base", "main", "side")


def test_as_a_pull_request_is_checked_out(made: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One commit without a branch, as actions/checkout leaves it."""
    work = GitRepository(tmp_path / "work")
    work.git("fetch", "-q", "--depth=1", f"file://{made.path}", "+main:refs/remotes/pull/1/merge")
    work.git("checkout", "-q", "--detach", "refs/remotes/pull/1/merge")
    monkeypatch.chdir(work.path)
    with open_repository() as repository:
        with pytest.raises(EnvironmentFault, match=f"no branch to compare with .*{_DEEPEN}; or pass a REF"):
            repository.upstream()
        with pytest.raises(EnvironmentFault, match=_DEEPEN):
            repository.resolve("origin/main")


def test_no_repository(tmp_path: Path) -> None:
    advice = "pass two directories instead, or run git init and commit$"
    with pytest.raises(EnvironmentFault, match=f"not a git repository; {advice}"):
        open_repository(str(tmp_path))
    (tmp_path / ".git").mkdir()
    with pytest.raises(EnvironmentFault, match=r"/\.git: not a git repository"):
        open_repository(str(tmp_path))


def test_no_git(made: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    program = require("true")
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "bin"]))
    for directory in (made.path, made.path / "bin"):
        directory.mkdir(exist_ok=True)
        (directory / "git").symlink_to(program)
    with pytest.raises(EnvironmentFault, match="git, which is not installed; install it"):
        open_repository()


def test_git_that_does_not_end(made: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(made.path / ".git/refs/heads/pipe")
    monkeypatch.setattr(git_module, "_SECONDS", 0.2)
    with open_repository() as repository, pytest.raises(EnvironmentFault, match="git rev-parse does not end within"):
        repository.resolve("pipe")


def test_the_variables_of_a_hook_do_not_mislead(
    made: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = GitRepository(tmp_path / "other")
    other.commit({"other.yaml": stream(config_map("other"))})
    head = made.git("rev-parse", "HEAD")
    for name, value in {
        "GIT_DIR": f"{other.path}/.git",
        "GIT_WORK_TREE": str(other.path),
        "GIT_OBJECT_DIRECTORY": f"{other.path}/.git/objects",
        "GIT_INDEX_FILE": f"{other.path}/.git/index",
        "GIT_COMMON_DIR": f"{other.path}/.git",
        "GIT_NAMESPACE": "x",
        "GIT_CEILING_DIRECTORIES": str(made.path.parent),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.worktree",
        "GIT_CONFIG_VALUE_0": str(other.path),
    }.items():
        monkeypatch.setenv(name, value)
    with open_repository() as repository:
        assert (repository.top, repository.resolve("HEAD").id) == (str(made.path), head)


def test_settings_do_not_move_the_top(made: GitRepository) -> None:
    for value in ("/", "..", "/nowhere"):
        made.git("config", "core.worktree", value, GIT_WORK_TREE=str(made.path))
        with open_repository("../repo/.") as repository:
            assert repository.top == str(made.path)
            assert repository.resolve("HEAD").id


def test_repositories_of_other_people(made: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git rejects them because of what they could start."""
    monkeypatch.setitem(git_module._ENVIRONMENT, "GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    made.git("status", code=128, GIT_TEST_ASSUME_DIFFERENT_OWNER="1")
    with open_repository() as repository:
        assert repository.resolve("HEAD").id


@pytest.mark.parametrize("name", ["replace", "graft"])
def test_replacements_are_not_heeded(made: GitRepository, opened: Repository, name: str) -> None:
    """They change what a commit says, and come with no clone."""
    head, first = (made.git("rev-parse", ref) for ref in ("HEAD", "v1.2^{commit}"))
    before = opened.resolve("HEAD~1").id
    if name == "replace":
        made.git("replace", head, first)
    else:
        (made.path / ".git/info").mkdir(exist_ok=True)
        (made.path / ".git/info/grafts").write_text(f"{head} {first}\n")
    assert made.git("rev-parse", "HEAD~1", code=None) != before
    assert opened.resolve("HEAD~1").id == before


def test_an_embedded_repository_is_content(made: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory that looks like a bare repository, as any repository can hold one: git itself would use it."""
    head = made.git("rev-parse", "HEAD")
    made.clone(made.path / "jobs", "--bare")
    bare = GitRepository.__new__(GitRepository)
    bare.path = made.path / "jobs"
    bare.git("update-ref", "refs/heads/main", "HEAD~1")
    monkeypatch.chdir(bare.path)
    assert bare.git("rev-parse", "HEAD") != head
    with open_repository() as repository:
        assert (repository.top, repository.resolve("HEAD").id) == (str(made.path), head)
