"""Directories of built files that are out of date."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_trainjob.compiler import pipeline
from kubectl_trainjob.lint.stale import OutputFindings, Texts, check_built, fresh_texts, stale_outputs
from kubectl_trainjob.model.stages import BuildOptions
from kubectl_trainjob.model.units import BuiltDirectory, Documents
from kubectl_trainjob.repository.files.root import SecureRoot, UnsafePathError
from kubectl_trainjob.repository.files.walk import INDEX_FILE
from kubectl_trainjob.repository.output.built_index import built_directories
from kubectl_trainjob.repository.output.directory import write_directory
from tests.reading import current, read
from tests.unit.lint.marked import JOB, RUNTIME, documents_of, joined, lines
from tests.unit.repository.files.git_repository import GitRepository

_FILE = "jobset_mnist.yaml"
_OTHER = JOB.replace("mnist", "other")


def _texts(root: Path, *jobs: str) -> Texts:
    documents = documents_of(root / "src", {"all.yaml": joined(*jobs, RUNTIME)})
    return fresh_texts(pipeline.build(documents, BuildOptions()))


def built_directory(out: Path) -> BuiltDirectory:
    """A directory of built files as a reading of the disk finds it."""
    files = SecureRoot(str(out.parent))

    def text(path: str) -> str | None:
        try:
            return files.read(f"{out.name}/{path}", 1 << 20).decode()
        except (OSError, UnsafePathError):
            return None

    return BuiltDirectory(str(out), text)


def _judged(documents: Documents) -> OutputFindings:
    return check_built(built_directories([documents]), {"": pipeline.build(documents, BuildOptions())})


def _reported(root: Path, builds: dict[str, Texts]) -> list[tuple[str, int]]:
    found, unchecked = stale_outputs(built_directory(root / "out"), builds)
    assert unchecked == ()
    assert {each.rule.id for each in found} <= {"KTJ819"}
    return lines(list(found))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    write_directory(str(tmp_path / "out"), _texts(tmp_path, JOB).items(), [], current())
    assert (tmp_path / "out" / _FILE).is_file()
    return tmp_path / "out"


def test_what_was_just_built_is_not_stale(out: Path) -> None:
    assert _reported(out.parent, {"": _texts(out.parent, JOB)}) == []


def test_a_changed_source(out: Path) -> None:
    changed = _texts(out.parent, f"{JOB}  trainer:\n    image: python:3.14-slim\n")
    number = (out / _FILE).read_text().splitlines().index("            - image: python:3.13-slim") + 1
    assert _reported(out.parent, {"": changed}) == [(_FILE, number)]


def test_an_edited_result(out: Path) -> None:
    text = (out / _FILE).read_text()
    (out / _FILE).write_text(f"# mine\n{text}")
    assert _reported(out.parent, {"": _texts(out.parent, JOB)}) == [(_FILE, 1)]
    (out / _FILE).write_text(f"{text}extra: 1\n")
    assert _reported(out.parent, {"": _texts(out.parent, JOB)}) == [(_FILE, text.count("\n") + 1)]


def test_line_ends_of_windows_are_no_change(out: Path) -> None:
    (out / _FILE).write_bytes((out / _FILE).read_bytes().replace(b"\n", b"\r\n"))
    assert _reported(out.parent, {"": _texts(out.parent, JOB)}) == []


def test_a_result_without_a_source(out: Path) -> None:
    write_directory(str(out), _texts(out.parent, JOB, _OTHER).items(), [], current())
    assert _reported(out.parent, {"": _texts(out.parent, JOB)}) == [("jobset_other.yaml", 1)]


def test_a_result_that_is_gone(out: Path) -> None:
    (out / _FILE).unlink()
    assert _reported(out.parent, {"": _texts(out.parent, JOB)}) == [(INDEX_FILE, 1)]


def test_what_an_overlay_makes_besides(out: Path) -> None:
    both = _texts(out.parent, JOB, _OTHER)
    assert _reported(out.parent, {"": {}, "prod": both}) == [(INDEX_FILE, 1)]


def test_a_part_of_the_plain_manifests_may_be_built(out: Path) -> None:
    assert _reported(out.parent, {"": _texts(out.parent, JOB, _OTHER)}) == []


def test_two_overlays_make_one_path(out: Path) -> None:
    """It is enough that the file is what one of them makes."""
    other = _texts(out.parent, f"{JOB}  trainer:\n    image: python:3.14-slim\n")
    assert _reported(out.parent, {"dev": other, "prod": _texts(out.parent, JOB)}) == []


@pytest.mark.parametrize(
    "job",
    [
        pytest.param(_OTHER, id="another job"),
        pytest.param(JOB.replace("name: mnist", "name: mnist\n  namespace: team"), id="in another namespace"),
        pytest.param(JOB.replace("plain", "missing"), id="what cannot be built"),
    ],
)
def test_a_build_of_something_else_cannot_be_judged(job: str, out: Path) -> None:
    found = stale_outputs(built_directory(out), {"": _texts(out.parent, job)})
    (cause,) = found.unchecked
    assert (found.diagnostics, cause.rules) == ((), ("KTJ819",))
    assert cause.cause.startswith(f'no build generates a file of "{out}" now: it was built from other sources')


_IGNORED = [
    pytest.param(None, "", True, id="no repository"),
    pytest.param("", "", True, id="not ignored"),
    pytest.param("/out/\n", "", False, id="ignored"),
    pytest.param("out/*\n", "", False, id="its files are ignored"),
    pytest.param("/out/\n", "out", True, id="committed all the same"),
    pytest.param("/out\n!/out\n", "", True, id="not ignored after all"),
    pytest.param("/elsewhere/\n", "", True, id="another directory"),
]


@pytest.mark.parametrize(("ignored", "added", "is_judged"), _IGNORED)
def test_what_git_ignores_is_not_looked_at(ignored: str | None, added: str, is_judged: bool, out: Path) -> None:
    root = out.parent
    if ignored is not None:
        repository = GitRepository(root)
        repository.write({".gitignore": ignored})
        repository.git("add", "--force", *([added] if added else ["src"]))
    text = (out / _FILE).read_text()
    (out / _FILE).write_text(f"# mine\n{text}")
    found = _judged(read([str(root)], lambda _most: b""))
    assert (lines(list(found.diagnostics)), found.unchecked) == ([(_FILE, 1)] if is_judged else [], ())


def test_git_is_not_asked_where_nothing_was_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subprocess.run", None)
    documents = documents_of(tmp_path / "src", {"all.yaml": joined(JOB, RUNTIME)})
    assert _judged(documents) == ((), ())


def test_without_git_every_directory_that_is_found_is_checked(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    GitRepository(out.parent).write({".gitignore": "out/*\n"})
    (out / _FILE).unlink()
    assert _judged(read([str(out.parent)], lambda _most: b"")) == ((), ())
    monkeypatch.setenv("PATH", "/nowhere")
    found = _judged(read([str(out.parent)], lambda _most: b""))
    assert lines(list(found.diagnostics)) == [(INDEX_FILE, 1)]


def test_no_index_that_can_be_read(out: Path) -> None:
    (out / INDEX_FILE).write_text("nonsense\n")
    assert _reported(out.parent, {"": _texts(out.parent, _OTHER)}) == []
    (out / INDEX_FILE).write_text("")
    assert _reported(out.parent, {"": _texts(out.parent, _OTHER)}) == []
    (out / INDEX_FILE).unlink()
    assert _reported(out.parent, {"": _texts(out.parent, _OTHER)}) == []


def test_a_link_is_not_followed(out: Path) -> None:
    (out / _FILE).rename(out.parent / "elsewhere.yaml")
    (out / _FILE).symlink_to(out.parent / "elsewhere.yaml")
    assert _reported(out.parent, {"": _texts(out.parent, JOB)}) == [(INDEX_FILE, 1)]


def test_what_cannot_be_built_makes_nothing(tmp_path: Path) -> None:
    assert _texts(tmp_path, JOB.replace("plain", "missing")) == {}


def test_the_directory_is_skipped(out: Path) -> None:
    assert ("out", "built") in [
        (Path(path).name, reason) for path, reason in read([str(out.parent)], lambda _most: b"").skipped
    ]
