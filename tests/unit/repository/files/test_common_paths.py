"""The path that both sides of a comparison call a file by, and the one that people see."""

from pathlib import Path

import pytest

from kubectl_trainjob.model.units import Documents, manifests_of
from kubectl_trainjob.repository.files.filesystem import paths_below
from kubectl_trainjob.repository.files.parse_cache import ParseCache
from tests.cli.manifests import config, config_map, overlay, runtime, stream, train_job
from tests.reading import current, read
from tests.unit.repository.files.git_repository import GitRepository


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "real/deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("base", "shown", "expected"),
    [
        pytest.param("", "real/a.yaml", "", id="no base"),
        pytest.param("real", "real/a.yaml", "a.yaml", id="below"),
        pytest.param("real", "real", "", id="base"),
        pytest.param("./real/", "real/deep/a.yaml", "deep/a.yaml", id="spelled otherwise"),
        pytest.param("HERE/real", "real/a.yaml", "a.yaml", id="absolute base"),
        pytest.param("real", "HERE/real/a.yaml", "a.yaml", id="absolute path"),
        pytest.param("link", "link/a.yaml", "a.yaml", id="link"),
        pytest.param("link", "real/a.yaml", "a.yaml", id="what a link leads to"),
        pytest.param("real/deep", "real/a.yaml", "HERE/real/a.yaml", id="above"),
        pytest.param("real", "realm/a.yaml", "HERE/realm/a.yaml", id="beside"),
        pytest.param(".", "real/a.yaml", "real/a.yaml", id="current directory"),
        pytest.param("/", "HERE/a.yaml", "BELOW/a.yaml", id="top"),
    ],
)
def test_paths_below_a_base(here: Path, base: str, shown: str, expected: str) -> None:
    def filled(path: str) -> str:
        return path.replace("HERE", str(here)).replace("BELOW", str(here)[1:])

    assert paths_below(filled(base), current())(filled(shown)) == filled(expected)


def _paths(documents: Documents) -> set[tuple[str, str]]:
    manifests = [*documents.inputs, *documents.library, *(m for unit in documents.units for m in manifests_of(unit))]
    files = [manifest.source.file for manifest in manifests]
    files += [source.file for unit in documents.units for source in (unit.overlay.source, *_patches(unit))]
    files += [settings.source.file for settings in documents.settings]
    files += [finding.place.source.file for finding in documents.diagnostics]
    return {(file.path, file.common_path) for file in files}


def _patches(unit):
    return [patch.source for patch in unit.overlay.patches]


FILES = {
    "trainjob.yaml": stream(*config()),
    "jobs/a.yaml": stream(train_job("a", "wanted")),
    "jobs/wide.yaml": "\0a\0b",
    "jobs/lost.yaml.j2": "",
    "runtimes/r.yaml": stream(runtime("wanted")),
    "o/overlay.yaml": stream(
        *overlay("t.yaml.j2", patches=[{"target": {"kind": "ConfigMap"}, "path": "p.yaml"}, {"patch": "[]\n"}])
    ),
    "o/t.yaml.j2": stream(config_map("{{ overlay.name }}")),
    "o/p.yaml": "data: {a: b}\n",
}


def test_what_is_read_below_a_base(here: Path) -> None:
    GitRepository(here / "old").write(FILES)
    found = _paths(read(["old/jobs", "old/o"], bytes, base="old"))
    names = ["trainjob.yaml", "jobs/a.yaml", "jobs/wide.yaml", "jobs/lost.yaml.j2", "runtimes/r.yaml"]
    names += ["o/overlay.yaml", "o/t.yaml.j2", "o/p.yaml"]
    assert found == {(f"old/{name}", name) for name in names}
    assert _paths(read(["old/jobs", "old/o"], bytes)) == {(f"old/{name}", f"old/{name}") for name in names}


def test_what_was_parsed_for_one_base_keeps_its_paths(here: Path) -> None:
    GitRepository(here / "old").write(FILES)
    GitRepository(here / "new").write(FILES)
    parsed = ParseCache()
    old, new, nested = (
        read([f"{base}/jobs/a.yaml"], bytes, parsed=parsed, base=below)
        for base, below in (("old", "old"), ("new", "new"), ("new", "."))
    )
    assert old.inputs[0].body is new.inputs[0].body is nested.inputs[0].body
    reported = [[(m.source.file.path, m.source.file.common_path) for m in side.inputs] for side in (old, new, nested)]
    assert reported == [
        [("old/jobs/a.yaml", "jobs/a.yaml")],
        [("new/jobs/a.yaml", "jobs/a.yaml")],
        [("new/jobs/a.yaml", "new/jobs/a.yaml")],
    ]
