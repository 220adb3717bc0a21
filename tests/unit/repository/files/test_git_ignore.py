"""What a directory leaves out because git ignores it: `git check-ignore` is the judge."""

import os
import random
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubectl_trainjob.repository.files.git_ignore import GitIgnore
from kubectl_trainjob.repository.files.patterns import Patterns
from tests.loops import for_each, sampled
from tests.tools import require

_DIRECTORIES = ("a", "b", "ab", "[x]", "a b", "é", "A", "!a", "#a")
_FILES = ("a", "b", "ab", "a.yaml", "b.yaml", "c-d", "-")
_PIECES = (
    *(
        "a",
        "b",
        "c",
        "ab",
        "-",
        "é",
        "!",
        "#",
        ".yaml",
        "\\",
        "\\*",
        "*",
        "**",
        "?",
        "/",
        "**/",
        "/**",
        "[a/b]",
        "[ab]",
    ),
    *("[!a]", "[^b]", "[a-c]", "[]a]", "[a-]", "[-a]", "[\\]a]", "[]-c]", "[b-a]", "[[a]", "[[:a]", "[a"),
    *("[[:alpha:]]", "[[:digit:]x]", "[[:space:]]", "[[:foo:]]"),
)


def _git(top: Path, *arguments: str, given: bytes = b"") -> bytes:
    command = [require("git"), "-C", str(top), *arguments]
    found = subprocess.run(command, input=given, capture_output=True, check=False)
    assert found.returncode in (0, 1), found.stderr
    return found.stdout


def _ignored_by_git(top: Path) -> set[str]:
    every = [path.relative_to(top).as_posix() for path in top.rglob("*") if ".git" not in path.relative_to(top).parts]
    answer = _git(top, "check-ignore", "-z", "--stdin", given=b"".join(os.fsencode(path) + b"\0" for path in every))
    return {os.fsdecode(path) for path in answer.split(b"\0") if path}


def _ignored(top: Path, ignore: GitIgnore, directory: str = "") -> Iterator[str]:
    """As a walk asks: a directory that is ignored is not entered."""
    for each in sorted((top / directory).iterdir()):
        path = each.relative_to(top).as_posix()
        if each.name == ".git":
            continue
        is_directory = each.is_dir() and not each.is_symlink()
        if ignore(path, is_directory):
            below = each.rglob("*") if is_directory else ()
            yield from (path, *(inner.relative_to(top).as_posix() for inner in below))
        elif is_directory:
            yield from _ignored(top, ignore, path)


def _write(top: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(text)


def _lines(chance: random.Random) -> str:
    lines = ["".join(chance.choices([*_PIECES, " "], k=chance.randint(1, 6))) for _ in range(chance.randint(1, 5))]
    return chance.choice(("\n", "\r\n")).join(lines) + chance.choice(("", "\n"))


@sampled(every=25)
@for_each("seed", range(400), at_least=400)
def test_random_rules(seed: int) -> None:
    chance = random.Random(seed)
    paths = [f"{one}/{two}/{name}" for one in _DIRECTORIES for two in _DIRECTORIES[:6] for name in _FILES]
    with tempfile.TemporaryDirectory() as name:
        top = Path(name).resolve()
        _git(top, "init", "-q")
        _write(top, dict.fromkeys(chance.sample(paths, 80), ""))
        places = [".gitignore", ".git/info/exclude", *(f"{each}/.gitignore" for each in ("a", "a/b", "b"))]
        _write(top, {path: _lines(chance) for path in chance.sample(places, chance.randint(1, 4))})
        tracked = [path for path in chance.sample(paths, 20) if (top / path).exists()]
        _git(top, "add", "-f", "--", *tracked) if tracked and chance.random() < 0.5 else None
        unread_overlays = set(_ignored(top, GitIgnore(str(top))))
        # git reports a directory with a file in the index, whose other files it ignores; a walk must enter it.
        entered = {str(parent) for path in tracked for parent in Path(path).parents}
        assert unread_overlays - entered == _ignored_by_git(top) - entered, [*top.rglob(".gitignore")]


@pytest.fixture
def top(tmp_path: Path) -> Path:
    _git(tmp_path, "init", "-q")
    return tmp_path.resolve()


@pytest.mark.parametrize("version", [2, 3, 4])
@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_a_file_in_the_index_is_not_ignored(tmp_path: Path, version: int, algorithm: str) -> None:
    _git(tmp_path, "init", "-q", f"--object-format={algorithm}")
    names = [f"out/{number:03}/job.yaml" for number in range(300)]
    _write(tmp_path, {".gitignore": "out\n", **dict.fromkeys(names, "")})
    _git(tmp_path, "add", "-f", *names[::2])
    if version == 3:
        _git(tmp_path, "add", "-N", "-f", names[1])
    _git(tmp_path, "update-index", "--index-version", str(version))
    kept = [*names[::2], names[1]] if version == 3 else names[::2]
    ignore = GitIgnore(str(tmp_path.resolve()))
    assert not ignore("out", True)
    below = {name: ignore(name.rpartition("/")[0], True) or ignore(name, False) for name in names}
    assert [name for name, is_left_out in below.items() if not is_left_out] == sorted(kept)
    assert _ignored_by_git(tmp_path) & set(names) == set(names) - set(kept)


def test_a_directory_that_is_passed_is_read(top: Path) -> None:
    _write(top, {".gitignore": "out\n*.tmp.yaml\n", "out/deep/a.tmp.yaml": "", "jobs/a.tmp.yaml": ""})
    ignore = GitIgnore(str(top))
    assert ignore("out", True)
    assert not ignore.below("out")("out/deep", True)
    assert not ignore.below("out/deep")("out/deep/a.tmp.yaml", False)
    assert ignore.below("jobs")("jobs/a.tmp.yaml", False)
    assert not GitIgnore(str(top / "out")).below("")("deep", True)  # its own root, with a trainjob.yaml


def test_a_root_below_the_top(top: Path) -> None:
    _write(
        top, {".gitignore": "/team/x\ny\n", "team/.gitignore": "!y\n", "team/x": "", "team/y": "", "team/jobs/y": ""}
    )
    ignore = GitIgnore(str(top / "team"))
    assert (ignore("x", False), ignore("y", False), ignore("jobs/y", False)) == (True, False, False)


def test_a_linked_working_tree(top: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("linked").resolve() / "tree"
    _git(top, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first")
    _git(top, "worktree", "add", "-q", str(other))
    _write(top, {".git/info/exclude": "out\n"})
    _write(other, {"out/a": "", "out/b": ""})
    _git(other, "add", "-f", "out/a")
    assert set(_ignored(other, GitIgnore(str(other)))) == {"out/b"} == _ignored_by_git(other)


def test_nothing_is_ignored_outside_of_a_repository(tmp_path: Path) -> None:
    _write(tmp_path, {".gitignore": "*\n", "a": ""})
    assert not GitIgnore(str(tmp_path.resolve()))("a", False)


def test_rules_that_cannot_be_read(top: Path) -> None:
    _write(top, {"elsewhere": "*\n", "a/x": "", ".git/index": "DIRC not an index"})
    (top / ".gitignore").symlink_to("elsewhere")
    (top / "a/.gitignore").mkdir()
    ignore = GitIgnore(str(top))
    assert not any([ignore("a", True), ignore("a/x", False)])
    (top / ".git/index").unlink()
    assert _ignored_by_git(top) == set()


@for_each("pattern", ["*a" * 60 + "b", "**/" * 40 + "*a" * 40 + "b", "/**/*a*a" * 20 + "b", "[a" * 200], at_least=4)
def test_time(pattern: str) -> None:
    patterns = Patterns([pattern.encode()])
    assert patterns.ignores(b"/".join([b"a" * 200] * 40), is_directory=False) is None
