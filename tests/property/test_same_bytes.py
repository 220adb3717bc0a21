"""The same input gives the same bytes, on any machine."""

import locale
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmark import corpus

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
EXTRA = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: notes, namespace: team-nlp}
data: {größe: "Ünïcode ☃ 😀 日本語", I: ı, i: İ}
"""
SURROUNDINGS = [
    pytest.param({"PYTHONHASHSEED": "1"}, id="hash seed 1"),
    pytest.param({"PYTHONHASHSEED": "4294967295"}, id="hash seed 4294967295"),
    pytest.param({"LC_ALL": "C"}, id="C"),
    pytest.param({"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, id="ASCII"),
    pytest.param({"PYTHONIOENCODING": "latin-1"}, id="Latin-1"),
    pytest.param({"TZ": "Asia/Kathmandu", "HOME": "/nonexistent", "COLUMNS": "20"}, id="zone, home, width"),
    pytest.param({"PYTHONOPTIMIZE": "2"}, id="optimized"),
]


def build(*paths: Path | str, cwd: Path, stdin: str | None = None, **environment: str) -> tuple[bytes, bytes]:
    done = subprocess.run(
        [sys.executable, "-m", "kubectl_trainjob", "build", *map(str, paths)],
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0", **environment},
        input=None if stdin is None else stdin.encode(),
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("repository")
    corpus.write_files(folder, 14)
    (folder / "notes.yaml").write_text(EXTRA, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def expected(repository):
    stdout, stderr = build(".", cwd=repository)
    assert stdout.count(b"kind: JobSet") == 14
    assert "Ünïcode ☃".encode() in stdout
    return stdout, stderr


@pytest.mark.parametrize("environment", SURROUNDINGS)
def test_surroundings_do_not_show(repository, expected, environment):
    assert build(".", cwd=repository, **environment) == expected


def test_a_wish_for_another_encoding_does_not_reach_the_result(repository, expected):
    assert build(".", cwd=repository, PYTHONIOENCODING="utf-16")[0] == expected[0]


def test_other_locales_do_not_show(repository, expected):
    names = [name for name in ("tr_TR.UTF-8", "de_DE.UTF-8", "de_DE.ISO-8859-1", "ja_JP.EUC-JP") if is_installed(name)]
    for name in names or ["C.UTF-8"]:
        assert build(".", cwd=repository, LC_ALL=name) == expected


def test_the_place_does_not_show(repository, expected, tmp_path):
    (tmp_path / "elsewhere").symlink_to(repository)
    assert build(repository, cwd=tmp_path) == expected
    assert build("elsewhere", cwd=tmp_path) == expected


def test_the_order_of_files_does_not_show(repository, expected):
    files = sorted(repository.rglob("*.yaml"))
    random.Random(3).shuffle(files)
    assert build(*files, cwd=repository) == expected


def test_names_of_files_do_not_show(repository, expected, tmp_path):
    files = sorted(repository.rglob("*.yaml"))
    for number, file in enumerate(files):
        (tmp_path / f"{len(files) - number:03d}.yml").write_bytes(file.read_bytes())
    assert build(".", cwd=tmp_path) == expected


def test_the_order_of_documents_does_not_show(repository, expected, tmp_path):
    documents = [file.read_text(encoding="utf-8") for file in sorted(repository.rglob("*.yaml"))]
    random.Random(4).shuffle(documents)
    assert build("-", cwd=tmp_path, stdin="---\n".join(documents)) == expected


def is_installed(name: str) -> bool:
    old = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, name)
    except locale.Error:
        return False
    finally:
        locale.setlocale(locale.LC_ALL, old)
    return True
