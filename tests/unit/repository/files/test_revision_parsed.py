"""What two readings of nearly the same files share: each counts and reports for itself."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.units import Documents, manifests_of
from kubectl_trainjob.repository.files.filesystem import FileSystem
from kubectl_trainjob.repository.files.parse_cache import ParseCache
from kubectl_trainjob.repository.yaml.read import Reader
from tests.cli.manifests import config, config_map, overlay, runtime, stream, train_job
from tests.reading import disk, open_repository, read
from tests.unit.repository.files.git_repository import GitRepository, described

Read = Callable[..., Documents]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    made = GitRepository(tmp_path / "repo")
    monkeypatch.chdir(made.path)
    return made


def _read(parsed: ParseCache | None, *paths: str, files: FileSystem | None = None, **limits: int) -> Documents:
    return read(paths, bytes, replace(LIMITS, **limits), files=files or disk(), parsed=parsed)


def test_a_file_that_is_the_same_has_the_same_objects(made: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    made.commit(
        {
            "jobs/a.yaml": stream(train_job("a", "wanted"), config_map("of-a")),
            "jobs/b.yaml": stream(config_map("b")),
            "runtimes/r.yaml": stream(runtime("wanted")),
            "o/overlay.yaml": stream(*overlay("../jobs/a.yaml")),
        }
    )
    made.write({"jobs/b.yaml": stream(config_map("b", key="new"))})
    texts = []
    values = Reader._values
    monkeypatch.setattr(Reader, "_values", lambda *all_: texts.append(all_[1].path) or values(*all_))
    parsed = ParseCache()
    with open_repository() as repository:
        old = _read(parsed, "jobs", "o", files=repository.revision(repository.resolve("HEAD")))
    new = _read(parsed, "jobs", "o")
    assert [one is other for one, other in zip(old.inputs, new.inputs, strict=True)] == [True, True, False]
    assert new.inputs[2].body["data"] == {"key": "new"}
    assert old.library[0] is new.library[0]
    below = [list(manifests_of(each.units[0])) for each in (old, new)]
    assert [one is other for one, other in zip(*below, strict=True)] == [True, True]
    assert {path: texts.count(path) for path in set(texts) if "overlay" not in path} == {
        "jobs/a.yaml": 1,
        "jobs/b.yaml": 2,
        "runtimes/r.yaml": 1,
    }


def test_each_reading_reports_everything(made: GitRepository) -> None:
    made.commit(
        {
            "trainjob.yaml": stream(*config(ignore=["x"])),
            "jobs/broken.yaml": "a: [\n",
            "jobs/nameless.yaml": stream(config_map("")),
            "jobs/none.yaml": "a: 1\n---\nb: 2\n",
            "jobs/trainjob.yaml": stream(*config(emit="trainjob")),
            "jobs/same.yaml": stream(config_map("same")) * 2,
            "o/overlay.yaml": stream(*overlay("../jobs", "t.yaml.j2")),
            "o/t.yaml.j2": stream(config_map("{{ overlay.name }}")),
        }
    )
    parsed = ParseCache()
    first, second, alone = _read(parsed, ".", "o"), _read(parsed, ".", "o"), _read(None, ".", "o")
    assert described(first) == described(second) == described(alone)
    assert {each.rule.id for each in second.diagnostics} >= {"KTJ001", "KTJ043"}
    assert second.ignored == 2


@pytest.mark.parametrize(
    ("files", "limits"),
    [
        pytest.param({"a.yaml": 3, "b.yaml": 3}, {"documents": 5}, id="documents"),
        pytest.param({"a.yaml": 3, "b.yaml": 3}, {"documents": 3}, id="documents of the second file"),
        pytest.param({"a.yaml": 3, "b.yaml": 3}, {"documents": 2}, id="documents of the first file"),
        pytest.param({"a.yaml": 3, "b.yaml": 3}, {"alias_nodes": 5}, id="aliases"),
        pytest.param({"a.yaml": 3, "b.yaml": 3}, {"alias_nodes": 2}, id="aliases of the first file"),
        pytest.param({"a.yaml": 3, "b.yaml": 3}, {"build_bytes": 200}, id="bytes"),
        pytest.param({"a.yaml": 3, "b.yaml": 3}, {"file_bytes": 20}, id="bytes of a file"),
        pytest.param({"a.yaml": 3, "b.yaml": 3}, {"depth": 1}, id="depth"),
    ],
)
@pytest.mark.parametrize("before", [(), ("a.yaml",), ("b.yaml",), ("b.yaml", "a.yaml")], ids=" ".join)
def test_limits_hold_for_each_reading(
    made: GitRepository, files: dict[str, int], limits: dict[str, int], before: tuple[str, ...]
) -> None:
    """Whatever was parsed before, under these limits or others."""
    text = "a: &a x\nb: *a\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\n"
    made.write(
        {name: "---\n".join(text % f"{name}{number}" for number in range(count)) for name, count in files.items()}
    )
    parsed = ParseCache()
    _read(parsed, *before)
    _read(parsed, *before, **limits)
    alone = described(_read(None, "a.yaml", "b.yaml", **limits))
    assert alone["diagnostics"]
    assert described(_read(parsed, "a.yaml", "b.yaml", **limits)) == alone
    assert described(_read(parsed, "a.yaml", "b.yaml")) == described(_read(None, "a.yaml", "b.yaml"))


def test_settings_of_one_side_do_not_count_for_the_other(made: GitRepository) -> None:
    """The same file is a repository's settings on one side, and in the way on the other."""
    text = stream(*config(emit="trainjob"))
    made.commit({"jobs/trainjob.yaml": text, "jobs/a.yaml": stream(config_map("a"))})
    parsed = ParseCache()
    for paths in [("jobs",), (".",), ("jobs",)]:
        assert described(_read(parsed, *paths)) == described(_read(None, *paths))


def test_a_commits_files_are_kept_and_limits_hold(made: GitRepository) -> None:
    """A file that was read may be too large for the next reading."""
    made.commit({"jobs/a.yaml": stream(config_map("a")), "jobs/b.yaml": stream(config_map("a-longer-name"))})
    most = len(stream(config_map("a")))
    with open_repository() as repository:
        files = repository.revision(repository.resolve("HEAD"))
        for limits in ({}, {"file_bytes": most}, {}, {"file_bytes": 5}):
            assert described(_read(None, "jobs", files=files, **limits)) == described(_read(None, "jobs", **limits))
