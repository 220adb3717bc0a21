"""A hostile repository whose revisions are read: it starts no program, and what it holds stays text.

Each trap is one that git itself springs (the test shows that last), and that we must not.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.repository.git import git as git_module
from kubectl_trainjob.repository.git.commits import Repository
from tests.cli.manifests import config_map, stream
from tests.hostile.paths_program import CANARY
from tests.hostile.paths_shapes import DIRECTORIES, FILES, LINK, LOOP, Shape
from tests.hostile.paths_ways import (
    DIRECTORY_WAYS,
    FILE_WAYS,
    FOUND_DIRECTORIES,
    NAMED_DIRECTORY_WAYS,
    NAMED_FILE_WAYS,
    Way,
)
from tests.hostile.paths_world import prepared
from tests.loops import sample
from tests.reading import open_repository
from tests.unit.repository.files.git_repository import GitRepository, outcome, read_at

pytestmark = pytest.mark.slow

_MAP = stream(config_map("plain"))
_MISSING = "f" * 40
_PROMISOR = {"core.repositoryFormatVersion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true"}
_EXT = {"protocol.ext.allow": "always"}
_SSH = "ssh://example.invalid/x"
_LAZY = ("cat-file", "-p", _MISSING)
_HOOKS = ("post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc", "fsmonitor-watchman")


@dataclass(frozen=True)
class Trap:
    """Settings of a repository ("{}" is the program), files that it holds, and the command of git that springs it."""

    springs: tuple[str, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""


_CHECKOUT = ("checkout", "-f", "HEAD~2", "--", "jobs")
_DIFF = ("diff", "HEAD~2")

TRAPS = {
    "file monitor": Trap(("status",), {"core.fsmonitor": "{}"}),
    "hooks elsewhere": Trap(("checkout", "-q", "-B", "x"), {"core.hooksPath": "hooks"}),
    "hooks": Trap(("checkout", "-q", "-B", "x")),
    "diff": Trap(_DIFF, {"diff.external": "{}"}),
    "text conversion": Trap(_DIFF, {"diff.x.textconv": "{}"}, {".gitattributes": "*.yaml diff=x\n"}),
    "diff of an attribute": Trap(_DIFF, {"diff.x.command": "{}"}, {".gitattributes": "*.yaml diff=x\n"}),
    "smudge": Trap(_CHECKOUT, {"filter.x.smudge": "{}"}, {".gitattributes": "*.yaml filter=x\n"}),
    "clean": Trap(("add", "--renormalize", "."), {"filter.x.clean": "{}"}, {".gitattributes": "*.yaml filter=x\n"}),
    "filter process": Trap(
        _CHECKOUT,
        {"filter.lfs.process": "{}", "filter.lfs.required": "true"},
        {".gitattributes": "*.yaml filter=lfs diff=lfs merge=lfs -text\n"},
    ),
    "ssh": Trap(("fetch",), {"core.sshCommand": "{}", "remote.origin.url": _SSH}),
    "git protocol": Trap(("fetch",), {"core.gitProxy": "{}", "remote.origin.url": "git://example.invalid/x"}),
    "ext": Trap(("fetch",), {"remote.origin.url": "ext::{}", **_EXT}),
    "upload-pack": Trap(("fetch",), {"remote.origin.url": ".", "remote.origin.uploadpack": "{}"}),
    "pager": Trap(("grep", "-O", "kind"), {"core.pager": "{}"}),
    "editor": Trap(("commit", "--amend", "--allow-empty"), {"core.editor": "{}"}),
    "alias": Trap(
        ("x",), {f"alias.{name}": "!{}" for name in ("x", "rev-parse", "cat-file", "merge-base", "for-each-ref")}
    ),
    "credentials": Trap(
        ("credential", "fill"), {"credential.helper": "!{}"}, stdin=b"protocol=https\nhost=example.invalid\n\n"
    ),
    "password": Trap(("credential", "fill"), {"core.askPass": "{}"}, stdin=b"protocol=https\nhost=example.invalid\n\n"),
    "signature": Trap(("log", "--all"), {"gpg.program": "{}", "log.showSignature": "true"}),
    "alternates": Trap(("rev-list", "--alternate-refs"), {"core.alternateRefsCommand": "{}"}),
    "included": Trap(("status",), {"include.path": "../included"}, {"included": "[core]\nfsmonitor = {}\n"}),
    "included by condition": Trap(
        ("status",), {"includeIf.gitdir:/.path": "../included"}, {"included": "[core]\nfsmonitor = {}\n"}
    ),
    "promisor, ext": Trap(_LAZY, {**_PROMISOR, **_EXT, "remote.origin.url": "ext::{}"}),
    "promisor, remote helper": Trap(
        _LAZY, {**_PROMISOR, **_EXT, "remote.origin.url": "{}", "remote.origin.vcs": "ext"}
    ),
    "promisor, upload-pack": Trap(_LAZY, {**_PROMISOR, "remote.origin.url": ".", "remote.origin.uploadpack": "{}"}),
    "promisor, ssh": Trap(_LAZY, {**_PROMISOR, "remote.origin.url": _SSH, "core.sshCommand": "{}"}),
    "submodule": Trap(
        ("-c", "protocol.ext.allow=always", "submodule", "update", "--init"),
        {"submodule.vendor.url": "ext::{}", **_EXT},
        {".gitmodules": '[submodule "vendor"]\npath = vendor\nurl = ext::{}\n'},
    ),
    "submodule's update": Trap(
        ("submodule", "update"),
        {"submodule.vendor.url": "{repo}", "submodule.vendor.update": "!{}"},
        {".gitmodules": '[submodule "vendor"]\npath = vendor\nurl = {repo}\n'},
    ),
}


class Trapped:
    """A repository with a trap, beside it the program that would leave a file behind."""

    def __init__(self, directory: Path, trap: Trap, name: str) -> None:
        self.canary = directory / "canary"
        self._program = directory / "program"
        self._trap = trap
        self._script(self._program)
        self.made = GitRepository(directory / "repo")
        files = {path: self._meant(text) for path, text in trap.files.items()}
        self.made.commit({"jobs/a.yaml": _MAP, **files})
        self.made.commit({"jobs/a.yaml": stream(config_map("second"))})
        self._submodule()
        self._incomplete()
        self._signed()
        self._alternate(directory)
        self._hooks(name)
        for key, value in trap.settings.items():
            self.made.git("config", key, self._meant(value))
        self.canary.unlink(missing_ok=True)  # settings were read meanwhile

    def spring(self) -> None:
        """Run the command that springs the trap."""
        self.made.git(*self._trap.springs, code=None, stdin=self._trap.stdin, GIT_TERMINAL_PROMPT="0")

    def _meant(self, text: str) -> str:
        return text.replace("{}", str(self._program)).replace("{repo}", str(self._program.parent / "repo"))

    def _script(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch {self.canary}\nexit 1\n")
        path.chmod(0o755)

    def _submodule(self) -> None:
        first = self.made.git("rev-parse", "HEAD")
        self.made.git("update-index", "--add", "--cacheinfo", f"160000,{first},vendor")
        self.made.git("commit", "-q", "-m", "submodule")

    def _incomplete(self) -> None:
        """A commit one of whose files is missing: a promisor's objects may be."""
        blob, tree = self.made.blob(_MAP.encode()), self.made.git("rev-parse", "HEAD^{tree}")
        tree = self.made.tree(("100644", b"a.yaml", blob), ("100644", b"b.yaml", _MISSING))
        self.incomplete = self.made.commit_of(tree)
        self.made.git("update-ref", "refs/heads/incomplete", self.incomplete)

    def _signed(self) -> None:
        plain = self.made.git("cat-file", "commit", "HEAD")
        head, _, message = plain.partition("\n\n")
        signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
        text = f"{head}\n{signature}\n\n{message}\n"
        signed = self.made.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=text.encode())
        self.made.git("update-ref", "refs/heads/signed", signed)

    def _alternate(self, directory: Path) -> None:
        other = GitRepository(directory / "alternate")
        other.commit({"a.yaml": _MAP})
        (self.made.path / ".git/objects/info/alternates").write_text(f"{other.path}/.git/objects\n")

    def _hooks(self, name: str) -> None:
        folder = {"hooks": ".git/hooks", "hooks elsewhere": "hooks"}.get(name)
        for hook in _HOOKS if folder else ():
            self._script(self.made.path / f"{folder}/{hook}")


def _use(trapped: Trapped) -> None:
    """All that there is to ask of a repository."""
    with open_repository(str(trapped.made.path)) as repository:
        head, first = repository.resolve("HEAD"), repository.resolve("HEAD~2")
        repository.upstream()
        for ref in ("signed", "nothing", "HEAD@{upstream}", "main@{push}", *HOSTILE_REFS):
            _rejected(lambda ref=ref: repository.resolve(ref))  # type: ignore[misc]
        assert repository.merge_base(head, first).id == first.id
        _rejected(lambda: repository.merge_base(head, repository.resolve("incomplete")))
        assert [each.id.name for each in read_at(repository, first.id, "jobs").inputs] == ["plain"]
        assert [each.id.name for each in read_at(repository, "HEAD").inputs] == ["second"]
        assert not read_at(repository, "HEAD", "vendor").inputs
        assert len(read_at(repository, "signed").inputs) == 1
        with pytest.raises(EnvironmentFault, match=r"it is (missing|broken)"):
            read_at(repository, "incomplete", ".")
        assert len(read_at(repository, "incomplete", "a.yaml").inputs) == 1


def _rejected(ask: Callable[[], object]) -> None:
    """Whether there is an answer is no matter here."""
    with contextlib.suppress(EnvironmentFault):
        ask()


@pytest.fixture
def enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Trapped]:
    """Makes a repository with a trap the current directory."""

    def make(name: str) -> Trapped:
        trapped = Trapped(tmp_path, TRAPS[name], name)
        monkeypatch.chdir(trapped.made.path)
        return trapped

    return make


@pytest.mark.parametrize("name", sample(list(TRAPS), every=3))
def test_a_repository_starts_no_program(enter: Callable[[str], Trapped], name: str) -> None:
    trapped = enter(name)
    _use(trapped)
    assert not trapped.canary.exists()
    trapped.spring()
    assert trapped.canary.exists(), "this is no trap"


@pytest.mark.parametrize("name", sample([name for name in TRAPS if name.startswith("promisor")], every=3))
@pytest.mark.parametrize("left", ["GIT_NO_LAZY_FETCH", "GIT_ALLOW_PROTOCOL"])
def test_each_lock_on_fetching_holds_alone(
    enter: Callable[[str], Trapped], monkeypatch: pytest.MonkeyPatch, name: str, left: str
) -> None:
    """Older git does not know the first one."""
    monkeypatch.delitem(git_module._ENVIRONMENT, left)
    trapped = enter(name)
    _use(trapped)
    assert not trapped.canary.exists()


@pytest.mark.parametrize(
    "variable", sample(["GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_EXEC_PATH", "GIT_ASKPASS"], every=3)
)
def test_the_environment_starts_no_program(
    enter: Callable[[str], Trapped], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str
) -> None:
    trapped = enter("promisor, ssh")
    monkeypatch.setenv(variable, str(tmp_path if variable == "GIT_EXEC_PATH" else tmp_path / "program"))
    monkeypatch.setenv("GIT_TRACE", str(trapped.canary))
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trapped.canary))
    _use(trapped)
    assert not trapped.canary.exists()


@pytest.mark.parametrize("path", sample([".", "", "bin", "./bin", "../repo"], every=3))
def test_a_git_of_the_repository_is_not_run(
    enter: Callable[[str], Trapped], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    trapped = enter("hooks")
    for place in ("git", "bin/git"):
        trapped._script(trapped.made.path / place)
    monkeypatch.setenv("PATH", os.pathsep.join([path, os.environ["PATH"]]))
    _use(trapped)
    assert not trapped.canary.exists()


HOSTILE_REFS = [
    "",
    " ",
    "-",
    "--",
    "--output=x",
    "-u./x",
    "--exec=touch x",
    "--all",
    "--git-dir=.",
    "-c core.fsmonitor=x",
    "--end-of-options",
    "ext::sh -c touch% x",
    "HEAD:jobs/a.yaml",
    "HEAD:",
    ":jobs/a.yaml",
    ":0:jobs/a.yaml",
    ":/second",
    "HEAD^{/second}",
    "HEAD^{tree}",
    "HEAD^{blob}",
    "HEAD^@",
    "HEAD^!",
    "HEAD^-",
    "^HEAD",
    "~1",
    "HEAD..main",
    "HEAD...main",
    "..",
    "HEAD\n",
    "HEAD\nmain",
    "\nHEAD",
    "HEAD\r",
    "HEAD\0",
    "HEAD\0main",
    "HEAD main",
    "HEAD\tmain",
    "HEAD\x7f",
    "HEAD\x1b[2J",
    "refs/heads/*",
    "ma?n",
    "[m]ain",
    "a\\b",
    "@{",
    "@{u:}",
    "@{a\nb}",
    "main@{upstream}:jobs",
    "HEAD~" + "9" * 20,
    "a" * 1001,
    "\ud800",
]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in which nothing is wrong."""
    made = GitRepository(tmp_path_factory.mktemp("plain"))
    made.commit({"jobs/a.yaml": _MAP})
    return made.path


@pytest.mark.parametrize("ref", [pytest.param(ref, id=ascii(ref)[:40]) for ref in HOSTILE_REFS])
def test_what_is_no_name_never_reaches_git(plain: Path, monkeypatch: pytest.MonkeyPatch, ref: str) -> None:
    with open_repository(str(plain)) as repository:
        monkeypatch.setattr(repository._git, "run", lambda *arguments: pytest.fail(f"git was asked: {arguments}"))
        with pytest.raises(EnvironmentFault, match="is not a name of a commit; write a branch, a tag or an id"):
            repository.resolve(ref)
    assert sorted(each.name for each in plain.iterdir()) == [".git", "jobs"]


@pytest.mark.parametrize("ref", ["HEAD;id", "$(id)", "`id`", "HEAD|id", "HEAD&id", "a'b", 'a"b', "\u202e", "x" * 1000])
def test_names_without_a_commit(plain: Path, ref: str) -> None:
    with open_repository(str(plain)) as repository, pytest.raises(EnvironmentFault, match="does not exist in"):
        repository.resolve(ref)


def test_branches_with_odd_names(tmp_path: Path) -> None:
    """As git allows them; they are reported as hints only, which who prints them cleans."""
    made = GitRepository(tmp_path / "repo")
    made.commit({"jobs/a.yaml": _MAP})
    packed = made.path / ".git/packed-refs"
    head = made.git("rev-parse", "HEAD")
    names = [
        "refs/heads/--output=x",
        "refs/heads/-x",
        "refs/heads/main\x1b[2J",
        "refs/tags/../../x",
        "refs/heads/$(id)",
    ]
    packed.write_text("# pack-refs with: peeled fully-peeled \n" + "".join(f"{head} {name}\n" for name in names))
    with open_repository(str(made.path)) as repository:
        assert repository.resolve("$(id)").id == head
        assert repository.resolve("refs/heads/-x").id == head
        for ref in ("mian", "release", "-x"):
            with pytest.raises(EnvironmentFault):
                repository.resolve(ref)


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[GitRepository, Repository]]:
    made = GitRepository(tmp_path / "repo")
    made.commit({"jobs/a.yaml": _MAP})
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.yaml").write_text(stream(config_map(CANARY)))
    monkeypatch.chdir(made.path)
    with open_repository() as repository:
        yield made, repository


@pytest.mark.parametrize(
    ("name", "says"),
    [
        pytest.param(b"..", r'it has an entry "\.\."', id="above"),
        pytest.param(b".", r'it has an entry "\."', id="itself"),
        pytest.param(b"", 'it has an entry ""', id="nameless"),
        pytest.param(b"../../outside/a.yaml", "it has an entry", id="way out"),
        pytest.param(b"/etc/passwd", "it has an entry", id="absolute"),
        pytest.param(b"a/b.yaml", "it has an entry", id="slash"),
    ],
)
@pytest.mark.parametrize("where", ["top", "below"])
def test_names_that_no_file_can_have(
    hostile: tuple[GitRepository, Repository], name: bytes, says: str, where: str
) -> None:
    made, repository = hostile
    blob = made.blob(_MAP.encode())
    tree = made.tree(("100644", b"a.yaml", blob), ("100644", name, blob))
    if where == "below":
        tree = made.tree(("100644", b"b.yaml", blob), ("40000", b"jobs", tree))
    commit = made.commit_of(tree)
    for path in (".", "jobs"):
        with pytest.raises(EnvironmentFault, match=f'is not a valid git tree, {says}.*; run "git fsck"'):
            read_at(repository, commit, path)
    if where == "below":
        assert len(read_at(repository, commit, "b.yaml").inputs) == 1


@pytest.mark.parametrize("kinds", [("100644", "100644"), ("100644", "40000"), ("40000", "120000"), ("160000", "40000")])
def test_two_entries_of_one_name(hostile: tuple[GitRepository, Repository], kinds: tuple[str, str]) -> None:
    made, repository = hostile
    ids = {
        "100644": made.blob(_MAP.encode()),
        "120000": made.blob(b"../outside"),
        "160000": made.git("rev-parse", "HEAD"),
    }
    ids["40000"] = made.tree(("100644", b"x.yaml", ids["100644"]))
    commit = made.commit_of(made.tree(*((kind, b"jobs", ids[kind]) for kind in kinds)))
    with pytest.raises(EnvironmentFault, match="it has two entries of one name"):
        read_at(repository, commit, "jobs")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(lambda raw: b"100644 a.yaml\0" + raw[:-1], id="cut"),
        pytest.param(lambda raw: b"100644 a.yaml\0" + raw + b"100644 b", id="cut name"),
        pytest.param(lambda raw: b"100644 a.yaml\0" + raw + b"\0", id="NUL behind"),
        pytest.param(lambda raw: b"100644 a\0b.yaml\0" + raw, id="NUL in a name"),
        pytest.param(lambda raw: b"10x644 a.yaml\0" + raw, id="mode"),
        pytest.param(lambda raw: b"-100644 a.yaml\0" + raw, id="negative mode"),
        pytest.param(lambda raw: b"999999 a.yaml\0" + raw, id="mode that is not octal"),
        pytest.param(lambda raw: b" a.yaml\0" + raw, id="no mode"),
        pytest.param(lambda raw: b"a.yaml\0" + raw, id="no mode and no space"),
        pytest.param(lambda _raw: b"not at all", id="text"),
    ],
)
def test_trees_that_are_none(hostile: tuple[GitRepository, Repository], content: Callable[[bytes], bytes]) -> None:
    made, repository = hostile
    raw = bytes.fromhex(made.blob(_MAP.encode()))
    commit = made.commit_of(made.raw_tree(content(raw)))
    with pytest.raises(
        EnvironmentFault, match=r'is not a valid git tree, it (is broken|has an entry).*; run "git fsck"'
    ):
        read_at(repository, commit)
    assert len(read_at(repository, "HEAD").inputs) == 1


@pytest.mark.parametrize("name", [b".git", b".GIT", b"git~1", b"GIT~1"])
def test_what_git_keeps_is_not_read(hostile: tuple[GitRepository, Repository], name: bytes) -> None:
    """No working tree can have it, and ours rejects it on disk as well."""
    made, repository = hostile
    blob = made.blob(stream(config_map(CANARY)).encode())
    overlay = made.blob(
        b"kind: Overlay\napiVersion: kubectl-trainjob.dev/v1alpha1\nresources: [../" + name + b"/a.yaml]\n"
    )
    kept = made.tree(("100644", b"a.yaml", blob))
    over = made.tree(("100644", b"overlay.yaml", overlay))
    commit = made.commit_of(made.tree(("40000", name, kept), ("40000", b"o", over)))
    files = repository.revision(repository.resolve(commit))
    for paths in [(), (os.fsdecode(name),), (f"{os.fsdecode(name)}/a.yaml",), ("o",)]:
        found = outcome(paths, files)
        assert CANARY not in str(found)
        if paths:
            assert "belongs to git" in str(found)


@pytest.mark.parametrize(
    ("mode", "content", "says"),
    [
        pytest.param("10644", "blob", "not a regular file", id="pipe"),
        pytest.param("60644", "blob", "not a regular file", id="device"),
        pytest.param("0", "blob", "not a regular file", id="nothing"),
        pytest.param("7777777777777", "blob", "broken", id="too many digits"),
        pytest.param("100644", "tree", "broken", id="directory as a file"),
        pytest.param("40000", "blob", "broken", id="file as a directory"),
        pytest.param("120000", "tree", "broken", id="directory as a link"),
        pytest.param("100644", "commit", "broken", id="commit as a file"),
    ],
)
def test_entries_that_are_not_what_they_say(
    hostile: tuple[GitRepository, Repository], mode: str, content: str, says: str
) -> None:
    made, repository = hostile
    identity = {"blob": made.blob(_MAP.encode()), "commit": made.git("rev-parse", "HEAD")}
    identity["tree"] = made.tree(("100644", b"x.yaml", identity["blob"]))
    commit = made.commit_of(made.tree((mode, b"x.yaml", identity[content])))
    files = repository.revision(repository.resolve(commit))
    for paths in [(), ("x.yaml",)]:
        assert says in str(outcome(paths, files)).replace("is not a regular file; remove", "not a regular file")
    assert len(read_at(repository, "HEAD").inputs) == 1


def test_old_ways_to_write_modes(hostile: tuple[GitRepository, Repository]) -> None:
    """Git wrote them once, and `git fsck` only warns of them."""
    made, repository = hostile
    blob = made.blob(_MAP.encode())
    tree = made.tree(("100664", b"b.yaml", blob), ("040000", b"jobs", made.tree(("100644", b"a.yaml", blob))))
    assert len(read_at(repository, made.commit_of(tree)).inputs) == 2


@pytest.mark.parametrize("target", [b"x" * 5000, b"a\0b", b"", b"/" * 4000, b"../" * 1300, b"\xff"])
def test_odd_links(hostile: tuple[GitRepository, Repository], target: bytes) -> None:
    made, repository = hostile
    commit = made.commit_of(made.tree(("120000", b"x.yaml", made.blob(target))))
    files = repository.revision(repository.resolve(commit))
    assert "is a symbolic link, which is not followed" in str(outcome((), files))
    assert isinstance(outcome(("x.yaml",), files), str)
    assert isinstance(outcome(("x.yaml/deep",), files), str)


def _cases(ways: Mapping[str, Way], shapes: Mapping[str, Shape]) -> Iterator[Any]:
    """All pairs with links; those that hold neither the first way nor the first shape are slow."""
    links = {name: shape for name, shape in shapes.items() if "link" in name or shape.named == LOOP}
    for i, (way_name, way) in enumerate(ways.items()):
        for j, (name, shape) in enumerate(links.items()):
            is_sample = i == j % len(ways) or j == i % len(links)
            yield pytest.param(way, shape, id=f"{way_name}-{name}", marks=() if is_sample else pytest.mark.slow)


@pytest.mark.parametrize(
    ("way", "shape"),
    [
        *_cases(FILE_WAYS, FILES),
        *_cases(NAMED_FILE_WAYS, FILES),
        *_cases(DIRECTORY_WAYS, DIRECTORIES),
        *_cases(NAMED_DIRECTORY_WAYS, DIRECTORIES),
    ],
)
def test_links_are_rejected_as_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: Way, shape: Shape) -> None:
    """Whatever a repository or a person names, and whatever link stands there; then without that working tree."""
    made = GitRepository(tmp_path / "repo")
    shape.make(prepared(made.path, way))
    made.commit()
    monkeypatch.chdir(made.path)
    paths = [path for path in way.arguments if path != "-f"]
    on_disk = outcome(paths)
    with open_repository() as repository:
        for file in made.git("ls-files").splitlines():
            (made.path / file).unlink()
        found = outcome(paths, repository.revision(repository.resolve("HEAD")))
    if way.slot in FOUND_DIRECTORIES:
        assert found == on_disk  # links that reading a directory finds are skipped, wherever they lead
    elif shape is FILES["link out and in again"] or shape is DIRECTORIES["link out and in again"]:
        assert LINK in str(found)  # what lies outside is not looked at
    elif way is FILE_WAYS["template of a resource"] and not shape.inside:
        assert LINK in str(found)  # whether a file lies outside is not known
    elif found == "there is no such file":
        assert on_disk == found or "belongs to git" in str(on_disk)
    else:
        assert found == on_disk
    assert CANARY not in str(found) or shape.inside
